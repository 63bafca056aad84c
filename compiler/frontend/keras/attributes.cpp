// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/attributes.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

bool isForTraining(std::string_view name) {
    return name.ends_with("_initializer") || name.ends_with("_regularizer") || name.ends_with("_constraint") ||
           name == "trainable" || name == "name";
}

/// The lists of numbers that stand in lists, such as [[1, 0], [2, 1]], one after the other; false if it holds anything
/// else.
template <class T>
bool flattened(const Json& list, std::vector<T>& into) {
    return std::ranges::all_of(list, [&](const Json& one) {
        if (one.is_array())
            return flattened(one, into);
        if (!one.is_number() || (std::is_integral_v<T> && !integer<int64_t>(one)))
            return false;
        into.push_back(one.get<T>());
        return true;
    });
}

void addList(const std::string& name, const Json& list, std::vector<model::Attribute>& into) {
    if (std::vector<int64_t> ints; flattened(list, ints)) {
        into.push_back({name, std::move(ints)});
        return;
    }
    if (std::vector<double> reals; flattened(list, reals)) {
        into.push_back({name, std::move(reals)});
        return;
    }
    into.push_back({name + ".size", static_cast<int64_t>(list.size())});
    for (size_t i = 0; i < list.size(); ++i)
        addAttribute(fmt::format("{}.{}", name, i), list[i], into);
}

void addMembers(const std::string& prefix, const Json& object, std::vector<model::Attribute>& into) {
    for (const auto& [name, value] : object.items()) {
        if (name == "dtype")
            into.push_back({prefix + name, dtypeOf(object)});
        else if (!isForTraining(name))
            addAttribute(prefix + name, value, into);
    }
}

} // namespace

void addAttribute(const std::string& name, const Json& json, std::vector<model::Attribute>& into) {
    if (json.is_boolean())
        into.push_back({name, int64_t{json.get<bool>()}});
    else if (const auto number = integer<int64_t>(json))
        into.push_back({name, *number});
    else if (json.is_number())
        into.push_back({name, json.get<double>()});
    else if (json.is_string())
        into.push_back({name, json.get<std::string>()});
    else if (json.is_array())
        addList(name, json, into);
    else if (json.is_object() && json.contains("class_name") && classOf(json) == "function")
        into.push_back({name, textOf(json, "config")}); // a function that is registered under the name
    else if (json.is_object() && !classOf(json).empty()) {
        into.push_back({name, classOf(json)});
        if (configOf(json).is_object())
            addMembers(name + ".", configOf(json), into);
    } else if (json.is_object()) {
        addMembers(name + ".", json, into);
    }
}

std::vector<model::Attribute> attributesOf(const Json& config, std::initializer_list<std::string_view> without) {
    std::vector<model::Attribute> attributes;
    if (!config.is_object())
        return attributes;
    for (const auto& [name, value] : config.items()) {
        if (isForTraining(name) || std::ranges::find(without, name) != without.end())
            continue;
        if (name == "dtype")
            attributes.push_back({name, dtypeOf(config)});
        else
            addAttribute(name, value, attributes);
    }
    return attributes;
}

int64_t bytesOf(const std::vector<model::Attribute>& attributes) {
    size_t bytes = 0;
    for (const model::Attribute& attribute : attributes) {
        bytes += sizeof(attribute) + attribute.name.size();
        if (const auto* text = std::get_if<std::string>(&attribute.value))
            bytes += text->size();
        else if (const auto* ints = std::get_if<std::vector<int64_t>>(&attribute.value))
            bytes += ints->size() * sizeof(int64_t);
        else if (const auto* reals = std::get_if<std::vector<double>>(&attribute.value))
            bytes += reals->size() * sizeof(double);
    }
    return static_cast<int64_t>(bytes);
}

std::string dtypeOf(const Json& config) {
    const Json& dtype = memberOf(config, "dtype");
    return dtype.is_string() ? dtype.get<std::string>() : textOf(configOf(dtype), "name");
}

} // namespace lathe::frontend::keras
