// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/estimate_panel.h"

#include "views/models/text/one_line.h"
#include "views/page/plot.h"

#include <algorithm>
#include <numeric>

namespace lathe::views::tuning {

namespace {

constexpr qsizetype longestNameInLegend = 22; // of eight in a legend

} // namespace

EstimatePanel::EstimatePanel(models::Selection* selection, const models::StudyLog& log)
    : ChartPanel(selection, tr("Estimate of the model's time")), log_(log), ground_(plot()->addGraph()) {
    QCPGraph* below = ground_;
    for (QCPGraph*& part : parts_) {
        part = plot()->addGraph();
        part->setLineStyle(QCPGraph::lsStepLeft);
        part->setChannelFillGraph(below);
        below = part;
    }
    ground_->setLineStyle(QCPGraph::lsStepLeft);
    default_ = plot()->addGraph();
    plot()->xAxis->setLabel(tr("seconds of tuning"));
    plot()->yAxis->setLabel(tr("ms of a run, by the sum of the tasks"));
    connect(&log, &models::StudyLog::begun, this, &EstimatePanel::draw);
    connect(&log, &models::StudyLog::grown, this, &EstimatePanel::draw);
    draw();
}

void EstimatePanel::draw() {
    for (int i = 0; i < plot()->graphCount(); ++i)
        plot()->graph(i)->data()->clear();
    const std::vector<models::StudyTask>& tasks = log_.tasks();
    std::vector<size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return tasks[i].calls * tasks[i].defaultUs; });
    std::vector<size_t> partOf(tasks.size(), 0); // the others
    names_.clear();
    for (size_t rank = 0; rank < std::min(order.size(), named); ++rank) {
        partOf[order[rank]] = named - rank;
        names_.push_back(tasks[order[rank]].kernel);
    }
    std::array<double, named + 1> ms{};
    for (size_t i = 0; i < tasks.size(); ++i)
        ms[partOf[i]] += tasks[i].calls * tasks[i].defaultUs / 1e3;
    const double untuned = std::accumulate(ms.begin(), ms.end(), 0.0);
    const auto push = [&](double seconds) {
        double top = 0;
        ground_->addData(seconds, 0);
        for (size_t part = 0; part < parts_.size(); ++part)
            parts_[part]->addData(seconds, top += ms[part]);
    };
    push(0);
    std::vector<double> us(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i)
        us[i] = tasks[i].defaultUs;
    double end = log_.seconds();
    for (const models::BestPoint& best : log_.bests()) {
        const auto task = size_t(best.task);
        end = std::max(end, double(best.seconds));
        if (log_.points()[size_t(best.trial)].number == 0)
            continue; // the default: it is there from the beginning
        const double now = tasks[task].defaultUs * best.ratio;
        ms[partOf[task]] += tasks[task].calls * (now - us[task]) / 1e3;
        us[task] = now;
        push(double(best.seconds));
    }
    end = std::max(end, 1.0);
    push(end);
    default_->setData({0, end}, {untuned, untuned}, true);
    const double now = std::accumulate(ms.begin(), ms.end(), 0.0);
    say(untuned > 0
            ? tr("The tuned kernels take %1 ms of a run instead of %2 ms, by the sum of their calls: %3 % less. What "
                 "lies beside them is not in it.")
                  .arg(now, 0, 'f', 3)
                  .arg(untuned, 0, 'f', 3)
                  .arg(100 * (1 - now / untuned), 0, 'f', 1)
            : tr("No task has been measured yet."),
        untuned <= 0);
    plot()->xAxis->setRange(0, end * 1.02);
    plot()->yAxis->setRange(0, untuned * 1.08);
    refresh();
}

void EstimatePanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    ground_->setPen(Qt::NoPen);
    default_->setPen(QPen(colors.dimText, 1, Qt::DashLine));
    default_->setName(tr("untuned"));
    QString legend;
    for (size_t part = parts_.size(); part-- > 0;) {
        QColor fill = part == 0 ? colors.other : colors.ofFunction(int(named - part));
        parts_[part]->setPen(QPen(fill.darker(130), 1));
        fill.setAlphaF(0.75F);
        parts_[part]->setBrush(fill);
        const size_t rank = named - part;
        parts_[part]->setName(part == 0 ? tr("others") : rank < names_.size() ? names_[rank] : QString());
        if (part > 0 && rank < names_.size())
            legend += legendOf(fill, models::oneLine(names_[rank], longestNameInLegend));
    }
    if (log_.tasks().size() > named)
        legend += legendOf(colors.other, tr("others"));
    setLegend(legend + legendOf(colors.dimText, tr("untuned")));
}

QString EstimatePanel::csv() const {
    QString text = QStringLiteral("seconds,kernel,ms\n");
    for (const models::BestPoint& best : log_.bests()) {
        const models::StudyTask& task = log_.tasks()[size_t(best.task)];
        text += QStringLiteral("%1,\"%2\",%3\n")
                    .arg(double(best.seconds), 0, 'f', 3)
                    .arg(QString(task.kernel).replace('"', QStringLiteral("\"\"")))
                    .arg(task.calls * task.defaultUs * best.ratio / 1e3, 0, 'g', 9);
    }
    return text;
}

} // namespace lathe::views::tuning
