// SPDX-License-Identifier: Apache-2.0
//
// What is completed: a command where one can stand, an option after a dash, after an option one of its values if they are a
// closed set, files elsewhere. The scripts hold tables and ask the program nothing but the names of devices, so that completing
// is fast and works without it.
#include "app/cli/command_texts.h"

#include "app/cli/common_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>

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

/// Of an option with a closed set of values, which its type names ("relay|tir"), or of one that takes a device: a command
/// for the shell that prints its values. Nothing for others.
struct Values {
    std::string words;
    bool areDevices = false;
};
std::optional<Values> valuesOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (type == deviceType)
        return Values{"local qemu", true};
    if (type.find('|') == std::string::npos)
        return std::nullopt;
    Values values{type, false};
    std::ranges::replace(values.words, '|', ' ');
    return values;
}

std::string innerNames(const CommandRow& row) {
    std::string names;
    for (const CLI::App* inner : row.inner)
        names += (names.empty() ? "" : " ") + inner->get_name();
    return names;
}

std::string pathsOf(const std::vector<CommandRow>& rows) {
    std::string paths;
    for (const CommandRow& row : rows)
        if (!row.path.empty())
            paths += fmt::format("{}{}", paths.empty() ? "" : "|", quoted(row.path, "'\\''"));
    return paths;
}

/// The lines of a table of values, for bash and zsh: "'compile --emit') values='relay tir' ;;".
std::string valueRows(const std::vector<CommandRow>& rows) {
    std::string text;
    for (const CommandRow& row : rows)
        for (const CLI::Option* option : row.options)
            if (const auto values = valuesOf(*option))
                for (const std::string& name : dashed(*option))
                    text +=
                        fmt::format("  {}) values=\"{}{}\" ;;\n", quoted(row.path + " " + name, "'\\''"), values->words,
                                    values->areDevices ? " $(lathe devices --quiet 2>/dev/null | cut -d' ' -f1)" : "");
    return text;
}

std::string bash(const std::vector<CommandRow>& rows) {
    std::string tables;
    for (const CommandRow& row : rows) {
        std::vector<std::string> options;
        for (const CLI::Option* option : row.options)
            std::ranges::move(dashed(*option), std::back_inserter(options));
        tables +=
            fmt::format("  {}) commands={} options={} ;;\n", quoted(row.path, "'\\''"),
                        quoted(innerNames(row), "'\\''"), quoted(fmt::format("{}", fmt::join(options, " ")), "'\\''"));
    }
    return fmt::format(R"(# Completion of lathe for bash.
_lathe() {{
  local word path='' commands='' options='' values='' i
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $current == = ]]; then
    current=''
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{path:+$path }}${{COMP_WORDS[i]}}"
    case "$word" in
    {}) path=$word ;;
    esac
  done
  case "$path" in
{}  esac
  case "$path $before" in
{}  esac
  COMPREPLY=()
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  fi
}}
complete -o default -F _lathe lathe
)",
                       pathsOf(rows), tables, valueRows(rows));
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
            std::string values = option->get_items_expected_max() > 0 ? " -r" : "";
            if (const auto known = valuesOf(*option))
                values = fmt::format(" -x -a {}",
                                     quoted(known->words + (known->areDevices ? " (lathe devices --quiet 2>/dev/null "
                                                                                "| string split -f1 ' ')"
                                                                              : ""),
                                            "\\'"));
            text += fmt::format("complete -c lathe -n {}{}{} -d {}\n", quoted(when, "\\'"), names, values,
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
    std::string cases;
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
    }
    return fmt::format(R"(#compdef lathe
# Completion of lathe for zsh.
_lathe() {{
  local word path_of='' values='' i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="${{path_of:+$path_of }}${{words[i]}}"
    case "$word" in
    {}) path_of=$word ;;
    esac
  done
  case "$path_of" in
{}  esac
  case "$path_of ${{words[CURRENT - 1]}}" in
{}  esac
  if [[ -n $values ]]; then
    compadd -- ${{=values}}
  elif [[ ${{words[CURRENT]}} == -* ]]; then
    _describe -o option options
  elif (( $#commands )); then
    _describe command commands || _files
  else
    _files
  fi
}}
_lathe "$@"
)",
                       pathsOf(rows), cases, valueRows(rows));
}

} // namespace

std::string completion(const CLI::App& program, std::string_view shell) {
    std::vector<CommandRow> rows;
    addRows(program, "", rows);
    return shell == "bash" ? bash(rows) : shell == "zsh" ? zsh(rows) : shell == "fish" ? fish(rows) : std::string();
}

} // namespace lathe::cli
