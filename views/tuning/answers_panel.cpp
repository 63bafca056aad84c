// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/answers_panel.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/page/plot.h"

#include <QGridLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <algorithm>

namespace lathe::views::tuning {

namespace {

constexpr int chartsARow = 3;
constexpr QSize leastChart(250, 210);
constexpr int mostTicks = 10; // with numbers
constexpr double reach = 12;  // pixels from a point that still pick it

/// Points of one answer lie side by side: where, follows from the trial.
double besides(int trial) {
    constexpr double width = 0.6;
    return (double(uint32_t(trial) * 2654435761U % 1024) / 1023 - 0.5) * width;
}

/// QCustomPlot's draws itself whenever its size changes: all charts in one turn of the event loop, as a filter leaves more of
/// them, or fewer.
class Plot : public QCustomPlot {
public:
    explicit Plot(std::function<void()> resized) : resized_(std::move(resized)) {}

protected:
    void resizeEvent(QResizeEvent*) override {
        setViewport(rect());
        resized_();
    }

private:
    std::function<void()> resized_;
};

} // namespace

AnswersPanel::AnswersPanel() : slices_([this] { return work(); }), summary_(new QLabel), grid_(new QGridLayout) {
    summary_->setTextFormat(Qt::PlainText);
    summary_->setWordWrap(true);
    summary_->setMargin(8);
    auto inside = new QWidget;
    inside->setLayout(grid_);
    grid_->setContentsMargins(8, 0, 8, 8);
    auto area = new QScrollArea;
    area->setWidget(inside);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(area, 1);
}

AnswersPanel::Chart AnswersPanel::makeChart() {
    Chart chart;
    chart.whole = new QWidget;
    chart.title = new QLabel;
    chart.title->setTextFormat(Qt::PlainText);
    chart.plot = new Plot([this, at = charts_.size()] {
        charts_[at].outdated = true;
        slices_.start();
    });
    setUpPlot(*chart.plot);
    chart.plot->setMinimumSize(leastChart);
    chart.plot->setNotAntialiasedElements(QCP::aeScatters);
    chart.boxes = new QCPStatisticalBox(chart.plot->xAxis, chart.plot->yAxis);
    chart.boxes->setWidth(0.7);
    chart.boxes->setWhiskerWidth(0.4);
    chart.points = chart.plot->addGraph();
    chart.best = chart.plot->addGraph();
    for (QCPGraph* graph : {chart.points, chart.best})
        graph->setLineStyle(QCPGraph::lsNone);
    auto layout = new QVBoxLayout(chart.whole);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(chart.title);
    layout->addWidget(chart.plot, 1);
    connect(chart.plot, &QCustomPlot::mousePress, this, [this, plot = chart.plot](QMouseEvent* event) {
        if (event->button() == Qt::LeftButton)
            pick(plot, event->position());
    });
    return chart;
}

void AnswersPanel::setTrials(std::shared_ptr<const models::TrialSet> trials, std::span<const int> among) {
    const models::TrialSet& set = *trials;
    next_.emplace(Next{std::move(trials), models::ImportanceMaker(set, among), {}});
    for (const int trial : among)
        if (set[size_t(trial)].ratio > 0)
            next_->ratios.push_back(set[size_t(trial)].ratio);
    slices_.start();
}

bool AnswersPanel::work() {
    if (next_) {
        if (!next_->importance.step())
            show(*std::exchange(next_, std::nullopt));
        return true;
    }
    for (size_t i = 0; i < std::min(importance_.size(), mostCharts); ++i)
        if (charts_[i].outdated) {
            draw(charts_[i], importance_[i]);
            return true;
        }
    return false;
}

void AnswersPanel::show(Next next) {
    trials_ = std::move(next.trials);
    importance_ = next.importance.take();
    std::vector<double>& ratios = next.ratios;
    const size_t shown = std::min(importance_.size(), mostCharts);
    for (size_t i = charts_.size(); i < shown; ++i) {
        charts_.push_back(makeChart());
        grid_->addWidget(charts_[i].whole, int(i) / chartsARow, int(i) % chartsARow);
    }
    slowest_ = 1; // a few may be a hundred times slower
    if (!ratios.empty()) {
        constexpr double inSight = 0.95;
        const auto last = ratios.begin() + std::ptrdiff_t(inSight * double(ratios.size() - 1));
        std::ranges::nth_element(ratios, last);
        slowest_ = std::max(*last, 1.0);
    }
    for (size_t i = 0; i < charts_.size(); ++i)
        charts_[i].whole->setVisible(i < shown);
    outdate();
    summary_->setText(
        ratios.empty() ? tr("None of these trials has a time.")
        : importance_.empty()
            ? tr("No question has several answers among these %1.")
                  .arg(models::counted(qint64(ratios.size()), "timed trial", "timed trials"))
            : tr("Of %1 (the filter says which): what share of the variance of the ratio's logarithm the answers to "
                 "each "
                 "question explain, beyond chance (analysis of variance in one way, Kelley's ε²). It is about what was "
                 "tried, which the search chose; questions that go together explain the same. The charts go up to a "
                 "ratio of %2; 1 is the default.")
                      .arg(models::counted(qint64(ratios.size()), "timed trial", "timed trials"))
                      .arg(slowest_ * 1.02, 0, 'f', 2) +
                  (importance_.size() > mostCharts
                       ? tr(" The first %1 of %2 are shown.").arg(mostCharts).arg(importance_.size())
                       : QString()));
}

void AnswersPanel::outdate() {
    for (Chart& chart : charts_)
        chart.outdated = true;
    slices_.start();
}

void AnswersPanel::draw(Chart& chart, const models::QuestionImportance& importance) {
    fill(chart, importance);
    colour(chart);
    chart.plot->replot(QCustomPlot::rpQueuedRefresh);
    chart.outdated = false;
}

void AnswersPanel::fill(Chart& chart, const models::QuestionImportance& importance) {
    const models::TrialSet::Question& question = trials_->questions()[importance.question];
    const QString name = models::oneLine(question.name, models::longestNameInText);
    chart.title->setText(tr("%1: %2 %, %3")
                             .arg(name)
                             .arg(100 * importance.share, 0, 'f', importance.share < 0.1 ? 1 : 0)
                             .arg(models::counted(qint64(importance.trials), "trial", "trials")));
    chart.plot->setAccessibleName(chart.title->text());
    chart.boxes->data()->clear();
    chart.points->data()->clear();
    chart.best->data()->clear();
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const size_t step = (importance.answers.size() + mostTicks - 1) / mostTicks;
    double fastest = 1;
    QVector<double> keys, values;
    QStringList spoken;
    for (size_t i = 0; i < importance.answers.size(); ++i) {
        const models::AnswerSpread& spread = importance.answers[i];
        const QString answer = QString::fromStdString(models::textOf(question.answers[size_t(spread.answer)]));
        if (i % step == 0)
            ticker->addTick(double(i), answer);
        if (i < size_t(mostTicks))
            spoken << tr("%1: median %2 of %3").arg(answer).arg(spread.middle, 0, 'f', 3).arg(spread.count);
        fastest = std::min(fastest, spread.least);
        chart.boxes->addData(double(i), spread.least, spread.low, spread.middle, spread.high, spread.most);
        for (const int trial : spread.trials) {
            keys << double(i) + besides(trial);
            values << (*trials_)[size_t(trial)].ratio;
        }
        if (const int best = trials_->best(); best >= 0 && question.ofRow[size_t(best)] == spread.answer)
            chart.best->addData(double(i), (*trials_)[size_t(best)].ratio);
    }
    chart.plot->setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    chart.points->setData(keys, values);
    chart.plot->xAxis->setTicker(ticker);
    chart.plot->xAxis->setRange(-0.6, double(importance.answers.size()) - 0.4);
    const double around = 0.04 * (slowest_ - fastest);
    chart.plot->yAxis->setRange(fastest - around, slowest_ * 1.02 + around);
}

void AnswersPanel::pick(const QCustomPlot* plot, QPointF pixel) {
    const auto pressed = std::ranges::find(charts_, plot, &Chart::plot);
    if (pressed == charts_.end() || pressed->outdated || next_)
        return; // its points are about to be others
    double nearest = reach;
    int found = -1;
    const models::QuestionImportance& importance = importance_[size_t(pressed - charts_.begin())];
    for (size_t i = 0; i < importance.answers.size(); ++i)
        for (const int trial : importance.answers[i].trials) {
            const QPointF at =
                pressed->points->coordsToPixels(double(i) + besides(trial), (*trials_)[size_t(trial)].ratio);
            if (const double away = std::hypot(at.x() - pixel.x(), at.y() - pixel.y()); away < nearest) {
                nearest = away;
                found = trial;
            }
        }
    if (found >= 0)
        emit trialPicked(found);
}

void AnswersPanel::colour(Chart& chart) {
    const models::Colors colors = models::colorsFor(palette());
    QColor box = colors.product, point = colors.product;
    box.setAlphaF(0.18F);
    point.setAlphaF(0.55F);
    colourPlot(*chart.plot, palette());
    chart.boxes->setBrush(box);
    for (const auto& [set, pen] : {std::pair(&QCPStatisticalBox::setWhiskerPen, QPen(colors.dimText)),
                                   {&QCPStatisticalBox::setWhiskerBarPen, QPen(colors.dimText)},
                                   {&QCPStatisticalBox::setMedianPen, QPen(colors.product, 2)}})
        (chart.boxes->*set)(pen);
    chart.boxes->setPen(QPen(colors.dimText));
    chart.points->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, point, 3));
    chart.best->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssStar, QPen(colors.good, 2), Qt::NoBrush, 10));
}

void AnswersPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        outdate();
    QWidget::changeEvent(event);
}

} // namespace lathe::views::tuning
