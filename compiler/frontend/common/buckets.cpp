// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/buckets.h"

namespace lathe::frontend {

Var bucketsOf(Builder& b, Var x, const std::vector<double>& boundaries) {
    if (b.failed())
        return {};
    if (boundaries.empty())
        return full(b, b.scalarInt(0, types::Int32), b.shape(x));
    const DataType work = b.dtype(x) == types::Float64 ? types::Float64 : types::Float32;
    const Var edges = cast(b, realConstant(b, types::Float32, {std::ssize(boundaries)}, boundaries), work);
    return cast(b, placesAmong(b, edges, cast(b, x, work), true), types::Int32);
}

Var placesAmong(Builder& b, Var sorted, Var x, bool countsEqual) {
    if (b.failed())
        return {};
    const int64_t rank = b.rank(sorted), last = b.rank(x);
    const Var values = rank == 1 ? sorted : unsqueeze(b, sorted, {rank - 1});
    const Var isBehind = b.call(countsEqual ? Op::Greater : Op::GreaterEqual, {values, unsqueeze(b, x, {last})});
    return reduce(b, "sum", cast(b, b.call(Op::LogicalNot, {isBehind}), types::Int64), {last}, false);
}

} // namespace lathe::frontend
