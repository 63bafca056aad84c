// SPDX-License-Identifier: GPL-3.0-or-later
//
// All shortcuts as a table that can be searched; the keys of the selected action are pressed in the field below it.
#pragma once

#include <QDialog>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QTreeWidget;

namespace lathe::app {

class Actions;

class ShortcutsDialog : public QDialog {
    Q_OBJECT

public:
    ShortcutsDialog(Actions& actions, QWidget* parent);

private:
    void fill();
    QString current() const; // an action's id; empty: none
    void currentChanged();
    void keysPressed();
    void apply();

    Actions& actions_;
    QLineEdit* search_;
    QTreeWidget* table_;
    QKeySequenceEdit* keys_;
    QLabel* conflict_;
};

} // namespace lathe::app
