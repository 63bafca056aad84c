// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/cost_model_panel.h"

#include "views/models/text/counted.h"
#include "views/models/tuning/feature_model.h"
#include "views/models/tuning/trial_model.h"
#include "views/models/tuning/wrong_pair_model.h"
#include "views/page/plot.h"
#include "views/page/share_delegate.h"
#include "views/page/table.h"
#include "views/tuning/trial_code_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QSplitter>
#include <QTabWidget>
#include <algorithm>
#include <map>

namespace lathe::views::tuning {

namespace {

constexpr int cellsAcross = 90, cellsUp = 60;
constexpr double reachOfPoint = 8; // pixels from a point that still pick it

struct Measure {
    const char* name;
    double (*of)(const tune::Quality& quality);
    double chance, least; // what chance gives; where its axis begins
};
const Measure measures[] = {
    {QT_TR_NOOP("Spearman's rank correlation"), [](const tune::Quality& q) { return q.spearman; }, 0, -1},
    {QT_TR_NOOP("pairs in order"), [](const tune::Quality& q) { return q.pairs.right; }, 0.5, 0},
    {QT_TR_NOOP("recall@1"), [](const tune::Quality& q) { return q.recall1; }, 0, 0},
    {QT_TR_NOOP("recall@5"), [](const tune::Quality& q) { return q.recall5; }, 0, 0},
    {QT_TR_NOOP("recall@16"), [](const tune::Quality& q) { return q.recall16; }, 0, 0},
    {QT_TR_NOOP("peak@5"), [](const tune::Quality& q) { return q.peak5; }, 0, 0},
};

QLabel* sentence() {
    auto label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setMargin(8);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    return label;
}

QWidget* column(std::initializer_list<QWidget*> widgets) {
    auto page = new QWidget;
    auto layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (QWidget* widget : widgets)
        layout->addWidget(widget, widget == *(widgets.end() - 1) ? 1 : 0);
    return page;
}

/// Dragging moves what is seen, the wheel zooms, a double click shows all.
void makeMovable(QCustomPlot* plot) {
    setUpPlot(*plot);
    plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot->setNotAntialiasedElements(QCP::aeScatters);
    plot->setMinimumSize(240, 160);
    QObject::connect(plot, &QCustomPlot::mouseDoubleClick, plot, [plot] {
        plot->rescaleAxes();
        plot->replot(QCustomPlot::rpQueuedReplot);
    });
}

} // namespace

CostModelPanel::CostModelPanel()
    : opinion_(new QComboBox), measure_(new QComboBox), tabs_(new QTabWidget), predictionText_(sentence()),
      roundText_(sentence()), roundLegend_(new QLabel), featureText_(sentence()), pairText_(sentence()),
      predictions_(new QCustomPlot), rounds_(new QCustomPlot), features_(new models::FeatureModel(this)),
      featureTable_(new QTableView), wrong_(new models::WrongPairModel(this)), pairTable_(new QTableView),
      code_(new TrialCodePanel) {
    opinion_->addItem(tr("Cost model"), int(tune::Opinion::Model));
    opinion_->addItem(tr("Estimate (prior)"), int(tune::Opinion::Prior));
    opinion_->setAccessibleName(tr("Whose opinion"));
    auto whose = new QLabel(tr("&Opinion of"));
    whose->setBuddy(opinion_);
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 4);
    row->setSpacing(8);
    row->addWidget(whose);
    row->addWidget(opinion_);
    row->addStretch(1);
    setUpTable(*featureTable_, *features_);
    featureTable_->setItemDelegateForColumn(models::FeatureModel::Share, new ShareDelegate(featureTable_));
    featureTable_->setAccessibleName(tr("What the cost model goes by"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(makePredictions(), tr("Expected and measured"));
    tabs_->addTab(makeRounds(), tr("By round"));
    tabs_->addTab(column({featureText_, featureTable_}), tr("Features"));
    tabs_->addTab(makePairs(), tr("Worst pairs"));
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(tabs_, 1);
    const auto again = [this] {
        fits_ = true;
        refresh();
    };
    connect(opinion_, &QComboBox::currentIndexChanged, this, again);
    connect(measure_, &QComboBox::currentIndexChanged, this, &CostModelPanel::showRounds);
    setImportance({});
    setTask({});
}

QWidget* CostModelPanel::makePredictions() {
    makeMovable(predictions_);
    predictions_->setAccessibleName(tr("What was expected of trials and what was measured"));
    for (int shade = 0; shade < shades; ++shade) {
        cells_.push_back(predictions_->addGraph());
        cells_.back()->setLineStyle(QCPGraph::lsNone);
    }
    right_ = predictions_->addGraph();
    each_ = predictions_->addGraph();
    each_->setLineStyle(QCPGraph::lsNone);
    connect(predictions_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        if (event->button() == Qt::LeftButton)
            pick(event->position());
    });
    return column({predictionText_, predictions_});
}

QWidget* CostModelPanel::makeRounds() {
    for (const Measure& measure : measures)
        measure_->addItem(tr(measure.name));
    measure_->setAccessibleName(tr("Which figure"));
    auto row = new QWidget;
    auto layout = new QHBoxLayout(row);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(measure_);
    layout->addWidget(roundLegend_, 1);
    makeMovable(rounds_);
    rounds_->setAccessibleName(tr("How good predictions were, by round"));
    rounds_->xAxis->setLabel(tr("round"));
    prior_ = rounds_->addGraph();
    model_ = rounds_->addGraph();
    random_ = rounds_->addGraph();
    return column({roundText_, row, rounds_});
}

QWidget* CostModelPanel::makePairs() {
    setUpTable(*pairTable_, *wrong_);
    pairTable_->setAccessibleName(tr("Pairs of trials that were ordered worst"));
    pairTable_->setSelectionMode(QAbstractItemView::SingleSelection);
    connect(pairTable_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = pairTable_->selectionModel()->selectedRows();
        if (!rows.isEmpty())
            showPair(rows.front().row());
    });
    auto splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(pairTable_);
    splitter->addWidget(code_);
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    return column({pairText_, splitter});
}

