// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/quantized.h"
#include "frontend/torch/script/numbers.h"

#include "relay/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

constexpr auto movements = std::to_array<std::string_view>({
    "aten.as_strided",    "aten.cat",     "aten.chunk",   "aten.clone",     "aten.contiguous", "aten.detach",
    "aten.expand",        "aten.flatten", "aten.flip",    "aten.movedim",   "aten.narrow",     "aten.permute",
    "aten.pixel_shuffle", "aten.repeat",  "aten.reshape", "aten.select",    "aten.slice",      "aten.split",
    "aten.squeeze",       "aten.stack",   "aten.t",       "aten.transpose", "aten.unbind",     "aten.unflatten",
    "aten.unsqueeze",     "aten.view",
});
/// Whose result has the scale of their operand.
constexpr auto ofOneScale = std::to_array<std::string_view>({
    "aten.adaptive_avg_pool1d",
    "aten.adaptive_avg_pool2d",
    "aten.adaptive_avg_pool3d",
    "aten.avg_pool1d",
    "aten.avg_pool2d",
    "aten.avg_pool3d",
    "aten.clamp",
    "aten.constant_pad_nd",
    "aten.dropout",
    "aten.hardtanh",
    "aten.hardtanh_",
    "aten.leaky_relu",
    "aten.max_pool1d",
    "aten.max_pool2d",
    "aten.max_pool3d",
    "aten.mean",
    "aten.pad",
    "aten.relu",
    "aten.relu6",
    "aten.relu6_",
    "aten.relu_",
    "aten.upsample_bilinear2d",
    "aten.upsample_nearest1d",
    "aten.upsample_nearest2d",
    "aten.upsample_nearest3d",
});

/// What a quantized tensor alone can be asked for.
constexpr auto facts = std::to_array<std::string_view>({
    "aten.int_repr",
    "aten.q_per_channel_axis",
    "aten.q_per_channel_scales",
    "aten.q_per_channel_zero_points",
    "aten.q_scale",
    "aten.q_zero_point",
});

bool isNamed(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::optional<DataType> integersOf(const ScriptValue& code) {
    switch (asInt(code).value_or(-1)) {
    case 12:
        return types::Int8;
    case 13:
        return types::UInt8;
    case 14:
        return types::Int32;
    default:
        return std::nullopt;
    }
}

} // namespace

bool isQuantizedOperator(std::string_view name) {
    return name.starts_with("quantized.") || name.starts_with("aten.quantize") || name == "aten.dequantize" ||
           isNamed(facts, name);
}

ScriptValue QuantizedCalls::made(const std::string& op, const ScriptValue& from, const std::function<Var()>& make) {
    Arguments arguments;
    arguments.add(from);
    e.enter(op, nullptr, arguments);
    const Var value = e.failed() ? Var{} : make();
    const ScriptValue result = e.failed() ? ScriptValue() : e.tensor(value);
    e.note(result);
    return result;
}

ScriptValue QuantizedCalls::real(const ScriptValue& value) {
    const Quantized* quantized = value.as<Quantized>();
    if (!quantized || e.failed())
        return value;
    return made("aten.dequantize", value,
                [&] { return dequantize(b, e.memory_.read(quantized->integers), quantized->by, types::Float32); });
}

Var QuantizedCalls::parameter(const ScriptValue& value, DataType dtype) {
    const TensorRef* ref = value.as<TensorRef>();
    return cast(b, ref ? e.memory_.read(ref->place) : toScalarTensor(b, value), dtype);
}

ScriptValue QuantizedCalls::quantize(const ScriptValue& value, const ScriptValue& scale, const ScriptValue& zero,
                                     DataType dtype, std::optional<int64_t> axis) {
    const TensorRef* ref = value.as<TensorRef>();
    if (!ref || e.failed()) {
        e.fail("what is quantized is no tensor of real numbers");
        return {};
    }
    Quantized result{.by = {}, .isPerChannel = axis.has_value()};
    const ScriptValue integers = made("aten.quantize", value, [&] {
        const Var x = e.memory_.read(ref->place);
        result.by.scale = parameter(scale, types::Float32);
        result.by.zero = parameter(zero, dtype);
        if (b.failed())
            return Var{};
        result.by.axis = axis ? *axis < 0 ? *axis + b.rank(x) : *axis : 0;
        if (axis && (result.by.axis < 0 || result.by.axis >= b.rank(x) || b.rank(result.by.scale) != 1 ||
                     b.rank(result.by.zero) != 1)) {
            b.fail("a tensor is quantized along a dim that it does not have, or not by a scale for each slice");
            return Var{};
        }
        if (!axis) {
            result.by.scale = asScalar(b, result.by.scale);
            result.by.zero = asScalar(b, result.by.zero);
        }
        const auto along = [&](Var one) { return axis ? fittedAlong(b, one, result.by.axis, x) : one; };
        const Var one = scalarLike(b, 1, result.by.scale);
        const Var scaled = mul(b, cast(b, x, types::Float32), along(div(b, one, result.by.scale)));
        return toQuantized(b, scaled, along(result.by.zero), dtype, true);
    });
    if (e.failed())
        return {};
    result.integers = integers.as<TensorRef>()->place;
    return result;
}

ScriptValue QuantizedCalls::quantizeLike(const ScriptValue& value, const Quantized& like) {
    const TensorRef* ref = value.as<TensorRef>();
    if (!ref || e.failed() || like.isPerChannel) {
        e.refuse("a tensor that is quantized by channels is computed with", "quantize activations by one scale");
        return {};
    }
    const DataType dtype = b.dtype(e.memory_.read(like.integers));
    Quantized result = like;
    const ScriptValue integers = made("aten.quantize", value, [&] {
        const Var one = scalarLike(b, 1, like.by.scale);
        const Var scaled = mul(b, e.memory_.read(ref->place), div(b, one, like.by.scale));
        return toQuantized(b, scaled, like.by.zero, dtype, true);
    });
    if (e.failed())
        return {};
    result.integers = integers.as<TensorRef>()->place;
    return result;
}

