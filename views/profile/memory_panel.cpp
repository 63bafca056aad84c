// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/memory_panel.h"

#include "views/models/plain_tip.h"
#include "views/page/plot.h"

#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lathe::views::profile {

namespace {

/// Labels of the axis of bytes.
class BytesTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/, int /*precision*/) override {
        return models::bytesText(tick);
    }
};

/// Calls are whole numbers.
class CallTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, std::round(QCPAxisTicker::getTickStep(range)));
    }
    int getSubTickCount(double /*step*/) override { return 0; }
};

} // namespace

MemoryPanel::MemoryPanel(models::Selection* selection)
    : ChartPanel(selection, tr("Memory plan")), alive_(plot()->addGraph()), peak_(new QCPItemStraightLine(plot())) {
    plot()->xAxis->setLabel(tr("kernel call"));
    plot()->xAxis->setTicker(QSharedPointer<CallTicker>::create());
    plot()->yAxis->setTicker(QSharedPointer<BytesTicker>::create());
    alive_->setLineStyle(QCPGraph::lsStepLeft);
    alive_->setLayer(QStringLiteral("overlay")); // above the boxes
    connect(plot(), &QCustomPlot::mousePress, this, [this, selection](QMouseEvent* event) {
        if (const driver::MemoryChart::Buffer* buffer = at(event->position()))
            selection->set({nodesOf(*buffer), provenance_->trace().buffers[buffer->index].firstCall});
    });
    connect(plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const driver::MemoryChart::Buffer* buffer = at(event->position());
        QToolTip::showText(event->globalPosition().toPoint(),
                           models::plainTip(buffer ? models::textOf(provenance_->trace(), *buffer) : QString()),
                           plot());
    });
    setPlan(nullptr, {});
}

const std::vector<int32_t>& MemoryPanel::nodesOf(const driver::MemoryChart::Buffer& buffer) const {
    const driver::Trace& trace = provenance_->trace();
    return trace.graph->spans->ids(trace.buffers[buffer.index].use.span);
}

void MemoryPanel::setPlan(std::shared_ptr<const driver::Provenance> provenance, const driver::Shapes& shapes) {
    provenance_ = std::move(provenance);
    for (const auto& [box, buffer] : boxes_)
        plot()->removeItem(box);
    boxes_.clear();
    chart_ = provenance_ ? driver::memoryChart(provenance_->trace(), shapes) : driver::MemoryChart();
    const bool empty = chart_.buffers.empty();
    say(!empty           ? models::summaryOf(provenance_->trace(), chart_)
        : chart_.unknown ? tr("Run the model (F6): the sizes of its inputs say how large its values are.")
                         : tr("Compile the model (F5) to see where its intermediate values lie."),
        empty);
    if (!empty)
        draw();
}

void MemoryPanel::draw() {
    double top = double(std::max(chart_.peak(), chart_.reserved.value_or(0)));
    for (const driver::MemoryChart::Buffer& buffer : chart_.buffers) {
        if (!buffer.offset)
            continue;
        const lower::PlacedBuffer& record = provenance_->trace().buffers[buffer.index];
        auto box = new QCPItemRect(plot());
        box->topLeft->setCoords(record.firstCall, double(*buffer.offset + buffer.bytes));
        box->bottomRight->setCoords(record.lastCall + 1, double(*buffer.offset));
        top = std::max(top, double(*buffer.offset + buffer.bytes));
        boxes_.emplace_back(box, &buffer);
    }
    alive_->data()->clear();
    for (size_t i = 0; i <= chart_.alive.size(); ++i) // the last step has an end too
        alive_->addData(double(i), double(chart_.alive[std::min(i, chart_.alive.size() - 1)]));
    peak_->point1->setCoords(chart_.peakCall + 0.5, 0);
    peak_->point2->setCoords(chart_.peakCall + 0.5, 1);
    plot()->xAxis->setRange(0, double(chart_.alive.size()));
    plot()->yAxis->setRange(0, top * 1.03);
    refresh();
}

QPointF MemoryPanel::pixelOf(const driver::MemoryChart::Buffer& buffer) const {
    const lower::PlacedBuffer& record = provenance_->trace().buffers[buffer.index];
    return {plot()->xAxis->coordToPixel((record.firstCall + record.lastCall + 1) / 2.0),
            plot()->yAxis->coordToPixel(double(buffer.offset.value_or(0)) + double(buffer.bytes) / 2)};
}

const driver::MemoryChart::Buffer* MemoryPanel::at(QPointF pixel) const {
    const double call = plot()->xAxis->pixelToCoord(pixel.x()), byte = plot()->yAxis->pixelToCoord(pixel.y());
    for (const auto& [box, buffer] : boxes_)
        if (box->topLeft->key() <= call && call < box->bottomRight->key() && box->bottomRight->value() <= byte &&
            byte < box->topLeft->value())
            return buffer;
    return nullptr;
}

void MemoryPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    alive_->setPen(QPen(colors.text, 1.5));
    peak_->setPen(QPen(colors.problem, 1.5, Qt::DashLine));
    const QColor byKind[] = {colors.product, colors.reduction, colors.normalization, colors.control};
    bool there[std::size(byKind)] = {};
    for (const auto& [box, buffer] : boxes_) {
        const lower::PlacedBuffer& record = provenance_->trace().buffers[buffer->index];
        there[size_t(record.use.kind)] = true;
        QColor fill = byKind[size_t(record.use.kind)];
        const bool selected =
            std::ranges::any_of(nodesOf(*buffer), [&](int32_t node) { return selection()->contains(node); });
        box->setPen(selected ? QPen(colors.selection, 2.5) : QPen(fill));
        fill.setAlphaF(record.firstCall <= chart_.peakCall && chart_.peakCall <= record.lastCall ? 0.75F : 0.3F);
        box->setBrush(fill);
    }
    QString legend = legendOf(colors.text, tr("alive, in all")) + legendOf(colors.problem, tr("peak"));
    for (size_t i = 0; i < std::size(byKind); ++i) {
        const std::string_view kind = lower::toString(lower::BufferUse::Kind(i));
        if (there[i])
            legend += legendOf(byKind[i], QString::fromUtf8(kind.data(), qsizetype(kind.size())));
    }
    setLegend(legend + tr("strong: alive at the peak"));
}

} // namespace lathe::views::profile
