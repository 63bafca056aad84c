// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/window_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lathe::frontend::tflite {
namespace {

struct StepOfReduction {
    std::string_view op, kind;
    bool ofBools; // the operator means the reduction of bools alone
};
constexpr StepOfReduction steps[] = {
    {"STABLEHLO_ADD", "sum", false},
    {"STABLEHLO_MULTIPLY", "prod", false},
    {"STABLEHLO_MAXIMUM", "max", false},
    {"STABLEHLO_MINIMUM", "min", false},
    {"STABLEHLO_AND", "and", true},
    {"STABLEHLO_OR", "or", true},
    {"ADD", "sum", false},
    {"MUL", "prod", false},
    {"MAXIMUM", "max", false},
    {"MINIMUM", "min", false},
    {"LOGICAL_AND", "and", true},
    {"LOGICAL_OR", "or", true},
};

/// Whether a node does more than its operator's name says.
bool isFused(const model::Node& node) {
    return std::ranges::any_of(node.attributes, [](const model::Attribute& attribute) {
        const auto* value = std::get_if<std::string>(&attribute.value);
        return attribute.name == "fused_activation_function" && value && *value != "NONE";
    });
}

Op stepOf(const std::string& kind) {
    return kind == "sum"    ? Op::Add
           : kind == "prod" ? Op::Multiply
           : kind == "max"  ? Op::Maximum
           : kind == "min"  ? Op::Minimum
           : kind == "and"  ? Op::LogicalAnd
                            : Op::LogicalOr;
}

} // namespace

std::optional<std::string> reductionOf(const model::Graph& step, bool ofBools) {
    if (step.inputs.size() != 2 || step.outputs.size() != 1 || step.nodes.size() != 1)
        return std::nullopt;
    const model::Node& node = step.nodes[0];
    const std::string &x = step.inputs[0].name, &y = step.inputs[1].name;
    const bool readsBoth = node.inputs == std::vector{x, y} || node.inputs == std::vector{y, x};
    if (!readsBoth || node.outputs != std::vector{step.outputs[0].name} || isFused(node))
        return std::nullopt;
    for (const StepOfReduction& known : steps)
        if (known.op == node.op && known.ofBools == ofBools)
            return std::string(known.kind);
    return std::nullopt;
}

Var joinedBy(Builder& b, const std::string& kind, Var x, Var y) {
    return b.call(stepOf(kind), {x, y});
}

bool areInRange(NodeReader& node, const ReducedWindows& windows, size_t rank) {
    constexpr int64_t most = 1 << 20; // their products stay far from where they overflow
    for (const Ints* list : {&windows.window, &windows.strides, &windows.dilations}) {
        if (list->size() == rank && std::ranges::all_of(*list, [](int64_t n) { return n >= 1 && n <= most; }))
            continue;
        node.fail(fmt::format("windows, strides and dilations are not {} numbers from 1 to {} each", rank, most));
        return false;
    }
    return !node.failed();
}

Var reducedWindows(Builder& b, Var x, Var initial, const ReducedWindows& windows) {
    for (size_t d = 0; d < windows.window.size() && !b.failed(); ++d) {
        const int64_t width = windows.window[d], stride = windows.strides[d], dilation = windows.dilations[d];
        if (width == 1 && stride == 1)
            continue;
        const auto axis = static_cast<int64_t>(d);
        const Expr room = dim(b, x, axis) - ((width - 1) * dilation + 1);
        const Dims grid = {arith::simplify(arith::max(arith::floorDiv(room, stride) + 1, 0)), width};
        const Var places = add(b, mul(b, iota(b, grid, 0, types::Int64), b.scalarInt(stride)),
                               mul(b, iota(b, grid, 1, types::Int64), b.scalarInt(dilation)));
        x = reduce(b, windows.kind, gather(b, x, places, axis), {axis + 1}, false);
    }
    return joinedBy(b, windows.kind, x, initial);
}

} // namespace lathe::frontend::tflite
