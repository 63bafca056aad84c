// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, forward and transposed.
#include "frontend/common/transposed_conv.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/window.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// The weights' spatial dims, which must be known; empty after a fault.
Ints kernelOfWeights(Call& call, Builder& b, Var weights) {
    if (!needRank(b, weights, 3))
        return {};
    const int64_t groups = call.integer("groups");
    if (groups < 1)
        call.fail(fmt::format("groups is {}", groups));
    const std::optional<Ints> kernel = call.failed() ? std::nullopt : kernelOf(b, weights);
    return kernel.value_or(Ints());
}

/// With the bias added before the sum is rounded.
Var biased(Builder& b, Var sum, Var bias, DataType dtype) {
    return b.failed() ? Var{} : cast(b, addChannelBias(b, sum, bias), dtype);
}

/// pads: before all dims, then behind.
void giveConvolution(Call& call, Builder& b, const Ints& kernel, const Ints& pads) {
    const Var weights = call.tensor("weight"), bias = call.optionalTensor("bias");
    const size_t spatial = kernel.size();
    const WindowAttributes attributes{kernel, perDim(call, "stride", spatial), perDim(call, "dilation", spatial), pads};
    call.give(batched(call, call.tensor("input"), spatial, [&](Var x) -> std::vector<Var> {
        const auto window = windowOf(call, x, attributes);
        if (!window)
            return {};
        const Var sum =
            convolution(b, x, weights, *window, call.integer("groups"), bias ? computeType(b, x) : types::Void);
        return {biased(b, sum, bias, b.failed() ? types::Void : b.dtype(x))};
    }));
}

Ints twice(const Ints& pads) {
    Ints both = pads;
    both.insert(both.end(), pads.begin(), pads.end());
    return both;
}

void convertConv(Call& call, Builder& b) {
    const Ints kernel = kernelOfWeights(call, b, call.tensor("weight"));
    if (!call.failed())
        giveConvolution(call, b, kernel, twice(perDim(call, "padding", kernel.size())));
}

/// As many results as inputs: the odd element of padding lies behind.
void convertConvPadded(Call& call, Builder& b) {
    const std::string padding = call.text("padding");
    const Ints kernel = kernelOfWeights(call, b, call.tensor("weight"));
    if (call.failed())
        return;
    if (padding != "same" && padding != "valid")
        return call.fail(fmt::format("padding is '{}'", padding), "'same' or 'valid'");
    Ints before(kernel.size(), 0), after = before;
    const Ints dilations = perDim(call, "dilation", kernel.size());
    for (size_t i = 0; padding == "same" && i < kernel.size(); ++i) {
        if (kernel[i] > mostExtent)
            return call.fail(fmt::format("the kernel has {} elements along a dim", kernel[i]));
        const int64_t total = (kernel[i] - 1) * dilations[i];
        before[i] = total / 2;
        after[i] = total - before[i];
    }
    before.insert(before.end(), after.begin(), after.end());
    giveConvolution(call, b, kernel, before);
}

/// What a transposed convolution says of its window beside the weights.
struct TransposedArguments {
    Ints kernel, strides, dilations, pads, extra; // extra: elements more behind the end
    int64_t groups = 1;

    bool isInRange(size_t i) const {
        return kernel[i] >= 1 && kernel[i] <= mostExtent && strides[i] >= 1 && dilations[i] >= 1;
    }
};

Var transposedOf(Call& call, Builder& b, Var x, Var weights, const TransposedArguments& arguments) {
    const Dims shape = b.shape(x);
    Dims cut, sizes;
    for (size_t i = 0; i < arguments.kernel.size(); ++i) {
        if (!arguments.isInRange(i)) {
            call.fail("kernel, strides and dilations must be positive");
            return {};
        }
        const int64_t stride = arguments.strides[i], reach = (arguments.kernel[i] - 1) * arguments.dilations[i];
        if (stride > 1)
            x = assume(b, x, arith::gt(shape[i + 2], 0),
                       fmt::format("dim {} of {} is not 0, as a stride needs it", i + 2, text(shape)));
        cut.emplace_back(arguments.pads[i]);
        sizes.push_back(
            arith::simplify((shape[i + 2] - 1) * stride + reach + 1 + arguments.extra[i] - 2 * arguments.pads[i]));
    }
    const Var bias = call.optionalTensor("bias");
    const Var y = transposedConvolution(b, x, withResultsFirst(b, weights, arguments.groups),
                                        {arguments.kernel, arguments.strides, arguments.dilations}, arguments.groups,
                                        cut, sizes, bias ? computeType(b, x) : types::Void);
    return biased(b, y, bias, b.failed() ? types::Void : b.dtype(x));
}

