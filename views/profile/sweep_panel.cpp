// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/sweep_panel.h"

#include "views/page/plot.h"
#include "views/page/table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

namespace lathe::views::profile {

SweepPanel::SweepPanel(models::Selection* selection)
    : ChartPanel(selection, tr("Time over a size")), model_(new models::SweepModel(this)), names_(new QComboBox),
      sizes_(new QLineEdit(QStringLiteral("1:8"))), start_(new QPushButton(tr("&Run over it"))), problem_(new QLabel),
      low_(plot()->addGraph()), high_(plot()->addGraph()), median_(plot()->addGraph()), least_(plot()->addGraph()) {
    names_->setAccessibleName(tr("Size of the model"));
    sizes_->setAccessibleName(tr("Sizes to run with"));
    sizes_->setToolTip(tr("FROM:TO, FROM:TO:STEP, or sizes with commas between them"));
    sizes_->setMaximumWidth(220);
    problem_->setTextFormat(Qt::PlainText);
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 0);
    row->addWidget(names_);
    row->addWidget(sizes_);
    row->addWidget(start_);
    row->addWidget(problem_);
    row->addStretch(1);
    addOnTop(row);
    auto table = new QTableView;
    setUpTable(*table, *model_);
    table->setAccessibleName(tr("Time over a size"));
    addBeside(table);
    plot()->yAxis->setLabel(tr("ms"));
    least_->setLineStyle(QCPGraph::lsNone);
    high_->setChannelFillGraph(low_);
    connect(sizes_, &QLineEdit::textChanged, this, &SweepPanel::check);
    connect(names_, &QComboBox::currentIndexChanged, this, &SweepPanel::check);
    connect(sizes_, &QLineEdit::returnPressed, start_, &QPushButton::click);
    connect(start_, &QPushButton::clicked, this, [this] {
        if (auto asked = question())
            emit sweepWanted(*std::move(asked));
    });
    setModel(nullptr);
}

Result<inspect::SweepQuestion> SweepPanel::question() const {
    return inspect::parseSweep((names_->currentText() + '=' + sizes_->text()).toStdString());
}

void SweepPanel::check() {
    const auto asked = question();
    start_->setEnabled(asked && !busy_);
    problem_->setText(asked || names_->count() == 0 ? QString() : sizes_->toolTip());
    problem_->setVisible(!problem_->text().isEmpty());
}

void SweepPanel::setBusy(bool busy) {
    busy_ = busy;
    check();
}

void SweepPanel::setModel(const driver::Trace* trace) {
    compiled_ = trace != nullptr;
    QStringList names;
    if (trace)
        for (const models::OpenSize& size : models::openSizesOf(*trace))
            names << size.name;
    fixed_ = trace && trace->graph && names.isEmpty() && !models::openSizesOf(*trace->graph).empty();
    const QString chosen = names_->currentText();
    names_->clear();
    names_->addItems(names);
    names_->setCurrentIndex(names.isEmpty() ? -1 : std::max(0, int(names.indexOf(chosen))));
    for (QWidget* each : {static_cast<QWidget*>(names_), static_cast<QWidget*>(sizes_), static_cast<QWidget*>(start_)})
        each->setVisible(!names.isEmpty());
    check();
    setSweep({});
}

void SweepPanel::ask() {
    sizes_->setFocus();
    sizes_->selectAll();
}

void SweepPanel::setSweep(const inspect::Sweep& sweep) {
    model_->show(sweep);
    const bool empty = sweep.points.empty();
    say(!empty                 ? models::summaryOf(sweep)
        : !compiled_           ? tr("Compile the model (F5) to see how its time goes with its sizes.")
        : fixed_               ? tr("The settings fix the sizes that this model leaves open. Leave them open there "
                                                  "(Model › Settings…) and compile, to run the model over one.")
        : names_->count() == 0 ? tr("No size of this model is open: there is nothing to run it over.")
                               : tr("Choose a size that the model leaves open, and what it is to run with: the model "
                                    "is compiled once and runs at each."),
        empty);
    for (QCPGraph* graph : {low_, high_, median_, least_})
        graph->data()->clear();
    for (const inspect::SweepPoint& point : sweep.points) { // the plot sorts them
        const auto size = double(point.size);
        low_->addData(size, point.lowMs);
        high_->addData(size, point.highMs);
        median_->addData(size, point.medianMs);
        least_->addData(size, point.leastMs);
    }
    if (!empty) {
        findChild<QTableView*>()->resizeColumnsToContents();
        plot()->xAxis->setLabel(
            model_->headerData(models::SweepModel::Size, Qt::Horizontal, Qt::DisplayRole).toString());
        plot()->rescaleAxes();
        plot()->xAxis->scaleRange(1.08);
        plot()->yAxis->setRange(0, plot()->yAxis->range().upper * 1.08);
    }
    refresh();
}

void SweepPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    QColor band = colors.product;
    band.setAlphaF(0.25F);
    low_->setPen(Qt::NoPen);
    high_->setPen(Qt::NoPen);
    high_->setBrush(band);
    median_->setPen(QPen(colors.product, 2));
    median_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colors.product, 6));
    least_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colors.good, 1.5), Qt::NoBrush, 7));
    setLegend(legendOf(colors.product, tr("median, and half of the runs")) + legendOf(colors.good, tr("least")));
}

} // namespace lathe::views::profile
