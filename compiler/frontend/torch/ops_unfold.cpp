// SPDX-License-Identifier: Apache-2.0
//
// Windows over a tensor as elements of dims of their own, and columns of windows as an image.
#include "frontend/common/columns.h"
#include "frontend/common/window.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void convertUnfold(Call& call, Builder& b) {
    Var x = call.tensor("self");
    const int64_t step = call.integer("step");
    const Expr length = call.size("size");
    if (call.failed())
        return;
    if (b.rank(x) == 0)
        x = reshape(b, x, {1});
    const int64_t rank = b.rank(x), axis = call.axis(call.integer("dimension"), rank);
    if (call.failed())
        return;
    if (step < 1 || step > mostExtent)
        return call.fail(fmt::format("windows begin {} elements apart", step));
    const Expr size = dim(b, x, axis);
    x = assume(b, x, arith::logicalAnd(arith::ge(length, 0), arith::le(length, size)),
               fmt::format("a window of {} fits a dim of {}", arith::sizeText(length), arith::sizeText(size)));
    const Expr count = arith::simplify(arith::floorDiv(size - length, step) + 1);
    Ints axes = iotaInts(0, rank + 1);
    axes.erase(axes.begin() + axis + 1);
    axes.push_back(axis + 1);
    call.give(transpose(b, gather(b, x, framePlaces(b, count, step, length), axis), axes));
}

/// Of height and width, so that products of two of them and the channels do not overflow.
constexpr int64_t mostColumnExtent = 1 << 16;

/// Two numbers, for height and width; one stands for both. A fault if they are outside of [least, mostColumnExtent].
Ints pairOf(Call& call, const char* name, int64_t least) {
    Ints pair = call.integers(name);
    if (pair.size() == 1)
        pair.push_back(pair[0]);
    const bool fits = pair.size() == 2 && std::ranges::all_of(pair, [&](int64_t extent) {
                          return extent >= least && extent <= mostColumnExtent;
                      });
    if (!fits && !call.failed())
        call.fail(fmt::format("argument '{}' is no extent of height and width", name));
    return fits ? pair : Ints{1, 1};
}

/// fn of a batch of them, of x that has one more dim if it is a batch itself.
Var ofBatch(Call& call, Builder& b, Var x, int64_t rank, const std::function<Var(Var)>& fn) {
    if (call.failed())
        return {};
    if (b.rank(x) == rank)
        return fn(x);
    if (b.rank(x) == rank - 1)
        return squeeze(b, fn(unsqueeze(b, x, {0})), {0});
    call.fail(fmt::format("a tensor with {} dims, {} are expected", b.rank(x), rank));
    return {};
}

void convertIm2Col(Call& call, Builder& b) {
    const Ints kernel = pairOf(call, "kernel_size", 1), dilation = pairOf(call, "dilation", 1),
               padding = pairOf(call, "padding", 0), stride = pairOf(call, "stride", 1);
    call.give(ofBatch(call, b, call.tensor("self"), 4, [&](Var x) {
        x = pad(b, x, "constant", {0, 0, padding[0], padding[1]}, {0, 0, padding[0], padding[1]});
        Dims counts;
        for (const size_t i : {0u, 1u}) {
            const auto axis = static_cast<int64_t>(2 + 2 * i); // each dim before it has become two
            const Expr size = dim(b, x, axis);
            const int64_t reach = (kernel[i] - 1) * dilation[i] + 1;
            x = assume(b, x, arith::ge(size, reach),
                       fmt::format("a window of {} fits a dim of {}", reach, arith::sizeText(size)));
            counts.push_back(arith::simplify(arith::floorDiv(size - reach, stride[i]) + 1));
            x = gather(b, x, framePlaces(b, counts[i], stride[i], kernel[i], dilation[i]), axis);
        }
        const Expr channels = arith::simplify(dim(b, x, 1) * (kernel[0] * kernel[1]));
        return reshape(b, transpose(b, x, {0, 1, 3, 5, 2, 4}), {dim(b, x, 0), channels, product(counts)});
    }));
}

void convertCol2Im(Call& call, Builder& b) {
    const Ints image = pairOf(call, "output_size", 1), kernel = pairOf(call, "kernel_size", 1),
               dilation = pairOf(call, "dilation", 1), padding = pairOf(call, "padding", 0),
               stride = pairOf(call, "stride", 1);
    call.give(ofBatch(call, b, call.tensor("self"), 3, [&](Var x) {
        return imageOfColumns(b, x, {toDims(image), toDims(kernel), stride, dilation, padding, padding});
    }));
}

constexpr auto unfoldRows = std::to_array<Row>({
    {"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", convertUnfold, Movement},
    {"aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", convertUnfold, Movement},
    {"aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
     convertIm2Col, Movement},
    {"aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] "
     "stride) -> Tensor",
     convertCol2Im, Movement},
});

} // namespace

std::span<const Row> rowsOfUnfold() {
    return unfoldRows;
}

} // namespace lathe::frontend::torch
