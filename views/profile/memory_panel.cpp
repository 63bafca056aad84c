// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/memory_panel.h"

#include "views/models/profile/chart_texts.h"
#include "views/models/text/plain_tip.h"
#include "views/page/plot.h"
#include "views/page/table.h"

#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
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

/// All boxes as one thing to draw: thousands of items would each be looked up, laid out and painted by themselves.
class MemoryPanel::Boxes : public QCPLayerable {
public:
    struct Box {
        double firstCall, endCall, lowest, highest;
        int row; // of the model
        QColor fill;
        bool strong, selected;
    };

    explicit Boxes(QCustomPlot* plot) : QCPLayerable(plot, QStringLiteral("main")) {}

    std::vector<Box> all;
    QColor border; // of what is selected

    QRectF rectOf(const Box& box) const {
        const QCPAxis *x = mParentPlot->xAxis, *y = mParentPlot->yAxis;
        return QRectF(QPointF(x->coordToPixel(box.firstCall), y->coordToPixel(box.highest)),
                      QPointF(x->coordToPixel(box.endCall), y->coordToPixel(box.lowest)));
    }

protected:
    QRect clipRect() const override { return mParentPlot->axisRect()->rect(); }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override {
        QRect last; // the pixels of a box that is too small for an outline: those behind it are often the same
        for (const Box& box : all) {
            QColor fill = box.fill;
            fill.setAlphaF(box.strong ? 0.75F : 0.3F);
            const QRectF rect = rectOf(box);
            if (rect.width() < 3 || rect.height() < 3) {
                if (const QRect pixels = rect.toAlignedRect(); std::exchange(last, pixels) != pixels)
                    painter->fillRect(pixels, fill);
                continue;
            }
            painter->setPen(box.fill);
            painter->setBrush(fill);
            painter->drawRect(rect);
        }
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(border, 2.5));
        for (const Box& box : all) // above their neighbours
            if (box.selected)
                painter->drawRect(rectOf(box));
    }
};

MemoryPanel::MemoryPanel(models::Selection* selection)
    : ChartPanel(selection, tr("Memory plan")), alive_(plot()->addGraph()), peak_(new QCPItemStraightLine(plot())),
      boxes_(new Boxes(plot())), model_(new models::BufferModel(this)), sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView) {
    plot()->xAxis->setLabel(tr("kernel call"));
    plot()->xAxis->setTicker(QSharedPointer<CallTicker>::create());
    plot()->yAxis->setTicker(QSharedPointer<BytesTicker>::create());
    alive_->setLineStyle(QCPGraph::lsStepLeft);
    alive_->setLayer(QStringLiteral("overlay")); // above the boxes
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(models::BufferModel::sortRole);
    setUpTable(*table_, *sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(models::BufferModel::Bytes, Qt::DescendingOrder);
    table_->setTextElideMode(Qt::ElideMiddle); // long names are told apart by their ends
    table_->setAccessibleName(tr("Buffers of the memory plan"));
    addBeside(table_);
    connect(plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        if (const int row = rowAt(event->position()); row >= 0)
            select(row);
    });
    connect(plot(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const int row = rowAt(event->position());
        QToolTip::showText(
            event->globalPosition().toPoint(),
            models::plainTip(row < 0 ? QString()
                                     : models::textOf(model_->provenance()->trace(), chart().buffers[size_t(row)])),
            plot());
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid() && !following_)
            select(sorted_->mapToSource(index).row());
    });
    setPlan(nullptr, {});
}

void MemoryPanel::select(int row) {
    const auto& nodes = model_->nodesAt(row);
    selection()->set({{nodes.begin(), nodes.end()}, model_->recordAt(row).firstCall});
}

bool MemoryPanel::isSelected(int row) const {
    return std::ranges::any_of(model_->nodesAt(row), [&](int32_t node) { return selection()->contains(node); });
}