tune::Opinion CostModelPanel::shownOpinion() const {
    return tune::Opinion(opinion_->currentData().toInt());
}

void CostModelPanel::setTask(models::TaskTrials task) {
    task_ = std::move(task);
    code_->showMessage(tr("Pick a pair to see how its trials differ."));
    fits_ = true;
    refresh();
}

void CostModelPanel::refresh() {
    outdated_ = true;
    if (!isVisible())
        return;
    outdated_ = false;
    showPredictions();
    showRounds();
    wrong_->show(task_.trials, shownOpinion());
    pairTable_->resizeColumnsToContents();
    pairText_->setText(
        !task_.trials || wrong_->rowCount() == 0
            ? tr("No two trials of a round whose times differ by more than noise were expected the other way round.")
            : tr("Pairs of trials of one round whose times differ by more than noise, and of which the slower one was "
                 "expected to be faster: the worst %1.")
                  .arg(models::grouped(wrong_->rowCount())));
}

void CostModelPanel::setImportance(const std::vector<double>& shares) {
    const std::vector<models::FeatureShare> found = models::featureShares(shares);
    featureText_->setText(
        found.empty()
            ? tr("No model has learned in this study yet: it does from 32 trials on, and is not kept in the records.")
            : tr("What the model of this study goes by now: the share that splits by each feature have in what all "
                 "splits of its trees brought (total gain). Features that say the same share it by chance."));
    features_->show(found);
    featureTable_->setVisible(!found.empty());
    featureTable_->resizeColumnsToContents();
}

