// SPDX-License-Identifier: Apache-2.0
//
// Transforms between signal and spectrum. A complex number is a pair in a last dim of two.
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

/// Operand 0 as pairs; a refusal if it is not what a transform gives.
Var pairsOf(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return {};
    if (b.dtype(x).isFloat() && b.rank(x) > 0 && arith::isConst(dim(b, x, -1), 2))
        return x;
    node.refuse("complex numbers are supported only as results of transforms");
    return {};
}

Var partOf(Builder& b, Var pairs, int64_t i) {
    const int64_t last = b.failed() ? 0 : b.rank(pairs) - 1;
    return squeeze(b, sliceAxis(b, pairs, last, i, 1), {last});
}

Var transformed(Builder& b, Var x, int64_t axis, const Expr& length, bool onesided, bool inverse) {
    relay::DftAttrs attrs;
    attrs.axis = axis;
    attrs.onesided = onesided;
    attrs.inverse = inverse;
    attrs.length = length;
    return b.call(Op::Dft, {x}, attrs);
}

/// As many elements along `axis`: what is more is cut, what is missing is 0.
Var fittedTo(Builder& b, Var x, int64_t axis, const Expr& size) {
    if (b.failed())
        return {};
    Dims before(static_cast<size_t>(b.rank(x)), Expr(0)), after = before;
    after[static_cast<size_t>(axis)] = arith::simplify(size - dim(b, x, axis));
    return pad(b, x, "constant", before, after);
}

} // namespace

void convertRFFT(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Dims lengths = integersOf(node, 1, "length");
    if (!node.needRank(x, 1) || !areSizes(node, lengths, "lengths"))
        return;
    if (lengths.size() != 1)
        return node.fail(fmt::format("there are {} lengths where one is needed", lengths.size()));
    const int64_t rank = b.rank(x);
    const Var fitted = fittedTo(b, x, rank - 1, lengths[0]);
    node.set(0, transformed(b, unsqueeze(b, fitted, {rank}), rank - 1, lengths[0], true, false));
}

/// The half that is left out mirrors the other: its conjugate, backwards.
void convertIRFFT(NodeReader& node, Builder& b) {
    const Var half = pairsOf(node, b);
    const Dims lengths = integersOf(node, 1, "length");
    if (!node.needRank(half, 2) || !areSizes(node, lengths, "lengths"))
        return;
    const auto length = lengths.size() == 1 ? arith::asInt(lengths[0]) : std::nullopt;
    if (!length || *length < 1)
        return node.refuse("the length of the signal is not known when the model is compiled");
    const int64_t axis = b.rank(half) - 2;
    const Var kept = fittedTo(b, half, axis, *length / 2 + 1);
    const int64_t mirroredCount = *length - (*length / 2 + 1);
    Var spectrum = kept;
    if (mirroredCount > 0) {
        const Var back = reverse(b, sliceAxis(b, kept, axis, 1, mirroredCount), axis);
        const Var conjugate =
            concat(b, {sliceAxis(b, back, axis + 1, 0, 1), b.call(Op::Negative, {sliceAxis(b, back, axis + 1, 1, 1)})},
                   axis + 1);
        spectrum = concat(b, {kept, conjugate}, axis);
    }
    node.set(0, partOf(b, transformed(b, spectrum, axis, *length, false, true), 0));
}

void convertComplex(NodeReader& node, Builder& b) {
    const Var real = node.in(0), imaginary = node.in(1);
    if (b.failed())
        return;
    const int64_t rank = b.rank(real);
    node.set(0, concat(b, {unsqueeze(b, real, {rank}), unsqueeze(b, imaginary, {rank})}, rank));
}

void convertReal(NodeReader& node, Builder& b) {
    if (const Var pairs = pairsOf(node, b))
        node.set(0, partOf(b, pairs, 0));
}
void convertImag(NodeReader& node, Builder& b) {
    if (const Var pairs = pairsOf(node, b))
        node.set(0, partOf(b, pairs, 1));
}
void convertComplexAbs(NodeReader& node, Builder& b) {
    if (const Var pairs = pairsOf(node, b))
        node.set(0, b.call(Op::Sqrt, {reduce(b, "sum", mul(b, pairs, pairs), {b.rank(pairs) - 1}, false)}));
}

} // namespace lathe::frontend::tensorflow
