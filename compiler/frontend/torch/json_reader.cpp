// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/json_reader.h"

#include <fmt/format.h>

#include <limits>

namespace lathe::frontend::torch {
namespace {

const nlohmann::json nothing, noArray = nlohmann::json::array(), noObject = nlohmann::json::object();

} // namespace

const nlohmann::json& JsonReader::field(const nlohmann::json& object, const char* key) {
    const nlohmann::json& found = optional(object, key);
    if (found.is_null())
        fail(fmt::format("the program has no field '{}' where one is expected", key));
    return found;
}

const nlohmann::json& JsonReader::optional(const nlohmann::json& object, const char* key) const {
    if (!object.is_object())
        return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

const nlohmann::json& JsonReader::array(const nlohmann::json& value, const char* what) {
    if (value.is_array())
        return value;
    fail(fmt::format("{} of the program is no list", what));
    return noArray;
}

const nlohmann::json& JsonReader::object(const nlohmann::json& value, const char* what) {
    if (value.is_object())
        return value;
    fail(fmt::format("{} of the program has no fields", what));
    return noObject;
}

std::string JsonReader::text(const nlohmann::json& value, const char* what) {
    if (value.is_string())
        return value.get<std::string>();
    fail(fmt::format("{} of the program is no text", what));
    return {};
}

int64_t JsonReader::number(const nlohmann::json& value, const char* what) {
    if (const std::optional<int64_t> number = integer<int64_t>(value))
        return *number;
    fail(fmt::format("{} of the program is no integer of 64 bits", what));
    return 0;
}

bool JsonReader::flag(const nlohmann::json& value, const char* what) {
    if (value.is_boolean())
        return value.get<bool>();
    fail(fmt::format("{} of the program is neither true nor false", what));
    return false;
}

double JsonReader::real(const nlohmann::json& value) {
    if (value.is_number())
        return value.get<double>();
    const std::string name = text(value, "a number");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (name == "Infinity")
        return infinity;
    if (name == "-Infinity")
        return -infinity;
    if (name != "NaN")
        fail(fmt::format("'{}' stands in the program for a number", name));
    return std::numeric_limits<double>::quiet_NaN();
}

std::pair<std::string_view, const nlohmann::json*> JsonReader::member(const nlohmann::json& value, const char* what) {
    if (value.is_object() && value.size() == 1) {
        const auto only = value.begin();
        return {only.key(), &only.value()};
    }
    fail(fmt::format("{} of the program is not one of its kinds", what));
    return {"", &nothing};
}

} // namespace lathe::frontend::torch
