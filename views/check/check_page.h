// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Check: the intermediate values of the compiled model against what they should be. What diverges first is named on
// top and leads to its row.
#pragma once

#include "views/models/check/check_model.h"
#include "views/models/window/selection.h"
#include "views/page/page.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QLayout;
class QSortFilterProxyModel;
class QTableView;

namespace lathe::views::check {

class CheckPage : public Page {
    Q_OBJECT

public:
    explicit CheckPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const inspect::Provenance> provenance) override;
    void setCheck(models::CheckPtr check) override;
    std::vector<PageAction> pageActions() const override;
    /// Files and folders to compare with, chosen from now on.
    void setFiles(const QStringList& files);
    /// What is chosen to compare with.
    diagnose::CheckAgainst against() const;
    const models::CheckModel* model() const { return values_; }

signals:
    void checkWanted(lathe::diagnose::CheckAgainst against);

private:
    void makeActions();
    void makeTable();
    QLayout* makeBar();
    void makeTexts();
    void connectActions();
    void connectTable();
    void askForFiles();
    void askForFolder();
    void describe();
    /// Selects the row in the table, and with it its nodes.
    void goTo(int row);
    void follow();
    /// The row of the table that is current; -1: none is.
    int currentRow() const;

    models::Selection* selection_;
    models::CheckModel* values_;
    QSortFilterProxyModel* shown_;
    QComboBox* against_;
    QAction* check_;
    QAction* withFiles_;
    QAction* withFolder_;
    QAction* show_;
    QCheckBox* all_; // values that were not compared, too
    QLabel* summary_;
    QLabel* first_; // links to rows
    QTableView* table_;
    QStringList files_;
    bool following_ = false; // the table and the selection are being made one
};

} // namespace lathe::views::check
