// SPDX-License-Identifier: Apache-2.0
//
// Operators of the namespace quantized.
#include "frontend/torch/script/numbers.h"
#include "frontend/torch/script/quantized.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {

namespace {

constexpr auto convolutions = std::to_array<std::string_view>(
    {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"});

/// What an operator is without what is done around it: others that begin alike compute something else.
std::string_view plainOf(std::string_view name) {
    for (const std::string_view suffix : {"_fp16", "_dynamic", "_relu"}) // as they follow, from the end
        if (name.ends_with(suffix))
            name.remove_suffix(suffix.size());
    return name;
}

} // namespace

ScriptValue QuantizedCalls::call(const std::string& name, ScriptValues values) {
    Arguments arguments;
    for (ScriptValue& value : values)
        arguments.add(std::move(value));
    return e.callOperator(name, std::move(arguments));
}

ScriptValue QuantizedCalls::scaled(const ScriptValue& result, const Arguments& a, const ScriptValue& like) {
    const Quantized* quantized = like.as<Quantized>();
    const DataType dtype = quantized && !e.failed() ? b.dtype(e.memory_.read(quantized->integers)) : types::UInt8;
    if (a.values.size() < 2)
        return {};
    return quantize(result, a.values[a.values.size() - 2], a.values.back(), dtype);
}

ScriptValue QuantizedCalls::linear(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu) {
    const std::optional<Packed> packed = unpack(packedValue);
    if (!packed)
        return {};
    const ScriptValue y = call("aten.linear", {real(x), real(packed->weight), packed->bias});
    return isRelu ? call("aten.relu", {y}) : y;
}

ScriptValue QuantizedCalls::convolution(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu) {
    const std::optional<Packed> packed = unpack(packedValue);
    if (!packed)
        return {};
    const ScriptValue weight = real(packed->weight);
    const TensorRef* ref = weight.as<TensorRef>();
    const int dims = ref && !e.failed() ? b.rank(e.memory_.read(ref->place)) - 2 : 2;
    const ScriptValue groups = Expr(packed->groups);
    const ScriptValue y = packed->isTransposed
                              ? call(fmt::format("aten.conv_transpose{}d", dims),
                                     {real(x), weight, packed->bias, packed->stride, packed->padding, packed->extra,
                                      groups, packed->dilation})
                              : call(fmt::format("aten.conv{}d", dims), {real(x), weight, packed->bias, packed->stride,
                                                                         packed->padding, packed->dilation, groups});
    return isRelu ? call("aten.relu", {y}) : y;
}

QuantizedCalls::Result QuantizedCalls::callOwn(std::string_view name, const Arguments& a) {
    const auto at = [&](size_t i) { return i < a.values.size() ? a.values[i] : ScriptValue(); };
    const bool isDynamic = name.contains("_dynamic"), isRelu = name.contains("_relu");
    if (name == "linear_prepack" || name == "linear_prepack_fp16")
        return pack({{"weight", at(0)}, {"bias", at(1)}});
    if (name == "linear_unpack" || name == "linear_unpack_fp16") {
        const std::optional<Packed> packed = unpack(at(0));
        return packed ? Result(tupleOf({packed->weight, packed->bias})) : std::nullopt;
    }
    if (name.starts_with("conv") && name.ends_with("_prepack"))
        return packConvolution(a, name.starts_with("conv_transpose"));
    if (plainOf(name) == "linear") {
        const ScriptValue y = linear(at(0), at(1), isRelu);
        return isDynamic ? y : scaled(y, a, at(0));
    }
    if (std::ranges::find(convolutions, plainOf(name)) != convolutions.end()) {
        const ScriptValue y = convolution(at(0), at(1), isRelu);
        return isDynamic ? y : scaled(y, a, at(0));
    }
    if (name.starts_with("quantized_") && name.ends_with("_cell_dynamic"))
        return cell(std::string(name), a);
    if (name == "add" || name == "add_relu" || name == "mul" || name == "mul_relu") {
        ScriptValue y = call(name.starts_with("add") ? "aten.add" : "aten.mul", {real(at(0)), real(at(1))});
        y = isRelu ? call("aten.relu", {y}) : y;
        return a.values.size() > 3 ? Result(scaled(y, a, at(0))) : std::nullopt;
    }
    if (name == "cat" || name == "cat_relu") {
        const ListCell* all = e.heap_.find<ListCell>(at(0));
        if (!all || all->items.empty())
            return std::nullopt;
        const ScriptValues items = all->items;
        ListCell reals;
        for (const ScriptValue& item : items)
            reals.items.push_back(real(item));
        const ScriptValue joined = CellRef{e.heap_.make(std::move(reals))};
        ScriptValue y = call("aten.cat", {joined, at(1)});
        y = isRelu ? call("aten.relu", {y}) : y;
        if (!at(2).isNone())
            return scaled(y, a, items[0]);
        const Quantized* like = items[0].as<Quantized>();
        return like ? Result(quantizeLike(y, *like)) : std::nullopt;
    }
    return callScaled(name, a);
}

QuantizedCalls::Result QuantizedCalls::callScaled(std::string_view name, const Arguments& a) {
    if (name == "relu6" && !a.values.empty() && a.values[0].as<Quantized>())
        return quantizeLike(call("aten.relu6", {real(a.values[0])}), *a.values[0].as<Quantized>());
    if (name.starts_with("batch_norm") && a.values.size() == 8) { // (x, weight, bias, mean, var, eps, scale, zero)
        const ScriptValue y = call("aten.batch_norm", {real(a.values[0]), a.values[1], a.values[2], a.values[3],
                                                       a.values[4], false, 0.0, a.values[5], false});
        return scaled(name.ends_with("_relu") ? call("aten.relu", {y}) : y, a, a.values[0]);
    }
    if (name == "leaky_relu" && a.values.size() == 5)
        return scaled(call("aten.leaky_relu", {real(a.values[0]), a.values[1]}), a, a.values[0]);
    if (name == "instance_norm" && a.values.size() == 6) // (x, weight, bias, eps, scale, zero)
        return scaled(call("aten.instance_norm",
                           {real(a.values[0]), a.values[1], a.values[2], {}, {}, true, 0.0, a.values[3], false}),
                      a, a.values[0]);
    if ((name == "elu" || name == "celu") && a.values.size() >= 3) { // (x, scale, zero, alpha, …)
        ScriptValues values{real(a.values[0])};
        values.insert(values.end(), a.values.begin() + 3, a.values.end());
        Arguments by;
        by.add(a.values[1]);
        by.add(a.values[2]);
        return scaled(call(fmt::format("aten.{}", name), std::move(values)), by, a.values[0]);
    }
    for (const std::string_view known :
         {"hardswish", "sigmoid", "matmul", "layer_norm", "group_norm", "prelu", "softmax"}) {
        if (name != known || a.values.size() < 3)
            continue;
        ScriptValues values;
        for (size_t i = 0; i + 2 < a.values.size(); ++i)
            values.push_back(real(a.values[i]));
        return scaled(call(fmt::format("aten.{}", name), std::move(values)), a, a.values[0]);
    }
    return std::nullopt;
}

} // namespace lathe::frontend::torch::script
