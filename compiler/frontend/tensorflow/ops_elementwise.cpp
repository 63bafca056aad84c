// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic element by element, with NumPy's broadcasting.
#include "frontend/common/arithmetic.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

namespace lathe::frontend::tensorflow {

using namespace relay;

namespace {

Var modOf(Builder& b, Var x, Var y, bool signOfDividend) {
    ModAttrs attrs;
    attrs.fmod = signOfDividend;
    return b.call(Op::Mod, {x, y}, attrs);
}

/// log(1 + x), which the sum alone would round to 0 for small x.
Var logOfMore(Builder& b, Var x) {
    const Var sum = addTo(b, x, 1), one = scalarLike(b, 1, x);
    const Var log = b.call(Op::Log, {sum});
    const Var scaled = mul(b, log, div(b, x, sub(b, sum, one)));
    const Var isFar = b.call(Op::IsInf, {sum}, IsInfAttrs{});
    return where(b, equal(b, sum, one), x, where(b, isFar, log, scaled));
}

/// Bits are shifted by no less than 0 and by no more than all of them but one.
void giveShifted(NodeReader& node, Builder& b, Op op) {
    const Var x = node.in(0), places = node.in(1);
    if (b.failed())
        return;
    const Var most = scalarLike(b, b.dtype(places).bits - 1, places);
    node.set(0, b.call(op, {x, minimum(b, maximum(b, places, scalarLike(b, 0, places)), most)}));
}

/// fn of both where x is not 0, else 0, whatever fn would be of it.
Var unlessZero(Builder& b, Var x, Var value) {
    const Var zero = scalarLike(b, 0, x);
    return where(b, equal(b, x, zero), zero, value);
}

} // namespace

void convertFloorDiv(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return floorQuotient(b, x, y); });
}
void convertTruncateDiv(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return div(b, x, y); });
}
void convertFloorMod(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return modOf(b, x, y, false); });
}
void convertTruncateMod(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return modOf(b, x, y, true); });
}
void convertLeftShift(NodeReader& node, Builder& b) {
    giveShifted(node, b, Op::LeftShift);
}
void convertRightShift(NodeReader& node, Builder& b) {
    giveShifted(node, b, Op::RightShift);
}
void convertDivNoNan(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return unlessZero(b, y, div(b, x, y)); });
}
void convertMulNoNan(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return unlessZero(b, y, mul(b, x, y)); });
}
void convertXlogy(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return unlessZero(b, x, mul(b, x, b.call(Op::Log, {y}))); });
}
void convertXlog1py(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return unlessZero(b, x, mul(b, x, logOfMore(b, y))); });
}
void convertXdivy(NodeReader& node, Builder& b) {
    giveCombined(node, b, [&](Var x, Var y) { return unlessZero(b, x, div(b, x, y)); });
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
    node.set(0, inSingle(b, node.in(0), [&](Var sum) {
                 for (size_t i = 1; i < node.inputs() && !b.failed(); ++i) {
                     const Var next = node.in(i);
                     sum = b.failed() ? sum : add(b, sum, cast(b, next, b.dtype(sum)));
                 }
                 return sum;
             }));
}

void convertBiasAdd(NodeReader& node, Builder& b) {
    const Var x = node.in(0), bias = node.in(1);
    if (!node.needRank(x, 1))
        return;
    const int64_t rank = b.rank(x);
    node.set(0, add(b, x, fittedAlong(b, bias, hasChannelsFirst(node) && rank > 2 ? 1 : rank - 1, x)));
}

void convertRsqrt(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return inverseSquareRoot(b, x); });
}
void convertSquare(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return mul(b, x, x); });
}
void convertLog1p(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) { return logOfMore(b, x); });
}
/// Near 0, where the difference would be rounded away, by the hyperbolic tangent of the half.
void convertExpm1(NodeReader& node, Builder& b) {
    giveMapped(node, b, [&](Var x) {
        const Var half = b.call(Op::Tanh, {mulBy(b, x, 0.5)});
        const Var near = div(b, mulBy(b, half, 2), sub(b, scalarLike(b, 1, x), half));
        const Var isNear = less(b, b.call(Op::Abs, {x}), scalarLike(b, 0.5, x));
        return where(b, isNear, near, addTo(b, b.call(Op::Exp, {x}), -1));
    });
}
void convertIsFinite(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Var other = b.call(Op::LogicalOr, {b.call(Op::IsNan, {x}), b.call(Op::IsInf, {x}, IsInfAttrs{})});
    node.set(0, b.call(Op::LogicalNot, {other}));
}
void convertIsInf(NodeReader& node, Builder& b) {
    node.set(0, b.call(Op::IsInf, {node.in(0)}, IsInfAttrs{}));
}

void convertClipByValue(NodeReader& node, Builder& b) {
    const Var x = node.in(0), low = node.in(1), high = node.in(2);
    node.set(0, minimum(b, maximum(b, x, low), high));
}

void convertCast(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto dtype = typeNamed(node, "DstT");
    if (!dtype || b.failed())
        return;
    if ((*dtype == types::String) != (b.dtype(x) == types::String))
        return node.refuse("casts from and to strings are not supported", "convert strings outside of the model");
    node.set(0, cast(b, x, *dtype));
}

void convertBitcast(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto dtype = typeNamed(node, "type");
    if (!dtype || b.failed())
        return;
    if (dtype->bits != b.dtype(x).bits)
        return node.refuse("bits are taken for a type of another width", "let the types be of one width");
    node.set(0, b.call(Op::BitCast, {x}, attrsWith<CastAttrs>([&](auto& attrs) { attrs.dtype = *dtype; })));
}

/// A vector as condition chooses rows.
void convertSelect(NodeReader& node, Builder& b) {
    Var condition = node.in(0);
    const Var x = node.in(1), y = node.in(2);
    if (b.failed())
        return;
    if (b.rank(condition) == 1 && b.rank(x) > 1)
        condition = unsqueeze(b, condition, iotaInts(1, b.rank(x)));
    node.set(0, where(b, condition, x, y));
}
void convertSelectV2(NodeReader& node, Builder& b) {
    const Var condition = node.in(0), x = node.in(1), y = node.in(2);
    node.set(0, where(b, condition, x, y));
}

} // namespace lathe::frontend::tensorflow
