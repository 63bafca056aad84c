// SPDX-License-Identifier: GPL-3.0-or-later
//
// In the status bar while something is worked on: how far it came, and how long it will still take, where that can be known.
#pragma once

#include "views/models/window/time_left.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace lathe::app {

class ProgressPane : public QWidget {
    Q_OBJECT

public:
    ProgressPane();

    /// Shown until `end`; 0 … 1.
    void report(double fraction);
    /// Shown, and nothing known yet.
    void begin();
    void end();

private:
    void showLeft();

    QProgressBar* bar_;
    QLabel* left_;
    QElapsedTimer clock_;
    QTimer tick_; // what is said gets old without news, too
    views::models::TimeLeft time_;
};

} // namespace lathe::app
