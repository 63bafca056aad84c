// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a page of the window is: a widget with an id and a title that gets the open model's values and emits wishes. The
// window knows its pages by this; a page is a row of its table.
#pragma once

#include "diagnose/check.h"
#include "inspect/profile.h"
#include "inspect/provenance.h"
#include "views/models/window/what_if.h"

#include <QKeySequence>
#include <QWidget>
#include <memory>
#include <vector>

class QAction;

namespace lathe::views {

/// What a page adds to the window's table of actions, where it gets a place in menu and palette, and keys that can be changed.
struct PageAction {
    QString id; // "apart"; the page's id stands before it in the table
    QAction* action = nullptr;
    QList<QKeySequence> keys;
};

class Page : public QWidget {
    Q_OBJECT

public:
    Page(const QString& id, const QString& title);

    const QString& id() const { return id_; }       // "model": in settings and on the command line
    const QString& title() const { return title_; } // "Model": its tab
    /// Of the open model's last compilation, good or not; null: there is none. There is no profile and no check then.
    virtual void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) = 0;
    /// Of a run of this compilation; empty: it has not run.
    virtual void setProfile(const inspect::Profile& /*profile*/) {}
    /// Of the values of the open model, as it is compiled now; null: none was made.
    virtual void setCheck(std::shared_ptr<const diagnose::Check> /*check*/) {}
    virtual std::vector<PageAction> pageActions() const { return {}; }
    /// Puts the focus into the page's own field to search what it shows; false: it has none, and what it shows is searched by
    /// the window's find bar.
    virtual bool focusFind() { return false; }
    /// Goes to the next place that its own field found, or the one before; false: it has none.
    virtual bool stepFind(bool /*forward*/) { return false; }

signals:
    /// The user wants to see where in the graph this node is.
    void nodeWanted(int node);
    /// The user wants to see the elements of a value that running the model gives, by its name in the outermost graph.
    void valueWanted(QString value);
    /// To be compiled with, and undone.
    void whatIfWanted(lathe::views::models::WhatIf wish);

private:
    QString id_, title_;
};

} // namespace lathe::views
