// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/history_panel.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"
#include "views/models/tuning/study_task_model.h"
#include "views/models/tuning/trial_model.h"
#include "views/page/plot.h"
#include "views/tuning/dot_graph.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lathe::views::tuning {

namespace {

constexpr int mostShapes = 5000;                 // trials: of more, shapes hide each other and take too long to paint
constexpr double dot = 2;                        // pixels, of one of many
constexpr double near = 12;                      // pixels
constexpr double leastGain = 0.01;               // of the band
constexpr double failedAt = 0.03;                // of the height
constexpr size_t mostRanked = 4096;              // times that are looked at to find which are the fastest
constexpr std::array shares = {100, 50, 25, 10}; // per cent

bool isFailed(const models::TrialPoint& point) {
    return point.verdict != tune::Verdict::Measured && point.verdict != tune::Verdict::Slow;
}

QComboBox* choice(const QStringList& items, const QString& name) {
    auto box = new QComboBox;
    box->addItems(items);
    box->setAccessibleName(name);
    return box;
}

} // namespace

HistoryPanel::HistoryPanel(models::Selection* selection, const models::StudyLog& log, models::StudyPick* pick)
    : ChartPanel(selection, tr("History of trials")), log_(log), pick_(pick),
      x_(choice({tr("by trial"), tr("by seconds")}, tr("What the trials are drawn over"))),
      y_(choice({tr("% of the default"), tr("µs of a call")}, tr("What is drawn of a trial"))),
      fastest_(choice({tr("all"), tr("fastest half"), tr("fastest quarter"), tr("fastest tenth")},
                      tr("Which trials are in sight"))),
      logarithmic_(new QCheckBox(tr("&Logarithmic"))) {
    auto row = new QHBoxLayout;
    row->setContentsMargins(8, 8, 8, 0);
    row->setSpacing(8);
    for (QWidget* each : {static_cast<QWidget*>(y_), static_cast<QWidget*>(x_), static_cast<QWidget*>(fastest_),
                          static_cast<QWidget*>(logarithmic_)})
        row->addWidget(each);
    row->addStretch(1);
    addOnTop(row);
    low_ = plot()->addGraph();
    high_ = plot()->addGraph();
    default_ = plot()->addGraph();
    high_->setChannelFillGraph(low_);
    plot()->yAxis2->setRange(0, 1);                        // those that failed have no time: they stand at the bottom
    failed_ = new DotGraph(plot()->xAxis, plot()->yAxis2); // the plot's
    slow_ = new DotGraph(plot()->xAxis, plot()->yAxis);
    for (QCPGraph*& graph : measured_)
        graph = new DotGraph(plot()->xAxis, plot()->yAxis);
    accepted_ = plot()->addGraph();
    best_ = plot()->addGraph();
    marked_ = plot()->addGraph();
    for (QCPGraph* graph : measured_)
        graph->setLineStyle(QCPGraph::lsNone);
    for (QCPGraph* graph : {failed_, slow_, accepted_, marked_})
        graph->setLineStyle(QCPGraph::lsNone);
    best_->setLineStyle(QCPGraph::lsStepLeft);
    plot()->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot()->setNotAntialiasedElements(QCP::aeScatters);
    plot()->setFocusPolicy(Qt::StrongFocus);
    plot()->installEventFilter(this);
    plot()->setToolTip({});
    connect(&log, &models::StudyLog::begun, this, [this] {
        fitted_ = true;
        rebuild();
    });
    connect(&log, &models::StudyLog::grown, this, &HistoryPanel::follow);
    connect(pick, &models::StudyPick::taskChanged, this, [this] {
        fitted_ = true;
        rebuild();
    });
    connect(pick, &models::StudyPick::changed, this, [this] {
        describe();
        refresh();
    });
    for (QComboBox* box : {x_, y_, fastest_})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            fitted_ = true;
            rebuild();
        });
    connect(logarithmic_, &QCheckBox::toggled, this, [this] {
        fitted_ = true;
        rebuild();
    });
    connect(plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        if (const int trial = at(event->position()); trial >= 0)
            pick_->set(log_.points()[size_t(trial)].task, trial);
    });
    connect(plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        fitted_ = fitted_ && event->buttons() == Qt::NoButton;
        const int trial = at(event->position());
        QToolTip::showText(event->globalPosition().toPoint(),
                           trial < 0 ? QString() : models::plainTip(trialText(log_, trial)), plot());
    });
    connect(plot(), &QCustomPlot::mouseWheel, this, [this] { fitted_ = false; });
    connect(plot(), &QCustomPlot::mouseDoubleClick, this, [this] {
        fitted_ = true;
        fit();
        refresh();
    });
    rebuild();
}

