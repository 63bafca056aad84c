// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/progress_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <algorithm>

namespace lathe::app {

namespace {

constexpr int steps = 1000;
constexpr int barWidth = 160;

} // namespace

ProgressPane::ProgressPane() : bar_(new QProgressBar), left_(new QLabel) {
    bar_->setRange(0, steps);
    bar_->setFixedWidth(barWidth);
    bar_->setFormat(QStringLiteral("%p %"));
    bar_->setAccessibleName(tr("Progress"));
    left_->setAccessibleName(tr("Time left"));
    auto all = new QHBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(left_);
    all->addWidget(bar_);
    tick_.setInterval(1000);
    connect(&tick_, &QTimer::timeout, this, &ProgressPane::showLeft);
    clock_.start();
    end();
}

void ProgressPane::begin() {
    if (!isHidden())
        return;
    time_.clear();
    tick_.start();
    show();
}

void ProgressPane::report(double fraction) {
    begin();
    fraction = std::clamp(fraction, 0.0, 1.0);
    bar_->setValue(int(fraction * steps));
    time_.add(double(clock_.elapsed()) / 1000, fraction);
    showLeft();
}

void ProgressPane::end() {
    hide();
    tick_.stop();
    time_.clear();
    bar_->setValue(0);
    showLeft();
}

void ProgressPane::showLeft() {
    const auto seconds = time_.seconds(double(clock_.elapsed()) / 1000);
    const QString text = seconds ? views::models::timeLeftText(*seconds) : QString();
    if (text != left_->text())
        left_->setText(text);
}

} // namespace lathe::app
