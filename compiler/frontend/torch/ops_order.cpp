// SPDX-License-Identifier: Apache-2.0
//
// Operators that put dims, or the elements along them, in another order.
#include "frontend/common/depth_space.h"
#include "frontend/torch/moved.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

Var ordered(Builder& b, const Moved& m, Ints axes) {
    return transpose(b, m.x, m.whole(std::move(axes)));
}

/// With two of its dims, from 0, in each other's place.
Var swapped(Builder& b, const Moved& m, int64_t first, int64_t second) {
    Ints axes = iotaInts(0, m.rank);
    if (!axes.empty())
        std::swap(axes[static_cast<size_t>(first)], axes[static_cast<size_t>(second)]);
    return ordered(b, m, std::move(axes));
}

void convertPermute(Call& call, Builder& b) {
    Moved m(call);
    Ints axes = call.integers("dims");
    for (int64_t& axis : axes)
        axis = m.axis(axis);
    m.give(ordered(b, m, std::move(axes)));
}

void giveSwapped(Call& call, Builder& b, const char* first, const char* second) {
    Moved m(call);
    const int64_t from = m.axis(call.integer(first)), to = m.axis(call.integer(second));
    if (!call.failed())
        m.give(swapped(b, m, from, to));
}

void convertTransposeDims(Call& call, Builder& b) {
    giveSwapped(call, b, "dim0", "dim1");
}

void convertSwapAxes(Call& call, Builder& b) {
    giveSwapped(call, b, "axis0", "axis1");
}

void convertMatrixTranspose(Call& call, Builder& b) {
    Moved m(call);
    if (call.failed())
        return;
    if (m.rank > 2)
        return call.fail(fmt::format("a tensor with {} dims is no matrix", m.rank));
    m.give(m.rank < 2 ? m.x : swapped(b, m, 0, 1));
}

void convertLastTransposed(Call& call, Builder& b) {
    const Var x = call.tensor("self"); // of complex ones the conjugate may be asked for
    if (call.failed())
        return;
    if (b.rank(x) == 0)
        return call.give(x);
    if (b.rank(x) < 2)
        return call.fail("a vector has no matrix to transpose");
    Moved m(call);
    m.give(swapped(b, m, m.rank - 2, m.rank - 1));
}

void convertAllReversed(Call& call, Builder& b) {
    Moved m(call);
    Ints axes = iotaInts(0, m.rank);
    std::ranges::reverse(axes);
    m.give(ordered(b, m, std::move(axes)));
}

void convertMoveDim(Call& call, Builder& b) {
    Moved m(call);
    Ints from = call.integers("source"), to = call.integers("destination");
    if (call.failed())
        return;
    if (from.size() != to.size())
        return call.fail("source and destination differ in length");
    constexpr int64_t free = -1;
    Ints axes(static_cast<size_t>(m.rank), free);
    std::vector<bool> moves(axes.size());
    for (size_t i = 0; i < from.size(); ++i) {
        const auto source = static_cast<size_t>(m.axis(from[i])), place = static_cast<size_t>(m.axis(to[i]));
        if (call.failed())
            return;
        if (axes.empty())
            break;
        if (moves[source] || axes[place] != free)
            return call.fail("source or destination names a dim twice");
        moves[source] = true;
        axes[place] = static_cast<int64_t>(source);
    }
    size_t next = 0;
    for (int64_t& axis : axes) {
        if (axis != free)
            continue;
        while (moves[next])
            ++next;
        axis = static_cast<int64_t>(next++);
    }
    m.give(ordered(b, m, std::move(axes)));
}

Var flipped(Builder& b, Var x, Ints axes) {
    relay::AxesAttrs attrs;
    attrs.axes = std::move(axes);
    return attrs.axes.empty() ? x : b.call(Op::Reverse, {x}, attrs);
}

void convertFlip(Call& call, Builder& b) {
    Moved m(call);
    const bool none = call.integers("dims").empty();
    const Ints axes = none ? Ints{} : call.axes("dims", m.rank);
    m.give(flipped(b, m.x, axes));
}

template <int64_t Axis>
void convertFlipAxis(Call& call, Builder& b) {
    Moved m(call);
    if (call.failed())
        return;
    if (m.rank <= Axis)
        return call.fail(fmt::format("a tensor with {} dims has no dim {}", m.rank, Axis));
    m.give(flipped(b, m.x, {Axis}));
}

/// Elements along an axis moved on by `shift`; those that leave at the end come in at the front.
Var rolled(Builder& b, Var x, int64_t axis, const Expr& shift) {
    if (b.failed())
        return {};
    const Expr size = dim(b, x, axis);
    const Expr first = arith::simplify(arith::floorMod(shift, arith::max(size, 1)));
    if (arith::isConst(first, 0))
        return x;
    return concat(b,
                  {sliceAxis(b, x, axis, arith::simplify(size - first), first),
                   sliceAxis(b, x, axis, 0, arith::simplify(size - first))},
                  axis);
}

void convertRoll(Call& call, Builder& b) {
    Moved m(call);
    const Dims shifts = call.sizes("shifts");
    const Ints dims = call.integers("dims");
    if (call.failed())
        return;
    if (dims.empty() && shifts.size() == 1) {
        const Var flat = reshape(b, m.x, m.whole(Dims{product(m.shape())}));
        return m.give(reshape(b, rolled(b, flat, 0, shifts[0]), m.whole(m.shape())));
    }
    if (dims.size() != shifts.size())
        return call.fail(fmt::format("there are {} shifts for {} dims", shifts.size(), dims.size()));
    Var x = m.x;
    for (size_t i = 0; i < dims.size() && m.rank > 0; ++i)
        x = rolled(b, x, m.axis(dims[i]), shifts[i]);
    m.give(x);
}

