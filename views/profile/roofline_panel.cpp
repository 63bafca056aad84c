// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/roofline_panel.h"

#include "views/models/text/plain_tip.h"
#include "views/page/plot.h"

#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lathe::views::profile {

namespace {

constexpr double near = 12; // pixels

} // namespace

RooflinePanel::RooflinePanel(models::Selection* selection)
    : ChartPanel(selection, tr("Roofline")), roof_(plot()->addGraph()), marked_(plot()->addGraph()) {
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(QStringLiteral("gb"));
        axis->setNumberPrecision(3);
    }
    plot()->xAxis->setLabel(tr("FLOP per byte"));
    plot()->yAxis->setLabel(tr("GFLOP/s"));
    for (QCPGraph*& graph : points_) {
        graph = plot()->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
    }
    marked_->setLineStyle(QCPGraph::lsNone);
    connect(plot(), &QCustomPlot::mousePress, this, [this, selection](QMouseEvent* event) {
        if (const inspect::RooflinePoint* point = at(event->position())) {
            const inspect::ProfileRow& row = profile_.rows[point->row];
            selection->set({row.nodes, row.call});
        }
    });
    connect(plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const inspect::RooflinePoint* point = at(event->position());
        QToolTip::showText(event->globalPosition().toPoint(),
                           models::plainTip(point ? models::textOf(profile_.rows[point->row], *point) : QString()),
                           plot());
    });
    setProfile({}, {});
}

void RooflinePanel::setProfile(const inspect::Profile& profile, const std::optional<inspect::MachinePeaks>& peaks) {
    profile_ = profile;
    roofline_ = peaks ? inspect::roofline(profile, *peaks) : inspect::Roofline();
    const bool empty = roofline_.points.empty();
    say(empty ? tr("Run the compiled model (F6) to see how near its functions come to what the machine can do.")
              : models::summaryOf(roofline_, profile_),
        empty);
    if (!empty)
        draw();
}

void RooflinePanel::draw() {
    const Peak& peak = roofline_.peak;
    for (QCPGraph* graph : points_)
        graph->data()->clear();
    for (const inspect::RooflinePoint& point : roofline_.points)
        if (point.intensity > 0) // others only move data
            points_[size_t(point.bound)]->addData(point.intensity, point.gflops);
    const inspect::Roofline::Extent shown = roofline_.extent();
    const double least = shown.leastIntensity / 1.5, most = shown.mostIntensity * 1.5;
    plot()->xAxis->setRange(least, most);
    plot()->yAxis->setRange(shown.leastGflops / 1.5, shown.mostGflops * 1.5);
    roof_->setData({least, roofline_.ridge(), most}, {least * peak.gbs, peak.gflops, peak.gflops}, true);
    refresh();
}

void RooflinePanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    roof_->setPen(QPen(colors.text, 2));
    marked_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colors.selection, 2), Qt::NoBrush, 17));
    const QColor byBound[] = {colors.product, colors.reduction, colors.control};
    QString legend;
    for (size_t i = 0; i < points_.size(); ++i) {
        const std::string_view bound = inspect::toString(inspect::Bound(i));
        legend += legendOf(byBound[i], tr("bound by %1").arg(QString::fromUtf8(bound.data(), qsizetype(bound.size()))));
        QColor fill = byBound[i];
        fill.setAlphaF(0.7F);
        points_[i]->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, byBound[i], fill, 9));
    }
    setLegend(legend);
    marked_->data()->clear();
    for (const inspect::RooflinePoint& point : roofline_.points) {
        const inspect::ProfileRow& row = profile_.rows[point.row];
        const int call = selection()->place().call;
        const auto isSelected = [&](int32_t node) { return selection()->contains(node); };
        if (point.intensity > 0 && (call >= 0 ? row.call == call : std::ranges::any_of(row.nodes, isSelected)))
            marked_->addData(point.intensity, point.gflops);
    }
}

QPointF RooflinePanel::pixelOf(const inspect::RooflinePoint& point) const {
    return {plot()->xAxis->coordToPixel(point.intensity), plot()->yAxis->coordToPixel(point.gflops)};
}

const inspect::RooflinePoint* RooflinePanel::at(QPointF pixel) const {
    const inspect::RooflinePoint* found = nullptr;
    double best = near;
    for (const inspect::RooflinePoint& point : roofline_.points) {
        if (point.intensity <= 0)
            continue;
        const QPointF away = pixelOf(point) - pixel;
        if (const double distance = std::hypot(away.x(), away.y()); distance < best) {
            best = distance;
            found = &point;
        }
    }
    return found;
}

} // namespace lathe::views::profile
