// SPDX-License-Identifier: Apache-2.0
//
// Dispatch of value rules, and what they share.
#include "relay/value_rules.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/element.h"

namespace lathe::relay {

std::vector<int64_t> ValueCall::dims(size_t arg) const {
    return constantShape(tensor(arg).shape).value();
}

namespace values {

int64_t wrap(int64_t value, DataType dtype) {
    if (dtype.isBool())
        return value != 0;
    if (!dtype.isInt() || dtype.bits >= 64)
        return value;
    int shift = 64 - dtype.bits;
    uint64_t high = static_cast<uint64_t>(value) << shift;
    return dtype.isSigned() ? static_cast<int64_t>(high) >> shift : static_cast<int64_t>(high >> shift);
}

std::vector<int64_t> coordinates(int64_t element, const std::vector<int64_t>& shape) {
    std::vector<int64_t> at(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
        at[i] = element % shape[i];
        element /= shape[i];
    }
    return at;
}

int64_t flatten(const std::vector<int64_t>& at, const std::vector<int64_t>& shape) {
    int64_t index = 0;
    for (size_t i = 0; i < shape.size(); ++i)
        index = index * shape[i] + at[i];
    return index;
}

int64_t broadcastIndex(const std::vector<int64_t>& at, const std::vector<int64_t>& from) {
    int64_t index = 0;
    size_t lead = at.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i)
        index = index * from[i] + (from[i] == 1 ? 0 : at[lead + i]);
    return index;
}

} // namespace values

namespace {

std::optional<Elements> shapeOf(const ValueCall& call) {
    const TensorType* x = asTensor(call.args[0]);
    return x ? std::optional(x->shape) : std::nullopt;
}

std::optional<Elements> bindSymbols(const ValueCall& call) {
    Elements elements = attrs<BindSymbolsAttrs>(call.attrs).symbols;
    for (size_t i = 0; i < elements.size(); ++i) {
        if (elements[i])
            continue;
        if (!call.known[0])
            return std::nullopt;
        elements[i] = (*call.known[0])[i];
    }
    return elements;
}

std::optional<Elements> dispatch(const ValueCall& call) {
    switch (call.op) {
    case Op::ShapeOf:
        return shapeOf(call);
    case Op::BindSymbols:
        return bindSymbols(call);
    case Op::Reduce:
        return values::reduce(call);
    case Op::CumSum:
        return values::cumSum(call);
    case Op::ScatterNd:
    case Op::ScatterElements:
        return values::scatter(call);
    default:
        break;
    }
    if (call.op <= Op::Where && call.op != Op::Copy && call.op != Op::BitCast)
        return values::elementwise(call);
    return values::movement(call);
}

/// Whether an element is what the computation stores, though the rules compute with integers that never wrap: what may
/// wrap in a narrow or unsigned type is not known. Sizes are taken to fit the wide signed types, in which models do their
/// arithmetic of shapes.
bool cannotWrap(const Expr& element, DataType dtype) {
    if (!dtype.isInt() || dtype.isBool() || (dtype.isSigned() && dtype.bits >= 32))
        return true;
    const arith::Interval range = arith::bounds(element);
    if (dtype.bits == 64)
        return range.lower >= 0;
    return values::wrap(range.lower, dtype) == range.lower && values::wrap(range.upper, dtype) == range.upper;
}

} // namespace

std::optional<std::vector<Expr>> inferValue(Op op, const Type& result, const std::vector<Type>& args,
                                            const std::vector<const std::vector<Expr>*>& known, const AttrsPtr& attrs) {
    const TensorType* tensor = asTensor(result);
    if (!tensor || tensor->dtype == types::String)
        return std::nullopt;
    std::optional<std::vector<int64_t>> shape = constantShape(tensor->shape);
    if (!shape)
        return std::nullopt;
    int64_t count = 1;
    for (int64_t dim : *shape)
        count = count > limits::knownValueElements || dim == 0 ? (dim == 0 ? 0 : count)
                                                               : count * std::min<int64_t>(dim, 1 << 20);
    if (count > limits::knownValueElements)
        return std::nullopt;
    for (size_t i = 0; i < args.size(); ++i)
        if (args[i] && !known[i] && op != Op::ShapeOf && op != Op::BindSymbols)
            return std::nullopt;
    std::optional<Elements> elements = dispatch({op, tensor, *shape, count, args, known, attrs});
    if (!elements)
        return std::nullopt;
    LATHE_ASSERT(static_cast<int64_t>(elements->size()) == count, "a value rule gives each element");
    for (Expr& element : *elements) {
        if (!element)
            return std::nullopt;
        if (arith::isConst(element))
            continue;
        element = arith::simplify(element);
        if (element->depth > static_cast<uint32_t>(limits::exprDepth) || !cannotWrap(element, tensor->dtype))
            return std::nullopt;
    }
    return elements;
}

} // namespace lathe::relay
