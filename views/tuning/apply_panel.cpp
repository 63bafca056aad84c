// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/apply_panel.h"

#include "views/models/profile/run_texts.h"
#include "views/page/table.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace lathe::views::tuning {

ApplyPanel::ApplyPanel(const models::StudyLog& log)
    : log_(log), model_(new models::ApplyModel(this)), table_(new QTableView), summary_(new QLabel),
      changes_(new QLabel), apply_(new QAction(tr("&Apply what was found"), this)),
      compare_(new QPushButton(tr("&Run and compare"))) {
    setUpTable(*table_, *model_);
    table_->setAccessibleName(tr("Schedules that were found"));
    for (QLabel* label : {summary_, changes_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    summary_->setMargin(8);
    apply_->setToolTip(tr("Take the ticked schedules into the decisions, and compile the model with them"));
    compare_->setToolTip(tr("Run the model as it was before and as it is now by turns (Shift+F6)"));
    auto button = new QToolButton;
    button->setDefaultAction(apply_);
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 8);
    row->addWidget(button);
    row->addWidget(compare_);
    row->addWidget(changes_, 1);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(table_, 1);
    layout->addLayout(row);
    layout->addStretch();
    connect(model_, &models::ApplyModel::changed, this, &ApplyPanel::describe);
    connect(apply_, &QAction::triggered, this, [this] { emit whatIfWanted(model_->wish()); });
    connect(compare_, &QPushButton::clicked, this, &ApplyPanel::compareWanted);
    setComparable(false);
    describe();
}

void ApplyPanel::setComparable(bool comparable) {
    compare_->setEnabled(comparable);
}

void ApplyPanel::setEnd(const models::StudyEnd& end, bool runs) {
    end_ = end;
    runs_ = runs;
    model_->show(log_, end);
    table_->resizeColumnsToContents();
    table_->setColumnWidth(0, std::clamp(table_->columnWidth(0), 160, 360));
    describe();
}

void ApplyPanel::describe() {
    const bool any = model_->rowCount() > 0;
    const QString inPlace = inPlaceText(end_);
    const QString what = any ? tr("What is ticked is taken into the decisions, as one step that can be undone.")
                             : tr("Nothing was found that is faster than what the model has.");
    QStringList texts{inPlace};
    for (const QString& text : end_.graphTexts)
        texts << text + '.';
    texts << what;
    texts.removeAll(QString());
    summary_->setText(runs_
                          ? tr("While a study goes on there is nothing to apply: what it has found is held against the "
                               "whole model when it ends (Stop).")
                          : texts.join('\n'));
    table_->setVisible(any);
    auto column = static_cast<QVBoxLayout*>(layout());
    column->setStretch(column->count() - 1, any ? 0 : 1);
    const auto changes = model_->changes();
    apply_->setEnabled(any && changes.any());
    changes_->setText(any ? models::textOf(changes) : QString());
}

QString inPlaceText(const models::StudyEnd& end) {
    if (end.afterMs.middle <= 0 || end.beforeMs.middle <= 0)
        return {};
    return models::changeText(end.beforeMs, end.afterMs, end.differs) + QStringLiteral(". ") +
           ApplyPanel::tr("By turns, the whole model took %1 with it, %2 without.")
               .arg(models::runsText(end.afterMs), models::runsText(end.beforeMs));
}

} // namespace lathe::views::tuning
