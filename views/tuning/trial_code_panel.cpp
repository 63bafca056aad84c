// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/trial_code_panel.h"

#include "views/models/text/counted.h"
#include "views/models/tuning/trial_model.h"
#include "views/page/table.h"
#include "views/text/comparison_view.h"

#include <QLabel>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace lathe::views::tuning {

TrialCodePanel::TrialCodePanel()
    : summary_(new QLabel), levels_(new QTabWidget), figures_(new QStandardItemModel(this)), table_(new QTableView) {
    summary_->setTextFormat(Qt::PlainText);
    summary_->setWordWrap(true);
    summary_->setMargin(8);
    const QString titles[] = {tr("Trace"), tr("Schedule"), tr("Loops"), tr("Assembly")};
    const QString hints[] = {
        tr("The steps of both schedules, with the answers that they follow"), tr("The loops as the schedule left them"),
        tr("The loops after all passes, as they are compiled"), tr("The machine code, without its addresses")};
    for (size_t level = 0; level < views_.size(); ++level) {
        views_[level] = new text::ComparisonView(tr("Held against"), tr("This trial"),
                                                 tr("%1 of what it is held against").arg(titles[level]),
                                                 tr("%1 of this trial").arg(titles[level]));
        const int tab = levels_->addTab(views_[level], titles[level]);
        levels_->setTabToolTip(tab, hints[level]);
    }
    setUpTable(*table_, *figures_);
    table_->setAccessibleName(tr("Figures of both trials"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    levels_->addTab(table_, tr("Figures"));
    levels_->setDocumentMode(true);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(levels_, 1);
    showMessage(tr("Pick a trial to see what it is."));
}

void TrialCodePanel::showMessage(const QString& text) {
    wanted_.reset();
    worker_.cancel();
    summary_->setText(text);
    levels_->hide();
    layout()->setAlignment(summary_, Qt::AlignTop);
}

void TrialCodePanel::setTrials(const models::TrialKernel& kernel, const models::ShownTrial& before,
                               const models::ShownTrial& after, const QString& text) {
    wanted_ = Pair{kernel, before, after, text};
    if (isVisible())
        begin();
}

void TrialCodePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    begin();
}

void TrialCodePanel::begin() {
    if (!wanted_)
        return;
    const Pair pair = *std::exchange(wanted_, std::nullopt);
    const bool waits = pair.kernel.control && pair.kernel.control->isWorking();
    summary_->setText(
        (waits ? tr("%1\nBoth are compiled once the batch under way has been measured…") : tr("%1\nBoth are compiled…"))
            .arg(pair.text));
    worker_.start(
        [pair](const auto& cancelled) { return models::trialCode(pair.kernel, pair.before, pair.after, cancelled); },
        [this, pair](std::optional<models::TrialCode> code) {
            if (code)
                take(*std::move(code), pair);
        });
}

void TrialCodePanel::take(models::TrialCode code, const Pair& pair) {
    const QString without = pair.kernel.computation ? QString()
                                                    : tr("\nWhat the kernel computes is not known here: there is the "
                                                         "trace alone. Open and compile its model to see the rest.");
    summary_->setText(pair.text + without + (code.problem.isEmpty() ? QString() : '\n' + code.problem));
    showFigures(code);
    for (size_t level = 0; level < views_.size(); ++level)
        views_[level]->setComparison(std::move(code.levels[level]));
    levels_->show();
    layout()->setAlignment(summary_, Qt::Alignment());
    emit shown();
}

void TrialCodePanel::showFigures(const models::TrialCode& code) {
    figures_->clear();
    figures_->setHorizontalHeaderLabels({tr("Figure"), code.before, code.after});
    const auto row = [&](const QString& name, const QString& before, const QString& after) {
        QList<QStandardItem*> items;
        for (const QString& text : {name, before, after})
            items << new QStandardItem(text);
        for (qsizetype i = 1; i < items.size(); ++i)
            items[i]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        figures_->appendRow(items);
    };
    const auto& [one, other] = code.figures;
    row(tr("instructions"), models::grouped(one.instructions), models::grouped(other.instructions));
    row(tr("of these in loops"), models::grouped(one.loopInstructions), models::grouped(other.loopInstructions));
    row(tr("of these that read or write the stack"), models::grouped(one.loopStack), models::grouped(other.loopStack));
    row(tr("estimate, µs"), models::usText(one.priorUs), models::usText(other.priorUs));
    for (size_t i = 0; i < std::min(one.features.size(), other.features.size()); ++i)
        row(QString::fromStdString(one.features[i].first), QString::number(double(one.features[i].second), 'g', 4),
            QString::number(double(other.features[i].second), 'g', 4));
    table_->resizeColumnsToContents();
}

} // namespace lathe::views::tuning
