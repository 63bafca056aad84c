// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unknown_word.h"

#include "base/near_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lathe::cli {
namespace {

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
            return fmt::format("'{}' has no option '{}'{}", called_, name, nearName(name, optionsOf(*command_)));
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
        const std::string suggestion = nearName(word, known);
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
