// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the window shows while no model is open: what Lathe is, how to open a model, samples to try, and what was open last.
#pragma once

#include "views/models/start/recent_file.h"

#include <QList>
#include <QWidget>

class QAction;
class QBoxLayout;
class QLabel;

namespace lathe::views::start {

class StartPage : public QWidget {
    Q_OBJECT

public:
    /// open: the actions that open what the user chooses. shared: the folder that the program has its samples in (samples/) and
    /// the pictures of its guide (guide/images/); what is not there is not shown.
    StartPage(const QList<QAction*>& open, const QString& shared);

    void setRecent(const QList<models::RecentFile>& files);

signals:
    void fileWanted(QString path);

private:
    QLayout* makeSamples(const QString& folder);
    QLayout* makePictures(const QString& folder);

    QLabel* noRecent_;
    QBoxLayout* recent_;
};

} // namespace lathe::views::start
