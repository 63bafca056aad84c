// SPDX-License-Identifier: Apache-2.0
//
// The shared words of the operator families; expressions.h says what each means.
#include "topi/expressions.h"

#include "arith/analysis.h"

namespace lathe::topi {

Indices asIndices(const std::vector<Var>& vars) {
    return Indices(vars.begin(), vars.end());
}

Expr widen(const Expr& value) {
    return convert(value, computeType(value.dtype()));
}

Expr convert(const Expr& value, DataType dtype) {
    return value.dtype() == dtype ? value : arith::cast(value, dtype);
}

Expr number(double value, DataType dtype) {
    if (dtype.isFloat())
        return arith::floatImm(value, dtype);
    return dtype.isBool() ? arith::boolImm(value != 0) : arith::intImm(static_cast<int64_t>(value), dtype);
}

Expr int64(int64_t value) {
    return arith::intImm(value, types::Int64);
}

Expr toIndex(const Expr& value) {
    return convert(value, types::Index);
}

Indices broadcastIndices(const Shape& shape, const Shape& resultShape, const std::vector<Var>& axes) {
    LATHE_ASSERT(shape.size() <= axes.size(), "an operand has more dims than the broadcast result");
    Indices indices;
    const size_t skip = axes.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
        const Expr& axis = axes[skip + i];
        if (arith::isConst(shape[i], 1))
            indices.push_back(arith::intImm(0));
        else if (arith::isConst(shape[i]) || arith::provablyEqual(shape[i], resultShape[skip + i]))
            indices.push_back(axis);
        else
            indices.push_back(arith::select(arith::eq(shape[i], 1), 0, axis));
    }
    return indices;
}

Expr clamp(const Expr& value, const Expr& low, const Expr& high) {
    return arith::min(arith::max(value, low), high);
}

Expr clampIndex(const Expr& index, const Expr& extent) {
    return arith::max(arith::min(index, extent - 1), 0);
}

Expr divisor(const Expr& size) {
    return arith::bounds(size).lower >= 1 ? size : arith::max(size, 1);
}

Expr product(const Shape& dims, size_t from) {
    return product(dims, from, dims.size());
}

Expr product(const Shape& dims, size_t from, size_t to) {
    Expr result = 1;
    for (size_t i = from; i < to; ++i)
        result = result * dims[i];
    return arith::simplify(result);
}

Expr flatten(const Indices& indices, const Shape& shape) {
    Expr flat = 0;
    for (size_t i = 0; i < shape.size(); ++i)
        flat = flat * shape[i] + indices[i];
    return flat;
}

Indices unflatten(const Expr& flat, const Shape& shape) {
    Indices indices(shape.size());
    Expr rest = flat;
    for (size_t i = shape.size(); i-- > 1;) {
        const Expr size = divisor(shape[i]);
        indices[i] = arith::floorMod(rest, size);
        rest = arith::floorDiv(rest, size);
    }
    if (!shape.empty())
        indices[0] = rest;
    return indices;
}

Expr wrapIndex(const Expr& value, const Expr& extent) {
    const Expr index = toIndex(value);
    return arith::select(arith::lt(index, 0), index + extent, index);
}

Expr selectAt(const Expr& position, const std::vector<Expr>& values) {
    LATHE_ASSERT(!values.empty(), "nothing to choose from");
    Expr result = values.back();
    for (size_t i = values.size() - 1; i-- > 0;)
        result = arith::select(arith::eq(position, static_cast<int64_t>(i)), values[i], result);
    return result;
}

const relay::TensorType& resultTensor(const CallContext& call, int field) {
    relay::Type type = call.resultType;
    if (const relay::TupleType* tuple = relay::asTuple(type))
        type = tuple->fields.at(static_cast<size_t>(field));
    const relay::TensorType* tensor = relay::asTensor(type);
    LATHE_ASSERT(tensor, "the result of an operator is not a tensor");
    return *tensor;
}

size_t axisOf(int64_t axis, size_t rank) {
    const int64_t result = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    LATHE_ASSERT(result >= 0 && result <= static_cast<int64_t>(rank), "an axis is out of range");
    return static_cast<size_t>(result);
}

TensorPtr converted(const TensorPtr& tensor, DataType dtype, const std::string& name, int origin) {
    if (tensor->dtype == dtype)
        return tensor;
    return te::compute(
        name, tensor->shape, [&](const std::vector<Var>& i) { return convert((*tensor)(asIndices(i)), dtype); },
        origin);
}

} // namespace lathe::topi
