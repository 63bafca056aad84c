// SPDX-License-Identifier: Apache-2.0
//
// What is completed: a command where none stands yet, one of its options after a dash, files elsewhere. The scripts hold
// tables and ask the program nothing, so that completing is fast and works without it.
#include "app/cli/command_texts.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

struct CommandRow {
    std::string path; // "", "tune", "records list"
    std::vector<const CLI::App*> inner;
    std::vector<const CLI::Option*> options;
    std::string description;
};

void addRows(const CLI::App& command, const std::string& path, std::vector<CommandRow>& rows) {
    CommandRow row{path, {}, {}, command.get_description()};
    for (const CLI::App* inner : command.get_subcommands(nullptr))
        if (!inner->get_group().empty())
            row.inner.push_back(inner);
    for (const CLI::Option* option : command.get_options())
        if (!option->get_group().empty() && !option->get_positional())
            row.options.push_back(option);
    rows.push_back(row);
    for (const CLI::App* inner : row.inner)
        addRows(*inner, path.empty() ? inner->get_name() : path + " " + inner->get_name(), rows);
}

std::vector<std::string> dashed(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames())
        names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        names.push_back("--" + name);
    return names;
}

/// In single quotes, as all three shells read it.
std::string quoted(std::string_view text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text)
        if (c == '\'')
            out += quote;
        else
            out += c;
    return out + "'";
}

std::vector<std::string> words(const CommandRow& row) {
    std::vector<std::string> all;
    for (const CLI::App* inner : row.inner)
        all.push_back(inner->get_name());
    for (const CLI::Option* option : row.options)
        for (std::string& name : dashed(*option))
            all.push_back(std::move(name));
    return all;
}

std::string bash(const std::vector<CommandRow>& rows) {
    std::string tables, commands;
    for (const CommandRow& row : rows) {
        tables += fmt::format("    {}) words={} ;;\n", quoted(row.path, "'\\''"),
                              quoted(fmt::format("{}", fmt::join(words(row), " ")), "'\\''"));
        if (!row.path.empty())
            commands += fmt::format("{}{}", commands.empty() ? "" : "|", quoted(row.path, "'\\''"));
    }
    return fmt::format(R"(# Completion of lathe for bash.
_lathe() {{
  local word words path='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{path:+$path }}${{COMP_WORDS[i]}}"
    case "$word" in
    {}) path=$word ;;
    esac
  done
  case "$path" in
{}  esac
  COMPREPLY=()
  if [[ ${{COMP_WORDS[COMP_CWORD]}} == -* || -z $path || $path == records ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
  fi
}}
complete -o default -F _lathe lathe
)",
                       commands, tables);
}

std::string fish(const std::vector<CommandRow>& rows) {
    std::string text = "# Completion of lathe for fish.\n";
    for (const CommandRow& row : rows) {
        std::string when = "__fish_use_subcommand";
        if (!row.path.empty()) {
            when.clear();
            for (size_t at = 0; at < row.path.size();) {
                const size_t end = std::min(row.path.find(' ', at), row.path.size());
                when += fmt::format("{}__fish_seen_subcommand_from {}", when.empty() ? "" : "; and ",
                                    row.path.substr(at, end - at));
                at = end + 1;
            }
        }
        for (const CLI::App* inner : row.inner)
            text += fmt::format("complete -c lathe -n {} -f -a {} -d {}\n", quoted(when, "\\'"), inner->get_name(),
                                quoted(inner->get_description(), "\\'"));
        for (const CLI::Option* option : row.options) {
            std::string names;
            for (const std::string& name : option->get_snames())
                names += fmt::format(" -s {}", name);
            for (const std::string& name : option->get_lnames())
                names += fmt::format(" -l {}", name);
            text += fmt::format("complete -c lathe -n {}{}{} -d {}\n", quoted(when, "\\'"), names,
                                option->get_items_expected_max() > 0 ? " -r" : "",
                                quoted(option->get_description(), "\\'"));
        }
    }
    return text;
}

/// zsh reads colons and brackets in descriptions.
std::string forZsh(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == ':' || c == '[' || c == ']')
            out += '\\';
        out += c;
    }
    return out;
}

std::string zsh(const std::vector<CommandRow>& rows) {
    std::string cases, commands;
    for (const CommandRow& row : rows) {
        std::string body;
        if (!row.inner.empty()) {
            body += "    commands=(\n";
            for (const CLI::App* inner : row.inner)
                body += fmt::format("      {}\n",
                                    quoted(inner->get_name() + ":" + forZsh(inner->get_description()), "'\\''"));
            body += "    )\n";
        }
        body += "    options=(\n";
        for (const CLI::Option* option : row.options)
            for (const std::string& name : dashed(*option))
                body += fmt::format("      {}\n", quoted(name + ":" + forZsh(option->get_description()), "'\\''"));
        body += "    )\n";
        cases += fmt::format("  {})\n{}    ;;\n", quoted(row.path, "'\\''"), body);
        if (!row.path.empty())
            commands += fmt::format("{}{}", commands.empty() ? "" : "|", quoted(row.path, "'\\''"));
    }
    return fmt::format(R"(#compdef lathe
# Completion of lathe for zsh.
_lathe() {{
  local word path_of='' i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="${{path_of:+$path_of }}${{words[i]}}"
    case "$word" in
    {}) path_of=$word ;;
    esac
  done
  case "$path_of" in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    _describe -o option options
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}}
_lathe "$@"
)",
                       commands, cases);
}

} // namespace

std::string completion(const CLI::App& program, std::string_view shell) {
    std::vector<CommandRow> rows;
    addRows(program, "", rows);
    return shell == "bash" ? bash(rows) : shell == "zsh" ? zsh(rows) : shell == "fish" ? fish(rows) : std::string();
}

} // namespace lathe::cli
