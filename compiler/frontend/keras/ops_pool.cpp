// SPDX-License-Identifier: Apache-2.0
//
// Pools over a window or all of an image.
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"

namespace lathe::frontend::keras {
namespace {

void pool(NodeReader& node, size_t spatial, Op op) {
    Layer layer(node);
    const Var x = layer.image(layer.in(), spatial);
    const Ints size = layer.extents("pool_size", spatial, 2);
    if (const auto window = layer.window(x, size, size))
        layer.give(layer.asGiven(node.b.call(op, {x}, poolAttrs(*window))));
}

void poolAll(NodeReader& node, size_t spatial, const char* kind) {
    Layer layer(node);
    const Var x = layer.in();
    if (!node.needRank(x, static_cast<int>(spatial) + 2))
        return;
    const int64_t first = layer.isChannelsFirst() ? 2 : 1;
    layer.give(
        reduce(node.b, kind, x, iotaInts(first, first + static_cast<int64_t>(spatial)), layer.flag("keepdims", false)));
}

/// The axis as `count` parts, neighbours that share elements where it does not divide evenly, each reduced to one.
Var inParts(Layer& layer, Var x, int64_t axis, int64_t count, const char* kind) {
    Builder& b = layer.b;
    const auto size = b.failed() ? std::nullopt : arith::asInt(dim(b, x, axis));
    if (!size || count < 1 || count > mostExtent) {
        layer.node.refuse("the sizes of pictures and of what is made of them must be known when the model is compiled",
                          "give the model's input a shape");
        return {};
    }
    if (*size % count == 0 && *size > 0) {
        Dims split = b.shape(x);
        split[static_cast<size_t>(axis)] = count;
        split.insert(split.begin() + axis + 1, Expr(*size / count));
        return reduce(b, kind, reshape(b, x, split), {axis + 1}, false);
    }
    std::vector<Var> parts;
    for (int64_t i = 0; i < count && !b.failed(); ++i) {
        const int64_t begin = i * *size / count, end = ((i + 1) * *size + count - 1) / count;
        parts.push_back(reduce(b, kind, sliceAxis(b, x, axis, begin, end - begin), {axis}, true));
    }
    return concat(b, parts, axis);
}

void poolAdaptively(NodeReader& node, size_t spatial, const char* kind) {
    Layer layer(node);
    Var x = layer.in();
    const Ints sizes = layer.extents("output_size", spatial, 1);
    if (!node.needRank(x, static_cast<int>(spatial) + 2))
        return;
    for (size_t i = 0; i < spatial; ++i)
        x = inParts(layer, x, static_cast<int64_t>(i) + (layer.isChannelsFirst() ? 2 : 1), sizes[i], kind);
    layer.give(x);
}

} // namespace

void convertAdaptiveAveragePooling1D(NodeReader& node, Builder&) {
    poolAdaptively(node, 1, "mean");
}
void convertAdaptiveAveragePooling2D(NodeReader& node, Builder&) {
    poolAdaptively(node, 2, "mean");
}
void convertAdaptiveAveragePooling3D(NodeReader& node, Builder&) {
    poolAdaptively(node, 3, "mean");
}
void convertAdaptiveMaxPooling1D(NodeReader& node, Builder&) {
    poolAdaptively(node, 1, "max");
}
void convertAdaptiveMaxPooling2D(NodeReader& node, Builder&) {
    poolAdaptively(node, 2, "max");
}
void convertAdaptiveMaxPooling3D(NodeReader& node, Builder&) {
    poolAdaptively(node, 3, "max");
}

void convertMaxPooling1D(NodeReader& node, Builder&) {
    pool(node, 1, Op::MaxPool);
}
void convertMaxPooling2D(NodeReader& node, Builder&) {
    pool(node, 2, Op::MaxPool);
}
void convertMaxPooling3D(NodeReader& node, Builder&) {
    pool(node, 3, Op::MaxPool);
}
void convertAveragePooling1D(NodeReader& node, Builder&) {
    pool(node, 1, Op::AvgPool);
}
void convertAveragePooling2D(NodeReader& node, Builder&) {
    pool(node, 2, Op::AvgPool);
}
void convertAveragePooling3D(NodeReader& node, Builder&) {
    pool(node, 3, Op::AvgPool);
}
void convertGlobalMaxPooling1D(NodeReader& node, Builder&) {
    poolAll(node, 1, "max");
}
void convertGlobalMaxPooling2D(NodeReader& node, Builder&) {
    poolAll(node, 2, "max");
}
void convertGlobalMaxPooling3D(NodeReader& node, Builder&) {
    poolAll(node, 3, "max");
}
/// The mean of the steps that count.
void convertGlobalAveragePooling1D(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var mask = maskOf(layer);
    if (!mask)
        return poolAll(node, 1, "mean");
    const Var x = layer.in();
    if (!node.needRank(x, 3))
        return;
    const int64_t steps = layer.isChannelsFirst() ? 2 : 1;
    const bool keeps = layer.flag("keepdims", false);
    const Var counts = unsqueeze(b, mask, {3 - steps});
    const Var sum = reduce(b, "sum", where(b, counts, x, scalarLike(b, 0, x)), {steps}, keeps);
    layer.give(div(b, sum, reduce(b, "sum", factorOf(b, counts, x), {steps}, keeps)));
}
void convertGlobalAveragePooling2D(NodeReader& node, Builder&) {
    poolAll(node, 2, "mean");
}
void convertGlobalAveragePooling3D(NodeReader& node, Builder&) {
    poolAll(node, 3, "mean");
}

} // namespace lathe::frontend::keras
