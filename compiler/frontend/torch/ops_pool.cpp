// SPDX-License-Identifier: Apache-2.0
//
// Pools with a window that moves by strides. In ceil mode windows that would begin in the padding behind are left out,
// which relay's pools do too.
#include "frontend/torch/ops.h"
#include "frontend/torch/window.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// The window's arguments; strides are the kernel's sizes where there are none.
std::optional<PoolAttrs> poolOf(Call& call, Var x, size_t spatial, bool hasDilation) {
    WindowAttributes attributes;
    attributes.kernel = perDim(call, "kernel_size", spatial);
    attributes.strides = perDim(call, "stride", spatial, attributes.kernel);
    attributes.dilations = hasDilation ? perDim(call, "dilation", spatial) : Ints(spatial, 1);
    const Ints padding = perDim(call, "padding", spatial);
    attributes.pads = padding;
    attributes.pads.insert(attributes.pads.end(), padding.begin(), padding.end());
    for (size_t i = 0; i < spatial && !call.failed(); ++i)
        if (padding[i] * 2 > attributes.kernel[i])
            call.fail(fmt::format("a window of {} has padding of {} on each side", attributes.kernel[i], padding[i]),
                      "at most half of the window");
    const std::optional<Window> window = windowOf(call, x, attributes);
    if (!window)
        return std::nullopt;
    PoolAttrs attrs = poolAttrs(*window);
    attrs.ceilMode = call.flag("ceil_mode");
    return attrs;
}

// ---- maxima

template <size_t spatial>
void convertMaxPool(Call& call, Builder& b) {
    call.give(batched(call, call.tensor("self"), spatial, [&](Var x) -> std::vector<Var> {
        const auto attrs = poolOf(call, x, spatial, true);
        return attrs ? std::vector{b.call(Op::MaxPool, {x}, *attrs)} : std::vector<Var>();
    }));
}

/// Places are counted in each channel's own dims.
template <size_t spatial>
void convertMaxPoolWithPlaces(Call& call, Builder& b) {
    call.give(batched(call, call.tensor("self"), spatial, [&](Var x) -> std::vector<Var> {
        const auto attrs = poolOf(call, x, spatial, true);
        if (!attrs)
            return {};
        const Var both = b.call(Op::MaxPoolWithIndex, {x}, *attrs), places = b.project(both, 1);
        if (b.failed())
            return {};
        const Dims shape = b.shape(x);
        const Expr plane = arith::simplify(arith::max(product({shape.begin() + 2, shape.end()}), 1));
        return {b.project(both, 0), b.call(Op::Mod, {places, b.scalarOf(plane)}, ModAttrs{})};
    }));
}

// ---- means

/// Sums of the windows: a convolution of each channel with ones.
Var windowSums(Builder& b, Var x, const PoolAttrs& pool) {
    const Dims shape = b.shape(x);
    ConvAttrs attrs;
    attrs.strides = pool.strides;
    attrs.dilations = pool.dilations;
    attrs.before = pool.before;
    Dims planes = {arith::simplify(shape[0] * shape[1]), 1}, ones = {1, 1};
    for (size_t i = 0; i < pool.kernel.size(); ++i) {
        const Expr size = shape[i + 2], stride = pool.strides[i];
        const Expr room = size + pool.before[i] + pool.after[i] - pool.kernel[i];
        Expr count = (pool.ceilMode ? arith::ceilDiv(room, stride) : arith::floorDiv(room, stride)) + 1;
        if (pool.ceilMode)
            count = count - arith::select(arith::ge((count - 1) * stride, size + pool.before[i]), Expr(1), Expr(0));
        const Expr after = (count - 1) * stride + pool.kernel[i] - size - pool.before[i];
        attrs.after.push_back(arith::simplify(arith::max(after, 0)));
        planes.push_back(size);
        ones.emplace_back(pool.kernel[i]);
    }
    const Var sums = b.call(Op::Conv, {reshape(b, x, planes), full(b, scalarLike(b, 1, x), ones)}, attrs);
    if (b.failed())
        return {};
    Dims result = b.shape(sums);
    result[0] = shape[0];
    result[1] = shape[1];
    return reshape(b, sums, result);
}

void giveAvgPool(Call& call, Builder& b, size_t spatial, std::optional<int64_t> divisor) {
    if (divisor && *divisor == 0)
        return call.fail("divisor_override is 0");
    call.give(batched(call, call.tensor("self"), spatial, [&](Var x) -> std::vector<Var> {
        std::optional<PoolAttrs> attrs = poolOf(call, x, spatial, false);
        if (!attrs)
            return {};
        attrs->countPadding = call.flag("count_include_pad");
        if (!divisor)
            return {b.call(Op::AvgPool, {x}, *attrs)};
        const auto mean = [&](Var v) {
            const Var sums = windowSums(b, v, *attrs);
            return div(b, sums, scalarLike(b, static_cast<double>(*divisor), sums));
        };
        return {inSingle(b, x, mean)};
    }));
}
void convertAvgPool1d(Call& call, Builder& b) {
    giveAvgPool(call, b, 1, std::nullopt);
}
template <size_t spatial>
void convertAvgPool(Call& call, Builder& b) {
    giveAvgPool(call, b, spatial, call.optionalInteger("divisor_override"));
}

#define LATHE_MAX(n)                                                                                                   \
    "(Tensor self, int[" n "] kernel_size, int[" n "] stride=[], int[" n "] padding=0, int[" n                         \
    "] dilation=1, bool ceil_mode=False) -> "
#define LATHE_AVG(n)                                                                                                   \
    "(Tensor self, int[" n "] kernel_size, int[" n "] stride=[], int[" n                                               \
    "] padding=0, bool ceil_mode=False, bool count_include_pad=True"

constexpr auto poolRows = std::to_array<Row>({
    {"aten::max_pool1d" LATHE_MAX("1") "Tensor", convertMaxPool<1>, Reduction},
    {"aten::max_pool2d" LATHE_MAX("2") "Tensor", convertMaxPool<2>, Reduction},
    {"aten::max_pool3d" LATHE_MAX("3") "Tensor", convertMaxPool<3>, Reduction},
    {"aten::max_pool1d_with_indices" LATHE_MAX("1") "(Tensor, Tensor)", convertMaxPoolWithPlaces<1>, Reduction},
    {"aten::max_pool2d_with_indices" LATHE_MAX("2") "(Tensor, Tensor)", convertMaxPoolWithPlaces<2>, Reduction},
    {"aten::max_pool3d_with_indices" LATHE_MAX("3") "(Tensor, Tensor)", convertMaxPoolWithPlaces<3>, Reduction},
    {"aten::avg_pool1d" LATHE_AVG("1") ") -> Tensor", convertAvgPool1d, Reduction},
    {"aten::avg_pool2d" LATHE_AVG("2") ", int? divisor_override=None) -> Tensor", convertAvgPool<2>, Reduction},
    {"aten::avg_pool3d" LATHE_AVG("3") ", int? divisor_override=None) -> Tensor", convertAvgPool<3>, Reduction},
});

#undef LATHE_AVG
#undef LATHE_MAX

} // namespace

std::span<const Row> rowsOfPools() {
    return poolRows;
}

} // namespace lathe::frontend::torch
