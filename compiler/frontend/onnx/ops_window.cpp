// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and pools, and what their attributes say of the window.
#include "frontend/common/deform_conv.h"
#include "frontend/common/emit.h"
#include "frontend/common/integer_operands.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/window.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

bool padsFit(NodeReader& node, const Ints& pads, const std::string& autoPad) {
    for (const int64_t pad : pads) {
        if (pad < 0 || pad > mostExtent || (pad != 0 && autoPad != "NOTSET")) {
            node.fail(pad < 0 || pad > mostExtent ? fmt::format("attribute 'pads' has the entry {}", pad)
                                                  : fmt::format("both pads and auto_pad = {} are given", autoPad));
            return false;
        }
    }
    return true;
}

std::optional<Steps> readSteps(NodeReader& node, size_t spatial) {
    const auto read = [&](const char* attribute, size_t count, int64_t otherwise) {
        Ints values = node.integers(attribute);
        return values.empty() ? Ints(count, otherwise) : values;
    };
    Steps steps{read("strides", spatial, 1), read("dilations", spatial, 1), read("pads", 2 * spatial, 0)};
    if (steps.strides.size() == spatial && steps.dilations.size() == spatial && steps.pads.size() == 2 * spatial)
        return steps;
    node.fail(fmt::format("strides, dilations or pads do not fit {} spatial dims", spatial),
              "the model is malformed; export it again");
    return std::nullopt;
}

std::optional<Window> readWindow(NodeReader& node, const Dims& sizes, Ints kernel) {
    const size_t spatial = sizes.size();
    const std::optional<Steps> steps = readSteps(node, spatial);
    if (!steps)
        return std::nullopt;
    const Ints given = node.integers("kernel_shape");
    WindowAttributes window{kernel.empty() ? given : std::move(kernel), steps->strides, steps->dilations, steps->pads};
    if (window.kernel.size() != spatial || (!given.empty() && given != window.kernel)) {
        node.fail(fmt::format("kernel_shape does not fit {} spatial dims and the weights", spatial),
                  "the model is malformed; export it again");
        return std::nullopt;
    }
    const std::string mode = node.text("auto_pad", "NOTSET");
    if (!padsFit(node, window.pads, mode))
        return std::nullopt;
    if (!isInRange(window)) {
        node.fail("kernel_shape, strides and dilations must be positive");
        return std::nullopt;
    }
    window.padding = mode == "SAME_UPPER"   ? Padding::SameUpper
                     : mode == "SAME_LOWER" ? Padding::SameLower
                     : mode == "VALID"      ? Padding::None
                                            : Padding::Given;
    return windowOver(sizes, window);
}

Var convolutionOf(NodeReader& node, Builder& b, Var x, Var weights, DataType out) {
    if (!node.needRank(x, 3) || !node.needRank(weights, 3))
        return {};
    if (b.rank(x) != b.rank(weights)) {
        node.fail(fmt::format("the input has rank {}, the weights have rank {}", b.rank(x), b.rank(weights)));
        return {};
    }
    const auto kernel = kernelOf(b, weights);
    const Dims shape = b.shape(x);
    const auto window = kernel ? readWindow(node, {shape.begin() + 2, shape.end()}, *kernel) : std::nullopt;
    if (!window)
        return {};
    const int64_t groups = node.integer("group", 1);
    if (groups < 1) {
        node.fail(fmt::format("group is {}", groups));
        return {};
    }
    return convolution(b, x, weights, *window, groups, out);
}

namespace {

PoolAttrs poolOf(NodeReader& node, const Window& window) {
    PoolAttrs attrs = poolAttrs(window);
    attrs.ceilMode = node.integer("ceil_mode", 0) != 0;
    return attrs;
}

std::optional<Window> poolWindow(NodeReader& node, Builder& b, Var x) {
    if (!node.needRank(x, 3))
        return std::nullopt;
    const Dims shape = b.shape(x);
    return readWindow(node, {shape.begin() + 2, shape.end()}, {});
}

Ints spatialAxes(Builder& b, Var x) {
    return b.failed() ? Ints{} : iotaInts(2, b.rank(x));
}

/// |x|^p, and its sum's root: sum over fn.
Var lpNorm(Builder& b, Var operand, double p, const std::function<Var(Var)>& sum) {
    return inSingle(b, operand, [&](Var x) {
        const Var magnitude = b.call(Op::Abs, {x});
        const Var power = p == 1   ? magnitude
                          : p == 2 ? mul(b, x, x)
                                   : b.call(Op::Power, {magnitude, scalarLike(b, p, x)});
        const Var total = sum(power);
        return p == 1   ? total
               : p == 2 ? b.call(Op::Sqrt, {total})
                        : b.call(Op::Power, {total, scalarLike(b, 1 / p, total)});
    });
}

/// p was a float at first.
double readP(NodeReader& node) {
    return node.version() < 2 ? node.real("p", 2) : static_cast<double>(node.integer("p", 2));
}

} // namespace

