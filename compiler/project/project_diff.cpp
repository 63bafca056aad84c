// SPDX-License-Identifier: Apache-2.0
#include "project/project_diff.h"

#include "base/json.h"

#include <fmt/format.h>

namespace lathe::project {
namespace {

using nlohmann::json;
using Rows = std::map<std::string, std::string>;

std::string textOf(const json& value) {
    return value.is_string() ? value.get<std::string>() : dump(value);
}

/// What stands under each name. The elements of a list are names: one more in it is one difference.
Rows rowsOf(std::string_view text) {
    Rows rows;
    const auto parsed = parseJson(text);
    if (!parsed || !parsed->is_object()) {
        if (!text.empty())
            rows["that cannot be read"] = text;
        return rows;
    }
    const json& object = *parsed;
    for (const auto& [key, value] : object.items()) {
        if (value.is_array())
            for (const json& element : value)
                rows[key + " " + textOf(element)] = "yes";
        else if (value.is_object())
            for (const auto& [name, inner] : value.items())
                rows[key + " " + name] = textOf(inner);
        else
            rows[key] = textOf(value);
    }
    return rows;
}

void compare(std::string_view what, const Rows& before, const Rows& after, std::vector<ProjectChange>& changes) {
    Rows names = before;
    names.insert(after.begin(), after.end());
    for (const auto& [name, unused] : names) {
        const auto from = before.find(name), to = after.find(name);
        const std::string was = from == before.end() ? "" : from->second, is = to == after.end() ? "" : to->second;
        if (was != is)
            changes.push_back({what, name, was, is});
    }
}

Rows decisionsOf(const Project& project) {
    const auto unread = project.kept.find(unreadDecisions);
    return rowsOf(unread == project.kept.end() ? driver::toJson(project.decisions) : unread->second);
}

Rows settingsOf(const Project& project) {
    const auto kept = project.kept.find(settingsKey);
    return kept == project.kept.end() ? Rows() : rowsOf(kept->second);
}

/// Empty: nothing is known of them.
std::string contentsOf(const ModelReference& model) {
    return model.hash.empty() ? std::string() : fmt::format("{} bytes, hash {}", model.bytes, model.hash);
}

} // namespace

std::vector<ProjectChange> diffProjects(const Project& before, const Project& after) {
    std::vector<ProjectChange> changes;
    compare("decision", decisionsOf(before), decisionsOf(after), changes);
    compare("setting", settingsOf(before), settingsOf(after), changes);
    const std::string was = contentsOf(before.model), is = contentsOf(after.model);
    if (was != is && !was.empty() && !is.empty())
        changes.push_back({"model", "contents", was, is});
    return changes;
}

} // namespace lathe::project
