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
    const int64_t rank = b.rank(x);
    const Var passed = b.call(Op::GreaterEqual, {unsqueeze(b, cast(b, x, work), {rank}), edges});
    return reduce(b, "sum", cast(b, passed, types::Int32), {rank}, false);
}

Var placesAmong(Builder& b, Var sorted, Var x, bool countsEqual) {
    if (b.failed())
        return {};
    const Var each = unsqueeze(b, x, {2}), numbers = unsqueeze(b, sorted, {1});
    const Var counts = b.call(countsEqual ? Op::LessEqual : Op::Less, {numbers, each});
    return reduce(b, "sum", cast(b, counts, types::Int64), {2}, false);
}

} // namespace lathe::frontend
