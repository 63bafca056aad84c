// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/studies_panel.h"

#include "views/page/plot.h"
#include "views/page/table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>

namespace lathe::views::tuning {

StudiesPanel::StudiesPanel()
    : model_(new models::StudyComparisonModel(this)), one_(new QComboBox), other_(new QComboBox), summary_(new QLabel),
      legend_(new QLabel), body_(nullptr), plot_(new QCustomPlot), ofOne_(plot_->addGraph()),
      ofOther_(plot_->addGraph()), table_(new QTableView) {
    setUpPlot(*plot_);
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 4);
    row->setSpacing(8);
    for (const auto& [combo, text, name] :
         {std::tuple(one_, tr("&First"), tr("First study")), std::tuple(other_, tr("&Second"), tr("Second study"))}) {
        auto label = new QLabel(text);
        label->setBuddy(combo);
        combo->setAccessibleName(name);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        row->addWidget(label);
        row->addWidget(combo, 1);
        connect(combo, &QComboBox::currentIndexChanged, this, &StudiesPanel::compare);
    }
    auto again = new QPushButton(tr("&Read again"));
    again->setToolTip(tr("Reads the records again: other programs write there too"));
    row->addWidget(again);
    connect(again, &QPushButton::clicked, this, &StudiesPanel::read);
    auto trials = new QPushButton(tr("Show its &trials"));
    trials->setToolTip(tr("Shows the trials of the first study"));
    row->addWidget(trials);
    connect(trials, &QPushButton::clicked, this, [this] {
        if (const int at = one_->currentIndex(); at >= 0 && size_t(at) < studies_.size())
            emit studyWanted(QString::fromStdString(studies_[size_t(at)].id));
    });
    summary_->setTextFormat(Qt::PlainText);
    summary_->setWordWrap(true);
    summary_->setMargin(8);
    legend_->setContentsMargins(8, 0, 8, 4);
    plot_->setAccessibleName(tr("Best so far over seconds, of two studies"));
    plot_->setMinimumSize(240, 160);
    plot_->xAxis->setLabel(tr("seconds"));
    plot_->yAxis->setLabel(tr("time to the default's"));
    setUpTable(*table_, *model_);
    table_->setAccessibleName(tr("What two studies found"));
    auto splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(plot_);
    splitter->addWidget(table_);
    splitter->setChildrenCollapsible(false);
    body_ = splitter;
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(summary_);
    layout->addWidget(legend_);
    layout->addWidget(body_, 1);
    say(tr("There are no records yet."), true);
}

void StudiesPanel::say(const QString& text, bool empty) {
    summary_->setText(text);
    legend_->setVisible(!empty);
    body_->setVisible(!empty);
    layout()->setAlignment(summary_, empty ? Qt::AlignTop : Qt::Alignment());
}

void StudiesPanel::setFile(const std::filesystem::path& file) {
    file_ = file;
    outdated_ = true;
    if (isVisible())
        read();
}

void StudiesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (outdated_)
        read();
}

void StudiesPanel::read() {
    outdated_ = false;
    if (file_.empty())
        return say(tr("There is no folder for records."), true);
    reading_.start([file = file_](const auto&) { return models::recordedStudies(file); },
                   [this](std::optional<Studies> read) {
                       if (!read)
                           return;
                       const auto& studies = *read;
                       studies_ = studies.value_or(std::vector<records::Study>());
                       for (QComboBox* combo : {one_, other_}) {
                           const QSignalBlocker quiet(combo);
                           const int before = combo->currentIndex();
                           combo->clear();
                           for (const records::Study& study : studies_)
                               combo->addItem(models::titleOf(study));
                           combo->setCurrentIndex(before >= 0 && before < combo->count() ? before
                                                  : combo == one_ ? std::min(1, combo->count() - 1)
                                                                  : std::min(0, combo->count() - 1));
                       }
                       if (!studies)
                           return say(QString::fromStdString(toString(studies.error())), true);
                       if (studies_.empty())
                           return say(tr("There are no studies in the records yet."), true);
                       compare();
                   });
}

void StudiesPanel::choose(int one, int other) {
    const QSignalBlocker quiet(one_);
    one_->setCurrentIndex(one);
    const QSignalBlocker also(other_);
    other_->setCurrentIndex(other);
    compare();
}

void StudiesPanel::compare() {
    const int one = one_->currentIndex(), other = other_->currentIndex();
    if (one < 0 || other < 0 || size_t(std::max(one, other)) >= studies_.size())
        return;
    if (one == other)
        return say(tr("Choose two studies: this one is held against itself."), true);
    summary_->setText(tr("The trials of both are read…"));
    comparing_.start([file = file_, one = studies_[size_t(one)].id, other = studies_[size_t(other)].id](
                         const auto&) { return models::compareStudies(file, one, other); },
                     [this](std::optional<Result<models::StudyComparison>> comparison) {
                         if (comparison)
                             showComparison(*comparison);
                     });
}

void StudiesPanel::showComparison(const Result<models::StudyComparison>& comparison) {
    if (!comparison)
        return say(QString::fromStdString(toString(comparison.error())), true);
    model_->show(*comparison);
    table_->resizeColumnsToContents();
    say(models::summaryOf(*comparison), comparison->tasks.empty());
    for (const auto& [graph, curve] : {std::pair(ofOne_, &comparison->one), {ofOther_, &comparison->other}}) {
        graph->data()->clear();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        for (const models::StudyCurve::Step& step : curve->steps)
            graph->addData(step.seconds, step.ratio);
        if (!curve->steps.empty()) // to its end
            graph->addData(std::max(curve->seconds, curve->steps.back().seconds), curve->steps.back().ratio);
    }
    plot_->rescaleAxes();
    plot_->xAxis->setRange(0, std::max(1.0, plot_->xAxis->range().upper * 1.02));
    plot_->yAxis->setRange(plot_->yAxis->range().lower - 0.02, 1.02);
    colour();
}

void StudiesPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    colourPlot(*plot_, palette());
    ofOne_->setPen(QPen(colors.product, 2));
    ofOther_->setPen(QPen(colors.reduction, 2));
    const models::StudyComparison& comparison = model_->comparison();
    legend_->setText(legendOf(colors.product, models::titleOf(comparison.one.study)) +
                     legendOf(colors.reduction, models::titleOf(comparison.other.study)));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void StudiesPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        colour();
    QWidget::changeEvent(event);
}

} // namespace lathe::views::tuning
