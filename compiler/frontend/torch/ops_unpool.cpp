// SPDX-License-Identifier: Apache-2.0
//
// Values put back to where a pool found them: at the places, in each plane of an image, that the pool gave.
#include "frontend/common/scatter.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// x, with dims of batch and channels before `spatial` ones, in planes of zeros with these dims; places: as many as x
/// has.
Var inPlanes(Call& call, Builder& b, Var x, Var places, const Dims& plane, const char* how) {
    if (call.failed())
        return {};
    const Dims from = b.shape(x);
    if (from.size() != plane.size() + 1 && from.size() != plane.size() + 2) {
        call.fail(fmt::format("a pool of {} dims does not give a tensor with {}", plane.size(), from.size()));
        return {};
    }
    for (const Expr& size : plane)
        x = assume(b, x, arith::ge(size, 0), "the sizes of a plane are not negative");
    Dims result(from.begin(), from.end() - static_cast<std::ptrdiff_t>(plane.size()));
    const Expr planes = product(result),
               each = product(Dims(from.end() - static_cast<std::ptrdiff_t>(plane.size()), from.end()));
    result.insert(result.end(), plane.begin(), plane.end());
    const Var zeros = full(b, scalarLike(b, 0, x), {planes, product(plane)});
    const Var all = scatter(b, Op::ScatterElements, zeros, reshape(b, withDims(b, places, from), {planes, each}),
                            reshape(b, x, {planes, each}), how, 1);
    return reshape(b, all, result);
}

template <size_t Spatial>
void convertMaxUnpool(Call& call, Builder& b) {
    const Dims plane = call.sizes("output_size");
    if (!call.failed() && plane.size() != Spatial)
        return call.fail(fmt::format("there are {} sizes of a plane", plane.size()));
    call.give(inPlanes(call, b, call.tensor("self"), call.tensor("indices"), plane, "none"));
}

/// A place that several windows found the largest at gets the sum of theirs.
void convertMaxPoolBackward(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    if (b.rank(x) < 3)
        return call.fail(fmt::format("an image with {} dims", b.rank(x)));
    const Dims plane = {dim(b, x, -2), dim(b, x, -1)};
    call.give(inPlanes(call, b, call.tensor("grad_output"), call.tensor("indices"), plane, "add"));
}

constexpr auto unpoolRows = std::to_array<Row>({
    {"aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", convertMaxUnpool<2>, Movement},
    {"aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor",
     convertMaxUnpool<3>, Movement},
    {"aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, "
     "int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
     convertMaxPoolBackward, Reduction},
});

} // namespace

std::span<const Row> rowsOfUnpool() {
    return unpoolRows;
}

} // namespace lathe::frontend::torch