void convertConvTranspose(Call& call, Builder& b) {
    const Var weights = call.tensor("weight");
    TransposedArguments arguments;
    arguments.kernel = kernelOfWeights(call, b, weights);
    if (call.failed())
        return;
    const size_t spatial = arguments.kernel.size();
    arguments.strides = perDim(call, "stride", spatial);
    arguments.dilations = perDim(call, "dilation", spatial);
    arguments.pads = perDim(call, "padding", spatial);
    arguments.extra = perDim(call, "output_padding", spatial);
    arguments.groups = call.integer("groups");
    call.give(batched(call, call.tensor("input"), spatial,
                      [&](Var x) -> std::vector<Var> { return {transposedOf(call, b, x, weights, arguments)}; }));
}

void convertConvolution(Call& call, Builder& b) {
    return call.flag("transposed") ? convertConvTranspose(call, b) : convertConv(call, b);
}

#define LATHE_OPERANDS "(Tensor input, Tensor weight, Tensor? bias=None, "
#define LATHE_GENERAL                                                                                                  \
    "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool "          \
    "transposed, SymInt[] output_padding, SymInt groups"
#define LATHE_CONV(n)                                                                                                  \
    LATHE_OPERANDS "SymInt[" n "] stride=1, SymInt[" n "] padding=0, SymInt[" n                                        \
                   "] dilation=1, SymInt groups=1) -> Tensor"
#define LATHE_PADDED(n)                                                                                                \
    LATHE_OPERANDS "SymInt[" n "] stride=1, str padding='valid', SymInt[" n "] dilation=1, SymInt groups=1) -> Tensor"
#define LATHE_TRANSPOSED(n)                                                                                            \
    LATHE_OPERANDS "SymInt[" n "] stride=1, SymInt[" n "] padding=0, SymInt[" n                                        \
                   "] output_padding=0, SymInt groups=1, SymInt[" n "] dilation=1) -> Tensor"

constexpr auto convolutionRows = std::to_array<Row>({
    {"aten::conv1d" LATHE_CONV("1"), convertConv, Product},
    {"aten::conv2d" LATHE_CONV("2"), convertConv, Product},
    {"aten::conv3d" LATHE_CONV("3"), convertConv, Product},
    {"aten::conv1d.padding" LATHE_PADDED("1"), convertConvPadded, Product},
    {"aten::conv2d.padding" LATHE_PADDED("2"), convertConvPadded, Product},
    {"aten::conv3d.padding" LATHE_PADDED("3"), convertConvPadded, Product},
    {"aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] "
     "dilation, "
     "SymInt groups) -> Tensor",
     convertConvPadded, Product},
    {"aten::conv_transpose1d" LATHE_TRANSPOSED("1"), convertConvTranspose, Product},
    {"aten::conv_transpose2d.input" LATHE_TRANSPOSED("2"), convertConvTranspose, Product},
    {"aten::conv_transpose3d.input" LATHE_TRANSPOSED("3"), convertConvTranspose, Product},
    {"aten::convolution" LATHE_GENERAL ") -> Tensor", convertConvolution, Product},
    {"aten::_convolution" LATHE_GENERAL
     ", bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
     convertConvolution, Product},
    {"aten::_convolution.deprecated" LATHE_GENERAL
     ", bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor",
     convertConvolution, Product},
});

#undef LATHE_TRANSPOSED
#undef LATHE_PADDED
#undef LATHE_CONV
#undef LATHE_GENERAL
#undef LATHE_OPERANDS

} // namespace

std::span<const Row> rowsOfConvolutions() {
    return convolutionRows;
}

} // namespace lathe::frontend::torch
