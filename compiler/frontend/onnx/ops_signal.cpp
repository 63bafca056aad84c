// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms.
#include "frontend/common/columns.h"
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

std::optional<int64_t> knownScalar(NodeReader& node, Builder& b, size_t i, const char* name) {
    const auto known = b.knownInts(node.in(i));
    if (known && known->size() == 1)
        return (*known)[0];
    if (!b.failed())
        node.refuse(fmt::format("{} must be known when the model is compiled", name));
    return std::nullopt;
}

} // namespace

void convertDFT(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 2))
        return;
    const int64_t rank = b.rank(x);
    DftAttrs attrs;
    attrs.inverse = node.integer("inverse", 0) != 0;
    attrs.onesided = node.integer("onesided", 0) != 0;
    int64_t axis = node.integer("axis", 1);
    if (node.version() >= 20) {
        axis = -2;
        if (node.hasInput(2)) {
            const auto known = knownScalar(node, b, 2, "the axis");
            if (!known)
                return;
            axis = *known;
        }
    }
    attrs.axis = node.axis(axis, rank);
    if (node.hasInput(1)) {
        const Dims length = b.symbolic(node.in(1), "length");
        if (!b.failed() && length.size() != 1)
            return node.fail("dft_length must have one element");
        attrs.length = b.failed() ? Expr(1) : length[0];
    } else {
        attrs.length = dim(b, x, attrs.axis);
        if (attrs.inverse && attrs.onesided) // n / 2 + 1 values are given
            attrs.length = arith::simplify(arith::max((attrs.length - 1) * 2, 1));
    }
    node.set(0, b.call(Op::Dft, {x}, attrs));
}

void convertSTFT(NodeReader& node, Builder& b) {
    // Frames by gathering, then one transform over all of them.
    const Var signal = node.in(0);
    const auto step = knownScalar(node, b, 1, "frame_step");
    const Var window = node.optional(2);
    if (!step || !node.needRank(signal, 2))
        return;
    if (*step < 1)
        return node.fail(fmt::format("frame_step is {}", *step));
    Var real = b.rank(signal) == 2 ? unsqueeze(b, signal, {2}) : signal;
    Expr length = window ? dim(b, window, 0) : Expr(1);
    if (node.hasInput(3)) {
        const auto known = knownScalar(node, b, 3, "frame_length");
        if (!known)
            return;
        length = *known;
    } else if (!window) {
        return node.fail("neither a window nor frame_length is given");
    }
    real = assume(b, real, arith::le(length, dim(b, real, 1)),
                  fmt::format("a frame of {} fits the signal {}", arith::sizeText(length), text(b.shape(signal))));
    const Expr frames = arith::simplify(arith::floorDiv(dim(b, real, 1) - length, *step) + 1);
    const Var places = framePlaces(b, frames, *step, length);
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

void convertMelWeightMatrix(NodeReader& node, Builder& b) {
    // All operands are known, so the matrix is written down. Triangles between bins that are even on the mel scale.
    const auto bins = knownScalar(node, b, 0, "num_mel_bins"), length = knownScalar(node, b, 1, "dft_length");
    const auto rate = knownScalar(node, b, 2, "sample_rate");
    const auto low = b.knownFloats(node.in(3)), high = b.knownFloats(node.in(4));
    if (!bins || !length || !rate)
        return;
    if (!low || !high || low->size() != 1 || high->size() != 1)
        return node.refuse("the edge frequencies must be known when the model is compiled");
    const int64_t columns = *bins, rows = *length / 2 + 1;
    if (columns < 1 || rows < 1 || *rate < 1 || columns > (1 << 16) || rows > (1 << 20))
        return node.fail("the matrix's size is out of range");
    const auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double from = toMel((*low)[0]), step = (toMel((*high)[0]) - from) / static_cast<double>(columns + 2);
    std::vector<int64_t> edges;
    for (int64_t i = 0; i < columns + 2; ++i) {
        const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + from) / 2595) - 1);
        edges.push_back(
            static_cast<int64_t>(std::floor(static_cast<double>(*length + 1) * hertz / static_cast<double>(*rate))));
    }
    std::vector<float> matrix(static_cast<size_t>(rows * columns), 0);
    const auto cell = [&](int64_t row, int64_t column) -> float& {
        return matrix[static_cast<size_t>(row * columns + column)];
    };
    for (int64_t i = 0; i < columns; ++i) {
        const int64_t left = edges[static_cast<size_t>(i)], middle = edges[static_cast<size_t>(i) + 1],
                      right = edges[static_cast<size_t>(i) + 2];
        if (left == middle && middle >= 0 && middle < rows)
            cell(middle, i) = 1;
        for (int64_t j = std::max<int64_t>(left, 0); left != middle && j <= middle && j < rows; ++j)
            cell(j, i) = static_cast<float>(j - left) / static_cast<float>(middle - left);
        for (int64_t j = std::max<int64_t>(middle, 0); middle != right && j < right && j < rows; ++j)
            cell(j, i) = static_cast<float>(right - j) / static_cast<float>(right - middle);
    }
    auto tensor = std::make_shared<model::TensorData>();
    auto bytes = std::make_shared<std::vector<float>>(std::move(matrix));
    tensor->dtype = types::Float32;
    tensor->shape = {rows, columns};
    tensor->bytes = {bytes, std::as_bytes(std::span(*bytes))};
    node.set(0, cast(b, b.constant(makeConstant(tensor)), elementType(node, "output_datatype", types::Float32)));
}

} // namespace lathe::frontend::onnx
