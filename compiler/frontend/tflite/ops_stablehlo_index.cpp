// SPDX-License-Identifier: Apache-2.0
//
// STABLEHLO_GATHER and STABLEHLO_SCATTER: windows of a tensor at places that rows of indices say. The place of each
// element of each window is written down, as an index of every dim.
#include "frontend/common/scatter.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window_reduction.h"
#include "relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tflite {
namespace {

/// What the attributes say.
struct Windows {
    Ints ownDims;     // dims of the result (of the updates) that run over a window, ascending
    Ints dropped;     // dims of the tensor of which a window has one element and no dim, ascending
    Ints indexedDims; // dims of the tensor that the elements of a row of indices are of
    int64_t rowDim = 0;
    Dims sizes; // of a window, by dims of the tensor
};

bool holds(const Ints& list, size_t value) {
    return std::ranges::find(list, static_cast<int64_t>(value)) != list.end();
}

bool isAscending(const Ints& list, int64_t below) {
    return std::ranges::adjacent_find(list, std::greater_equal<>()) == list.end() &&
           (list.empty() || (list.front() >= 0 && list.back() < below));
}

/// Places of the elements of all windows, each [rows…, window…].
struct WindowPlaces {
    Dims rows, window;
    std::vector<Var> starts;  // by dims of the tensor, [rows…, 1…]; absent: 0
    std::vector<Var> offsets; // within the window, [window…]; absent: 0

    Dims all() const {
        Dims dims = rows;
        dims.insert(dims.end(), window.begin(), window.end());
        return dims;
    }
    Var at(Builder& b, size_t d, Var start) const {
        const Var place = start && offsets[d] ? add(b, start, offsets[d]) : start ? start : offsets[d];
        return expand(b, place ? place : b.scalarInt(0), all());
    }
};

std::optional<WindowPlaces> placesOf(NodeReader& node, Builder& b, Var indices, size_t rank, const Windows& windows) {
    const auto fault = [&](const char* what) {
        node.fail(what);
        return std::nullopt;
    };
    if (b.failed())
        return std::nullopt;
    indices = cast(b, indices, types::Int64);
    if (windows.rowDim == b.rank(indices)) // each index is a row by itself
        indices = unsqueeze(b, indices, {windows.rowDim});
    if (windows.rowDim < 0 || windows.rowDim >= b.rank(indices))
        return fault("index_vector_dim is no dim of the indices");
    if (!isAscending(windows.dropped, static_cast<int64_t>(rank)) || windows.sizes.size() != rank ||
        windows.ownDims.size() + windows.dropped.size() != rank)
        return fault("the dims of a window are not those of the tensor");
    WindowPlaces places;
    places.rows = b.shape(indices);
    const auto count = arith::asInt(places.rows[static_cast<size_t>(windows.rowDim)]);
    places.rows.erase(places.rows.begin() + windows.rowDim);
    if (!isAscending(windows.ownDims, static_cast<int64_t>(places.rows.size() + windows.ownDims.size())))
        return fault("the dims of a window do not ascend within the result's");
    if (!count || *count != static_cast<int64_t>(windows.indexedDims.size()))
        return fault("a row of indices has not an element for each dim that it is of");
    for (size_t d = 0; d < rank; ++d)
        if (!holds(windows.dropped, d))
            places.window.push_back(windows.sizes[d]);
    places.starts.resize(rank);
    places.offsets.resize(rank);
    for (size_t i = 0; i < windows.indexedDims.size(); ++i) {
        const int64_t d = windows.indexedDims[i];
        if (d < 0 || d >= static_cast<int64_t>(rank) || places.starts[static_cast<size_t>(d)])
            return fault("indices are of a dim that does not exist, or twice of one");
        Dims shape = places.rows;
        shape.resize(places.rows.size() + places.window.size(), Expr(1));
        places.starts[static_cast<size_t>(d)] =
            reshape(b, sliceAxis(b, indices, windows.rowDim, static_cast<int64_t>(i), 1), shape);
    }
    int64_t own = 0;
    for (size_t d = 0; d < rank; ++d)
        if (!holds(windows.dropped, d))
            places.offsets[d] = iota(b, places.window, own++, types::Int64);
    return b.failed() ? std::nullopt : std::optional(places);
}

/// The order of dims that brings [rows…, window…] to where the windows' dims are `own` of all.
Ints orderOf(const Ints& own, size_t rows) {
    Ints order;
    int64_t row = 0, window = static_cast<int64_t>(rows);
    for (size_t i = 0; i < rows + own.size(); ++i)
        order.push_back(holds(own, i) ? window++ : row++);
    return order;
}

/// The order that takes orderOf back.
Ints invertedOrder(const Ints& order) {
    Ints inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i)
        inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return inverse;
}

