// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms, and what is made of their complex results: pairs of numbers in a last dim, which Relay has and
// which only the operators here know of.
#include "frontend/tflite/integers.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// Operand 0 as pairs; a refusal if it is not what a transform gives.
Var complexPairs(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return {};
    const model::ValueType* declared = node.declared(0);
    const bool otherRank = declared && declared->hasShape && b.rank(x) != static_cast<int>(declared->shape.size()) + 1;
    const bool fits = !otherRank && b.dtype(x).isFloat() && b.rank(x) > 0 && arith::isConst(dim(b, x, -1), 2);
    if (fits)
        return x;
    node.refuse("complex numbers are supported only as results of RFFT2D");
    return {};
}

Var ofPair(Builder& b, Var pairs, int64_t i) {
    const int64_t last = b.failed() ? 0 : b.rank(pairs) - 1;
    return squeeze(b, sliceAxis(b, pairs, last, i, 1), {last});
}

Var transformed(Builder& b, Var x, int64_t axis, const Expr& length, bool onesided) {
    relay::DftAttrs attrs;
    attrs.axis = axis;
    attrs.onesided = onesided;
    attrs.length = length;
    return b.call(Op::Dft, {x}, attrs);
}

} // namespace

void convertRfft2d(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Dims lengths = integersOf(node, 1, "length");
    if (!node.needRank(x, 2) || !areSizes(node, lengths, "lengths"))
        return;
    if (lengths.size() != 2)
        return node.fail(fmt::format("there are {} lengths where two are needed", lengths.size()));
    const int64_t rank = b.rank(x);
    const Var rows = transformed(b, unsqueeze(b, x, {rank}), rank - 1, lengths[1], true);
    node.set(0, transformed(b, rows, rank - 2, lengths[0], false));
}

void convertReal(NodeReader& node, Builder& b) {
    if (const Var pairs = complexPairs(node, b))
        node.set(0, ofPair(b, pairs, 0));
}

void convertImag(NodeReader& node, Builder& b) {
    if (const Var pairs = complexPairs(node, b))
        node.set(0, ofPair(b, pairs, 1));
}

void convertComplexAbs(NodeReader& node, Builder& b) {
    if (const Var pairs = complexPairs(node, b))
        node.set(0, b.call(Op::Sqrt, {reduce(b, "sum", mul(b, pairs, pairs), {b.rank(pairs) - 1}, false)}));
}

} // namespace lathe::frontend::tflite
