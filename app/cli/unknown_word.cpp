// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unknown_word.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

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

/// Goes along the words, from command to command.
class Walk {
public:
    explicit Walk(const CLI::App& app) : command_(&app) {}

    const CLI::App& command() const { return *command_; }
    const std::string& called() const { return called_; }

    /// What is wrong with the next word; nothing if it is known, a value, or a name of a file.
    std::string take(const std::string& word) {
        if (std::exchange(isValue_, false))
            return "";
        return word.size() > 1 && word.starts_with('-') ? takeOption(word) : takeCommand(word);
    }

private:
    std::string takeOption(const std::string& word) {
        const bool isLong = word.starts_with("--");
        const std::string name = isLong ? word.substr(0, word.find('=')) : word.substr(0, 2);
        const CLI::Option* option = command_->get_option_no_throw(name);
        if (!option)
            return fmt::format("'{}' has no option '{}'{}", called_, name, meant(name, optionsOf(*command_)));
        isValue_ = option->get_items_expected_max() > 0 && word.size() == name.size();
        return "";
    }

    std::string takeCommand(const std::string& word) {
        const std::vector<std::string> known = commandsOf(*command_);
        if (std::ranges::find(known, word) != known.end()) {
            command_ = command_->get_subcommand(word);
            called_ += ' ' + word;
            return "";
        }
        const std::string suggestion = meant(word, known);
        const bool takesFiles = std::ranges::any_of(command_->get_options({}), &CLI::Option::get_positional);
        if (known.empty() || (takesFiles && suggestion.empty()))
            return "";
        return fmt::format("'{}' has no command '{}'{}", called_, word, suggestion);
    }

    const CLI::App* command_;
    std::string called_ = "lathe";
    bool isValue_ = false; // the next word is the value of an option
};

Diagnostic faultAt(const Walk& walk, std::string what) {
    return error(ErrorKind::Usage, std::move(what), fmt::format("{} --help says what there is", walk.called()));
}

} // namespace

Diagnostic usageFault(const CLI::App& app, const std::vector<std::string>& words, const std::string& parserSaid) {
    Walk walk(app);
    for (const std::string& word : words) {
        if (word == "--")
            break;
        if (std::string wrong = walk.take(word); !wrong.empty())
            return faultAt(walk, std::move(wrong));
    }
    return faultAt(walk, parserSaid);
}

Result<const CLI::App*> commandNamed(const CLI::App& app, const std::vector<std::string>& words) {
    Walk walk(app);
    for (const std::string& word : words) {
        const CLI::App* before = &walk.command();
        if (std::string wrong = walk.take(word); !wrong.empty())
            return Failure(faultAt(walk, std::move(wrong)));
        if (&walk.command() == before)
            return Failure(faultAt(walk, fmt::format("'{}' has no command '{}'", walk.called(), word)));
    }
    return &walk.command();
}

} // namespace lathe::cli
