// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/user_names.h"

#include "frontend/torch/json_reader.h"
#include "frontend/torch/tree_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lathe::frontend::torch {

using nlohmann::json;

void nameForUser(const json& calls, Program& program) {
    const JsonReader reader;
    const json& first = calls.is_array() && !calls.empty() ? calls.front() : calls;
    const json& function = reader.optional(first, "signature");
    const auto layoutOf = [&](const char* key) {
        const json& layout = reader.optional(function, key);
        return layout.is_string() ? layout.get<std::string>() : std::string();
    };
    std::vector<std::string> arguments;
    if (const json& given = reader.optional(function, "forward_arg_names"); given.is_array())
        for (const json& one : given)
            arguments.push_back(one.is_string() ? one.get<std::string>() : std::string());
    const std::optional<std::vector<std::string>> all = argumentNames(layoutOf("in_spec"), arguments);
    const auto ofUser = [](const InputSpec& spec) {
        return spec.kind == InputSpec::Kind::User || spec.kind == InputSpec::Kind::Value;
    };
    const auto count = static_cast<size_t>(std::ranges::count_if(program.inputs, ofUser));
    size_t place = 0;
    for (const InputSpec& spec : program.inputs) {
        const size_t at = ofUser(spec) ? place++ : 0;
        if (spec.kind == InputSpec::Kind::User)
            program.inputNames.push_back(all && all->size() == count ? (*all)[at] : spec.name);
    }
    std::set<std::string> distinct(program.inputNames.begin(), program.inputNames.end());
    if (distinct.size() != program.inputNames.size() || distinct.contains("")) {
        program.inputNames.clear();
        for (const InputSpec& spec : program.inputs)
            if (spec.kind == InputSpec::Kind::User)
                program.inputNames.push_back(spec.name);
    }
    const auto results =
        static_cast<size_t>(std::ranges::count(program.outputs, OutputSpec::Kind::User, &OutputSpec::kind));
    std::optional<std::vector<std::string>> found = resultNames(layoutOf("out_spec"));
    if (!found || found->size() != results) {
        found.emplace();
        for (size_t i = 0; i < results; ++i)
            found->push_back(results == 1 ? "out" : fmt::format("out.{}", i));
    }
    program.outputNames = *std::move(found);
}

} // namespace lathe::frontend::torch
