// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/integer_operands.h"

#include "relay/attrs.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {

namespace {

/// Whether only running tells how many elements a tensor has.
bool isOpen(Builder& b, Var x) {
    return !b.failed() && !arith::asInt(product(b.shape(x)));
}

Dims elementsOf(Builder& b, Var operand, const std::string& name) {
    Dims elements = b.symbolic(operand, name);
    for (Expr& element : elements)
        if (const auto value = arith::asInt(element))
            element = std::clamp(*value, -farAway, farAway);
    return elements;
}

} // namespace

Dims integersOf(NodeReader& node, size_t i, const std::string& name) {
    return elementsOf(node.b, node.in(i), name);
}

Expr integerOf(NodeReader& node, size_t i, const std::string& name) {
    const Var operand = node.in(i);
    const Dims elements = elementsOf(node.b, isOpen(node.b, operand) ? listOf(node, i, 1, name) : operand, name);
    if (!node.failed() && elements.size() != 1)
        node.fail(fmt::format("operand {}, the {}, has {} elements where one is needed", i, name, elements.size()));
    return node.failed() ? Expr(1) : elements[0];
}

std::optional<Ints> knownIntegers(NodeReader& node, size_t i, const std::string& name) {
    const Var operand = node.in(i);
    if (node.failed())
        return std::nullopt;
    auto known = node.b.knownInts(operand);
    if (!known)
        node.refuse(fmt::format("operand {}, the {}, is computed while the model runs", i, name),
                    "make it a constant when converting the model");
    return known;
}

std::optional<int64_t> knownInteger(NodeReader& node, size_t i, const std::string& name) {
    const auto known = knownIntegers(node, i, name);
    if (!known)
        return std::nullopt;
    if (known->size() == 1)
        return known->front();
    node.fail(fmt::format("operand {}, the {}, has {} elements where one is needed", i, name, known->size()));
    return std::nullopt;
}

Var listOf(NodeReader& node, size_t i, int64_t count, const std::string& name) {
    Builder& b = node.b;
    const Var list = node.in(i);
    if (b.failed())
        return {};
    const Expr length = product(b.shape(list));
    if (arith::asInt(length).value_or(count) != count) {
        node.fail(
            fmt::format("operand {}, the {}, is {} where {} elements are needed", i, name, text(b.shape(list)), count));
        return {};
    }
    return b.rank(list) == 1 ? withDims(b, list, {count}) : reshape(b, list, {count});
}

Var shapeOperand(NodeReader& node, size_t i) {
    const Var shape = node.in(i);
    if (!isOpen(node.b, shape))
        return shape;
    const model::ValueType* declared = node.declaredResult(0);
    if (declared && declared->hasShape)
        return listOf(node, i, std::ssize(declared->shape), "shape");
    node.refuse(fmt::format("operand {}, the shape, is {}: only running tells the rank of the result", i,
                            text(node.b.shape(shape))),
                "declare the result's rank");
    return {};
}

Var spreadOver(Builder& b, Var values, const Ints& axes, int64_t rank, Var otherwise) {
    return axes == iotaInts(0, rank) ? values : spreadOver(b, values, b.fromExprs(toDims(axes)), rank, otherwise);
}

Var spreadOver(Builder& b, Var values, Var axes, int64_t rank, Var otherwise) {
    return b.call(Op::ScatterElements, {full(b, otherwise, {rank}), axes, values}, relay::ScatterAttrs{});
}

bool areSizes(NodeReader& node, const Dims& sizes, const std::string& name) {
    for (const Expr& size : sizes) {
        if (const auto known = arith::asInt(size); known && *known < 0) {
            node.fail(fmt::format("the {} {} has a negative element", name, text(sizes)));
            return false;
        }
    }
    return !node.failed();
}

std::optional<Dims> shapeToFill(NodeReader& node, size_t i) {
    Dims shape = integersOf(node, i, "dim");
    if (!areSizes(node, shape, "shape") || !mayFill(node.b, shape) || node.failed())
        return std::nullopt;
    return shape;
}

} // namespace lathe::frontend
