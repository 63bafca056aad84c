// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problems/problems_panel.h"

#include "views/page/table.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace lathe::views::problems {

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : QWidget(parent), problems_(new models::ProblemModel(this)), table_(new QTableView),
      none_(new QLabel(tr("No problems"))) {
    setUpTable(*table_, *problems_);
    table_->setAlternatingRowColors(false);
    table_->setWordWrap(true);
    table_->setAccessibleName(tr("Problems"));
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    none_->setAlignment(Qt::AlignCenter);
    layout->addWidget(table_);
    layout->addWidget(none_);
    table_->hide();
    auto lead = [this](const QModelIndex& index) {
        if (index.isValid() && problems_->at(index.row()).nodeId >= 0)
            emit nodeWanted(problems_->at(index.row()).nodeId);
    };
    connect(table_, &QTableView::activated, this, lead);
    connect(table_, &QTableView::clicked, this, lead);
}

void ProblemsPanel::setProblems(std::vector<Diagnostic> diagnostics) {
    problems_->show(std::move(diagnostics));
    const bool any = problems_->rowCount() > 0;
    table_->setVisible(any);
    none_->setVisible(!any);
    table_->resizeColumnsToContents();
    for (int column : {1, 2})
        table_->setColumnWidth(column, std::min(table_->columnWidth(column), 220));
    table_->setColumnWidth(3, std::min(table_->columnWidth(3), 640));
}

} // namespace lathe::views::problems
