// SPDX-License-Identifier: Apache-2.0
#include "project/graph_choice.h"

#include "base/json.h"
#include "driver/option_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace lathe::project {

namespace {

using Words = std::vector<std::string>;

constexpr auto lists = std::to_array<std::pair<const char*, Words GraphChoice::*>>({
    {"inputs", &GraphChoice::inputs},
    {"outputs", &GraphChoice::outputs},
    {"shapes", &GraphChoice::shapes},
    {"types", &GraphChoice::types},
    {"arguments", &GraphChoice::arguments},
});

/// False: it is no entry of a choice.
bool takes(GraphChoice& choice, const std::string& key, const nlohmann::json& value) {
    if (key == "signature" && value.is_string()) {
        choice.signature = value.get<std::string>();
        return true;
    }
    const auto list = std::ranges::find(lists, key, [](const auto& each) { return std::string_view(each.first); });
    if (list == lists.end() || !value.is_array() ||
        !std::ranges::all_of(value, [](const nlohmann::json& word) { return word.is_string(); }))
        return false;
    choice.*list->second = value.get<Words>();
    return true;
}

} // namespace

Result<void> GraphChoice::addTo(driver::Options& options) const {
    if (!signature.empty())
        options.signature = signature;
    if (isPart())
        options.cut = {.inputs = inputs, .outputs = outputs};
    for (const std::string& word : shapes)
        LATHE_CHECKED(driver::addShape(word, options));
    for (const std::string& word : types)
        LATHE_CHECKED(driver::addType(word, options));
    for (const std::string& word : arguments)
        LATHE_CHECKED(driver::addArgument(word, options));
    return {};
}

std::string GraphChoice::toJson() const {
    nlohmann::json object = nlohmann::json::object();
    if (!signature.empty())
        object["signature"] = signature;
    for (const auto& [key, list] : lists)
        if (!(this->*list).empty())
            object[key] = this->*list;
    return dump(object);
}

Result<GraphChoice> GraphChoice::fromJson(std::string_view text) {
    const auto json = parseJson(text);
    if (!json || !json->is_object())
        return failure("the choice of a graph is no object of JSON");
    GraphChoice choice;
    for (const auto& [key, value] : json->items())
        if (!takes(choice, key, value))
            return failure(fmt::format("a choice of a graph has no {} {}", key, dump(value)));
    driver::Options options;
    LATHE_CHECKED(choice.addTo(options));
    return choice;
}

} // namespace lathe::project
