// SPDX-License-Identifier: Apache-2.0
//
// A model is a long chain: one column would be thousands of pixels high and a hand wide. The layers are cut into columns,
// near equal heights where the fewest arrows cross; an arrow from one column to the next is two dashed ends. So is one that
// leads far from a box that many read, such as a mask: a dozen of these would be the whole picture.
#include "report/graph_picture.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::report {
namespace {

constexpr double pageWidth = 1160, leastHeight = 500, columnGap = 40, margin = 12, boxHeight = 38, stub = 16;
constexpr int mostColumns = 8, hubArrows = 5, farRanks = 4;
constexpr size_t shownCharacters = 24;

bool continues(char byte) { // a character of UTF-8
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

size_t characters(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

/// Its last characters: names tell apart by their ends.
std::string shortened(std::string_view text) {
    if (characters(text) <= shownCharacters)
        return std::string(text);
    size_t begin = text.size();
    for (size_t shown = 0; begin > 0 && shown + 1 < shownCharacters; ++shown)
        do
            --begin;
        while (begin > 0 && continues(text[begin]));
    return "…" + std::string(text.substr(begin));
}

graph::LayeredGraph::Box sizeOf(const PictureBox& box) {
    const auto wide =
        static_cast<double>(std::max(characters(shortened(box.title)), characters(shortened(box.subtitle))));
    return {std::clamp(wide * 6.6 + 18, 70.0, 185.0), boxHeight};
}

/// The layers of one column, and where it stands.
struct Column {
    double top = 0, bottom = 0; // in the layout
    double left = 0, right = 0;
    double x = 0; // of its left side, in the picture
};

/// Boundaries between layers: the y at which each layer begins, and one behind the last.
std::vector<double> layerTops(const graph::LayeredGraph& graph, const graph::LayeredLayout& layout) {
    const int layers = layout.ranks.empty() ? 0 : *std::ranges::max_element(layout.ranks) + 1;
    std::vector<double> tops(static_cast<size_t>(layers) + 1, 1e30);
    double end = 0;
    for (size_t i = 0; i < layout.ranks.size(); ++i) {
        double& top = tops[static_cast<size_t>(layout.ranks[i])];
        top = std::min(top, layout.centers[i].y - graph.boxes[i].height / 2);
        end = std::max(end, layout.centers[i].y + graph.boxes[i].height / 2);
    }
    tops.back() = end;
    return tops;
}

/// How many arrows cross each boundary.
std::vector<int> crossings(const graph::LayeredGraph& graph, const graph::LayeredLayout& layout, size_t boundaries) {
    std::vector<int> count(boundaries + 1);
    for (const graph::LayeredGraph::Arrow& arrow : graph.arrows)
        for (int rank = layout.ranks[static_cast<size_t>(arrow.from)] + 1;
             rank <= layout.ranks[static_cast<size_t>(arrow.to)]; ++rank)
            ++count[static_cast<size_t>(rank)];
    return count;
}

/// About `count` of them; without their places.
std::vector<Column> columnsOf(const graph::LayeredGraph& graph, const graph::LayeredLayout& layout, int count) {
    const std::vector<double> tops = layerTops(graph, layout);
    const std::vector<int> crossed = crossings(graph, layout, tops.size());
    const double wanted = std::max(leastHeight, (tops.back() - tops.front()) / count);
    std::vector<Column> columns;
    for (size_t first = 0; first + 1 < tops.size();) {
        size_t end = first + 1; // the layer behind the column's last
        while (end + 1 < tops.size() && tops[end] - tops[first] < wanted)
            ++end;
        if (end + 1 < tops.size()) // of the boundaries nearby the one with the fewest arrows
            for (size_t other = end; other > first + 1 && tops[other] - tops[first] > 0.85 * wanted; --other)
                if (crossed[other] < crossed[end])
                    end = other;
        columns.push_back({tops[first], tops[end], 1e30, -1e30, 0});
        first = end;
    }
    return columns;
}

/// Takes out of the graph the arrows that lead far from a box that many read; those stay whose reader has no other.
std::vector<graph::LayeredGraph::Arrow> takeHubArrows(graph::LayeredGraph& graph) {
    const std::vector<int> ranks = graph::layeredLayout(graph).ranks;
    std::vector<int> from(graph.boxes.size()), into(graph.boxes.size());
    for (const graph::LayeredGraph::Arrow& arrow : graph.arrows) {
        ++from[static_cast<size_t>(arrow.from)];
        ++into[static_cast<size_t>(arrow.to)];
    }
    std::vector<graph::LayeredGraph::Arrow> taken;
    std::erase_if(graph.arrows, [&](const graph::LayeredGraph::Arrow& arrow) {
        const auto source = static_cast<size_t>(arrow.from), reader = static_cast<size_t>(arrow.to);
        if (from[source] <= hubArrows || ranks[reader] - ranks[source] <= farRanks || into[reader] == 1)
            return false;
        --into[reader];
        taken.push_back(arrow);
        return true;
    });
    return taken;
}

class Writer {
public:
    Writer(Html& html, const Picture& picture) : html_(html), picture_(picture) {
        for (const PictureBox& box : picture.boxes)
            graph_.boxes.push_back(sizeOf(box));
        graph_.arrows = picture.arrows;
        far_ = takeHubArrows(graph_);
        layout_ = graph::layeredLayout(graph_);
        for (int count = mostColumns; count > 0; --count) {
            columns_ = columnsOf(graph_, layout_, count);
            placeColumns();
            if (columns_.back().x + columns_.back().right - columns_.back().left <= pageWidth)
                break;
        }
    }

    void write() {
        double width = 0, height = 0;
        for (const Column& column : columns_) {
            width = column.x + column.right - column.left;
            height = std::max(height, column.bottom - column.top);
        }
        const std::string w = fmt::format("{:.0f}", width + 2 * margin),
                          h = fmt::format("{:.0f}", height + 2 * (margin + stub));
        html_.open("div", {{"class", "graph"}});
        html_.open("svg", {{"width", w},
                           {"height", h},
                           {"viewBox", fmt::format("0 0 {} {}", w, h)},
                           {"role", "img"},
                           {"aria-label", "Graph"}});
        for (const auto& path : layout_.paths)
            writeArrow(path);
        for (const graph::LayeredGraph::Arrow& arrow : far_)
            writeEnds(arrow);
        for (size_t i = 0; i < graph_.boxes.size(); ++i)
            writeBox(i);
        html_.close().close();
    }

private:
    size_t columnAt(double y) const {
        for (size_t i = 0; i + 1 < columns_.size(); ++i)
            if (y < columns_[i + 1].top - 0.01)
                return i;
        return columns_.size() - 1;
    }

    void placeColumns() {
        const auto cover = [&](double x, double y) {
            Column& column = columns_[columnAt(y)];
            column.left = std::min(column.left, x);
            column.right = std::max(column.right, x);
        };
        for (size_t i = 0; i < graph_.boxes.size(); ++i)
            for (const double side : {-0.5, 0.5})
                cover(layout_.centers[i].x + side * graph_.boxes[i].width, layout_.centers[i].y);
        for (const auto& path : layout_.paths)
            for (size_t i = 0; i < path.size(); i += 3)
                cover(path[i].x, path[i].y);
        double x = margin;
        for (Column& column : columns_) {
            column.x = x;
            x += column.right - column.left + columnGap;
        }
    }

    graph::LayoutPoint placed(const graph::LayoutPoint& point, const Column& column) const {
        return {point.x - column.left + column.x, point.y - column.top + margin + stub};
    }

    void writeArrow(const std::vector<graph::LayoutPoint>& path) {
        std::string curve, cut;
        for (size_t i = 0; i + 3 < path.size(); i += 3) {
            const size_t from = columnAt(path[i].y), to = columnAt(path[i + 3].y);
            const auto at = [&](size_t point, size_t column) { return placed(path[point], columns_[column]); };
            if (from == to) {
                const auto a = at(i, from), b = at(i + 1, from), c = at(i + 2, from), d = at(i + 3, from);
                curve += fmt::format("M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}", a.x, a.y, b.x, b.y,
                                     c.x, c.y, d.x, d.y);
            } else {
                const auto a = at(i, from), d = at(i + 3, to);
                cut += fmt::format("M{:.0f} {:.0f}v{:.0f}M{:.0f} {:.0f}v{:.0f}", a.x, a.y, stub, d.x, d.y - stub, stub);
            }
        }
        if (!curve.empty())
            html_.empty("path", {{"class", "arrow"}, {"d", curve}});
        if (!cut.empty())
            html_.empty("path", {{"class", "arrow cut"}, {"d", cut}});
    }

    /// Where a far arrow begins and ends; its tooltip says whence and whither.
    void writeEnds(const graph::LayeredGraph::Arrow& arrow) {
        const auto at = [&](int box, double side) {
            const graph::LayoutPoint& center = layout_.centers[static_cast<size_t>(box)];
            const graph::LayeredGraph::Box& size = graph_.boxes[static_cast<size_t>(box)];
            const graph::LayoutPoint point = placed(center, columns_[columnAt(center.y)]);
            return graph::LayoutPoint{point.x + side * size.width / 4, point.y + side * size.height / 2};
        };
        const graph::LayoutPoint a = at(arrow.from, 1), d = at(arrow.to, -1);
        html_.open("path", {{"class", "arrow cut"},
                            {"d", fmt::format("M{:.0f} {:.0f}v{:.0f}M{:.0f} {:.0f}v{:.0f}", a.x, a.y, stub, d.x,
                                              d.y - stub, stub)}});
        const auto nameOf = [&](int box) {
            const PictureBox& named = picture_.boxes[static_cast<size_t>(box)];
            return named.title + " " + named.subtitle;
        };
        html_.element("title", nameOf(arrow.from) + " → " + nameOf(arrow.to)).close();
    }

    void writeBox(size_t i) {
        const PictureBox& box = picture_.boxes[i];
        const graph::LayeredGraph::Box& size = graph_.boxes[i];
        const graph::LayoutPoint center = placed(layout_.centers[i], columns_[columnAt(layout_.centers[i].y)]);
        if (box.link.empty())
            html_.open("g", {{"class", "box " + box.kind}});
        else
            html_.open("a", {{"class", "box " + box.kind}, {"href", box.link}});
        const std::string x = fmt::format("{:.0f}", center.x - size.width / 2),
                          y = fmt::format("{:.0f}", center.y - size.height / 2),
                          width = fmt::format("{:.0f}", size.width), height = fmt::format("{:.0f}", size.height);
        html_.element("title", box.tooltip);
        html_.empty("rect", {{"x", x}, {"y", y}, {"width", width}, {"height", height}, {"rx", "5"}});
        if (box.heat > 0.005)
            html_.empty("rect", {{"class", "heat"},
                                 {"x", x},
                                 {"y", y},
                                 {"width", width},
                                 {"height", height},
                                 {"rx", "5"},
                                 {"fill-opacity", fmt::format("{:.2f}", box.heat)}});
        const std::string middle = fmt::format("{:.0f}", center.x);
        html_.element("text", shortened(box.title), {{"x", middle}, {"y", fmt::format("{:.0f}", center.y - 3)}});
        html_.element("text", shortened(box.subtitle),
                      {{"class", "sub"}, {"x", middle}, {"y", fmt::format("{:.0f}", center.y + 12)}});
        html_.close();
    }

    Html& html_;
    const Picture& picture_;
    graph::LayeredGraph graph_; // without those that are far
    std::vector<graph::LayeredGraph::Arrow> far_;
    graph::LayeredLayout layout_;
    std::vector<Column> columns_;
};

} // namespace

void writePicture(Html& html, const Picture& picture) {
    if (!picture.boxes.empty())
        Writer(html, picture).write();
}

} // namespace lathe::report