/// How an update joins what lies at its place; nothing if the graph says something else.
std::optional<std::string> updateOf(const model::Graph& step, bool ofBools) {
    const bool replaces = step.inputs.size() == 2 && step.outputs.size() == 1 && step.nodes.empty() &&
                          step.outputs[0].name == step.inputs[1].name;
    if (replaces)
        return "none";
    const auto kind = ofBools ? std::nullopt : reductionOf(step, false);
    return kind ? std::optional<std::string>(*kind == "sum" ? "add" : *kind == "prod" ? "mul" : *kind) : std::nullopt;
}

} // namespace

void convertStablehloGather(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    Var x = m.in(0);
    const Var indices = node.in(1);
    if (!node.needRank(x, 1))
        return;
    const Dims shape = b.shape(x);
    const Windows windows{node.integers("offset_dims"), node.integers("collapsed_slice_dims"),
                          node.integers("start_index_map"), node.integer("index_vector_dim", 0),
                          toDims(node.integers("slice_sizes"))};
    const auto places = placesOf(node, b, indices, shape.size(), windows);
    if (!places)
        return;
    std::vector<Var> columns;
    for (size_t d = 0; d < shape.size(); ++d) {
        const Expr& size = windows.sizes[d];
        x = assume(b, x, arith::logicalAnd(arith::ge(size, 0), arith::le(size, shape[d])),
                   fmt::format("a slice of {} fits dim {} of {}", arith::sizeText(size), d, text(shape)));
        Var start = places->starts[d];
        if (start) // moved so that the slice lies within x
            start = maximum(b, minimum(b, start, b.scalarOf(arith::simplify(shape[d] - size))), b.scalarInt(0));
        const auto last = static_cast<int64_t>(places->all().size());
        columns.push_back(unsqueeze(b, places->at(b, d, start), {last}));
    }
    const auto last = static_cast<int64_t>(places->all().size());
    const Var rows = columns.size() == 1 ? columns[0] : concat(b, std::move(columns), last);
    const Var picked = b.call(Op::GatherNd, {x, rows}, relay::GatherNdAttrs{});
    m.give(0, transpose(b, picked, orderOf(windows.ownDims, places->rows.size())));
}

void convertStablehloScatter(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), indices = node.in(1), updates = realOf(node, 2);
    const auto step = node.graph("update_computation_subgraph_index");
    if (b.failed() || !step)
        return;
    const auto reduction = updateOf(*step, b.dtype(x).isBool());
    if (!reduction || node.inputs() != 3)
        return node.refuse("only sums, products, extremes and replacements of one tensor are supported");
    const Dims shape = b.shape(x), given = b.shape(updates);
    Windows windows{node.integers("update_window_dims"), node.integers("inserted_window_dims"),
                    node.integers("scatter_dims_to_operand_dims"), node.integer("index_vector_dim", 0),
                    Dims(shape.size(), Expr(1))};
    size_t own = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
        if (holds(windows.dropped, d))
            continue;
        if (own >= windows.ownDims.size() || windows.ownDims[own] < 0 ||
            windows.ownDims[own] >= static_cast<int64_t>(given.size()))
            return node.fail("update_window_dims are not dims of the updates");
        windows.sizes[d] = given[static_cast<size_t>(windows.ownDims[own++])];
    }
    const auto places = placesOf(node, b, indices, shape.size(), windows);
    if (!places)
        return;
    const Dims all = places->all();
    if (given.size() != all.size())
        return node.fail(fmt::format("the updates {} are not windows of {}", text(given), text(shape)));
    // Flat places in x; those of windows that do not lie within it are one behind its end.
    const Expr count = product(shape), written = product(all);
    Var flat = b.scalarInt(0), inside = b.scalar(1, types::Bool);
    for (size_t d = 0; d < shape.size(); ++d) {
        flat = add(b, mul(b, flat, b.scalarOf(shape[d])), places->at(b, d, places->starts[d]));
        if (const Var start = places->starts[d]) {
            const Var fits =
                b.call(Op::LogicalAnd,
                       {b.call(Op::GreaterEqual, {start, b.scalarInt(0)}),
                        b.call(Op::LessEqual, {start, b.scalarOf(arith::simplify(shape[d] - windows.sizes[d]))})});
            inside = b.call(Op::LogicalAnd, {inside, fits});
        }
    }
    flat = reshape(b, expand(b, where(b, inside, flat, b.scalarOf(count)), all), {written});
    const Var moved = transpose(b, updates, invertedOrder(orderOf(windows.ownDims, places->rows.size())));
    const Var room = concat(b, {reshape(b, x, {count}), full(b, scalarLike(b, 0, x), {1})}, 0);
    const Var joined = scatter(b, Op::ScatterElements, room, flat, reshape(b, moved, {written}), *reduction);
    give(node, 0, reshape(b, sliceAxis(b, joined, 0, 0, count), shape));
}

} // namespace lathe::frontend::tflite