void convertConv(NodeReader& node, Builder& b) {
    const Var x = node.in(0), weights = node.in(1), bias = node.optional(2);
    if (!bias)
        return node.set(0, convolutionOf(node, b, x, weights));
    const Var sum = addChannelBias(b, convolutionOf(node, b, x, weights, computeType(b, x)), bias);
    node.set(0, b.failed() ? Var{} : cast(b, sum, b.dtype(x)));
}

void convertDeformConv(NodeReader& node, Builder& b) {
    const Var x = node.in(0), weights = node.in(1), offset = node.in(2), bias = node.optional(3);
    const Var mask = node.optional(4);
    if (!node.needRank(weights, 3))
        return;
    const auto kernel = kernelOf(b, weights);
    const std::optional<Steps> steps = kernel ? readSteps(node, kernel->size()) : std::nullopt;
    if (!steps || !padsFit(node, steps->pads, "NOTSET"))
        return;
    if (const Ints given = node.integers("kernel_shape"); !given.empty() && given != *kernel)
        return node.fail("kernel_shape does not fit the weights", "the model is malformed; export it again");
    const WindowAttributes at{*kernel, steps->strides, steps->dilations, steps->pads};
    const Var sum = addChannelBias(b,
                                   deformableConvolution(b, x, weights, offset, mask, at, node.integer("group", 1),
                                                         node.integer("offset_group", 1)),
                                   bias);
    node.set(0, b.failed() ? Var{} : cast(b, sum, b.dtype(x)));
}

void convertMaxPool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto window = poolWindow(node, b, x);
    if (!window)
        return;
    PoolAttrs attrs = poolOf(node, *window);
    attrs.columnMajor = node.integer("storage_order", 0) != 0;
    if (!node.wants(1))
        return node.set(0, b.call(Op::MaxPool, {x}, attrs));
    const Var both = b.call(Op::MaxPoolWithIndex, {x}, attrs);
    node.set(0, b.project(both, 0));
    node.set(1, b.project(both, 1));
}

void convertAveragePool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto window = poolWindow(node, b, x);
    if (!window)
        return;
    PoolAttrs attrs = poolOf(node, *window);
    attrs.countPadding = node.integer("count_include_pad", 0) != 0;
    node.set(0, b.call(Op::AvgPool, {x}, attrs));
}

void convertLpPool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto window = poolWindow(node, b, x);
    if (!window)
        return;
    const Dims shape = b.shape(x);
    const bool ceils = node.integer("ceil_mode", 0) != 0;
    PoolAttrs attrs = poolAttrs(ceils ? wholeWindows({shape.begin() + 2, shape.end()}, *window) : *window);
    attrs.countPadding = true; // the mean times the window's size is the sum, if padding counts and windows are whole
    double size = 1;
    for (int64_t extent : attrs.kernel)
        size *= static_cast<double>(extent);
    node.set(0,
             lpNorm(b, x, readP(node), [&](Var power) { return mulBy(b, b.call(Op::AvgPool, {power}, attrs), size); }));
}

void convertGlobalAveragePool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, reduce(b, "mean", x, spatialAxes(b, x), true));
}

void convertGlobalMaxPool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, reduce(b, "max", x, spatialAxes(b, x), true));
}

void convertGlobalLpPool(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    node.set(0, lpNorm(b, x, readP(node), [&](Var power) { return reduce(b, "sum", power, spatialAxes(b, x), true); }));
}

void convertMaxUnpool(NodeReader& node, Builder& b) {
    const Var x = node.in(0), indices = node.in(1);
    const auto window = poolWindow(node, b, x);
    if (!window)
        return;
    const Dims from = b.shape(x);
    Dims shape; // that indices are places in: output_shape, where it is given
    if (node.hasInput(2)) {
        shape = b.symbolic(listOf(node, 2, b.rank(x), "output_shape"), "dim");
    } else {
        shape.assign(from.begin(), from.begin() + 2);
        for (size_t i = 0; i < window->kernel.size(); ++i)
            shape.push_back(arith::simplify((from[i + 2] - 1) * window->strides[i] + window->kernel[i] -
                                            window->before[i] - window->after[i]));
    }
    if (b.failed())
        return;
    if (shape.size() != from.size())
        return node.fail("output_shape has another rank than the operand");
    const Var zeros = full(b, scalarLike(b, 0, x), {product(shape)});
    ScatterAttrs attrs;
    const Var flat = b.call(Op::ScatterElements,
                            {zeros, reshape(b, indices, {product(from)}), reshape(b, x, {product(from)})}, attrs);
    node.set(0, reshape(b, flat, shape));
}

} // namespace lathe::frontend::onnx
