// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph_layout.h"

#include <QList>
#include <algorithm>
#include <map>
#include <numeric>

namespace lathe::views::models {

namespace {

constexpr double rankGap = 46, boxGap = 26, thinWidth = 8;
constexpr int sweeps = 4, placements = 6;

/// The picture with a thin box wherever an arrow crosses a rank.
struct Layers {
    std::vector<int> rank;
    std::vector<double> width, height, x;
    std::vector<std::vector<int>> up, down; // neighbours in the ranks above and below
    std::vector<std::vector<int>> order;    // by rank
    std::vector<std::vector<int>> chains;   // by arrow: the boxes it runs through, ends included
};

std::vector<int> longestPathRanks(const GraphPicture& picture) {
    const size_t count = picture.boxes.size();
    std::vector<int> waiting(count), rank(count), ready;
    std::vector<std::vector<int>> next(count);
    for (const GraphArrow& arrow : picture.arrows) {
        next[arrow.from].push_back(arrow.to);
        ++waiting[arrow.to];
    }
    std::vector<char> queued(count);
    auto enqueue = [&](int box) {
        queued[box] = 1;
        ready.push_back(box);
    };
    for (size_t i = 0; i < count; ++i)
        if (!waiting[i])
            enqueue(int(i));
    int scan = 0; // where the next cycle is broken
    for (size_t head = 0; head < count; ++head) {
        while (head == ready.size()) {
            if (!queued[scan])
                enqueue(scan);
            ++scan;
        }
        const int box = ready[head];
        for (int to : next[box]) {
            if (queued[to])
                continue;
            rank[to] = std::max(rank[to], rank[box] + 1);
            if (--waiting[to] == 0)
                enqueue(to);
        }
    }
    // A box without arrows into it stands right above its first reader, not at the top.
    std::vector<int> into(count);
    for (const GraphArrow& arrow : picture.arrows)
        ++into[arrow.to];
    for (size_t i = 0; i < count; ++i) {
        if (into[i] || next[i].empty())
            continue;
        int first = rank[next[i][0]];
        for (int to : next[i])
            first = std::min(first, rank[to]);
        rank[i] = std::max(0, first - 1);
    }
    return rank;
}

Layers makeLayers(const GraphPicture& picture) {
    Layers layers;
    layers.rank = longestPathRanks(picture);
    for (const GraphBox& box : picture.boxes) {
        layers.width.push_back(box.size.width());
        layers.height.push_back(box.size.height());
    }
    size_t thin = 0;
    const size_t limit = 4 * picture.boxes.size() + 2000;
    for (const GraphArrow& arrow : picture.arrows) {
        std::vector<int> chain{arrow.from};
        const int from = layers.rank[arrow.from], to = layers.rank[arrow.to];
        if (to - from > 1 && thin + size_t(to - from) <= limit) {
            for (int rank = from + 1; rank < to; ++rank, ++thin) {
                chain.push_back(int(layers.rank.size()));
                layers.rank.push_back(rank);
                layers.width.push_back(thinWidth);
                layers.height.push_back(0);
            }
        }
        chain.push_back(arrow.to);
        layers.chains.push_back(std::move(chain));
    }
    const size_t count = layers.rank.size();
    layers.up.resize(count);
    layers.down.resize(count);
    for (const auto& chain : layers.chains)
        for (size_t i = 0; i + 1 < chain.size(); ++i) {
            layers.down[chain[i]].push_back(chain[i + 1]);
            layers.up[chain[i + 1]].push_back(chain[i]);
        }
    const int ranks = count ? *std::max_element(layers.rank.begin(), layers.rank.end()) + 1 : 0;
    layers.order.resize(ranks);
    for (size_t i = 0; i < count; ++i)
        layers.order[layers.rank[i]].push_back(int(i));
    return layers;
}

void orderByMedians(Layers& layers) {
    std::vector<double> place(layers.rank.size()), key(layers.rank.size());
    auto note = [&](const std::vector<int>& row) {
        for (size_t i = 0; i < row.size(); ++i)
            place[row[i]] = double(i) / double(row.size());
    };
    for (const auto& row : layers.order)
        note(row);
    auto sweep = [&](std::vector<int>& row, const std::vector<std::vector<int>>& neighbours) {
        for (int box : row) {
            std::vector<double> places;
            for (int other : neighbours[box])
                places.push_back(place[other]);
            if (places.empty()) {
                key[box] = place[box];
                continue;
            }
            std::nth_element(places.begin(), places.begin() + ptrdiff_t(places.size() / 2), places.end());
            key[box] = places[places.size() / 2];
        }
        std::stable_sort(row.begin(), row.end(), [&](int a, int b) { return key[a] < key[b]; });
        note(row);
    };
    for (int i = 0; i < sweeps; ++i) {
        for (auto& row : layers.order)
            sweep(row, layers.up);
        for (auto row = layers.order.rbegin(); row != layers.order.rend(); ++row)
            sweep(*row, layers.down);
    }
}

/// Moves a row's boxes as near to their wishes as their order and widths allow: the mean of a pass from each side.
void settle(Layers& layers, const std::vector<int>& row, const std::vector<double>& wish) {
    const size_t count = row.size();
    std::vector<double> left(count), right(count);
    auto apart = [&](size_t a, size_t b) { return (layers.width[row[a]] + layers.width[row[b]]) / 2 + boxGap; };
    for (size_t i = 0; i < count; ++i)
        left[i] = i ? std::max(wish[i], left[i - 1] + apart(i - 1, i)) : wish[i];
    for (size_t i = count; i-- > 0;)
        right[i] = i + 1 < count ? std::min(wish[i], right[i + 1] - apart(i, i + 1)) : wish[i];
    for (size_t i = 0; i < count; ++i)
        layers.x[row[i]] = (left[i] + right[i]) / 2;
}

void placeRows(Layers& layers) {
    layers.x.assign(layers.rank.size(), 0);
    for (const auto& row : layers.order)
        settle(layers, row, std::vector<double>(row.size(), 0));
    auto pull = [&](const std::vector<int>& row, bool up, bool down) {
        std::vector<double> wish;
        for (int box : row) {
            double sum = 0;
            int count = 0;
            auto add = [&](const std::vector<int>& others) {
                for (int other : others) {
                    // A straight long arrow matters more than a centred box.
                    const int weight = layers.height[box] == 0 && layers.height[other] == 0 ? 4 : 1;
                    sum += weight * layers.x[other];
                    count += weight;
                }
            };
            if (up)
                add(layers.up[box]);
            if (down)
                add(layers.down[box]);
            wish.push_back(count ? sum / count : layers.x[box]);
        }
        settle(layers, row, wish);
    };
    for (int i = 0; i < placements; ++i) {
        const bool last = i + 1 == placements;
        for (const auto& row : layers.order)
            pull(row, true, last);
        for (auto row = layers.order.rbegin(); row != layers.order.rend(); ++row)
            pull(*row, last, true);
    }
}

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

GraphLayout layeredLayout(const GraphPicture& picture) {
    Layers layers = makeLayers(picture);
    orderByMedians(layers);
    placeRows(layers);

    std::vector<double> y(layers.order.size()), half(layers.order.size());
    double top = 0;
    for (size_t rank = 0; rank < layers.order.size(); ++rank) {
        double height = 0;
        for (int box : layers.order[rank])
            height = std::max(height, layers.height[box]);
        half[rank] = height / 2;
        y[rank] = top + half[rank];
        top += height + rankGap;
    }

    GraphLayout layout;
    layout.engine = QStringLiteral("layers");
    for (size_t i = 0; i < picture.boxes.size(); ++i)
        layout.centers.emplace_back(layers.x[i], y[layers.rank[i]]);
    for (const auto& chain : layers.chains) {
        std::vector<QPointF> path;
        auto curveTo = [&](QPointF to) {
            const QPointF from = path.back();
            const double bend = (to.y() - from.y()) * 0.45;
            path.insert(path.end(), {from + QPointF(0, bend), to - QPointF(0, bend), to});
        };
        const int from = chain.front(), to = chain.back();
        path.emplace_back(layers.x[from], y[layers.rank[from]] + layers.height[from] / 2);
        for (size_t i = 1; i + 1 < chain.size(); ++i) {
            const int rank = layers.rank[chain[i]];
            curveTo({layers.x[chain[i]], y[rank] - half[rank]});
            curveTo({layers.x[chain[i]], y[rank] + half[rank]});
        }
        curveTo({layers.x[to], y[layers.rank[to]] - layers.height[to] / 2});
        layout.paths.push_back(std::move(path));
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
