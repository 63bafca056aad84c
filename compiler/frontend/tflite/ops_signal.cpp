// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms, and what is made of their complex results: pairs of numbers in a last dim, which Relay has and
// which only the operators here know of.
#include "frontend/common/spectrum.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/ops.h"

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

} // namespace

void convertRfft2d(NodeReader& node, Builder&) {
    node.set(0, spectrumOfPlanes(node, node.in(0)));
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
