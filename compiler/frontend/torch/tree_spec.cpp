// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/tree_spec.h"

#include "base/json.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using nlohmann::json;

/// The layout behind its version: "[1, {…}]".
std::optional<json> parsedLayout(std::string_view layout) {
    std::optional<json> all = parseJson(layout);
    if (!all || !all->is_array() || all->size() != 2 || (*all)[0] != 1)
        return std::nullopt;
    return std::move((*all)[1]);
}

const json* childrenOf(const json& node) {
    const auto children = node.is_object() ? node.find("children_spec") : node.end();
    return node.is_object() && children != node.end() && children->is_array() ? &*children : nullptr;
}

std::string layoutText(const json& node, const char* key) {
    const auto found = node.find(key);
    return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string keyName(const json& key) {
    return key.is_string() ? key.get<std::string>() : dump(key);
}

/// Adds the names of what lies below a node; false if it is of a kind that is not known. As deep as JSON may be.
bool collectNames(const json& node, const std::string& name, std::vector<std::string>& names) {
    const json* children = childrenOf(node);
    if (!children || !node.contains("type"))
        return false;
    const std::string type = layoutText(node, "type");
    if (node["type"].is_null()) {
        names.push_back(name);
        return children->empty();
    }
    const bool isDict = type == "builtins.dict" || type == "collections.OrderedDict";
    const std::optional<json> keys = isDict ? parseJson(layoutText(node, "context")) : std::nullopt;
    if (isDict && (!keys || !keys->is_array() || keys->size() != children->size()))
        return false;
    for (size_t i = 0; i < children->size(); ++i)
        if (!collectNames((*children)[i], fmt::format("{}.{}", name, isDict ? keyName((*keys)[i]) : std::to_string(i)),
                          names))
            return false;
    return true;
}

} // namespace

std::optional<std::vector<std::string>> resultNames(std::string_view layout) {
    const std::optional<json> root = parsedLayout(layout);
    std::vector<std::string> names;
    return root && collectNames(*root, "out", names) ? std::optional(std::move(names)) : std::nullopt;
}

std::optional<std::vector<std::string>> argumentNames(std::string_view layout,
                                                      const std::vector<std::string>& arguments) {
    const std::optional<json> root = parsedLayout(layout); // of a tuple of arguments and a dict of keyword arguments
    const json* both = root ? childrenOf(*root) : nullptr;
    if (!both || both->size() != 2)
        return std::nullopt;
    std::vector<std::string> names;
    size_t argument = 0;
    for (const json& part : *both) {
        const json* children = childrenOf(part);
        if (!children || argument + children->size() > arguments.size())
            return std::nullopt;
        for (const json& child : *children)
            if (!collectNames(child, arguments[argument++], names))
                return std::nullopt;
    }
    return names;
}

} // namespace lathe::frontend::torch
