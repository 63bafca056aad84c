// SPDX-License-Identifier: Apache-2.0
//
// Transforms between signal and spectrum. A complex number is a pair in a last dim of two.
#include "frontend/common/spectrum.h"
#include "frontend/tensorflow/complex.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
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

void convertRFFT2D(NodeReader& node, Builder&) {
    node.set(0, spectrumOfPlanes(node, node.in(0)));
}

/// The half that is left out mirrors the other: its conjugate, backwards.
void convertIRFFT(NodeReader& node, Builder& b) {
    const Var half = node.in(0);
    const Dims lengths = integersOf(node, 1, "length");
    if (!node.needRank(half, 2) || !isPairs(b, half) || !areSizes(node, lengths, "lengths"))
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

namespace {

/// Of complex signals, along so many of their last dims.
void transformPairs(NodeReader& node, Builder& b, int64_t dims, bool inverse) {
    Var x = node.in(0);
    if (!node.needRank(x, static_cast<int>(dims) + 1) || !isPairs(b, x))
        return;
    for (int64_t i = 0; i < dims; ++i)
        x = transformed(b, x, b.rank(x) - 2 - i, dim(b, x, -2 - i), false, inverse);
    node.set(0, x);
}

} // namespace

void convertFFT(NodeReader& node, Builder& b) {
    transformPairs(node, b, 1, false);
}
void convertFFT2D(NodeReader& node, Builder& b) {
    transformPairs(node, b, 2, false);
}
void convertIFFT(NodeReader& node, Builder& b) {
    transformPairs(node, b, 1, true);
}
void convertIFFT2D(NodeReader& node, Builder& b) {
    transformPairs(node, b, 2, true);
}

void convertComplex(NodeReader& node, Builder& b) {
    node.set(0, joined(b, node.in(0), node.in(1)));
}

void convertReal(NodeReader& node, Builder& b) {
    node.set(0, partOf(b, node.in(0), 0));
}
void convertImag(NodeReader& node, Builder& b) {
    node.set(0, partOf(b, node.in(0), 1));
}
void convertComplexAbs(NodeReader& node, Builder& b) {
    const Var pairs = node.in(0);
    if (!b.failed() && isPairs(b, pairs))
        node.set(0, b.call(Op::Sqrt, {reduce(b, "sum", mul(b, pairs, pairs), {b.rank(pairs) - 1}, false)}));
}

} // namespace lathe::frontend::tensorflow
