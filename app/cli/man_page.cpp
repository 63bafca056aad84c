// SPDX-License-Identifier: Apache-2.0
//
// Manual pages: roff, as man(7) of groff describes it. Text that begins with a dot or an apostrophe would be a request, a
// backslash an escape, and a plain minus a hyphen that cannot be searched for or copied.
#include "app/cli/command_texts.h"
#include "app/cli/page_texts.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace lathe::cli {
namespace {

std::string escaped(std::string_view text) {
    std::string out;
    bool atStart = true;
    for (const char c : text) {
        if (atStart && (c == '.' || c == '\''))
            out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        atStart = c == '\n';
    }
    return out;
}

std::string dashed(std::string name) {
    std::ranges::replace(name, ' ', '-');
    return name;
}

/// "-o,--output" with its value, in bold and italics.
std::string nameOf(const CLI::Option& option) {
    std::string names;
    for (const std::string& name : option.get_snames())
        names += fmt::format("{}\\fB\\-{}\\fR", names.empty() ? "" : ", ", escaped(name));
    for (const std::string& name : option.get_lnames())
        names += fmt::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", escaped(name));
    if (names.empty())
        return fmt::format("\\fI{}\\fR", escaped(option.get_name()));
    return option.get_items_expected_max() == 0 ? names : names + " \\fIVALUE\\fR";
}

std::string synopsis(const CLI::App& command) {
    std::string text = fmt::format(".B {}\n[\\fIOPTIONS\\fR]", escaped(calledAs(command)));
    if (!command.get_subcommands(nullptr).empty())
        return text + " \\fICOMMAND\\fR …\n";
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional())
            text += fmt::format(" \\fI{}\\fR{}", escaped(option->get_name()),
                                option->get_items_expected_max() > 1 ? " …" : "");
    return text + "\n";
}

/// What follows the name of a command in its page: of an inner command that of the one around it.
const PageText* textOf(const CLI::App& command) {
    const CLI::App* outer = &command;
    while (outer->get_parent() && outer->get_parent()->get_parent())
        outer = outer->get_parent();
    return pageTextOf(outer->get_parent() ? outer->get_name() : "");
}

std::string examplesOf(std::string_view lines) {
    std::string text = ".SH EXAMPLES\n.nf\n";
    text += escaped(lines);
    return text + ".fi\n";
}

std::string termsOf(std::string_view title, std::span<const PageTerm> terms) {
    std::string text = fmt::format(".SH {}\n", title);
    for (const PageTerm& term : terms)
        text += fmt::format(".TP\n.B {}\n{}\n", escaped(term.term), escaped(term.text));
    return text;
}

/// The command around it and those beside it; of the program all of them.
std::string seeAlso(const CLI::App& command) {
    const CLI::App* around = command.get_parent();
    std::string text;
    const auto add = [&](const CLI::App& other) {
        text += fmt::format("{}.BR {} (1)", text.empty() ? "" : " ,\n", dashed(calledAs(other)));
    };
    if (around)
        add(*around);
    for (const CLI::App* other : (around ? around : &command)->get_subcommands(nullptr))
        if (other != &command && !other->get_group().empty())
            add(*other);
    return ".SH SEE ALSO\n" + text + "\n";
}

std::string page(const CLI::App& command, const CLI::App& program, std::string_view version) {
    const std::string called = calledAs(command);
    std::string text = fmt::format(".TH {} 1 \"\" \"Lathe {}\" \"Lathe\"\n", dashed(called), version);
    text += fmt::format(".SH NAME\n{} \\- {}\n", dashed(called), escaped(command.get_description()));
    text += ".SH SYNOPSIS\n" + synopsis(command);
    const PageText* more = textOf(command);
    if (more)
        text += fmt::format(".SH DESCRIPTION\n{}\n", escaped(more->description));
    std::string options;
    for (const CLI::Option* option : command.get_options())
        if (!option->get_group().empty())
            options += fmt::format(".TP\n{}\n{}\n", nameOf(*option), escaped(option->get_description()));
    if (!options.empty())
        text += ".SH OPTIONS\n" + options;
    std::string commands;
    for (const CLI::App* inner : command.get_subcommands(nullptr))
        if (!inner->get_group().empty())
            commands +=
                fmt::format(".TP\n.BR {} (1)\n{}\n", dashed(calledAs(*inner)), escaped(inner->get_description()));
    if (!commands.empty())
        text += ".SH COMMANDS\n" + commands;
    text += fmt::format(".SH EXIT STATUS\n{}\n", escaped(program.get_footer()));
    text += termsOf("ENVIRONMENT", environmentTerms()) + termsOf("FILES", fileTerms());
    if (more)
        text += examplesOf(more->examples);
    return text + seeAlso(command);
}

/// Spaces lead inwards.
const CLI::App* find(const CLI::App& from, std::string_view name) {
    if (name.empty())
        return &from;
    for (const CLI::App* inner : from.get_subcommands(nullptr)) {
        const std::string& own = inner->get_name();
        if (name == own)
            return inner;
        if (name.starts_with(own + " "))
            return find(*inner, name.substr(own.size() + 1));
    }
    return nullptr;
}

} // namespace

std::string calledAs(const CLI::App& command) {
    return command.get_parent() ? calledAs(*command.get_parent()) + " " + command.get_name() : "lathe";
}

std::string manPage(const CLI::App& program, std::string_view command, std::string_view version) {
    const CLI::App* found = find(program, command);
    return found ? page(*found, program, version) : std::string();
}

} // namespace lathe::cli
