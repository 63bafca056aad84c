// SPDX-License-Identifier: Apache-2.0
//
// `lathe help` and `lathe version`: the same as --help and --version, of which people try one or the other.
#include "app/cli/command_texts.h"
#include "app/cli/common_options.h"
#include "app/cli/print_line.h"
#include "app/cli/unknown_word.h"
#include "base/json.h"
#include "base/version.h"

#include <fmt/format.h>

namespace lathe::cli {

void addHelpOptions(CLI::App& app, HelpArgs& args, Common&) {
    args.program = app.get_parent();
    app.add_option("command", args.command, "a command, or one of another, such as bundle check");
}

int helpCommand(const HelpArgs& args, const Common& common) {
    const auto named = commandNamed(*args.program, args.command);
    if (!named)
        return report({named.error()}, common);
    fmt::print("{}", args.program->get_formatter()->make_help(*named, calledAs(**named), CLI::AppFormatMode::Normal));
    return 0;
}

void addVersionOptions(CLI::App& app, VersionArgs&, Common& common) {
    addPrinting(app, common);
}

int versionCommand(const VersionArgs&, const Common& common) {
    if (common.json)
        fmt::print("{}\n", dump({{"version", base::version()}}));
    else
        printLine("{}", base::version());
    return 0;
}

} // namespace lathe::cli
