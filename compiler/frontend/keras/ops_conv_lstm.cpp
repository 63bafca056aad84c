// SPDX-License-Identifier: Apache-2.0
//
// ConvLSTM: the LSTM whose products with input and state are convolutions. Those of all inputs are taken once, outside
// of the loop.
#include "frontend/common/channels.h"
#include "frontend/keras/functions.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr int gateCount = 4; // input, forget, candidate, output

/// [kernel…, a, b] as [b, a, kernel…].
Var filterFirst(Builder& b, Var kernel, int64_t spatial) {
    Ints axes = {spatial + 1, spatial};
    std::ranges::copy(iotaInts(0, spatial), std::back_inserter(axes));
    return transpose(b, kernel, axes);
}

/// The window of the product with the state, which keeps the size.
Window keeping(const Dims& sizes, const Ints& kernel) {
    return windowOver(sizes, {kernel, Ints(kernel.size(), 1), Ints(kernel.size(), 1), {}, Padding::SameUpper});
}

/// The layer's mask as [time, batch, 1, …], in the order in which steps are run; Var{} if there is none.
Var stepsThatCount(Layer& layer, bool reversed, int64_t spatial) {
    Builder& b = layer.b;
    const Var mask = maskOf(layer);
    if (!mask || !layer.node.needRank(mask, 2))
        return {};
    const Var byTime = transpose(b, mask, {1, 0});
    return unsqueeze(b, reversed ? reverse(b, byTime, 0) : byTime, iotaInts(2, 3 + spatial));
}

struct ConvCell {
    Layer& layer;
    Var projected; // [time, batch, gates * filters, …], products with the inputs
    Var filter, counts;
    Window same;
    int64_t filters = 0;
    bool isZeroWhereMasked = false;

    /// The next states, hidden and cell, and what the step shows.
    std::vector<Var> step(Var iteration, const std::vector<Var>& carried) const {
        Builder& b = layer.b;
        const Var sums = add(b, gather(b, projected, iteration, 0), convolution(b, carried[0], filter, same, 1));
        const auto part = [&](int i) { return sliceAxis(b, sums, 1, filters * i, filters); };
        const auto gate = [&](int i) { return activated(layer, "recurrent_activation", part(i)); };
        const Var taken = mul(b, gate(0), activated(layer, "activation", part(2)));
        const Var cell = add(b, mul(b, gate(1), carried[1]), taken);
        const Var hidden = mul(b, gate(3), activated(layer, "activation", cell));
        if (!counts)
            return {hidden, cell, hidden};
        // A step that does not count leaves the states as they are.
        const Var now = gather(b, counts, iteration, 0), held = where(b, now, hidden, carried[0]);
        const Var shown = isZeroWhereMasked ? where(b, now, hidden, scalarLike(b, 0, hidden)) : held;
        return {held, where(b, now, cell, carried[1]), shown};
    }
};

void convLstm(NodeReader& node, size_t spatial) {
    Layer layer(node);
    Builder& b = node.b;
    const Var given = layer.in();
    if (layer.operands() > 1 || layer.flag("stateful", false))
        return node.refuse("states that are given or kept are not supported", "let the layer begin with zeros");
    if (!node.needRank(given, static_cast<int>(spatial) + 3))
        return;
    // All steps as one batch, a step after the other.
    Ints axes = iotaInts(0, b.rank(given));
    std::swap(axes[0], axes[1]);
    const Var byTime = transpose(b, given, axes);
    const Dims shape = b.shape(byTime);
    const bool reversed = layer.flag("go_backwards", false);
    Dims joined = {arith::simplify(shape[0] * shape[1])};
    joined.insert(joined.end(), shape.begin() + 2, shape.end());
    const Var x = layer.image(reshape(b, reversed ? reverse(b, byTime, 0) : byTime, joined), spatial);
    const Ints size = layer.extents("kernel_size", spatial, 1);
    const int64_t filters = node.integer("filters", 0);
    if (b.failed() || filters < 1 || filters > mostExtent)
        return node.fail("'filters' is not positive", "correct the model's config");
    Dims ofInput = toDims(size), ofState = toDims(size);
    ofInput.insert(ofInput.end(), {dim(b, x, 1), Expr(filters * gateCount)});
    ofState.insert(ofState.end(), {Expr(filters), Expr(filters * gateCount)});
    const auto window = layer.window(x, size, Ints(spatial, 1));
    const Var kernel = layer.weight("kernel", ofInput), recurrent = layer.weight("recurrent_kernel", ofState);
    if (!window || b.failed())
        return;
    const auto rank = static_cast<int64_t>(spatial);
    Var projected = convolution(b, x, filterFirst(b, kernel, rank), *window, 1);
    projected = addChannelBias(b, projected, layer.optionalWeight("bias", {Expr(filters * gateCount)}));
    if (b.failed())
        return;
    const Dims sizes = spatialOf(b, projected);
    Dims steps = b.shape(projected), state = steps;
    steps.erase(steps.begin());
    steps.insert(steps.begin(), {shape[0], shape[1]});
    state[0] = shape[1];
    state[1] = filters;
    projected = reshape(b, projected, steps);
    const Var zeros = full(b, b.scalar(0, layer.computed()), state), filter = filterFirst(b, recurrent, rank);
    const ConvCell cell{layer,
                        projected,
                        filter,
                        stepsThatCount(layer, reversed, rank),
                        keeping(sizes, size),
                        filters,
                        layer.flag("zero_output_for_mask", false)};
    const Var loop =
        b.loop(b.scalarOf(shape[0]), {}, {zeros, zeros}, 1,
               [&](Var iteration, const std::vector<Var>& carried) { return cell.step(iteration, carried); });
    if (b.failed())
        return;
    if (layer.flag("return_sequences", false)) {
        const Var all = b.project(loop, 2); // [time, batch, filters, …]
        Ints order = {1, 0};
        if (layer.isChannelsFirst())
            order.push_back(2);
        std::ranges::copy(iotaInts(3, 3 + rank), std::back_inserter(order));
        if (!layer.isChannelsFirst())
            order.push_back(2);
        layer.give(transpose(b, all, order), 0, maskOf(layer));
    } else {
        layer.give(layer.asGiven(b.project(loop, 0)));
    }
    for (size_t i = 0; i < 2; ++i)
        if (node.wants(i + 1))
            layer.give(layer.asGiven(b.project(loop, static_cast<int>(i))), i + 1);
}

} // namespace

void convertConvLSTM1D(NodeReader& node, Builder&) {
    convLstm(node, 1);
}

void convertConvLSTM2D(NodeReader& node, Builder&) {
    convLstm(node, 2);
}

void convertConvLSTM3D(NodeReader& node, Builder&) {
    convLstm(node, 3);
}

} // namespace lathe::frontend::keras
