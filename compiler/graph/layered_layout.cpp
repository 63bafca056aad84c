// SPDX-License-Identifier: Apache-2.0
#include "graph/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lathe::graph {

namespace {

constexpr double rankGap = 46, boxGap = 26, thinWidth = 8;
constexpr double columnGap = 90, tallest = 1400, aspect = 1.6; // of columns
constexpr int mostCut = 8;                                     // arrows between two columns
constexpr int sweeps = 4, placements = 6;

double closedWidth(const LayeredGraph::Box& box) {
    return box.closedWidth > 0 ? box.closedWidth : box.width;
}

double closedHeight(const LayeredGraph::Box& box) {
    return box.closedHeight > 0 ? box.closedHeight : box.height;
}

LayoutPoint operator+(LayoutPoint a, LayoutPoint b) {
    return {a.x + b.x, a.y + b.y};
}
LayoutPoint operator-(LayoutPoint a, LayoutPoint b) {
    return {a.x - b.x, a.y - b.y};
}

/// The graph with a thin box wherever an arrow crosses a rank.
struct Layers {
    std::vector<int> rank;
    std::vector<double> width, height, x;
    std::vector<std::vector<int>> up, down; // neighbours in the ranks above and below
    std::vector<std::vector<int>> order;    // by rank
    std::vector<std::vector<int>> chains;   // by arrow: the boxes it runs through, ends included
};

std::vector<int> longestPathRanks(const LayeredGraph& graph) {
    const size_t count = graph.boxes.size();
    std::vector<int> waiting(count), rank(count), ready;
    std::vector<std::vector<int>> next(count);
    for (const LayeredGraph::Arrow& arrow : graph.arrows) {
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
    for (const LayeredGraph::Arrow& arrow : graph.arrows)
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

Layers makeLayers(const LayeredGraph& graph) {
    Layers layers;
    layers.rank = longestPathRanks(graph);
    for (const LayeredGraph::Box& box : graph.boxes) {
        layers.width.push_back(box.width);
        layers.height.push_back(box.height);
    }
    size_t thin = 0;
    const size_t limit = 4 * graph.boxes.size() + 2000;
    for (const LayeredGraph::Arrow& arrow : graph.arrows) {
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

/// Moves a row's boxes as near to their wishes as their order and widths allow: least squares, by pooling neighbours whose
/// wishes are in the wrong order. Nothing drifts: a row that fits gets its wishes, one that does not spreads evenly.
void settle(Layers& layers, const std::vector<int>& row, const std::vector<double>& wish) {
    struct Pool {
        double sum;
        int count;
        double mean() const { return sum / count; }
    };
    std::vector<Pool> pools;
    std::vector<double> offset(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
        offset[i] = i ? offset[i - 1] + (layers.width[row[i - 1]] + layers.width[row[i]]) / 2 + boxGap : 0;
        pools.push_back({wish[i] - offset[i], 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back() = {pools.back().sum + last.sum, pools.back().count + last.count};
        }
    }
    size_t i = 0;
    for (const Pool& pool : pools)
        for (int k = 0; k < pool.count; ++k, ++i)
            layers.x[row[i]] = pool.mean() + offset[i];
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

/// Where the ranks stand, and how arrows run between them.
class Rows {
public:
    /// Moves what does not stand in the first column.
    Rows(const LayeredGraph& graph, Layers& layers, bool columns) : layers_(layers), closed_(layers.height) {
        for (size_t i = 0; i < graph.boxes.size(); ++i)
            closed_[i] = std::min(closedHeight(graph.boxes[i]), layers.height[i]);
        const size_t ranks = layers.order.size();
        top_.resize(ranks);
        half_.resize(ranks);
        height_.resize(ranks);
        column_.resize(ranks);
        for (size_t rank = 0; rank < ranks; ++rank)
            for (const int box : layers.order[rank])
                half_[rank] = std::max(half_[rank], closed_[box] / 2);
        if (columns)
            cutColumns(graph);
        double top = 0;
        for (size_t rank = 0; rank < ranks; ++rank) {
            if (rank && column_[rank] != column_[rank - 1])
                top = 0;
            for (const int box : layers.order[rank])
                height_[rank] = std::max(height_[rank], insetOf(box) + layers.height[box]);
            top_[rank] = top;
            top += height_[rank] + rankGap;
        }
        placeColumns();
    }

    /// Boxes of a rank are level when closed; what is open grows downwards.
    double topOf(int box) const { return top_[layers_.rank[box]] + insetOf(box); }

    std::vector<LayoutPoint> pathOf(const std::vector<int>& chain) const {
        const int from = chain.front(), to = chain.back();
        std::vector<LayoutPoint> path{{layers_.x[from], topOf(from) + layers_.height[from]}};
        // Beside something that is open: straight down first.
        if (const double end = bottomOf(from); end > path.back().y + rankGap)
            lineTo(path, {layers_.x[from], end});
        for (size_t i = 1; i < chain.size(); ++i) {
            const bool last = i + 1 == chain.size();
            const int box = chain[i], rank = layers_.rank[box];
            curveTo(path, {layers_.x[box], last ? topOf(to) : top_[rank]}, layers_.rank[chain[i - 1]], rank);
            if (!last)
                lineTo(path, {layers_.x[box], top_[rank] + height_[rank]});
        }
        return path;
    }

private:
    double insetOf(int box) const { return half_[layers_.rank[box]] - closed_[box] / 2; }
    double bottomOf(int box) const { return top_[layers_.rank[box]] + height_[layers_.rank[box]]; }

    /// By the closed sizes, so that opening a group sends nothing to another column.
    void cutColumns(const LayeredGraph& graph) {
        const int ranks = int(layers_.order.size());
        double high = 0, wide = 1;
        for (int rank = 0; rank < ranks; ++rank) {
            high += 2 * half_[rank] + rankGap;
            double width = -boxGap;
            for (const int box : layers_.order[rank])
                width += boxGap + (size_t(box) < graph.boxes.size() ? closedWidth(graph.boxes[box]) : thinWidth);
            wide = std::max(wide, width);
        }
        const int wanted = int(std::lround(std::sqrt(aspect * high / (wide + columnGap))));
        if (high < tallest || wanted < 2)
            return;
        std::vector<int> crossing(ranks + 1); // arrows between a rank and the one before
        for (const LayeredGraph::Arrow& arrow : graph.arrows)
            for (int rank = layers_.rank[arrow.from] + 1; rank <= layers_.rank[arrow.to]; ++rank)
                ++crossing[rank];
        const double column = high / wanted;
        double filled = 0;
        int current = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            // The best place from here to a quarter of a column further.
            bool cut = filled > column * 0.875 && crossing[rank] <= mostCut;
            double ahead = filled;
            for (int next = rank + 1; cut && next < ranks && ahead < column * 1.125; ++next) {
                ahead += 2 * half_[next - 1] + rankGap;
                cut = crossing[next] >= crossing[rank];
            }
            if (cut)
                ++current, filled = 0;
            column_[rank] = current;
            filled += 2 * half_[rank] + rankGap;
        }
    }

    void placeColumns() {
        double right = 0;
        for (size_t rank = 0; rank < column_.size();) {
            const int column = column_[rank];
            size_t end = rank;
            double low = 0, high = 0;
            bool any = false;
            for (; end < column_.size() && column_[end] == column; ++end)
                for (const int box : layers_.order[end]) {
                    const double half = layers_.width[box] / 2;
                    low = any ? std::min(low, layers_.x[box] - half) : layers_.x[box] - half;
                    high = any ? std::max(high, layers_.x[box] + half) : layers_.x[box] + half;
                    any = true;
                }
            const double shift = column == 0 ? 0 : right + columnGap - low;
            left_.push_back(low + shift);
            right = high + shift;
            for (; rank < end; ++rank)
                for (const int box : layers_.order[rank])
                    layers_.x[box] += shift;
        }
    }

    static void lineTo(std::vector<LayoutPoint>& path, LayoutPoint to) {
        const LayoutPoint from = path.back(), third{(to.x - from.x) / 3, (to.y - from.y) / 3};
        path.insert(path.end(), {from + third, to - third, to});
    }

    void curveTo(std::vector<LayoutPoint>& path, LayoutPoint to, int fromRank, int toRank) const {
        const LayoutPoint from = path.back();
        if (column_[fromRank] == column_[toRank]) {
            const double bend = (to.y - from.y) * 0.45;
            path.insert(path.end(), {from + LayoutPoint{0, bend}, to - LayoutPoint{0, bend}, to});
            return;
        }
        // Around below, up between the columns, and in from above.
        const LayoutPoint turn{0, 50};
        const double between = left_[size_t(column_[toRank])] - columnGap / 2;
        const LayoutPoint low{between, from.y}, high{between, to.y};
        path.insert(path.end(), {from + turn, low + turn, low});
        lineTo(path, high);
        path.insert(path.end(), {high - turn, to - turn, to});
    }

    Layers& layers_;
    std::vector<double> closed_;              // heights of boxes
    std::vector<double> top_, half_, height_; // by rank; `half` of the highest box that is closed
    std::vector<int> column_;                 // by rank
    std::vector<double> left_;                // by column
};

} // namespace

LayeredLayout layeredLayout(const LayeredGraph& graph, bool columns) {
    Layers layers = makeLayers(graph);
    orderByMedians(layers);
    placeRows(layers);
    const Rows rows(graph, layers, columns);

    LayeredLayout layout;
    for (size_t i = 0; i < graph.boxes.size(); ++i)
        layout.centers.push_back({layers.x[i], rows.topOf(int(i)) + layers.height[i] / 2});
    for (const auto& chain : layers.chains)
        layout.paths.push_back(rows.pathOf(chain));
    layout.ranks.assign(layers.rank.begin(), layers.rank.begin() + ptrdiff_t(graph.boxes.size()));
    return layout;
}

} // namespace lathe::graph