bool HistoryPanel::isShown(const models::TrialPoint& point) const {
    return pick_->task() < 0 || int(point.task) == pick_->task();
}

int HistoryPanel::count() const {
    if (pick_->task() < 0)
        return int(log_.points().size());
    return pick_->task() < int(log_.tasks().size()) ? int(log_.trialsOf(pick_->task()).size()) : 0;
}

int HistoryPanel::trialAt(int place) const {
    return pick_->task() < 0 ? place : log_.trialsOf(pick_->task())[size_t(place)];
}

int HistoryPanel::placeOf(int trial) const {
    return pick_->task() < 0 ? trial : log_.points()[size_t(trial)].number;
}

double HistoryPanel::xOf(int trial) const {
    return x_->currentIndex() == BySeconds ? double(log_.points()[size_t(trial)].seconds) : placeOf(trial);
}

std::optional<double> HistoryPanel::yOf(const models::TrialPoint& point) const {
    // By the ratio in either unit: times of different moments are no times of one machine.
    if (point.ratio <= 0 || isFailed(point))
        return std::nullopt;
    const double unit = y_->currentIndex() == Microseconds ? log_.tasks()[point.task].defaultUs : 100;
    return unit > 0 ? std::optional(unit * double(point.ratio)) : std::nullopt;
}

QCPGraph* HistoryPanel::graphOf(const models::TrialPoint& point) const {
    if (isFailed(point))
        return failed_;
    return point.verdict == tune::Verdict::Slow ? slow_ : measured_[std::min(size_t(point.made), made - 1)];
}

void HistoryPanel::add(int trial) {
    const models::TrialPoint& point = log_.points()[size_t(trial)];
    if (!isShown(point))
        return;
    const double x = xOf(trial);
    last_ = std::max(last_, x);
    const auto y = yOf(point);
    if (!y) { // one without a ratio that did not fail has no place in the chart
        if (isFailed(point))
            failed_->addData(x, failedAt);
        return;
    }
    graphOf(point)->addData(x, *y);
    if (point.accepted)
        accepted_->addData(x, *y);
    least_ = least_ == 0 ? *y : std::min(least_, *y);
    most_ = std::max(most_, *y);
}

void HistoryPanel::drop(int trial) {
    const double x = xOf(trial);
    for (QCPGraph* graph : measured_)
        graph->data()->remove(x);
    for (QCPGraph* graph : {accepted_, slow_, failed_})
        graph->data()->remove(x);
}

