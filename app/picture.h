// SPDX-License-Identifier: GPL-3.0-or-later
//
// A picture of the window in a state that it has come to by steps, as a user would take them: how the pictures of the guide are
// made. After each step the picture waits until work, texts and the places of the graph are there.
#pragma once

#include <QObject>
#include <QStringList>

class QWidget;

namespace lathe::app {

class MainWindow;

/// Takes the steps, saves the window with the dialog or popup over it, and ends the program: with 1, and a word on standard error, if
/// a step could not be taken or the file not be written. A step is one of
///   ID          of an action that is enabled: "model.compile", "view.loops"
///   node:N      selects this node, on the page Model
///   pick:TEXT   the first tab, button, choice or row with this text, in the dialog or popup at the front, else in the window
///   focus:NAME  gives the focus to what has this accessible name there
///   type:TEXT   into the field that has the focus; a tab goes to the next field, the end of a line is Enter
class Picture : public QObject {
    Q_OBJECT

public:
    Picture(MainWindow& window, const QStringList& steps, const QString& file);

private:
    /// Takes the next step, or saves, once nothing is to come any more.
    void look();
    bool take(const QString& step);
    void save();
    QWidget* front() const;

    MainWindow& window_;
    QStringList steps_;
    QString file_;
    int quiet_ = 0; // looks at a settled window since the last step
};

} // namespace lathe::app
