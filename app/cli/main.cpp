// SPDX-License-Identifier: Apache-2.0
//
// The command line `lathe`: the same driver as the workbench, with no Qt. The table of its commands, each of which adds its
// own options; arguments are read here and nowhere else.
#include "app/cli/command_texts.h"
#include "app/cli/commands.h"
#include "app/cli/unknown_word.h"
#include "base/file_size_limit.h"
#include "base/guarded.h"
#include "base/standard_streams.h"
#include "base/version.h"
#include "tuning/build_worker.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace {

using namespace lathe::cli;

/// A command that was added to the parser: what it does once the arguments are read.
struct Added {
    CLI::App* app;
    std::function<int()> run;
    std::function<bool()> answersByOne; // its exit code 1 is an answer, so what prevents it is at least 2
};

/// A row of the table: `add` adds the options of the command to one of the parser that has its name and help.
struct Command {
    const char* name;
    const char* help; // empty: of the program's own, which nobody is told of
    std::function<Added(CLI::App&, Common&)> add;
};

template <class Args>
bool never(const Args&) {
    return false;
}
template <class Args>
bool always(const Args&) {
    return true;
}

/// The arguments are the command's own: no other one can write or read them.
template <class Args>
Command row(const char* name, const char* help, void (*add)(CLI::App&, Args&, Common&),
            int (*run)(const Args&, const Common&), bool (*answersByOne)(const Args&) = never<Args>) {
    return {name, help, [=](CLI::App& app, Common& common) {
                const auto args = std::make_shared<Args>();
                add(app, *args, common);
                return Added{&app, [=, &common] { return run(*args, common); }, [=] { return answersByOne(*args); }};
            }};
}

/// Of a child of the program, which takes no options.
Command worker(const char* name, int (*run)(const Common&)) {
    return {name, "", [=](CLI::App& app, Common& common) {
                return Added{&app, [=, &common] { return run(common); }, [] { return false; }};
            }};
}

/// In the order in which help and manual name them.
std::vector<Command> commands() {
    return {
        row("compile", "compile a model to an artifact", addCompileOptions, compileCommand),
        row("inspect", "inputs, outputs, operators, costs, and what is not supported", addInspectOptions,
            inspectCommand),
        row("target", "what is compiled for, and what this machine can do", addTargetOptions, targetCommand),
        row("passes", "what every pass did", addPassesOptions, passesCommand),
        row("bisect", "which pass makes outputs wrong, a crash, or code slow (exit code 4 if none is to blame)",
            addBisectOptions, bisectCommand),
        row("check", "every intermediate value against the unoptimized computation (exit code 1 if one diverges)",
            addCheckOptions, checkCommand, always),
        row("diff", "how two models or projects, or two artifacts, differ (exit code 1 if they do)", addDiffOptions,
            diffCommand, always),
        row("run", "run a model or an artifact once", addRunOptions, runCommand),
        row("profile", "time a model by fused function", addProfileOptions, profileCommand),
        row("report", "all that is known of a model, in one HTML page", addReportOptions, reportCommand),
        row("tune", "look for faster schedules of a model's kernels, on this machine or a device", addTuneOptions,
            tuneCommand),
        row(
            "records", "what is recorded of tuning", addRecordsOptions, recordsCommand,
            +[](const RecordsArgs& args) { return args.what == RecordsArgs::Do::Verify; }),
        row(
            "bundle", "a model with all that it needs on another machine", addBundleOptions, bundleCommand,
            +[](const BundleArgs& args) { return args.what != BundleArgs::Do::Make; }),
        row(
            "devices", "machines and emulators that have names for --device", addDevicesOptions, devicesCommand,
            +[](const DevicesArgs& args) { return args.what == DevicesArgs::Do::Test; }),
        row("plugin", "what adds operators, and whether it is on", addPluginOptions, pluginCommand),
        row("bench", "medians of alternating rounds", addBenchOptions, benchCommand),
        row("test", "run the tests of models found below paths (exit code 1 if one is not right)", addTestOptions,
            testCommand, always),
        row("help", "what a command does and takes", addHelpOptions, helpCommand),
        row("version", "which Lathe this is", addVersionOptions, versionCommand),
        worker("test-worker", testWorkerCommand),
        worker("build-worker", [](const Common&) { return lathe::tuning::serveBuilds(); }),
    };
}