void HistoryPanel::rebuild() {
    for (int i = 0; i < plot()->graphCount(); ++i)
        plot()->graph(i)->data()->clear();
    least_ = most_ = last_ = 0;
    const bool logarithmic = logarithmic_->isChecked();
    plot()->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    plot()->yAxis->setTicker(logarithmic ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                         : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    plot()->xAxis->setLabel(x_->currentIndex() == BySeconds ? tr("seconds of tuning") : tr("trial"));
    plot()->yAxis->setLabel(y_->currentIndex() == Microseconds ? tr("µs of a call") : tr("% of the default's time"));
    for (int place = 0; place < count(); ++place)
        add(trialAt(place));
    drawBest();
    describe();
    fit();
    refresh();
}

void HistoryPanel::follow(const models::StudyGrowth& growth) {
    // A batch has one time: of its trials none can be taken back alone. And it says anew what the default takes.
    if (growth.firstTrial == 0 || (x_->currentIndex() == BySeconds && !growth.changed.empty()) ||
        y_->currentIndex() == Microseconds)
        return rebuild();
    for (const int trial : growth.changed)
        if (isShown(log_.points()[size_t(trial)])) {
            drop(trial);
            add(trial);
        }
    for (int trial = growth.firstTrial; trial < int(log_.points().size()); ++trial)
        add(trial);
    drawBest();
    describe();
    fit();
    refresh();
}

/// Of one task its best so far; of all the model's, by the time that all tasks take.
void HistoryPanel::drawBest() {
    best_->data()->clear();
    if (count() == 0 || log_.isEmpty())
        return;
    const double end = std::max(last_, 1.0);
    double at = 0;
    std::vector<double> us(log_.tasks().size());
    double whole = 0;
    for (size_t i = 0; i < us.size(); ++i) {
        us[i] = log_.tasks()[i].calls * log_.tasks()[i].defaultUs;
        whole += us[i];
    }
    double sum = whole;
    for (const models::BestPoint& each : log_.bests()) {
        const models::StudyTask& task = log_.tasks()[size_t(each.task)];
        if (pick_->task() >= 0) {
            if (each.task != pick_->task() || task.defaultUs <= 0)
                continue;
            at = (y_->currentIndex() == Microseconds ? task.defaultUs : 100) * each.ratio;
        } else {
            const double now = task.calls * task.defaultUs * each.ratio;
            sum += now - us[size_t(each.task)];
            us[size_t(each.task)] = now;
            if (y_->currentIndex() == Microseconds || whole <= 0)
                continue; // times of different kernels have no best
            at = 100 * sum / whole;
        }
        best_->addData(xOf(each.trial), at);
    }
    if (at > 0)
        best_->addData(end, at);
    for (QCPGraph* graph : {low_, high_, default_})
        graph->data()->clear();
    const double level = y_->currentIndex() == OfDefault ? 100
                         : pick_->task() >= 0            ? log_.tasks()[size_t(pick_->task())].defaultUs
                                                         : 0;
    if (level <= 0)
        return;
    for (const double x : {0.0, end}) {
        low_->addData(x, level * (1 - leastGain));
        high_->addData(x, level * (1 + leastGain));
        default_->addData(x, level);
    }
}

void HistoryPanel::fit() {
    if (!fitted_ || count() == 0)
        return;
    const double end = std::max(last_, 1.0);
    plot()->xAxis->setRange(-0.02 * end, 1.02 * end);
    double least = least_, most = most_;
    if (const int share = shares[size_t(fastest_->currentIndex())]; share < 100) {
        std::vector<double> times; // of every so many-th: enough to tell where the fastest end
        const size_t every = std::max<size_t>(1, size_t(count()) / mostRanked);
        for (size_t place = 0; place < size_t(count()); place += every)
            if (const auto y = yOf(log_.points()[size_t(trialAt(int(place)))]))
                times.push_back(*y);
        if (!times.empty()) {
            const auto rank = times.begin() + std::ptrdiff_t(times.size() * size_t(share) / 100);
            std::ranges::nth_element(times, rank);
            most = *rank;
        }
    }
    for (const auto& each : *default_->data())
        most = std::max(most, each.value * (1 + leastGain));
    for (const auto& each : *best_->data())
        least = std::min(least, each.value);
    if (most <= 0)
        return;
    if (logarithmic_->isChecked())
        plot()->yAxis->setRange(least / 1.2, most * 1.1);
    else
        plot()->yAxis->setRange(std::max(0.0, least - 0.12 * (most - least) - 0.01 * most),
                                most + 0.06 * (most - least));
}

void HistoryPanel::describe() {
    if (log_.isEmpty() || count() == 0)
        return say(tr("No trial yet."), true);
    const int task = pick_->task();
    QString text = task < 0 ? tr("%1 of all tasks. Choose a task in the table to see its own.")
                                  .arg(models::counted(count(), "trial", "trials"))
                            : tr("%1: %2, %3 µs by default, %4 µs at best.")
                                  .arg(models::oneLine(log_.tasks()[size_t(task)].kernel, models::longestNameInText),
                                       models::counted(count(), "trial", "trials"),
                                       models::microText(log_.tasks()[size_t(task)].defaultUs),
                                       models::microText(log_.tasks()[size_t(task)].bestUs));
    if (pick_->trial() >= 0)
        text += ' ' + tr("Picked: %1.").arg(trialText(log_, pick_->trial()).replace('\n', QStringLiteral(", ")));
    say(text, false);
}

void HistoryPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    using Style = QCPScatterStyle;
    constexpr std::array shapes = {Style::ssStar,   Style::ssCircle,  Style::ssDisc,
                                   Style::ssSquare, Style::ssDiamond, Style::ssTriangle};
    const QStringList names = {tr("default"), tr("random"),     tr("changed"),
                               tr("crossed"), tr("enumerated"), tr("recorded")};
    QColor fill = colors.product;
    fill.setAlphaF(0.6F);
    const bool many = count() > mostShapes;
    for (size_t i = 0; i < made; ++i) {
        measured_[i]->setScatterStyle(many ? Style(Style::ssDot, QPen(colors.product, dot), Qt::NoBrush, dot)
                                           : Style(shapes[i], QPen(colors.product), fill, 6));
        measured_[i]->setName(tr("measured, %1").arg(names[qsizetype(i)]));
    }
    slow_->setScatterStyle(many ? Style(Style::ssDot, QPen(colors.dimText, dot), Qt::NoBrush, dot)
                                : Style(Style::ssCircle, QPen(colors.dimText), Qt::NoBrush, 4));
    slow_->setName(tr("behind at a glance"));
    failed_->setScatterStyle(Style(Style::ssCross, QPen(colors.problem, 1.5), Qt::NoBrush, 6));
    failed_->setName(tr("failed"));
    accepted_->setScatterStyle(Style(Style::ssDiamond, QPen(colors.good, 1.5), colors.good, 10));
    accepted_->setName(tr("accepted"));
    best_->setPen(QPen(colors.good, 2));
    best_->setName(tr("best so far"));
    default_->setPen(QPen(colors.dimText, 1, Qt::DashLine));
    default_->setName(tr("default"));
    QColor band = colors.dimText;
    band.setAlphaF(0.18F);
    low_->setPen(Qt::NoPen);
    high_->setPen(Qt::NoPen);
    high_->setBrush(band);
    marked_->setScatterStyle(Style(Style::ssCircle, QPen(colors.selection, 2), Qt::NoBrush, 16));
    setLegend(legendOf(colors.product, tr("measured: ○ random, ● changed, □ crossed, ◇ enumerated, △ recorded")) +
              legendOf(colors.good, tr("accepted, and the best so far")) +
              legendOf(colors.dimText, tr("behind at a glance; default ±1 %")) +
              legendOf(colors.problem, tr("failed")));
    marked_->data()->clear();
    if (const int trial = pick_->trial(); trial >= 0 && trial < int(log_.points().size()))
        if (const auto y = yOf(log_.points()[size_t(trial)]))
            marked_->addData(xOf(trial), *y);
}