QuantizedCalls::Result QuantizedCalls::quantizing(const std::string& name, const Arguments& a) {
    const auto at = [&](size_t i) { return i < a.values.size() ? a.values[i] : ScriptValue(); };
    const bool isPerChannel = name == "aten.quantize_per_channel";
    const std::optional<DataType> dtype = integersOf(at(isPerChannel ? 4 : 3));
    if (!dtype) {
        e.refuse("a tensor is quantized to an element type that is not supported", "quantize to 8 or 32 bits");
        return std::nullopt;
    }
    const std::optional<int64_t> axis = isPerChannel ? asInt(at(3)) : std::nullopt;
    return quantize(at(0), at(1), at(2), *dtype, axis);
}

QuantizedCalls::Result QuantizedCalls::fact(const std::string& name, const Quantized& q) {
    if (name == "aten.int_repr") {
        Arguments arguments;
        arguments.add(TensorRef{q.integers});
        return e.callOperator("aten.clone", std::move(arguments));
    }
    if (name == "aten.q_scale" || name == "aten.q_zero_point")
        return fromTensor(b, name == "aten.q_scale" ? q.by.scale : cast(b, q.by.zero, types::Int64), "zero");
    if (name == "aten.q_per_channel_scales" || name == "aten.q_per_channel_zero_points")
        return e.tensor(name.ends_with("scales") ? cast(b, q.by.scale, types::Float64)
                                                 : cast(b, q.by.zero, types::Int64));
    if (name == "aten.q_per_channel_axis")
        return Expr(q.by.axis);
    return std::nullopt;
}

ScriptValue QuantizedCalls::wrapped(const ScriptValue& moved, const Quantized& like) {
    if (const TensorRef* ref = moved.as<TensorRef>()) {
        Quantized result = like;
        result.integers = ref->place;
        return result;
    }
    if (const ListCell* all = e.heap_.find<ListCell>(moved)) {
        ListCell result;
        for (const ScriptValue& item : all->items)
            result.items.push_back(wrapped(item, like));
        return CellRef{e.heap_.make(std::move(result))};
    }
    return moved;
}

QuantizedCalls::Result QuantizedCalls::callPlain(const std::string& name, const Arguments& a, const Quantized& first) {
    if (Result known = fact(name, first); known || e.failed())
        return known;
    if (name == "aten.dequantize")
        return real(a.values[0]);
    const bool isList = !a.values[0].as<Quantized>();
    if (isNamed(movements, name) && !first.isPerChannel && !isList) {
        Arguments moved = a;
        moved.values[0] = TensorRef{first.integers};
        return wrapped(e.callOperator(name, std::move(moved)), first);
    }
    Arguments reals = a;
    for (ScriptValue& value : reals.values) {
        if (const ListCell* all = e.heap_.find<ListCell>(value)) {
            ListCell items;
            for (const ScriptValue& item : ScriptValues(all->items))
                items.items.push_back(real(item));
            value = CellRef{e.heap_.make(std::move(items))};
        } else {
            value = real(value);
        }
    }
    const bool isKept = isNamed(ofOneScale, name) || isNamed(movements, name);
    if (!isKept)
        return std::nullopt;
    const bool assigns = name.ends_with('_');
    return quantizeLike(e.callOperator(assigns ? name.substr(0, name.size() - 1) : name, std::move(reals)), first);
}

std::optional<ScriptValue> Evaluator::callQuantized(const std::string& name, const Arguments& arguments) {
    constexpr std::string_view own = "quantized.";
    QuantizedCalls calls{*this, b_};
    if (name.starts_with(own))
        return calls.callOwn(std::string_view(name).substr(own.size()), arguments);
    if (name == "aten.quantize_per_tensor" || name == "aten.quantize_per_channel")
        return calls.quantizing(name, arguments);
    if (name == "aten.quantized_lstm" || name == "aten.quantized_gru")
        return calls.recurrence(name == "aten.quantized_lstm" ? "aten.lstm" : "aten.gru", arguments);
    if (name.starts_with("aten.quantized_") && name.ends_with("_cell"))
        return calls.cell(name.substr(5) + "_dynamic", arguments);
    if (arguments.values.empty())
        return std::nullopt;
    const Quantized* first = arguments.values[0].as<Quantized>();
    const ListCell* list = heap_.find<ListCell>(arguments.values[0]);
    if (!first && list && !list->items.empty())
        first = list->items[0].as<Quantized>();
    if (first)
        return calls.callPlain(name, arguments, Quantized(*first));
    return name == "aten.dequantize" && arguments.values[0].as<TensorRef>() ? std::optional(arguments.values[0])
                                                                            : std::nullopt;
}

/// A method of an object of a class that is no code: packed weights.
ScriptValue Evaluator::callPacked(const ObjectCell& packed, const std::string& name) {
    QuantizedCalls calls{*this, b_};
    const std::string type = packed.type;
    if (name == "unpack") {
        const ScriptValue self = CellRef{heap_.make(ObjectCell(packed))};
        if (const auto unpacked = calls.unpack(self))
            return tupleOf({unpacked->weight, unpacked->bias});
        return {};
    }
    refuse(fmt::format("method '{}' of an object of class {} is not supported", name, type),
           "let the program do without it");
    return {};
}

} // namespace lathe::frontend::torch::script
