// SPDX-License-Identifier: Apache-2.0
//
// StableHLO's operators element by element, as TFLite's files have them beside their own.
#include "frontend/common/arithmetic.h"
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

/// Gives one operator of bools, another of integers.
void giveBitwise(NodeReader& node, Builder& b, Op ofBools, Op ofIntegers) {
    const Var x = node.in(0), y = node.in(1);
    if (!b.failed())
        node.set(0, b.call(b.dtype(x).isBool() ? ofBools : ofIntegers, {x, y}));
}

struct Direction {
    std::string_view name;
    Op op;
};
constexpr std::array directions = {
    Direction{"STABLEHLO_COMPARISON_DIRECTION_EQ", Op::Equal},
    Direction{"STABLEHLO_COMPARISON_DIRECTION_NE", Op::NotEqual},
    Direction{"STABLEHLO_COMPARISON_DIRECTION_GE", Op::GreaterEqual},
    Direction{"STABLEHLO_COMPARISON_DIRECTION_GT", Op::Greater},
    Direction{"STABLEHLO_COMPARISON_DIRECTION_LE", Op::LessEqual},
    Direction{"STABLEHLO_COMPARISON_DIRECTION_LT", Op::Less},
};

} // namespace

void convertStablehloAdd(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Add);
}
void convertStablehloSubtract(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Subtract);
}
void convertStablehloMultiply(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Multiply);
}
void convertStablehloDivide(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Divide);
}
void convertStablehloMaximum(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Maximum);
}
void convertStablehloMinimum(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Minimum);
}
void convertStablehloPower(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Power);
}
/// The rest has the sign of what is divided.
void convertStablehloRemainder(NodeReader& node, Builder& b) {
    ModAttrs attrs;
    attrs.fmod = true;
    giveCombined(node, b, [&](Var x, Var y) { return b.call(Op::Mod, {x, y}, attrs); });
}

void convertStablehloAbs(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Abs);
}
void convertStablehloNegate(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Negative);
}
void convertStablehloExponential(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Exp);
}
void convertStablehloLog(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Log);
}
void convertStablehloLogistic(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Sigmoid);
}
void convertStablehloTanh(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Tanh);
}
void convertStablehloRsqrt(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return inverseSquareRoot(b, x); });
}
void convertStablehloFloor(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Floor);
}
void convertStablehloCosine(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Cos);
}
/// Of the magnitude, with the sign again. A third is no float32; in float64 it is near enough.
void convertStablehloCbrt(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) {
        const Var magnitude = cast(b, b.call(Op::Abs, {x}), types::Float64);
        const Var root = b.call(Op::Power, {magnitude, scalarLike(b, 1.0 / 3, magnitude)});
        return b.failed() ? Var{} : mul(b, b.call(Op::Sign, {x}), cast(b, root, b.dtype(x)));
    });
}

void convertStablehloAnd(NodeReader& node, Builder& b) {
    giveBitwise(node, b, Op::LogicalAnd, Op::BitwiseAnd);
}
void convertStablehloOr(NodeReader& node, Builder& b) {
    giveBitwise(node, b, Op::LogicalOr, Op::BitwiseOr);
}
void convertStablehloShiftLeft(NodeReader& node, Builder& b) {
    const Var x = node.in(0), places = node.in(1);
    node.set(0, b.call(Op::LeftShift, {x, places}));
}

/// Operands: the least, what is kept between them, the greatest.
void convertStablehloClamp(NodeReader& node, Builder& b) {
    const Var least = realOf(node, 0), x = realOf(node, 1), greatest = realOf(node, 2);
    give(node, 0, minimum(b, maximum(b, x, least), greatest));
}

void convertStablehloCompare(NodeReader& node, Builder& b) {
    const std::string name = node.text("comparison_direction", "");
    const auto* direction = std::ranges::find(directions, name, &Direction::name);
    if (direction == directions.end())
        return node.fail(fmt::format("the comparison's direction is '{}'", name),
                         "the model is malformed; export it again");
    if (node.text("compare_type", "") == "STABLEHLO_COMPARISON_TYPE_FLOAT_TOTAL_ORDER")
        return node.refuse("comparisons by the total order of floats are not supported");
    giveComparison(node, b, direction->op);
}

void convertStablehloSelect(NodeReader& node, Builder& b) {
    giveChoice(node, b, node.in(0));
}

void convertStablehloConvert(NodeReader& node, Builder& b) {
    giveCast(node, b);
}

/// The shape stands nowhere but in the result's declaration.
void convertStablehloIota(NodeReader& node, Builder& b) {
    const std::optional<DataType> dtype = resultType(node);
    if (!dtype)
        return;
    const model::ValueType& declared = *node.declaredResult(0);
    const bool isKnown = declared.hasShape &&
                         std::ranges::none_of(declared.shape, [](const model::Dim& size) { return size.value < 0; });
    if (!isKnown)
        return node.refuse("the result's shape is not known when the model is compiled",
                           "export the model with sizes that are numbers");
    Dims shape;
    for (const model::Dim& size : declared.shape)
        shape.emplace_back(size.value);
    const int64_t axis = node.axis(node.integer("iota_dimension", 0), static_cast<int64_t>(shape.size()));
    node.set(0, cast(b, iota(b, shape, axis, types::Int64), *dtype));
}

} // namespace lathe::frontend::tflite