QString HistoryPanel::csv() const {
    QString text = QStringLiteral("trial,kernel,number,seconds,made,verdict,accepted,us,ratio\n");
    for (int place = 0; place < count(); ++place) {
        const int trial = trialAt(place);
        const models::TrialPoint& point = log_.points()[size_t(trial)];
        text += QStringLiteral("%1,\"%2\",%3,%4,%5,%6,%7,%8,%9\n")
                    .arg(QString::number(trial),
                         QString(log_.tasks()[point.task].kernel).replace('"', QStringLiteral("\"\"")),
                         QString::number(point.number), QString::number(double(point.seconds), 'f', 3),
                         QString::fromLatin1(tune::toString(point.made)),
                         QString::fromLatin1(tune::toString(point.verdict)), QString::number(int(point.accepted)),
                         QString::number(double(point.us), 'g', 9), QString::number(double(point.ratio), 'g', 9));
    }
    return text;
}

int HistoryPanel::drawn() const {
    int all = slow_->dataCount() + failed_->dataCount();
    for (const QCPGraph* graph : measured_)
        all += graph->dataCount();
    return all;
}

QPointF HistoryPanel::pixelOf(int trial) const {
    const auto y = yOf(log_.points()[size_t(trial)]);
    return {plot()->xAxis->coordToPixel(xOf(trial)),
            y ? plot()->yAxis->coordToPixel(*y) : plot()->yAxis2->coordToPixel(failedAt)};
}