void CostModelPanel::showPredictions() {
    const bool isPrior = shownOpinion() == tune::Opinion::Prior;
    shown_ = task_.trials ? models::predictionsOf(*task_.trials, shownOpinion()) : std::vector<models::Prediction>();
    const bool empty = shown_.empty();
    predictions_->setVisible(!empty);
    each_->data()->clear();
    right_->data()->clear();
    for (QCPGraph* cells : cells_)
        cells->data()->clear();
    points_ = shown_.size() <= mostPoints ? shown_.size() : 0;
    predictionText_->setText(
        empty     ? isPrior
                        ? tr("There is no trial with an estimate and a time.")
                        : tr("There is no trial yet that the model was asked about and that has a time: it learns from 32 "
                                 "trials on.")
            : isPrior ? tr("%1: microseconds that the estimate expected, and those that were measured. On the line both "
                               "are equal; "
                               "what counts is the order.")
                        .arg(models::counted(qint64(shown_.size()), "trial", "trials"))
                  : tr("%1: the score that the model gave before it was tried, in no unit, and the ratio to the "
                       "default's time "
                       "that was measured. A good model has the high scores at the bottom. Scores of two rounds may "
                       "come from two "
                       "models.")
                            .arg(models::counted(qint64(shown_.size()), "trial", "trials")) +
                        (points_ == 0 ? tr(" Darker cells have more trials.") : QString()));
    predictions_->xAxis->setLabel(isPrior ? tr("expected µs") : tr("score"));
    predictions_->yAxis->setLabel(isPrior ? tr("measured µs") : tr("ratio to the default's time"));
    for (QCPAxis* axis : {predictions_->xAxis, predictions_->yAxis}) {
        const bool isLog = isPrior;
        axis->setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setTicker(isLog ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                              : QSharedPointer<QCPAxisTicker>::create());
    }
    if (points_ > 0) {
        QVector<double> keys, values;
        for (const models::Prediction& each : shown_) {
            keys << each.expected;
            values << each.measured;
        }
        each_->setData(keys, values);
    } else {
        showCells(shown_);
    }
    if (isPrior && !empty) {
        const auto [least, most] = std::ranges::minmax(shown_, {}, &models::Prediction::measured);
        right_->setData({least.measured, most.measured}, {least.measured, most.measured});
    }
    if (fits_ && !empty) {
        fits_ = false;
        predictions_->rescaleAxes();
        for (QCPAxis* axis : {predictions_->xAxis, predictions_->yAxis})
            axis->scaleRange(1.08);
    }
    colour();
}

void CostModelPanel::showCells(const std::vector<models::Prediction>& predictions) {
    if (predictions.empty())
        return;
    const bool isLog = predictions_->xAxis->scaleType() == QCPAxis::stLogarithmic;
    const auto to = [&](double value) { return isLog ? std::log(value) : value; };
    const auto from = [&](double value) { return isLog ? std::exp(value) : value; };
    const auto [left, right] = std::ranges::minmax(predictions, {}, &models::Prediction::expected);
    const auto [low, high] = std::ranges::minmax(predictions, {}, &models::Prediction::measured);
    const double x = to(left.expected), y = to(low.measured);
    const double width = std::max((to(right.expected) - x) / cellsAcross, 1e-9);
    const double height = std::max((to(high.measured) - y) / cellsUp, 1e-9);
    std::map<std::pair<int, int>, int> counts;
    int most = 0;
    for (const models::Prediction& each : predictions) {
        int& count = counts[{std::min(int((to(each.expected) - x) / width), cellsAcross - 1),
                             std::min(int((to(each.measured) - y) / height), cellsUp - 1)}];
        most = std::max(most, ++count);
    }
    for (const auto& [cell, count] : counts) {
        const int shade = std::min(int(shades * std::log1p(count) / std::log1p(most)), shades - 1);
        cells_[size_t(shade)]->addData(from(x + (cell.first + 0.5) * width), from(y + (cell.second + 0.5) * height));
    }
}