void MemoryPanel::setPlan(std::shared_ptr<const inspect::Provenance> provenance, const driver::Shapes& shapes) {
    const QScopedValueRollback guard(following_, true);
    boxes_->all.clear();
    model_->show(provenance, provenance ? inspect::memoryChart(provenance->trace(), shapes) : inspect::MemoryChart());
    const bool empty = chart().buffers.empty();
    say(!empty            ? models::summaryOf(provenance->trace(), chart())
        : chart().unknown ? tr("Run the model (F6): the sizes of its inputs say how large its values are.")
                          : tr("Compile the model (F5) to see where its intermediate values lie."),
        empty);
    if (!empty)
        draw();
}

void MemoryPanel::draw() {
    double top = double(std::max(chart().peak(), chart().reserved.value_or(0)));
    for (int row = 0; row < model_->rowCount(); ++row) {
        const inspect::MemoryChart::Buffer& buffer = chart().buffers[size_t(row)];
        if (!buffer.offset)
            continue;
        const lower::PlacedBuffer& record = model_->recordAt(row);
        const auto lowest = double(*buffer.offset), highest = double(*buffer.offset + buffer.bytes);
        top = std::max(top, highest);
        boxes_->all.push_back({.firstCall = double(record.firstCall),
                               .endCall = double(record.lastCall + 1),
                               .lowest = lowest,
                               .highest = highest,
                               .row = row,
                               .fill = {},
                               .strong = model_->isAtPeak(row),
                               .selected = false});
    }
    const std::vector<int64_t>& alive = chart().alive;
    alive_->data()->clear();
    for (size_t i = 0; i <= alive.size(); ++i) // the last step has an end too
        alive_->addData(double(i), double(alive[std::min(i, alive.size() - 1)]));
    peak_->point1->setCoords(chart().peakCall + 0.5, 0);
    peak_->point2->setCoords(chart().peakCall + 0.5, 1);
    plot()->xAxis->setRange(0, double(alive.size()));
    plot()->yAxis->setRange(0, top * 1.03);
    table_->resizeColumnsToContents();
    table_->setColumnWidth(models::BufferModel::Name, std::min(table_->columnWidth(0), 220));
    refresh();
}

QPointF MemoryPanel::pixelOf(const inspect::MemoryChart::Buffer& buffer) const {
    const auto box = std::ranges::find(boxes_->all, int(&buffer - chart().buffers.data()), &Boxes::Box::row);
    return box == boxes_->all.end() ? QPointF() : boxes_->rectOf(*box).center();
}

int MemoryPanel::rowAt(QPointF pixel) const {
    const double call = plot()->xAxis->pixelToCoord(pixel.x()), byte = plot()->yAxis->pixelToCoord(pixel.y());
    for (const Boxes::Box& box : boxes_->all)
        if (box.firstCall <= call && call < box.endCall && box.lowest <= byte && byte < box.highest)
            return box.row;
    return -1;
}

void MemoryPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    // Wider than a pixel, a line is drawn as outlines of its pieces: too slow for thousands.
    alive_->setPen(QPen(colors.text, chart().alive.size() > 1000 ? 1 : 1.5));
    peak_->setPen(QPen(colors.problem, 1.5, Qt::DashLine));
    boxes_->border = colors.selection;
    const QColor byKind[] = {colors.product, colors.reduction, colors.normalization, colors.control};
    bool there[std::size(byKind)] = {};
    for (Boxes::Box& box : boxes_->all) {
        const auto kind = size_t(model_->recordAt(box.row).use.kind);
        there[kind] = true;
        box.fill = byKind[kind];
        box.selected = isSelected(box.row);
    }
    const QScopedValueRollback guard(following_, true);
    std::vector<int> rows;
    for (int row = 0; row < model_->rowCount(); ++row)
        if (isSelected(row))
            rows.push_back(sorted_->mapFromSource(model_->index(row, 0)).row());
    selectRows(*table_, std::move(rows));
    QString legend = legendOf(colors.text, tr("alive, in all")) + legendOf(colors.problem, tr("peak"));
    for (size_t i = 0; i < std::size(byKind); ++i) {
        const std::string_view kind = lower::toString(lower::BufferUse::Kind(i));
        if (there[i])
            legend += legendOf(byKind[i], QString::fromUtf8(kind.data(), qsizetype(kind.size())));
    }
    setLegend(legend + tr("strong: alive at the peak"));
}

} // namespace lathe::views::profile
