// SPDX-License-Identifier: Apache-2.0
//
// Decisions as JSON: {"skip":["fuse"],"optional_limit":12,"pins":{"WORKLOAD":{"rows":6}}}. Unknown keys are errors: a
// misspelt decision would silently not apply.
#include "driver/compile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lathe::driver {

Result<Decisions> parseDecisions(std::string_view text) {
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return failure("decisions are not a JSON object", R"(for example {"skip":["fuse"]})");
    Decisions decisions;
    for (const auto& [key, value] : json.items()) {
        if (key == "skip" && value.is_array()) {
            for (const auto& pass : value) {
                const auto& all = optionalPasses();
                if (!pass.is_string() || std::find(all.begin(), all.end(), pass.get<std::string>()) == all.end())
                    return failure(fmt::format("'{}' is no optional pass", pass.dump()),
                                   fmt::format("optional passes: {}", fmt::join(all, ", ")));
                decisions.skipPasses.insert(pass.get<std::string>());
            }
        } else if (key == "optional_limit" && value.is_number_integer()) {
            decisions.optionalLimit = value.get<int>();
        } else if (key == "pins" && value.is_object()) {
            for (const auto& [workload, pins] : value.items()) {
                if (!pins.is_object())
                    return failure(fmt::format("pins of '{}' are not an object", workload));
                for (const auto& [name, choice] : pins.items()) {
                    if (!choice.is_number_integer())
                        return failure(fmt::format("pin '{}' is not an integer", name));
                    decisions.pins[workload][name] = choice.get<int64_t>();
                }
            }
        } else {
            return failure(fmt::format("unknown or malformed decision '{}'", key), "known: skip, optional_limit, pins");
        }
    }
    return decisions;
}

std::string toJson(const Decisions& decisions) {
    nlohmann::json json = nlohmann::json::object();
    if (!decisions.skipPasses.empty())
        json["skip"] = decisions.skipPasses;
    if (decisions.optionalLimit >= 0)
        json["optional_limit"] = decisions.optionalLimit;
    for (const auto& [workload, pins] : decisions.pins)
        json["pins"][workload] = pins;
    return json.dump();
}

} // namespace lathe::driver
