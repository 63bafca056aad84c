// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unknown_word.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace lathe::cli {
namespace {

/// How many characters are to be put in, taken out, replaced or swapped with their neighbour (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> least(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least[i][j] = i + j;
                continue;
            }
            const size_t other = a[i - 1] != b[j - 1];
            least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + other});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
        }
    return least[a.size()][b.size()];
}

/// ": did you mean 'x'?", or nothing where no name is near.
std::string meant(std::string_view word, const std::vector<std::string>& names) {
    const auto nearest = std::ranges::min_element(names, {}, [&](const auto& name) { return distance(word, name); });
    if (nearest == names.end() || distance(word, *nearest) > std::max<size_t>(1, word.size() / 3))
        return "";
    return fmt::format(": did you mean '{}'?", *nearest);
}

std::vector<std::string> commandsOf(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* each : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
        names.push_back(each->get_name());
    return names;
}

std::vector<std::string> optionsOf(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options({}))
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

} // namespace

std::string unknownWord(const CLI::App& app, std::span<char* const> words) {
    const CLI::App* command = &app;
    std::string called = app.get_name().empty() ? "lathe" : app.get_name();
    for (const std::string_view word : words) {
        if (word == "--")
            break;
        if (word.starts_with("--")) {
            const std::string name(word.substr(0, word.find('=')));
            const auto known = optionsOf(*command);
            if (std::ranges::find(known, name) == known.end())
                return fmt::format("'{}' has no option '{}'{}", called, name, meant(name, known));
        } else if (!word.starts_with('-')) {
            const auto known = commandsOf(*command);
            if (std::ranges::find(known, word) != known.end()) {
                command = command->get_subcommand(std::string(word));
                called += ' ' + std::string(word);
            } else if (command->get_require_subcommand_min() > 0) {
                return fmt::format("'{}' has no command '{}'{}", called, word, meant(word, known));
            }
        }
    }
    return "";
}

} // namespace lathe::cli
