// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/matrices.h"

#include "frontend/common/broadcast.h"

namespace lathe::frontend {

Dims outerDims(Builder& b, Var matrices) {
    if (!needRank(b, matrices, 2))
        return {};
    Dims shape = b.shape(matrices);
    shape.resize(shape.size() - 2);
    return shape;
}

Var stacked(Builder& b, Var matrices) {
    const Dims outer = outerDims(b, matrices);
    return b.failed() ? Var{} : reshape(b, matrices, {product(outer), dim(b, matrices, -2), dim(b, matrices, -1)});
}

Var unstacked(Builder& b, Var x, const Dims& outer) {
    if (b.failed())
        return {};
    const Dims own = b.shape(x);
    Dims shape = outer;
    shape.insert(shape.end(), own.begin() + 1, own.end());
    return reshape(b, x, shape);
}

std::vector<Var> withSameOuter(Builder& b, std::vector<Var> matrices) {
    std::vector<Dims> all;
    for (const Var each : matrices)
        all.push_back(outerDims(b, each));
    const Dims outer = broadcastDims(b, all);
    for (Var& each : matrices) {
        Dims shape = outer;
        shape.push_back(dim(b, each, -2));
        shape.push_back(dim(b, each, -1));
        each = expand(b, each, shape);
    }
    return matrices;
}

Var transposed(Builder& b, Var matrices) {
    if (!needRank(b, matrices, 2))
        return {};
    Ints axes = iotaInts(0, b.rank(matrices));
    std::swap(axes[axes.size() - 2], axes.back());
    return transpose(b, matrices, axes);
}

Var identityMatrix(Builder& b, const Expr& size, const Expr& columns, DataType dtype) {
    const Dims shape = {size, columns};
    return cast(b, equal(b, iota(b, shape, 0, types::Int64), iota(b, shape, 1, types::Int64)), dtype);
}

Var downRows(Builder& b, Var x) {
    return b.failed() ? Var{} : unsqueeze(b, x, b.rank(x) == 1 ? Ints{0, 2} : Ints{2});
}

Var alongColumns(Builder& b, Var x) {
    return b.failed() ? Var{} : unsqueeze(b, x, b.rank(x) == 1 ? Ints{0, 1} : Ints{1});
}

Var outerProducts(Builder& b, Var column, Var row) {
    return mul(b, downRows(b, column), alongColumns(b, row));
}

Var rowAt(Builder& b, Var stack, Var place) {
    return gather(b, stack, place, 1);
}

Var columnAt(Builder& b, Var stack, Var place) {
    return gather(b, stack, place, 2);
}

Var elementAt(Builder& b, Var columns, Var place) {
    return gather(b, columns, place, 1);
}

Var placesOf(Builder& b, Var x, int64_t axis) {
    return iota(b, {dim(b, x, axis)}, 0, types::Int64);
}

} // namespace lathe::frontend
