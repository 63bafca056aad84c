// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/overloads.h"

#include "frontend/torch/script/numbers.h"

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

using Wanted = SchemaType::Kind;

// How well a value fits: the sum over all arguments decides.
constexpr int exactly = 4, converted = 2, barely = 0;

std::optional<int> fitOfNumber(Wanted kind, const ScriptValue& value) {
    const Expr* expr = value.as<Expr>();
    const Number* number = value.as<Number>();
    const bool isBool = value.as<bool>() || (expr && expr->dtype().isBool()) || (number && number->isBool);
    const bool isFloat = value.as<double>() || (number && !number->isBool);
    switch (kind) {
    case Wanted::Tensor:
        return barely;
    case Wanted::Scalar:
        return exactly;
    case Wanted::Int:
        return isFloat ? std::nullopt : std::optional(isBool ? converted : exactly);
    case Wanted::Float:
        return isFloat ? exactly : isBool ? barely : converted;
    case Wanted::Bool:
        return isBool ? std::optional(exactly) : std::nullopt;
    case Wanted::Type:
        return expr && !isBool ? std::optional(exactly) : std::nullopt;
    case Wanted::Any:
        return barely;
    case Wanted::Text:
        return std::nullopt;
    }
    return std::nullopt;
}

std::optional<int> fitOfElement(const SchemaType& type, const ScriptValue& value) {
    if (isNumber(value))
        return fitOfNumber(type.kind, value);
    if (value.as<TensorRef>() || value.as<Complex>()) {
        // A tensor of rank 0 stands for a number too.
        const bool isNumberKind = type.kind == Wanted::Int || type.kind == Wanted::Float || type.kind == Wanted::Scalar;
        return type.kind == Wanted::Tensor                ? std::optional(exactly)
               : isNumberKind || type.kind == Wanted::Any ? std::optional(barely)
                                                          : std::nullopt;
    }
    if (value.as<std::string>() || value.as<Device>())
        return type.kind == Wanted::Text || type.kind == Wanted::Any ? std::optional(exactly) : std::nullopt;
    return std::nullopt;
}

std::optional<int> fitOf(const SchemaType& type, const ScriptValue& value, const Heap& heap) {
    if (value.isNone())
        return type.isOptional || type.kind == Wanted::Any ? std::optional(exactly) : std::nullopt;
    const TupleValue* tuple = value.as<TupleValue>();
    const ListCell* list = heap.find<ListCell>(value);
    const ScriptValues* items = tuple ? tuple->items.get() : list && !list->hasUnseen ? &list->items : nullptr;
    if (!items && !type.isList)
        return fitOfElement(type, value);
    if (!items) { // one number stands for a list of them
        const bool isOfNumbers = type.kind == Wanted::Int || type.kind == Wanted::Float;
        const std::optional<int> fit = isOfNumbers && isNumber(value) ? fitOfElement(type, value) : std::nullopt;
        return fit ? std::optional(std::min(*fit, converted)) : std::nullopt;
    }
    if (!type.isList)
        return std::nullopt;
    int least = exactly;
    for (const ScriptValue& item : *items) {
        if (item.isNone() && type.hasOptionalElements)
            continue;
        const std::optional<int> fit = fitOfElement(type, item);
        if (!fit || (type.kind == Wanted::Tensor && isNumber(item)))
            return std::nullopt;
        least = std::min(least, *fit);
    }
    return least;
}

std::optional<int> fitOf(const Schema& schema, const Arguments& arguments, const Heap& heap) {
    std::vector<bool> isGiven(schema.arguments.size(), false);
    int sum = 0;
    for (size_t i = 0; i < arguments.values.size(); ++i) {
        const std::string& name = arguments.names[i];
        const std::optional<size_t> at = !name.empty() ? schema.find(name)
                                         : i < schema.arguments.size() && !schema.arguments[i].isKeywordOnly
                                             ? std::optional(i)
                                             : std::nullopt;
        if (!at || isGiven[*at])
            return std::nullopt;
        const std::optional<int> fit = fitOf(schema.arguments[*at].type, arguments.values[i], heap);
        if (!fit)
            return std::nullopt;
        isGiven[*at] = true;
        sum += *fit;
    }
    for (size_t i = 0; i < isGiven.size(); ++i)
        if (!isGiven[i] && !schema.arguments[i].hasDefault)
            return std::nullopt;
    return sum;
}

/// "aten.add" of "aten.add_"; empty if the name is none that assigns.
std::string unassigned(const std::string& name) {
    const bool assigns = name.size() > 2 && name.back() == '_' && name[name.size() - 2] != '_';
    return assigns ? name.substr(0, name.size() - 1) : std::string();
}

} // namespace

const ScriptValue* Arguments::find(size_t place, std::string_view name) const {
    for (size_t i = 0; i < values.size(); ++i)
        if (names[i].empty() ? i == place : names[i] == name)
            return &values[i];
    return nullptr;
}

ScriptValue* Arguments::find(size_t place, std::string_view name) {
    return const_cast<ScriptValue*>(std::as_const(*this).find(place, name));
}

bool Arguments::areByPlace(size_t most) const {
    return values.size() <= most && std::ranges::all_of(names, [](const std::string& name) { return name.empty(); });
}

Overload chosenOverload(const std::string& name, const Arguments& arguments, const Heap& heap) {
    Overload chosen;
    int best = -1;
    const auto consider = [&](const std::string& of, bool isAssigned) {
        for (const Operator* op : overloadsOf(of))
            if (const std::optional<int> fit = fitOf(op->schema, arguments, heap); fit && *fit > best) {
                best = *fit;
                chosen = {op, isAssigned};
            }
    };
    consider(name, false);
    if (const std::string of = unassigned(name); !chosen.op && !of.empty())
        consider(of, true);
    return chosen;
}

std::string shownOperator(std::string name) {
    const size_t dot = name.find('.');
    return dot == std::string::npos ? name : name.replace(dot, 1, "::");
}

bool isOperator(const std::string& name) {
    const std::string of = unassigned(name);
    return !overloadsOf(name).empty() || (!of.empty() && !overloadsOf(of).empty());
}

} // namespace lathe::frontend::torch::script
