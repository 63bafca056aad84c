// SPDX-License-Identifier: Apache-2.0
//
// Numbers rounded to as many steps as an integer has, and integers for them.
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

#include <fmt/format.h>

#include <optional>

namespace lathe::frontend::tensorflow {
namespace {

/// x rounded to the steps between `low` and `high`, which are moved so that 0 is on one of them.
Var fakeQuantized(NodeReader& node, Builder& b, Var x, Var low, Var high) {
    const int64_t bits = node.integer("num_bits", 8);
    if (bits < 2 || bits > 16) {
        node.fail(fmt::format("num_bits is {}", bits));
        return {};
    }
    const double least = node.integer("narrow_range", 0) != 0 ? 1 : 0;
    const double most = static_cast<double>((int64_t{1} << bits) - 1);
    if (b.failed())
        return {};
    const Var scale = div(b, sub(b, high, low), scalarLike(b, most - least, low));
    const Var leastLike = b.failed() ? Var{} : scalarLike(b, least, x),
              mostLike = b.failed() ? Var{} : scalarLike(b, most, x);
    const Var exact = sub(b, leastLike, div(b, low, scale));
    const Var zero = minimum(b, maximum(b, b.call(Op::Floor, {addTo(b, exact, 0.5)}), leastLike), mostLike);
    const Var nudgedLow = mul(b, sub(b, leastLike, zero), scale), nudgedHigh = mul(b, sub(b, mostLike, zero), scale);
    const Var clipped = sub(b, minimum(b, maximum(b, x, nudgedLow), nudgedHigh), nudgedLow);
    // By the inverse, as TensorFlow does: numbers half way between steps go where it puts them.
    const Var inverse = div(b, scalarLike(b, 1, scale), scale);
    const Var steps = b.call(Op::Floor, {addTo(b, mul(b, clipped, inverse), 0.5)});
    return add(b, mul(b, steps, scale), nudgedLow);
}

} // namespace

void convertFakeQuantWithMinMaxArgs(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Var low = b.scalar(node.real("min", -6), types::Float32),
              high = b.scalar(node.real("max", 6), types::Float32);
    node.set(0, fakeQuantized(node, b, x, low, high));
}
void convertFakeQuantWithMinMaxVars(NodeReader& node, Builder& b) {
    const Var x = node.in(0), low = node.in(1), high = node.in(2);
    node.set(0, fakeQuantized(node, b, x, low, high));
}

namespace {

/// Half away from 0.
Var roundedAway(Builder& b, Var x) {
    const Var size = b.call(Op::Floor, {addTo(b, b.call(Op::Abs, {x}), 0.5)});
    return mul(b, b.call(Op::Sign, {x}), size);
}

/// The least number of an integer type, and how many steps it has.
struct IntegerRange {
    double least, steps;
};
std::optional<IntegerRange> rangeOf(NodeReader& node, DataType dtype) {
    if (!dtype.isInt() || dtype.bits > 16) {
        node.refuse("only integers of 8 and 16 bits are supported");
        return std::nullopt;
    }
    const auto steps = static_cast<double>(int64_t{1} << dtype.bits) - 1;
    return IntegerRange{dtype.isSigned() ? -static_cast<double>(int64_t{1} << (dtype.bits - 1)) : 0, steps};
}

} // namespace

/// Between a least and a greatest number, which come to include 0 and not be too near to each other.
void convertQuantizeV2(NodeReader& node, Builder& b) {
    const Var x = node.in(0), least = asScalar(b, node.in(1)), greatest = asScalar(b, node.in(2));
    const auto dtype = typeNamed(node, "T");
    const auto range = dtype ? rangeOf(node, *dtype) : std::nullopt;
    if (!range || b.failed())
        return;
    if (node.text("mode", "MIN_COMBINED") != "MIN_FIRST" || node.integer("axis", -1) != -1)
        return node.refuse("only the mode MIN_FIRST without an axis is supported");
    const Var zero = scalarLike(b, 0, x), one = scalarLike(b, 1, x);
    const Var low = minimum(b, least, zero);
    const Var size = maximum(b, one, maximum(b, b.call(Op::Abs, {least}), b.call(Op::Abs, {greatest})));
    const Var apart = mulBy(b, size, node.real("ensure_minimum_range", 0.01));
    const Var high = maximum(b, maximum(b, greatest, add(b, low, apart)), zero);
    const Var scale = div(b, scalarLike(b, range->steps, x), sub(b, high, low));
    const Var steps = roundedAway(b, mul(b, sub(b, x, low), scale));
    const Var kept = minimum(b, maximum(b, steps, zero), scalarLike(b, range->steps, x));
    node.set(0, cast(b, addTo(b, kept, range->least), *dtype));
    node.set(1, low);
    node.set(2, high);
}

void convertDequantize(NodeReader& node, Builder& b) {
    const Var x = node.in(0), low = asScalar(b, node.in(1)), high = asScalar(b, node.in(2));
    if (b.failed())
        return;
    const auto range = rangeOf(node, b.dtype(x));
    const std::string mode = node.text("mode", "MIN_COMBINED");
    if (!range || node.integer("axis", -1) != -1 || (mode != "MIN_FIRST" && mode != "MIN_COMBINED"))
        return node.refuse("only the modes MIN_FIRST and MIN_COMBINED without an axis are supported");
    const Var scale = div(b, sub(b, high, low), scalarLike(b, range->steps, low));
    const Var steps = addTo(b, cast(b, x, types::Float32), -range->least);
    const Var first = mode == "MIN_FIRST" ? mul(b, roundedAway(b, div(b, low, scale)), scale) : low;
    node.set(0, add(b, first, mul(b, steps, scale)));
}

/// By one scale on both sides of 0: that which the side needs that is farther out.
void convertQuantizeAndDequantizeV3(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto bits = knownInteger(node, 3, "number of bits");
    const bool isSigned = node.integer("signed_input", 1) != 0, isGiven = node.integer("range_given", 1) != 0;
    if (!bits || b.failed())
        return;
    if (*bits < 2 || *bits > 24 || node.integer("axis", -1) != -1)
        return node.refuse(fmt::format("{} bits, or a range for each slice of an axis, are not supported", *bits));
    const double half = static_cast<double>(int64_t{1} << (*bits - 1));
    const double narrow = node.integer("narrow_range", 0) != 0 ? 1 : 0;
    const double least = isSigned ? -half + narrow : 0, most = isSigned ? half - 1 : 2 * half - 1;
    const Ints all = iotaInts(0, b.rank(x));
    const Var low = isGiven ? asScalar(b, node.in(1)) : reduce(b, "min", x, all, false);
    const Var high = isGiven ? asScalar(b, node.in(2)) : reduce(b, "max", x, all, false);
    if (b.failed())
        return;
    const Var zero = scalarLike(b, 0, x);
    // How much a step stands for: 0 where a side asks for none.
    const Var below = least < 0 ? maximum(b, mulBy(b, low, 1 / least), zero) : zero;
    const Var step = maximum(b, below, maximum(b, mulBy(b, high, 1 / most), zero));
    const Var isNone = equal(b, step, zero);
    const Var steps = b.call(Op::Round, {div(b, x, where(b, isNone, scalarLike(b, 1, x), step))});
    const Var kept = minimum(b, maximum(b, steps, scalarLike(b, least, x)), scalarLike(b, most, x));
    node.set(0, where(b, isNone, zero, mul(b, kept, step)));
}

} // namespace lathe::frontend::tensorflow
