// SPDX-License-Identifier: Apache-2.0
//
// Quantized tensors and the operators on them. Each computes with the real numbers that the integers stand for, and rounds its
// result to integers again where the operator does; what only moves elements moves the integers. Weights lie packed in objects
// whose layout is PyTorch's own: their state is that of its serialization.
#include "frontend/torch/script/quantized.h"

#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include "relay/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

constexpr const char* packedLayout = "save the model again by a version of PyTorch that is known";

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

/// The functions, which see the evaluation.
struct QuantizedCalls {
    Evaluator& e;
    Builder& b;

    using Result = std::optional<ScriptValue>;

    // ---- integers and real numbers

    ScriptValue made(const std::string& op, const ScriptValue& from, const std::function<Var()>& make) {
        Arguments arguments;
        arguments.add(from);
        e.enter(op, nullptr, arguments);
        const Var value = e.failed() ? Var{} : make();
        const ScriptValue result = e.failed() ? ScriptValue() : e.tensor(value);
        e.note(result);
        return result;
    }

    /// A tensor of real numbers; a value that is not quantized as it is.
    ScriptValue real(const ScriptValue& value) {
        const Quantized* quantized = value.as<Quantized>();
        if (!quantized || e.failed())
            return value;
        return made("aten.dequantize", value,
                    [&] { return dequantize(b, e.memory_.read(quantized->integers), quantized->by, types::Float32); });
    }

    Var parameter(const ScriptValue& value, DataType dtype) {
        const TensorRef* ref = value.as<TensorRef>();
        return cast(b, ref ? e.memory_.read(ref->place) : toScalarTensor(b, value), dtype);
    }

