// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/elementwise.h"

#include "relay/attrs.h"

namespace lathe::frontend::tflite {

using namespace relay;

void giveMapped(NodeReader& node, Builder& b, const std::function<Var(Var)>& fn) {
    give(node, 0, inSingle(b, realOf(node, 0), fn));
}

void giveMapped(NodeReader& node, Builder& b, Op op) {
    give(node, 0, b.call(op, {realOf(node, 0)}));
}

void giveCombined(NodeReader& node, Builder& b, const std::function<Var(Var, Var)>& fn) {
    const Var x = realOf(node, 0), y = realOf(node, 1);
    if (b.failed())
        return;
    const bool same = b.dtype(x) == b.dtype(y); // operands of two types are a fault, which fn's calls tell
    give(node, 0, inSingle(b, x, [&](Var v) { return fn(v, same ? cast(b, y, b.dtype(v)) : y); }));
}

void giveCombined(NodeReader& node, Builder& b, Op op) {
    const Var x = realOf(node, 0), y = realOf(node, 1);
    give(node, 0, b.call(op, {x, y}));
}

void giveComparison(NodeReader& node, Builder& b, Op op) {
    Movement moved(node, {0, 1}, {});
    const Var x = moved.in(0), y = moved.in(1);
    node.set(0, b.call(op, {x, y}));
}

void giveChoice(NodeReader& node, Builder& b, Var condition) {
    Movement moved(node, {1, 2});
    const Var x = moved.in(1), y = moved.in(2);
    moved.give(0, where(b, condition, x, y));
}

std::optional<DataType> resultType(NodeReader& node) {
    const model::ValueType* type = node.declaredResult(0);
    if (type && type->kind == model::ValueType::Kind::Tensor && type->dtype != types::Void)
        return type->dtype;
    node.fail("the result's element type is not declared", "the model is malformed; export it again");
    return std::nullopt;
}

void giveCast(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::optional<DataType> dtype = resultType(node);
    if (!dtype || b.failed())
        return;
    if ((*dtype == types::String) != (b.dtype(x) == types::String))
        return node.refuse("casts from and to strings are not supported", "convert strings outside of the model");
    node.set(0, cast(b, x, *dtype));
}

} // namespace lathe::frontend::tflite
