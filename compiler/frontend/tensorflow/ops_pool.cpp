// SPDX-License-Identifier: Apache-2.0
//
// Pools. Padding counts in none of them.
#include "frontend/common/channels.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/window.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

void givePooled(NodeReader& node, Builder& b, Op op, int rank) {
    const Var image = node.in(0);
    if (!isOfRank(node, image, rank))
        return;
    const auto window = readWindow(node, spatialEntries(node, "ksize", static_cast<size_t>(rank), 1));
    if (!window)
        return;
    const Var x = imageIn(node, b, image);
    if (!b.failed())
        node.set(0, imageOut(node, b, b.call(op, {x}, poolAttrs(windowOver(spatialDims(b, x), *window)))));
}

} // namespace

void convertMaxPool(NodeReader& node, Builder& b) {
    givePooled(node, b, Op::MaxPool, 4);
}
void convertMaxPool3D(NodeReader& node, Builder& b) {
    givePooled(node, b, Op::MaxPool, 5);
}
void convertAvgPool(NodeReader& node, Builder& b) {
    givePooled(node, b, Op::AvgPool, 4);
}
void convertAvgPool3D(NodeReader& node, Builder& b) {
    givePooled(node, b, Op::AvgPool, 5);
}

/// And where each maximum was: its place in the image with channels last, or in the batch of them.
void convertMaxPoolWithArgmax(NodeReader& node, Builder& b) {
    const Var image = node.in(0);
    const auto dtype = typeNamed(node, "Targmax", types::Int64);
    if (!dtype || !isOfRank(node, image, 4))
        return;
    const auto window = readWindow(node, spatialEntries(node, "ksize", 4, 1));
    if (!window)
        return;
    const Var x = channelsFirst(b, image);
    const Var both = b.call(Op::MaxPoolWithIndex, {x}, poolAttrs(windowOver(spatialDims(b, x), *window)));
    const Var values = b.project(both, 0), found = b.project(both, 1);
    if (b.failed())
        return;
    const Dims from = b.shape(x), to = b.shape(values);
    const Expr plane = arith::simplify(from[2] * from[3]);
    const Var inPlane = b.call(Op::Mod, {found, b.scalarOf(arith::simplify(arith::max(plane, 1)))}, relay::ModAttrs{});
    Var place = add(b, mul(b, inPlane, b.scalarOf(from[1])), iota(b, to, 1, types::Int64));
    if (node.integer("include_batch_in_index", 0) != 0)
        place = add(b, place, mul(b, iota(b, to, 0, types::Int64), b.scalarOf(arith::simplify(plane * from[1]))));
    node.set(0, channelsLast(b, values));
    node.set(1, cast(b, channelsLast(b, place), *dtype));
}

/// Patches of an image as vectors, [N, rows, columns, patch · C]: a convolution that picks each place of a patch.
void convertExtractImagePatches(NodeReader& node, Builder& b) {
    const Var image = node.in(0);
    if (!isOfRank(node, image, 4))
        return;
    WindowAttributes read;
    read.kernel = spatialEntries(node, "ksizes", 4, 1);
    read.strides = spatialEntries(node, "strides", 4, 1);
    read.dilations = spatialEntries(node, "rates", 4, 1);
    read.padding = node.text("padding", "VALID") == "SAME" ? Padding::SameUpper : Padding::None;
    if (node.failed() || !isInRange(read))
        return node.fail("kernel, strides and rates must be positive");
    const Var x = imageIn(node, b, image);
    const Window window = windowOver(spatialDims(b, x), read);
    const Dims zeros(4, Expr(0));
    const Var padded =
        pad(b, x, "constant", {0, 0, window.before[0], window.before[1]}, {0, 0, window.after[0], window.after[1]});
    const Dims shape = b.failed() ? zeros : b.shape(padded);
    const auto places = [&](size_t i) {
        return arith::simplify(arith::max(
            arith::floorDiv(shape[i + 2] - (window.kernel[i] - 1) * window.dilations[i] - 1, window.strides[i]) + 1,
            0));
    };
    if (window.kernel[0] * window.kernel[1] > limits::knownValueElements)
        return node.refuse(fmt::format("patches of {} by {} are too large", window.kernel[0], window.kernel[1]));
    std::vector<Var> parts;
    for (int64_t row = 0; row < window.kernel[0]; ++row)
        for (int64_t column = 0; column < window.kernel[1]; ++column) {
            relay::SliceAttrs attrs;
            attrs.begin = {0, 0, row * window.dilations[0], column * window.dilations[1]};
            attrs.size = {shape[0], shape[1], places(0), places(1)};
            attrs.step = {1, 1, window.strides[0], window.strides[1]};
            parts.push_back(b.call(Op::Slice, {padded}, std::move(attrs)));
        }
    node.set(0, imageOut(node, b, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), 1)));
}

} // namespace lathe::frontend::tensorflow
