// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms, and the bands that spectra are summed to.
#include "frontend/common/axis_operands.h"
#include "frontend/common/columns.h"
#include "frontend/common/integer_operands.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

#include <numbers>

namespace lathe::frontend::onnx {

using namespace relay;

void convertDFT(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 2))
        return;
    DftAttrs attrs;
    attrs.inverse = node.integer("inverse", 0) != 0;
    attrs.onesided = node.integer("onesided", 0) != 0;
    if (node.hasInput(1))
        attrs.length = integerOf(node, 1, "length");
    Var axis = b.scalarInt(node.version() < 20 ? node.integer("axis", 1) : -2);
    if (node.version() >= 20 && node.hasInput(2))
        axis = node.in(2);
    const auto transform = [&](Var v, int64_t at) {
        attrs.axis = at;
        if (!node.hasInput(1)) {
            attrs.length = dim(b, v, at);
            if (attrs.inverse && attrs.onesided) // n / 2 + 1 values are given
                attrs.length = arith::simplify(arith::max((attrs.length - 1) * 2, 1));
        }
        return b.call(Op::Dft, {v}, attrs);
    };
    node.set(0, overAxis(node, x, axis, transform, 1)); // the last dim holds the parts of a number
}

void convertSTFT(NodeReader& node, Builder& b) {
    // Frames by gathering, then one transform over all of them.
    const Var signal = node.in(0);
    const Expr given = integerOf(node, 1, "frame_step");
    const Var window = node.optional(2);
    if (!node.needRank(signal, 2))
        return;
    Var real = b.rank(signal) == 2 ? unsqueeze(b, signal, {2}) : signal;
    real = assume(b, real, arith::ge(given, 1), "frame_step is positive");
    const Expr step = arith::simplify(arith::max(given, 1));
    if (!window && !node.hasInput(3))
        return node.fail("neither a window nor frame_length is given");
    const Expr length = node.hasInput(3) ? integerOf(node, 3, "frame_length") : dim(b, window, 0);
    real = assume(b, real, arith::le(length, dim(b, real, 1)),
                  fmt::format("a frame of {} fits the signal {}", arith::sizeText(length), text(b.shape(signal))));
    const Expr frames = arith::simplify(arith::floorDiv(dim(b, real, 1) - length, step) + 1);
    const Var places = framePlaces(b, frames, step, length);
    DftAttrs attrs;
    attrs.axis = 2;
    attrs.onesided = node.integer("onesided", 1) != 0;
    if (attrs.onesided && arith::isConst(dim(b, real, 2), 2))
        return node.fail("onesided = 1 keeps half of the spectrum, but that of a complex signal has no symmetry",
                         "set onesided to 0");
    attrs.length = length;
    const Var frame = gather(b, real, places, 1); // [batch, frames, length, 1 | 2]
    node.set(0, inSingle(b, frame, [&](Var v) {
                 if (window)
                     v = mul(b, v, reshape(b, cast(b, window, b.dtype(v)), {length, 1}));
                 return b.call(Op::Dft, {v}, attrs);
             }));
}

namespace {

/// Of frequencies in hertz.
Var melOf(Builder& b, Var hertz) {
    return mulBy(b, b.call(Op::Log, {addTo(b, mulBy(b, hertz, 1.0 / 700), 1)}), 2595 / std::numbers::ln10);
}

/// And the other way.
Var hertzOf(Builder& b, Var mel) {
    return mulBy(b, addTo(b, b.call(Op::Exp, {mulBy(b, mel, std::numbers::ln10 / 2595)}), -1), 700);
}

} // namespace

/// Triangles between bins of a spectrum that are even on the mel scale: band i rises from edge i to edge i + 1, where it
/// is 1, and falls to edge i + 2.
void convertMelWeightMatrix(NodeReader& node, Builder& b) {
    const auto number = [&](size_t i) { return cast(b, asScalar(b, node.in(i)), types::Float64); };
    const Expr bands = integerOf(node, 0, "num_mel_bins"), length = integerOf(node, 1, "dft_length");
    const Expr bins = arith::simplify(arith::floorDiv(length, 2) + 1);
    if (!areSizes(node, {bands, length}, "sizes") || !mayFill(b, {bins, bands}))
        return;
    const Var low = melOf(b, number(3)), high = melOf(b, number(4));
    const Var places = cast(b, iota(b, {arith::simplify(bands + 2)}, 0, types::Int64), types::Float64);
    const Var step = div(b, sub(b, high, low), addTo(b, number(0), 2));
    const Var hertz = hertzOf(b, add(b, mul(b, places, step), low));
    const Var edges = b.call(Op::Floor, {div(b, mul(b, hertz, addTo(b, number(1), 1)), number(2))});
    const Var left = sliceAxis(b, edges, 0, 0, bands), middle = sliceAxis(b, edges, 0, 1, bands),
              right = sliceAxis(b, edges, 0, 2, bands);
    const Var bin = cast(b, iota(b, {bins, bands}, 0, types::Int64), types::Float64);
    const auto share = [&](Var part, Var of) { // 1 of nothing: both edges are one bin
        const Var zero = scalarLike(b, 0, of);
        return where(b, equal(b, of, zero), scalarLike(b, 1, of), div(b, part, of));
    };
    const auto within = [&](Var from, Op until, Var to) {
        return b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {bin, from}), b.call(until, {bin, to})});
    };
    const Var none = b.scalar(0, types::Float64);
    const Var rising =
        where(b, within(left, Op::LessEqual, middle), share(sub(b, bin, left), sub(b, middle, left)), none);
    const Var falling = share(sub(b, right, bin), sub(b, right, middle));
    const Var weights = where(b, within(middle, Op::Less, right), falling, rising);
    const DataType dtype = elementType(node, "output_datatype", types::Float32);
    node.set(0, cast(b, weights, dtype));
}

} // namespace lathe::frontend::onnx