int HistoryPanel::at(QPointF pixel) const {
    const double from = plot()->xAxis->pixelToCoord(pixel.x() - near),
                 to = plot()->xAxis->pixelToCoord(pixel.x() + near);
    // By seconds they may stand in no order: a study that goes on has its tasks' trials one after the other.
    const bool bySeconds = x_->currentIndex() == BySeconds;
    int begin = 0, end = bySeconds ? 0 : count();
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (xOf(trialAt(middle)) < from)
            begin = middle + 1;
        else
            end = middle;
    }
    int found = -1;
    double best = near;
    for (int place = begin; place < count(); ++place) {
        const double x = xOf(trialAt(place));
        if (!bySeconds && x > to)
            break;
        if (x < from || x > to)
            continue;
        const QPointF away = pixelOf(trialAt(place)) - pixel;
        if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
            best = distance;
            found = trialAt(place);
        }
    }
    return found;
}

void HistoryPanel::step(int by) {
    if (count() == 0)
        return;
    const int now =
        pick_->trial() >= 0 && isShown(log_.points()[size_t(pick_->trial())]) ? placeOf(pick_->trial()) : -1;
    const int place = now < 0 ? (by > 0 ? 0 : count() - 1) : std::clamp(now + by, 0, count() - 1);
    const int trial = trialAt(place);
    pick_->set(pick_->task(), trial);
}

bool HistoryPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot() || event->type() != QEvent::KeyPress)
        return ChartPanel::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Left:
        step(-1);
        return true;
    case Qt::Key_Right:
        step(1);
        return true;
    case Qt::Key_Home:
        step(-count());
        return true;
    case Qt::Key_End:
        step(count());
        return true;
    default:
        return ChartPanel::eventFilter(watched, event);
    }
}

QString HistoryPanel::state() const {
    const QJsonObject state{{"x", x_->currentIndex()},
                            {"y", y_->currentIndex()},
                            {"fastest", fastest_->currentIndex()},
                            {"log", logarithmic_->isChecked()}};
    return QString::fromUtf8(QJsonDocument(state).toJson(QJsonDocument::Compact));
}

void HistoryPanel::setState(const QString& state) {
    const QJsonObject read = QJsonDocument::fromJson(state.toUtf8()).object();
    for (const auto& [name, box] : {std::pair("x", x_), std::pair("y", y_), std::pair("fastest", fastest_)})
        if (const int index = read.value(QLatin1String(name)).toInt(-1); index >= 0 && index < box->count())
            box->setCurrentIndex(index);
    logarithmic_->setChecked(read.value("log").toBool());
}

QString trialText(const models::StudyLog& log, int trial) {
    const models::TrialPoint& point = log.points()[size_t(trial)];
    const tune::Trial& full = log.trial(trial);
    QString text = HistoryPanel::tr("trial %1 of %2")
                       .arg(point.number)
                       .arg(models::oneLine(log.tasks()[point.task].kernel, models::longestNameInText));
    text += '\n' + QString::fromLatin1(tune::toString(point.made)) + ", " + models::verdictText(point.verdict) +
            (point.accepted ? HistoryPanel::tr(", accepted") : QString());
    if (point.us > 0)
        text += HistoryPanel::tr("\n%1 µs").arg(models::microText(double(point.us)));
    if (point.ratio > 0)
        text += HistoryPanel::tr(", %1 % of the default's time").arg(100 * double(point.ratio), 0, 'f', 1);
    if (!full.message.empty())
        text += '\n' + models::oneLine(QString::fromStdString(full.message), 2 * models::longestNameInText);
    return text;
}

} // namespace lathe::views::tuning
