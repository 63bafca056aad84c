// SPDX-License-Identifier: Apache-2.0
//
// MediaPipe's pool that says where it found each maximum, and the one that puts values back there. A place is counted
// within its window, row by row, and stored as a float. Their options are a struct: padding, stride of the width, of
// the height, width and height of the window, activation.
#include "frontend/common/channels.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

using namespace relay;

namespace {

struct PlacePool {
    WindowAttributes window; // height, width
    int64_t activation = 0;
};

std::optional<PlacePool> readPlacePool(NodeReader& node) {
    const auto options = readStruct(node, 6);
    if (!options)
        return std::nullopt;
    const Ints& at = *options;
    const auto window = windowOfStruct(node, at[0], {at[4], at[3]}, {at[2], at[1]});
    return window ? std::optional(PlacePool{*window, at[5]}) : std::nullopt;
}

/// Where the windows begin along one dim of the results `shape`, padding before the first counted off.
Var windowStarts(Builder& b, const Dims& shape, int64_t axis, int64_t stride, const Expr& padding) {
    const Var places = mul(b, iota(b, shape, axis, types::Int64), b.scalarInt(stride));
    return sub(b, places, b.scalarOf(padding));
}

/// a modulo b as C has it.
Var restOf(Builder& b, Var a, Var divisor) {
    ModAttrs attrs;
    attrs.fmod = true;
    return b.call(Op::Mod, {a, divisor}, attrs);
}

/// Whether 0 <= x < size.
Var isWithin(Builder& b, Var x, const Expr& size) {
    return b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {x, b.scalarInt(0)}), less(b, x, b.scalarOf(size))});
}

} // namespace

void convertMaxPoolingWithArgmax2D(NodeReader& node, Builder& b) {
    const Var image = node.in(0);
    if (!isOfRank(node, image, 4))
        return;
    const auto pool = readPlacePool(node);
    if (!pool)
        return;
    if (pool->activation != 0)
        return node.refuse(fmt::format("activation {} behind the pool is not supported", pool->activation));
    const Var x = channelsFirst(b, image);
    const Dims sizes = spatialDims(b, x);
    const Window window = windowOver(sizes, pool->window);
    const Var both = b.call(Op::MaxPoolWithIndex, {x}, poolAttrs(window));
    const Var values = b.project(both, 0), found = b.project(both, 1);
    if (b.failed())
        return;
    const Var width = b.scalarOf(sizes[1]);
    const Var inPlane = restOf(b, found, b.scalarOf(product(sizes)));
    const auto within = [&](Var place, int64_t axis) {
        const auto i = static_cast<size_t>(axis) - 2;
        return sub(b, place, windowStarts(b, b.shape(values), axis, window.strides[i], window.before[i]));
    };
    const Var row = within(div(b, inPlane, width), 2), column = within(restOf(b, inPlane, width), 3);
    const Var place = add(b, mul(b, row, b.scalarInt(window.kernel[1])), column);
    node.set(0, channelsLast(b, values));
    // A little more than the number, so that cutting the fraction off gives it back whatever rounding did.
    node.set(1, channelsLast(b, addTo(b, cast(b, place, types::Float32), 0.1)));
}

/// The result has as many windows beside each other as the operand has elements. What lies outside of it is left out.
void convertMaxUnpooling2D(NodeReader& node, Builder& b) {
    const Var image = node.in(0), indices = node.in(1);
    if (!isOfRank(node, image, 4) || !isOfRank(node, indices, 4))
        return;
    const auto pool = readPlacePool(node);
    if (!pool)
        return;
    const Var x = channelsFirst(b, image);
    if (b.failed())
        return;
    const Dims from = b.shape(x);
    const Var place = cast(b, channelsFirst(b, withDims(b, indices, b.shape(image))), types::Int64);
    const Ints &kernel = pool->window.kernel, &strides = pool->window.strides;
    Dims shape(from.begin(), from.begin() + 2), padding;
    for (size_t i = 0; i < 2; ++i) {
        shape.push_back(arith::simplify(from[i + 2] * kernel[i]));
        const Expr beyond = (from[i + 2] - 1) * strides[i] + kernel[i] - shape.back();
        padding.push_back(arith::simplify(arith::max(arith::floorDiv(beyond, 2), 0)));
    }
    const Var kernelWidth = b.scalarInt(kernel[1]);
    const Var row = add(b, windowStarts(b, from, 2, strides[0], padding[0]), div(b, place, kernelWidth));
    const Var column = add(b, windowStarts(b, from, 3, strides[1], padding[1]), restOf(b, place, kernelWidth));
    const Var isInside = b.call(Op::LogicalAnd, {isWithin(b, row, shape[2]), isWithin(b, column, shape[3])});
    const Var plane =
        add(b, mul(b, iota(b, from, 0, types::Int64), b.scalarOf(shape[1])), iota(b, from, 1, types::Int64));
    const Var line = add(b, mul(b, plane, b.scalarOf(shape[2])), row);
    const Expr all = product(shape), count = product(from);
    // What is left out goes behind the end.
    const Var at = where(b, isInside, add(b, mul(b, line, b.scalarOf(shape[3])), column), b.scalarOf(all));
    const Var zeros = full(b, scalarLike(b, 0, x), {arith::simplify(all + 1)});
    const Var flat =
        b.call(Op::ScatterElements, {zeros, reshape(b, at, {count}), reshape(b, x, {count})}, ScatterAttrs{});
    if (!b.failed())
        node.set(0, channelsLast(b, reshape(b, sliceAxis(b, flat, 0, 0, all), shape)));
}

} // namespace lathe::frontend::tflite