std::vector<Added> addCommands(CLI::App& app, Common& common) {
    std::vector<Added> all;
    for (const Command& each : commands()) {
        CLI::App* command = app.add_subcommand(each.name, each.help);
        if (!*each.help)
            command->group("");
        all.push_back(each.add(*command, common));
    }
    return all;
}

/// An empty value is a script's variable that is not set, and no wish: it would count as an option that is not given.
void refuseEmptyValues(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
        for (const std::string& value : option->results())
            if (value.empty())
                throw CLI::ValidationError(option->get_name(), "its value is empty");
    for (const CLI::App* command : app.get_subcommands())
        refuseEmptyValues(*command);
}

/// Likewise "--option=", which would have the next argument for its value.
void refuseEmptyValues(std::span<char*> arguments) {
    for (const std::string_view argument : arguments)
        if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
            throw CLI::ValidationError(std::string(argument.substr(0, argument.size() - 1)), "its value is empty");
}

/// What is given to a command means nothing where one within it is called, unless that takes the same.
void refuseOptionsOfOuter(const CLI::App& outer) {
    for (const CLI::App* inner : outer.get_subcommands()) {
        for (const CLI::Option* option : outer.get_options())
            if (option->count() > 0 && !inner->get_option_no_throw(option->get_name()))
                throw CLI::ValidationError(option->get_name(),
                                           fmt::format("it does nothing for '{}': leave it out", inner->get_name()));
        refuseOptionsOfOuter(*inner);
    }
}

/// Options that print a text made of all commands, and end.
void addTexts(CLI::App& app) {
    const auto print = [](const std::string& option, const std::string& text, const std::string& value) {
        if (text.empty())
            throw CLI::ValidationError(option, "'" + value + "' is none of them");
        std::fwrite(text.data(), 1, text.size(), stdout);
        throw CLI::Success();
    };
    const auto completes = [&app, print](const std::string& shell) {
        print("--completion", completion(app, shell), shell);
    };
    app.add_option_function<std::string>("--completion", completes,
                                         "print a script that completes commands in this shell: bash, zsh or fish")
        ->trigger_on_parse();
    const auto pages = [&app, print](const std::string& command) {
        print("--man", manPage(app, command == "lathe" ? "" : command, lathe::base::version()), command);
    };
    app.add_option_function<std::string>("--man", pages, "print the manual page of this command; lathe: of all")
        ->trigger_on_parse();
}

/// failed: becomes the least exit code of what prevents the command, where 1 is an answer of it.
int run(int argc, char** argv, const std::vector<std::string>& words, const Common& printing, int& failed) {
    CLI::App app{"Lathe: see, tune and deploy models"};
    app.footer("Exit codes: 0 good, 1 the input's fault or a file that cannot be written, 2 wrong usage, 3 a fault of\n"
               "Lathe. Where 1 is an answer of a command, as its help says, what prevents the answer is 2 or 3.");
    app.set_version_flag("--version", std::string(lathe::base::version()));
    addTexts(app);
    app.require_subcommand(1);
    Common common;
    const std::vector<Added> all = addCommands(app, common);
    try {
        refuseEmptyValues(std::span(argv, static_cast<size_t>(argc)));
        app.parse(argc, argv);
        refuseEmptyValues(app);
        refuseOptionsOfOuter(app);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error);
        return lathe::cli::report({usageFault(app, words, error.what())}, printing);
    }
    const auto named = std::ranges::find_if(all, [](const Added& each) { return bool(*each.app); });
    LATHE_ASSERT(named != all.end(), "the parser asks for a command");
    if (named->answersByOne())
        failed = 2;
    return named->run();
}

} // namespace

int main(int argc, char** argv) {
    lathe::reserveStandardStreams();
    lathe::failBeyondFileSizeLimit();
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    Common printing; // of what is said before the arguments are read, and after the command has ended
    printing.json = std::ranges::find(words, "--json") != words.end();
    int failed = 1;
    auto code = lathe::guarded([&]() -> lathe::Result<int> { return run(argc, argv, words, printing, failed); });
    const int before = code.value_or(0);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // which printing has perhaps thrown for
        code = lathe::failure(fmt::format("standard output cannot be written: {}", std::strerror(errno)),
                              "free space where it goes");
    return code ? *code : std::max({before, failed, report({code.error()}, printing)});
}
