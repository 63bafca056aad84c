// SPDX-License-Identifier: Apache-2.0
#include "deploy/bundle_plan.h"

#include <algorithm>
#include <ranges>

namespace lathe::deploy {
namespace {

bool isLower(char c) {
    return c >= 'a' && c <= 'z';
}
bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// What files and CMake targets beside those of the model are called, beside names of the runtime.
constexpr std::string_view taken[] = {"abi", "dlpack", "lathe", "linked_model", "runtime", "runtime_static"};

bool isTaken(std::string_view name) {
    return name.starts_with("lathe_") || std::ranges::find(taken, name) != std::end(taken);
}

} // namespace

std::string_view toString(FileKind kind) {
    constexpr std::string_view names[] = {"artifact", "source", "runtime",  "header",  "python", "example",  "build",
                                          "golden",   "check",  "document", "licence", "sbom",   "reproduce"};
    return names[static_cast<size_t>(kind)];
}

bool isBundlePath(std::string_view path) {
    constexpr size_t longest = 200, deepest = 16;
    if (path.empty() || path.size() > longest)
        return false;
    size_t parts = 0;
    for (const auto part : std::views::split(path, '/')) {
        const std::string_view name(part.begin(), part.end());
        if (name.empty() || name == "." || name == ".." || ++parts > deepest)
            return false;
        if (!std::ranges::all_of(name, [](char c) {
                return isLower(c) || isDigit(c) || (c >= 'A' && c <= 'Z') ||
                       std::string_view("._+-%").find(c) != std::string_view::npos;
            }))
            return false;
    }
    return true;
}

bool isModelName(std::string_view name) {
    return !name.empty() && name.size() <= 64 && !isDigit(name.front()) && !isTaken(name) &&
           std::ranges::all_of(name, [](char c) { return isLower(c) || isDigit(c) || c == '_'; });
}

std::string modelNameOf(const std::filesystem::path& model) {
    std::string name;
    for (char c :
         (model.has_filename() ? model : model.parent_path()).stem().string()) { // a folder may end with a slash
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        if (isLower(c) || isDigit(c))
            name += c;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (name.ends_with('_'))
        name.pop_back();
    if (name.empty() || isDigit(name.front()) || isTaken(name))
        name = "model" + (name.empty() ? name : "_" + name);
    name.resize(std::min<size_t>(name.size(), 64));
    return name;
}

} // namespace lathe::deploy