/// Half of each dim moved on, so that what stands first comes to the middle, or the other way around.
template <bool Forward>
void convertFftShift(Call& call, Builder& b) {
    Moved m(call);
    const Ints axes = call.axes("dim", m.rank);
    Var x = m.x;
    for (const int64_t axis : axes) {
        const Expr size = dim(b, x, axis);
        x = rolled(b, x, axis, arith::floorDiv(Forward ? size : size + 1, 2));
    }
    m.give(x);
}

void convertRot90(Call& call, Builder& b) {
    Moved m(call);
    const Ints dims = call.integers("dims");
    const int64_t turns = (call.integer("k") % 4 + 4) % 4;
    if (call.failed())
        return;
    if (dims.size() != 2)
        return call.fail("a rotation takes two dims");
    const int64_t first = m.axis(dims[0]), second = m.axis(dims[1]);
    if (call.failed())
        return;
    if (first == second)
        return call.fail("a rotation takes two different dims");
    if (turns == 2)
        return m.give(flipped(b, m.x, {std::min(first, second), std::max(first, second)}));
    if (turns != 0)
        m.x = flipped(b, m.x, {turns == 1 ? second : first});
    m.give(turns == 0 ? m.x : swapped(b, m, first, second));
}

// ---- blocks of channels

/// fn of images that have one dim before their channels, of x with any number of them.
Var ofImages(Call& call, Builder& b, Var x, const std::function<Var(Var)>& fn) {
    if (call.failed())
        return {};
    const Dims shape = b.shape(x);
    if (shape.size() < 3) {
        call.fail(fmt::format("a tensor with {} dims is no image with channels", shape.size()));
        return {};
    }
    const Dims outer(shape.begin(), shape.end() - 3);
    Dims four(shape.end() - 3, shape.end());
    four.insert(four.begin(), product(outer));
    const Var y = fn(reshape(b, x, four));
    Dims result = outer;
    for (const int64_t i : {1, 2, 3})
        result.push_back(dim(b, y, i));
    return reshape(b, y, result);
}

bool isBlock(Call& call, int64_t factor) {
    if (!call.failed() && (factor < 1 || factor > 1 << 15))
        call.fail(fmt::format("the factor is {}", factor));
    return !call.failed();
}

void convertPixelShuffle(Call& call, Builder& b) {
    const int64_t factor = call.integer("upscale_factor");
    if (isBlock(call, factor))
        call.give(ofImages(call, b, call.tensor("self"),
                           [&](Var x) { return depthToSpace(b, x, factor, BlockOrder::ChannelFirst); }));
}

void convertPixelUnshuffle(Call& call, Builder& b) {
    const int64_t factor = call.integer("downscale_factor");
    if (isBlock(call, factor))
        call.give(ofImages(call, b, call.tensor("self"),
                           [&](Var x) { return spaceToDepth(b, x, factor, BlockOrder::ChannelFirst); }));
}

void convertChannelShuffle(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const int64_t groups = call.integer("groups");
    if (call.failed())
        return;
    const Dims shape = b.shape(x);
    if (shape.size() < 3 || groups < 1)
        return call.fail(fmt::format("{} groups of channels of a tensor with {} dims", groups, shape.size()));
    Dims split = shape;
    split[1] = groups;
    split.insert(split.begin() + 2, arith::simplify(arith::floorDiv(shape[1], groups)));
    Ints axes = iotaInts(0, static_cast<int64_t>(split.size()));
    std::swap(axes[1], axes[2]);
    call.give(reshape(b, transpose(b, reshape(b, x, split), axes), shape));
}

constexpr auto orderRows = std::to_array<Row>({
    {"aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", convertPermute, Movement},
    {"aten::permute_copy(Tensor self, int[] dims) -> Tensor", convertPermute, Movement},
    {"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", convertTransposeDims, Movement},
    {"aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor", convertTransposeDims, Movement},
    {"aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", convertTransposeDims, Movement},
    {"aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", convertSwapAxes, Movement},
    {"aten::t(Tensor(a) self) -> Tensor(a)", convertMatrixTranspose, Movement},
    {"aten::t_copy(Tensor self) -> Tensor", convertMatrixTranspose, Movement},
    {"aten::mT(Tensor(a) self) -> Tensor(a)", convertLastTransposed, Movement},
    {"aten::mH(Tensor(a) self) -> Tensor(a)", convertLastTransposed, Movement},
    {"aten::matrix_H(Tensor(a) self) -> Tensor(a)", convertLastTransposed, Movement},
    {"aten::adjoint(Tensor(a) self) -> Tensor(a)", convertLastTransposed, Movement},
    {"aten::numpy_T(Tensor(a) self) -> Tensor(a)", convertAllReversed, Movement},
    {"aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)", convertMoveDim, Movement},
    {"aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", convertMoveDim, Movement},
    {"aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)", convertMoveDim, Movement},
    {"aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", convertMoveDim, Movement},
    {"aten::flip(Tensor self, int[] dims) -> Tensor", convertFlip, Movement},
    {"aten::fliplr(Tensor self) -> Tensor", convertFlipAxis<1>, Movement},
    {"aten::flipud(Tensor self) -> Tensor", convertFlipAxis<0>, Movement},
    {"aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", convertRoll, Movement},
    {"aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", convertFftShift<true>, Movement},
    {"aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", convertFftShift<false>, Movement},
    {"aten::rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", convertRot90, Movement},
    {"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", convertPixelShuffle, Movement},
    {"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", convertPixelUnshuffle, Movement},
    {"aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", convertChannelShuffle, Movement},
    {"aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", convertChannelShuffle, Movement},
});

} // namespace

std::span<const Row> rowsOfOrder() {
    return orderRows;
}

} // namespace lathe::frontend::torch