void CostModelPanel::showRounds() {
    const std::vector<models::RoundQuality> quality =
        task_.trials ? models::qualityByRound(*task_.trials) : std::vector<models::RoundQuality>();
    const Measure& measure = measures[std::max(0, measure_->currentIndex())];
    for (const auto& [graph, of] : {std::pair(prior_, &models::RoundQuality::prior),
                                    {model_, &models::RoundQuality::model},
                                    {random_, &models::RoundQuality::random}}) {
        graph->data()->clear();
        for (const models::RoundQuality& round : quality)
            if ((round.*of).count >= 2)
                graph->addData(round.round, measure.of(round.*of));
    }
    const bool empty = prior_->data()->isEmpty() && model_->data()->isEmpty();
    rounds_->setVisible(!empty);
    roundText_->setText(empty ? tr("No round has two trials of which something was expected and that have a time.")
                              : tr("How well the opinions ordered each batch, before the model learned from it: 1 is "
                                   "best, %1 is chance. A "
                                   "chosen batch has little spread, so its figures look worse than the model is; what "
                                   "was drawn at random, "
                                   "the last 64 of it, says how good it is.")
                                    .arg(measure.chance == 0.5 ? tr("0.5")
                                         : measure.least < 0   ? tr("0")
                                                               : tr("what the size of the batch gives")));
    rounds_->xAxis->rescale();
    rounds_->xAxis->scaleRange(1.04);
    rounds_->yAxis->setLabel(tr(measure.name));
    rounds_->yAxis->setRange(measure.least - 0.05, 1.05);
    colour();
}

void CostModelPanel::showPair(int row) {
    if (!task_.trials || !task_.trace)
        return;
    const models::WrongPair& pair = wrong_->at(row);
    const auto faster = models::shownTrialOf(task_, pair.faster), slower = models::shownTrialOf(task_, pair.slower);
    if (!faster || !slower)
        return code_->showMessage(QString::fromStdString(toString(faster ? slower.error() : faster.error())));
    code_->setTrials(task_.kernel, *faster, *slower,
                     tr("Left trial %1, right trial %2, which takes %3 times as long and was expected to be faster.")
                         .arg(pair.faster)
                         .arg(pair.slower)
                         .arg(pair.factor, 0, 'f', 2));
}

void CostModelPanel::pick(QPointF pixel) {
    double nearest = reachOfPoint;
    int found = -1;
    for (size_t i = 0; i < points_; ++i) {
        const QPointF at = each_->coordsToPixels(shown_[i].expected, shown_[i].measured);
        if (const double away = std::hypot(at.x() - pixel.x(), at.y() - pixel.y()); away < nearest) {
            nearest = away;
            found = shown_[i].trial;
        }
    }
    if (found >= 0)
        emit trialPicked(found);
}

void CostModelPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    for (QCustomPlot* plot : {predictions_, rounds_})
        colourPlot(*plot, palette());
    QColor point = colors.product;
    point.setAlphaF(0.6F);
    each_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, point, 4));
    right_->setPen(QPen(colors.dimText, 1, Qt::DashLine));
    for (int shade = 0; shade < shades; ++shade) {
        QColor cell = colors.product;
        cell.setAlphaF(float(shade + 1) / shades);
        cells_[size_t(shade)]->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, Qt::NoPen, cell, 7));
    }
    QString legend;
    for (const auto& [graph, color, meaning] :
         {std::tuple(prior_, colors.reduction, tr("estimate")), std::tuple(model_, colors.product, tr("cost model")),
          std::tuple(random_, colors.good, tr("cost model, of what was drawn at random"))}) {
        graph->setPen(QPen(color, 1.5));
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, 4));
        legend += legendOf(color, meaning);
    }
    roundLegend_->setText(legend);
    for (QCustomPlot* plot : {predictions_, rounds_})
        if (!plot->isHidden())
            plot->replot(QCustomPlot::rpQueuedReplot);
}

void CostModelPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        colour();
    QWidget::changeEvent(event);
}

void CostModelPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (outdated_)
        refresh();
}

} // namespace lathe::views::tuning
