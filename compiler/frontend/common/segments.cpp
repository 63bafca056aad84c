// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/segments.h"

#include "frontend/common/integer_operands.h"
#include "frontend/common/scatter.h"

#include <fmt/format.h>

#include <limits>

namespace lathe::frontend {
namespace {

/// What a segment without rows holds: the sum or product of none, or a value that every row replaces.
Var ofNoRows(Builder& b, const std::string& reduction, DataType dtype) {
    if (reduction == "add" || reduction == "mul")
        return b.scalar(reduction == "add" ? 0 : 1, dtype);
    const bool least = reduction == "max";
    if (dtype.isFloat()) {
        const double most = dtype == types::Float64 ? std::numeric_limits<double>::max()
                                                    : static_cast<double>(std::numeric_limits<float>::max());
        return b.scalar(least ? -most : most, dtype);
    }
    const int bits = 8 * static_cast<int>(dtype.bytes());
    const bool isSigned = dtype.isSigned();
    const auto most = static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> (64 - bits + (isSigned ? 1 : 0)));
    return b.scalarInt(least ? (isSigned ? -most - 1 : 0) : most, dtype);
}

/// [rows, …] with the updates, [n, …], joined at rows `places`, [n].
Var joinRows(Builder& b, Var updates, Var places, const Expr& rows, const std::string& reduction) {
    if (b.failed())
        return {};
    Dims shape = b.shape(updates);
    shape[0] = rows;
    const Var initial = full(b, ofNoRows(b, reduction, b.dtype(updates)), shape);
    return scatter(b, Op::ScatterNd, initial, unsqueeze(b, places, {1}), updates, reduction);
}

} // namespace

Var sortedSegments(NodeReader& node, Builder& b, Var x, const std::string& reduction) {
    const Var places = cast(b, node.in(1), types::Int64);
    if (!node.needRank(x, 1) || !node.needRank(places, 1))
        return {};
    // Segments come in order, so the last row's is the last one.
    const Expr count = dim(b, places, 0);
    Expr segments = 0;
    if (!arith::isConst(count, 0)) {
        const Var some = assume(b, places, arith::gt(count, 0), "there is a row that belongs to a segment");
        const Dims last = b.symbolic(sliceAxis(b, some, 0, arith::simplify(count - 1), 1), "segment");
        if (b.failed())
            return {};
        segments = arith::simplify(last[0] + 1);
        if (!areSizes(node, {last[0]}, "segments"))
            return {};
    }
    Dims shape = b.shape(x);
    shape[0] = segments;
    return mayFill(node.b, shape) ? joinRows(b, x, places, segments, reduction) : Var{};
}

Var unsortedSegments(NodeReader& node, Builder& b, Var x, const std::string& reduction) {
    Var places = cast(b, node.in(1), types::Int64);
    const Expr segments = integerOf(node, 2, "number of segments");
    if (!areSizes(node, {segments}, "number of segments"))
        return {};
    const Dims shape = b.shape(x), numbered = b.shape(places);
    if (numbered.size() > shape.size()) {
        node.fail(fmt::format("the segments {} are of more dims than the rows {}", text(numbered), text(shape)));
        return {};
    }
    const auto split = shape.begin() + static_cast<std::ptrdiff_t>(numbered.size());
    Dims rows(split, shape.end()), result = rows;
    places = withDims(b, places, Dims(shape.begin(), split));
    const Expr count = product({shape.begin(), split});
    rows.insert(rows.begin(), count);
    result.insert(result.begin(), segments);
    if (b.failed() || !mayFill(node.b, result))
        return {};
    x = reshape(b, x, rows);
    places = reshape(b, places, {count});
    // Rows of a negative segment belong to none: they go to one behind the last, which is left out.
    const Var last = b.scalarOf(segments);
    places = where(b, less(b, places, b.scalarInt(0)), last, places);
    const Var joined = joinRows(b, x, places, arith::simplify(segments + 1), reduction);
    return sliceAxis(b, joined, 0, 0, segments);
}

} // namespace lathe::frontend
