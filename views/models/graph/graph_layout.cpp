// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/graph_layout.h"

#include "graph/layered_layout.h"

#include <QList>
#include <map>

namespace lathe::views::models {

namespace {

void measure(const GraphPicture& picture, GraphLayout& layout) {
    QRectF bounds;
    for (size_t i = 0; i < picture.boxes.size(); ++i) {
        const QSizeF size = picture.boxes[i].size;
        bounds |= QRectF(layout.centers[i] - QPointF(size.width() / 2, size.height() / 2), size);
    }
    for (const auto& path : layout.paths)
        for (const QPointF& point : path)
            bounds |= QRectF(point, QSizeF(0.1, 0.1));
    layout.bounds = bounds.adjusted(-20, -20, 20, 20);
}

} // namespace

GraphLayout layeredLayout(const GraphPicture& picture, bool columns) {
    lathe::graph::LayeredGraph graph;
    for (const GraphBox& box : picture.boxes)
        graph.boxes.push_back({box.size.width(), box.size.height(), box.closedSize.width(), box.closedSize.height()});
    for (const GraphArrow& arrow : picture.arrows)
        graph.arrows.push_back({arrow.from, arrow.to});
    const lathe::graph::LayeredLayout placed = lathe::graph::layeredLayout(graph, columns);

    GraphLayout layout;
    layout.engine = QStringLiteral("layers");
    for (const lathe::graph::LayoutPoint& center : placed.centers)
        layout.centers.emplace_back(center.x, center.y);
    for (const auto& path : placed.paths) {
        std::vector<QPointF>& points = layout.paths.emplace_back();
        for (const lathe::graph::LayoutPoint& point : path)
            points.emplace_back(point.x, point.y);
    }
    measure(picture, layout);
    return layout;
}

QByteArray toDot(const GraphPicture& picture) {
    QByteArray dot =
        "digraph g {\n  graph [nodesep=0.3, ranksep=0.55];\n  node [shape=box, fixedsize=true, label=\"\"];\n"
        "  edge [arrowhead=none];\n";
    // Unlimited network simplex takes hours on some graphs; these bounds keep the picture good (docs/decisions.md).
    if (picture.boxes.size() > 800)
        dot += "  graph [nslimit=2, nslimit1=2, mclimit=0.3, searchsize=20];\n";
    for (size_t i = 0; i < picture.boxes.size(); ++i) {
        const QSizeF size = picture.boxes[i].size;
        dot += "  n" + QByteArray::number(qulonglong(i)) + " [width=" + QByteArray::number(size.width() / 72, 'f', 3) +
               ", height=" + QByteArray::number(size.height() / 72, 'f', 3) + "];\n";
    }
    for (const GraphArrow& arrow : picture.arrows)
        dot += "  n" + QByteArray::number(arrow.from) + " -> n" + QByteArray::number(arrow.to) + ";\n";
    return dot + "}\n";
}

std::optional<GraphLayout> fromDotPlain(const GraphPicture& picture, const QByteArray& plain) {
    GraphLayout layout;
    layout.engine = QStringLiteral("dot");
    layout.centers.resize(picture.boxes.size());
    layout.paths.resize(picture.arrows.size());
    std::map<std::pair<int, int>, size_t> arrows;
    for (size_t i = 0; i < picture.arrows.size(); ++i)
        arrows[{picture.arrows[i].from, picture.arrows[i].to}] = i;

    size_t boxes = 0, paths = 0;
    bool complete = false;
    for (const QByteArray& line : plain.split('\n')) {
        const QList<QByteArray> words = line.trimmed().split(' ');
        auto point = [&](int at) { return QPointF(words[at].toDouble() * 72, -words[at + 1].toDouble() * 72); };
        auto index = [&](int at) { return words[at].startsWith('n') ? words[at].mid(1).toInt() : -1; };
        if (words[0] == "node" && words.size() >= 6) {
            const int box = index(1);
            if (box < 0 || size_t(box) >= layout.centers.size())
                return std::nullopt;
            layout.centers[box] = point(2);
            ++boxes;
        } else if (words[0] == "edge" && words.size() >= 4) {
            const int count = words[3].toInt();
            auto arrow = arrows.find({index(1), index(2)});
            if (arrow == arrows.end() || count < 4 || count % 3 != 1 || words.size() < 4 + 2 * count)
                return std::nullopt;
            std::vector<QPointF>& path = layout.paths[arrow->second];
            path.clear();
            for (int i = 0; i < count; ++i)
                path.push_back(point(4 + 2 * i));
            ++paths;
        } else if (words[0] == "stop") {
            complete = true;
        }
    }
    if (!complete || boxes != picture.boxes.size() || paths != picture.arrows.size())
        return std::nullopt;
    measure(picture, layout);
    return layout;
}

} // namespace lathe::views::models
