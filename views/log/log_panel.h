// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock Log: lines with times and levels, fewer by level and by words. What is chosen, or else all that is shown, is copied.
// It stays at its end, unless it was scrolled away from there.
#pragma once

#include "views/models/window/log_model.h"

#include <QWidget>

class QAction;
class QComboBox;
class QLineEdit;
class QTableView;

namespace lathe::views::log {

class LogPanel : public QWidget {
    Q_OBJECT

public:
    explicit LogPanel(QWidget* parent = nullptr);

    /// Now.
    void add(models::LogLevel level, const QString& text);
    const models::LogModel* model() const { return lines_; }
    /// All lines, shown or not.
    QString text() const;
    /// For the window's table of actions.
    QAction* copyAction() const { return copy_; }
    QAction* clearAction() const { return clear_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void copy();
    void fitColumns();

    models::LogModel* lines_;
    models::LogFilter* shown_;
    QComboBox* level_;
    QLineEdit* words_;
    QTableView* table_;
    QAction *copy_, *clear_;
};

} // namespace lathe::views::log
