// SPDX-License-Identifier: Apache-2.0
//
// Packed weights, and recurrences by them.
#include "frontend/torch/script/numbers.h"
#include "frontend/torch/script/quantized.h"
#include "relay/element.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {

ScriptValue QuantizedCalls::list(const Ints& values) {
    ListCell made;
    for (const int64_t value : values)
        made.items.emplace_back(Expr(value));
    return CellRef{e.heap_.make(std::move(made))};
}

std::optional<Ints> QuantizedCalls::integers(const ScriptValue& value) {
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

std::optional<QuantizedCalls::Packed> QuantizedCalls::fromSettings(const Ints& all, ScriptValue weight,
                                                                   ScriptValue bias) {
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

std::optional<QuantizedCalls::Packed> QuantizedCalls::fromState(const ScriptValue& state) {
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

std::optional<QuantizedCalls::Packed> QuantizedCalls::unpack(const ScriptValue& value) {
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

ScriptValue QuantizedCalls::pack(Variables attributes) {
    return CellRef{e.heap_.make(ObjectCell{"packed weights", nullptr, std::move(attributes), {}})};
}

ScriptValue QuantizedCalls::packConvolution(const Arguments& a, bool isTransposed) {
    const auto at = [&](size_t i) { return i < a.values.size() ? a.values[i] : ScriptValue(); };
    const size_t more = isTransposed ? 1 : 0;
    Variables attributes{{"weight", at(0)},          {"bias", at(1)},         {"stride", at(2)}, {"padding", at(3)},
                         {"dilation", at(4 + more)}, {"groups", at(5 + more)}};
    attributes["extra"] = isTransposed ? at(4) : ScriptValue();
    if (isTransposed)
        attributes["transposed"] = true;
    return pack(std::move(attributes));
}

bool QuantizedCalls::addWeights(const ScriptValue& parameters, ListCell& weights) {
    const ObjectCell* object = e.heap_.find<ObjectCell>(parameters);
    const auto state = object ? object->attributes.find("state") : Variables::const_iterator();
    const TupleValue* tuple = object && state != object->attributes.end() ? state->second.as<TupleValue>() : nullptr;
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

QuantizedCalls::Result QuantizedCalls::recurrence(const std::string& name, const Arguments& a) {
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

QuantizedCalls::Result QuantizedCalls::cell(const std::string& name, const Arguments& a) {
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

} // namespace lathe::frontend::torch::script
