// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/chart_panel.h"

#include "views/page/plot.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace lathe::views::profile {

ChartPanel::ChartPanel(models::Selection* selection, const QString& name)
    : selection_(selection), summary_(new QLabel), legend_(new QLabel), plot_(new QCustomPlot), body_(new QSplitter) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    legend_->setContentsMargins(8, 0, 8, 8);
    plot_->setAccessibleName(name);
    plot_->setMinimumSize(240, 160);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(legend_);
    body_->addWidget(plot_);
    body_->setChildrenCollapsible(false);
    layout->addWidget(body_, 1);
    connect(selection_, &models::Selection::changed, this, &ChartPanel::refresh);
}

void ChartPanel::refresh() {
    if (!isVisible())
        return;
    colourPlot(*plot_, palette());
    colour();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ChartPanel::say(const QString& summary, bool empty) {
    summary_->setText(summary);
    body_->setVisible(!empty);
    legend_->setVisible(!empty);
    layout()->setAlignment(summary_, empty ? Qt::AlignTop : Qt::Alignment());
}

void ChartPanel::setLegend(const QString& richText) {
    legend_->setText(richText);
}

void ChartPanel::addOnTop(QLayout* controls) {
    static_cast<QVBoxLayout*>(layout())->insertLayout(0, controls);
}

void ChartPanel::addBeside(QWidget* table) {
    body_->addWidget(table);
    constexpr int ofPlot = 600, ofTable = 400; // their sizes to each other
    body_->setStretchFactor(0, ofPlot);
    body_->setStretchFactor(1, ofTable);
    body_->setSizes({ofPlot, ofTable});
}

void ChartPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void ChartPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

} // namespace lathe::views::profile