    /// By a scale and a zero point, or one each of a slice of an axis.
    ScriptValue quantize(const ScriptValue& value, const ScriptValue& scale, const ScriptValue& zero, DataType dtype,
                         std::optional<int64_t> axis = std::nullopt) {
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

    ScriptValue quantizeLike(const ScriptValue& value, const Quantized& like) {
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

    // ---- packed weights

    struct Packed {
        ScriptValue weight{}, bias{};
        ScriptValue stride{}, padding{}, dilation{}, extra{}; // lists
        int64_t groups = 1;
        bool isTransposed = false;
    };

    ScriptValue list(const Ints& values) {
        ListCell made;
        for (const int64_t value : values)
            made.items.emplace_back(Expr(value));
        return CellRef{e.heap_.make(std::move(made))};
    }

    /// Whole numbers of a list, or of a constant tensor.
    std::optional<Ints> integers(const ScriptValue& value) {
        Ints all;
        if (const ListCell* items = e.heap_.find<ListCell>(value)) {
            for (const ScriptValue& item : items->items)
                all.push_back(asInt(item).value_or(0));
            return all;
        }
        const TensorRef* ref = value.as<TensorRef>();
        const relay::ConstantPtr constant = ref ? b.constantOf(e.memory_.read(ref->place)) : nullptr;
        const auto elements =
            constant ? relay::elementsOf(*constant, limits::knownValueElements) : std::optional<std::vector<Expr>>();
        if (!elements)
            return std::nullopt;
        for (const Expr& element : *elements)
            all.push_back(arith::asInt(element).value_or(0));
        return all;
    }

    /// (version, settings, weight, bias): dims, then for each of these a stride, a padding, a dilation, what is added to the
    /// output; groups, and 1 for a transposed one.
    std::optional<Packed> fromSettings(const Ints& all, ScriptValue weight, ScriptValue bias) {
        const auto dims = static_cast<size_t>(all.empty() ? 0 : all[0]);
        if (dims < 1 || dims > 3 || all.size() < 1 + 4 * dims + 1)
            return std::nullopt;
        const auto part = [&](size_t i) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(1 + i * dims);
            return list(Ints(begin, begin + static_cast<std::ptrdiff_t>(dims)));
        };
        Packed packed{.weight = std::move(weight), .bias = std::move(bias)};
        packed.stride = part(0);
        packed.padding = part(1);
        packed.dilation = part(2);
        packed.extra = part(3);
        packed.groups = all[1 + 4 * dims];
        packed.isTransposed = all.size() > 2 + 4 * dims && (all[2 + 4 * dims] & 1) != 0;
        return packed;
    }

    std::optional<Packed> fromState(const ScriptValue& state) {
        const TupleValue* tuple = state.as<TupleValue>();
        if (!tuple)
            return std::nullopt;
        const ScriptValues& items = *tuple->items;
        const auto listAt = [&](size_t i) { return i < items.size() ? e.heap_.find<ListCell>(items[i]) : nullptr; };
        if (items.size() == 2) // of a linear layer
            return Packed{.weight = items[0], .bias = items[1]};
        if (items.size() != 3)
            return std::nullopt;
        const bool isSecond = items[0].as<std::string>() != nullptr;
        const ListCell *first = listAt(1), *second = listAt(2);
        if (!first || !second)
            return std::nullopt;
        if (isSecond && first->items.size() == 2 && second->items.size() == 1)
            if (const std::optional<Ints> settings = integers(first->items[0]))
                return fromSettings(*settings, first->items[1], second->items[0]);
        if (!isSecond && second->items.size() == 3)
            if (const std::optional<Ints> settings = integers(items[1]))
                return fromSettings(*settings, second->items[1], second->items[2]);
        return std::nullopt;
    }

    std::optional<Packed> unpack(const ScriptValue& value) {
        const ObjectCell* object = e.heap_.find<ObjectCell>(value);
        if (!object)
            return std::nullopt;
        const auto attribute = [&](const char* name) {
            const auto found = object->attributes.find(name);
            return found == object->attributes.end() ? ScriptValue() : found->second;
        };
        std::optional<Packed> packed;
        if (!object->attributes.contains("state")) {
            packed.emplace(Packed{.weight = attribute("weight"), .bias = attribute("bias")});
            packed->stride = attribute("stride");
            packed->padding = attribute("padding");
            packed->dilation = attribute("dilation");
            packed->extra = attribute("extra");
            packed->groups = asInt(attribute("groups")).value_or(1);
            packed->isTransposed = attribute("transposed").as<bool>() != nullptr;
        } else {
            packed = fromState(attribute("state"));
        }
        if (!packed || packed->weight.isNone())
            e.refuse("weights are packed in a way that is not known", packedLayout);
        return e.failed() ? std::nullopt : packed;
    }

    ScriptValue pack(Variables attributes) {
        return CellRef{e.heap_.make(ObjectCell{"packed weights", nullptr, std::move(attributes), {}})};
    }

    /// (weight, bias, stride, padding, [output padding,] dilation, groups)
    ScriptValue packConvolution(const Arguments& a, bool isTransposed) {
        const auto at = [&](size_t i) { return i < a.values.size() ? a.values[i] : ScriptValue(); };
        const size_t more = isTransposed ? 1 : 0;
        Variables attributes{{"weight", at(0)},          {"bias", at(1)},         {"stride", at(2)}, {"padding", at(3)},
                             {"dilation", at(4 + more)}, {"groups", at(5 + more)}};
        attributes["extra"] = isTransposed ? at(4) : ScriptValue();
        if (isTransposed)
            attributes["transposed"] = true;
        return pack(std::move(attributes));
    }

    // ---- operators

    ScriptValue call(const std::string& name, ScriptValues values) {
        Arguments arguments;
        for (ScriptValue& value : values)
            arguments.add(std::move(value));
        return e.callOperator(name, std::move(arguments));
    }

    /// To the scale and zero point that are the last two arguments.
    ScriptValue scaled(const ScriptValue& result, const Arguments& a, const ScriptValue& like) {
        const Quantized* quantized = like.as<Quantized>();
        const DataType dtype = quantized && !e.failed() ? b.dtype(e.memory_.read(quantized->integers)) : types::UInt8;
        if (a.values.size() < 2)
            return {};
        return quantize(result, a.values[a.values.size() - 2], a.values.back(), dtype);
    }

    ScriptValue linear(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu) {
        const std::optional<Packed> packed = unpack(packedValue);
        if (!packed)
            return {};
        const ScriptValue y = call("aten.linear", {real(x), real(packed->weight), packed->bias});
        return isRelu ? call("aten.relu", {y}) : y;
    }

    ScriptValue convolution(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu) {
        const std::optional<Packed> packed = unpack(packedValue);
        if (!packed)
            return {};
        const ScriptValue weight = real(packed->weight);
        const TensorRef* ref = weight.as<TensorRef>();
        const int dims = ref && !e.failed() ? b.rank(e.memory_.read(ref->place)) - 2 : 2;
        const ScriptValue groups = Expr(packed->groups);
        const ScriptValue y =
            packed->isTransposed
                ? call(fmt::format("aten.conv_transpose{}d", dims),
                       {real(x), weight, packed->bias, packed->stride, packed->padding, packed->extra, groups,
                        packed->dilation})
                : call(fmt::format("aten.conv{}d", dims),
                       {real(x), weight, packed->bias, packed->stride, packed->padding, packed->dilation, groups});
        return isRelu ? call("aten.relu", {y}) : y;
    }

    /// quantized::NAME
    Result callOwn(std::string_view name, const Arguments& a) {
        const auto at = [&](size_t i) { return i < a.values.size() ? a.values[i] : ScriptValue(); };
        const bool isDynamic = name.contains("_dynamic"), isRelu = name.contains("_relu") && name != "leaky_relu";
        if (name == "linear_prepack" || name == "linear_prepack_fp16")
            return pack({{"weight", at(0)}, {"bias", at(1)}});
        if (name == "linear_unpack" || name == "linear_unpack_fp16") {
            const std::optional<Packed> packed = unpack(at(0));
            return packed ? Result(tupleOf({packed->weight, packed->bias})) : std::nullopt;
        }
        if (name.starts_with("conv") && name.ends_with("_prepack"))
            return packConvolution(a, name.starts_with("conv_transpose"));
        if (name.starts_with("linear")) {
            const ScriptValue y = linear(at(0), at(1), isRelu);
            return isDynamic ? y : scaled(y, a, at(0));
        }
        if (name.starts_with("conv") && !name.contains("unpack")) {
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

    /// An operator of the same name on real numbers, with a scale and a zero point behind its arguments.
    Result callScaled(std::string_view name, const Arguments& a) {
        if (name == "relu6" && !a.values.empty() && a.values[0].as<Quantized>())
            return quantizeLike(call("aten.relu6", {real(a.values[0])}), *a.values[0].as<Quantized>());
        if (name.starts_with("batch_norm") && a.values.size() == 8) { // (x, weight, bias, mean, var, eps, scale, zero)
            const ScriptValue y = call("aten.batch_norm", {real(a.values[0]), a.values[1], a.values[2], a.values[3],
                                                           a.values[4], false, 0.0, a.values[5], false});
            return scaled(name.ends_with("_relu") ? call("aten.relu", {y}) : y, a, a.values[0]);
        }
        if (name == "leaky_relu" && a.values.size() == 5)
            return scaled(call("aten.leaky_relu", {real(a.values[0]), a.values[1]}), a, a.values[0]);
        for (const std::string_view known : {"hardswish", "sigmoid", "elu", "matmul", "layer_norm", "group_norm",
                                             "instance_norm", "prelu", "softmax", "celu"}) {
            if (name != known || a.values.size() < 3)
                continue;
            ScriptValues values;
            for (size_t i = 0; i + 2 < a.values.size(); ++i)
                values.push_back(real(a.values[i]));
            if (name == "elu") // (x, scale, zero, alpha, …)
                return std::nullopt;
            return scaled(call(fmt::format("aten.{}", name), std::move(values)), a, a.values[0]);
        }
        return std::nullopt;
    }

    // ---- recurrences, whose weights alone are quantized

    /// Of one direction of a layer: weights of input and state, then biases.
    bool addWeights(const ScriptValue& parameters, ListCell& weights) {
        const ObjectCell* object = e.heap_.find<ObjectCell>(parameters);
        const auto state = object ? object->attributes.find("state") : Variables::const_iterator();
        const TupleValue* tuple =
            object && state != object->attributes.end() ? state->second.as<TupleValue>() : nullptr;
        if (!tuple || tuple->items->size() != 5)
            return false;
        const ScriptValues items = *tuple->items;
        const ListCell *biases = e.heap_.find<ListCell>(items[1]), *packed = e.heap_.find<ListCell>(items[4]);
        if (!biases || !packed || packed->items.size() != 2)
            return false;
        const ScriptValues both = packed->items, added = biases->items;
        for (const ScriptValue& one : both) {
            const std::optional<Packed> unpacked = unpack(one);
            if (!unpacked)
                return false;
            weights.items.push_back(real(unpacked->weight));
        }
        weights.items.insert(weights.items.end(), added.begin(), added.end());
        return true;
    }

    /// (input, hx, parameters, has_biases, num_layers, dropout, train, bidirectional, batch_first, …)
    Result recurrence(const std::string& name, const Arguments& a) {
        const ListCell* parameters = a.values.size() >= 9 ? e.heap_.find<ListCell>(a.values[2]) : nullptr;
        if (!parameters)
            return std::nullopt;
        ListCell weights;
        for (const ScriptValue& one : ScriptValues(parameters->items))
            if (!addWeights(one, weights)) {
                e.refuse("weights of a recurrence are packed in a way that is not known", packedLayout);
                return std::nullopt;
            }
        ScriptValues values(a.values.begin(), a.values.begin() + 9);
        values[2] = CellRef{e.heap_.make(std::move(weights))};
        return call(name, std::move(values));
    }

    /// (input, hx, packed w_ih, packed w_hh, b_ih, b_hh)
    Result cell(const std::string& name, const Arguments& a) {
        constexpr std::string_view before = "quantized_", behind = "_dynamic";
        if (a.values.size() != 6)
            return std::nullopt;
        const std::optional<Packed> input = unpack(a.values[2]), state = unpack(a.values[3]);
        if (!input || !state)
            return std::nullopt;
        const std::string plain = name.substr(before.size(), name.size() - before.size() - behind.size());
        return call("aten." + plain,
                    {a.values[0], a.values[1], real(input->weight), real(state->weight), a.values[4], a.values[5]});
    }

    // ---- PyTorch's operators on quantized tensors

    Result quantizing(const std::string& name, const Arguments& a) {
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

    Result fact(const std::string& name, const Quantized& q) {
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

    /// The integers, elsewhere.
    ScriptValue wrapped(const ScriptValue& moved, const Quantized& like) {
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

    Result callPlain(const std::string& name, const Arguments& a, const Quantized& first) {
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
};

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
