// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic element by element, with NumPy's broadcasting. Quantized operands count as the real numbers that they
// stand for; integers that are no quantized ones stay integers.
#include "frontend/tflite/elementwise.h"
#include "frontend/tflite/ops.h"

#include "relay/attrs.h"
#include <fmt/format.h>

#include <numbers>

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

/// Gives x op y behind the node's fused activation.
void giveActivated(NodeReader& node, Builder& b, Op op) {
    const Var x = realOf(node, 0), y = realOf(node, 1);
    give(node, 0, activated(node, b.call(op, {x, y})));
}

/// Gives the greater or the smaller of each two, which is one of them.
void giveExtreme(NodeReader& node, Builder& b, Op op) {
    Movement moved(node, {0, 1});
    const Var x = moved.in(0), y = moved.in(1);
    moved.give(0, b.call(op, {x, y}));
}

} // namespace

void convertAdd(NodeReader& node, Builder& b) {
    giveActivated(node, b, Op::Add);
}
void convertSub(NodeReader& node, Builder& b) {
    giveActivated(node, b, Op::Subtract);
}
void convertMul(NodeReader& node, Builder& b) {
    giveActivated(node, b, Op::Multiply);
}
void convertDiv(NodeReader& node, Builder& b) {
    giveActivated(node, b, Op::Divide);
}
void convertFloorDiv(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return floorQuotient(b, x, y); });
}
void convertFloorMod(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return b.call(Op::Mod, {x, y}, ModAttrs{}); });
}
void convertPow(NodeReader& node, Builder& b) {
    giveCombined(node, b, Op::Power);
}
void convertMaximum(NodeReader& node, Builder& b) {
    giveExtreme(node, b, Op::Maximum);
}
void convertMinimum(NodeReader& node, Builder& b) {
    giveExtreme(node, b, Op::Minimum);
}
void convertSquaredDifference(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) {
        const Var difference = sub(b, x, y);
        return mul(b, difference, difference);
    });
}
void convertAtan2(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var y, Var x) { return angle(b, y, x); });
}

void convertAddN(NodeReader& node, Builder& b) {
    const Var first = realOf(node, 0);
    if (b.failed())
        return;
    const DataType dtype = b.dtype(first);
    give(node, 0, inSingle(b, first, [&](Var sum) {
             for (size_t i = 1; i < node.inputs() && !b.failed(); ++i) {
                 const Var next = realOf(node, i);
                 if (!b.failed())
                     sum = add(b, sum, b.dtype(next) == dtype ? cast(b, next, b.dtype(sum)) : next);
             }
             return sum;
         }));
}

void convertAbs(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Abs);
}
void convertNeg(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Negative);
}
void convertSign(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Sign);
}
void convertCeil(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Ceil);
}
void convertFloor(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Floor);
}
void convertRound(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Round);
}
void convertSqrt(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Sqrt);
}
void convertRsqrt(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return inverseSquareRoot(b, x); });
}
void convertSquare(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return mul(b, x, x); });
}
void convertExp(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Exp);
}
void convertLog(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Log);
}
void convertSin(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Sin);
}
void convertCos(NodeReader& node, Builder& b) {
    giveMapped(node, b, Op::Cos);
}

/// The options name types too, but old files have none.
void convertCast(NodeReader& node, Builder& b) {
    giveCast(node, b);
}

/// The same bits as the type that the result is declared to have.
void convertBitcast(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const model::ValueType* declared = node.declaredResult(0);
    if (node.failed() || !declared)
        return node.set(0, x);
    if (declared->dtype.bits != b.dtype(x).bits)
        return node.refuse(fmt::format("bits of {} are taken for {}, which is of another width", toString(b.dtype(x)),
                                       toString(declared->dtype)),
                           "let the types be of one width");
    node.set(0, b.call(Op::BitCast, {x},
                       relay::attrsWith<relay::CastAttrs>([&](auto& attrs) { attrs.dtype = declared->dtype; })));
}

} // namespace lathe::frontend::tflite
