// SPDX-License-Identifier: Apache-2.0
//
// `lathe plugin`: which plugins are there, whether they are on, and what they add.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/print_line.h"

#include "base/json.h"
#include "driver/data_plugin.h"

#include <algorithm>

namespace lathe::cli {
namespace {

std::string_view stateOf(const driver::FoundPlugin& found) {
    return found.refused ? "refused" : found.isOn ? "on" : "off";
}

nlohmann::json toJson(const driver::FoundPlugin& found) {
    nlohmann::json operators = nlohmann::json::array();
    for (const frontend::BodyRow& body : found.plugin.bodies)
        operators.push_back({{"domain", body.domain}, {"operator", body.name}});
    nlohmann::json json{{"id", found.plugin.id.id},
                        {"version", found.plugin.id.version},
                        {"kind", "data"},
                        {"state", stateOf(found)},
                        {"adds", found.plugin.adds},
                        {"licence", found.plugin.licence},
                        {"folder", found.plugin.folder.string()},
                        {"operators", std::move(operators)}};
    if (found.refused)
        json["reason"] = toString(*found.refused);
    return json;
}

void printInfo(const driver::FoundPlugin& found) {
    const driver::DataPlugin& plugin = found.plugin;
    printLine("{} {}, {}", plugin.id.id, plugin.id.version, stateOf(found));
    printLine("adds     {}", plugin.adds);
    printLine("licence  {}", plugin.licence);
    printLine("folder   {}", plugin.folder.string());
    for (const frontend::BodyRow& body : plugin.bodies)
        printLine("operator {} of {}", body.name, body.domain);
}

} // namespace

Result<std::vector<driver::FoundPlugin>> pluginsOf(const Common& common) {
    return driver::findPlugins(
        {{common.plugins.begin(), common.plugins.end()}, {common.withoutPlugins.begin(), common.withoutPlugins.end()}},
        driver::pluginFolders());
}

void addPluginOptions(CLI::App& plugin, PluginArgs& args, Common& common) {
    plugin.require_subcommand(1);
    CLI::App* list = plugin.add_subcommand("list", "the plugins that are there");
    CLI::App* info = plugin.add_subcommand("info", "one of them: its licence, its folder, what it adds");
    info->add_option("id", args.id, "its id")->required();
    for (CLI::App* command : {list, info}) {
        addPlugins(*command, common);
        addPrinting(*command, common);
    }
}

int pluginCommand(const PluginArgs& args, const Common& common) {
    const auto plugins = pluginsOf(common);
    if (!plugins)
        return report({plugins.error()}, common);
    bool isThere = args.id.empty();
    for (const driver::FoundPlugin& found : *plugins) {
        if (!args.id.empty() && found.plugin.id.id != args.id)
            continue;
        isThere = true;
        if (common.json)
            fmt::print("{}\n", dump(toJson(found)));
        else if (!args.id.empty())
            printInfo(found);
        else
            printLine("{:16} {:8} data  {:8} {:44} {}", found.plugin.id.id, found.plugin.id.version, stateOf(found),
                      found.refused ? found.refused->what : found.plugin.adds, found.plugin.licence);
        if (!args.id.empty() && found.refused)
            return report({*found.refused}, common);
    }
    if (isThere)
        return 0;
    return report({error(ErrorKind::Usage, fmt::format("there is no plugin '{}'", args.id),
                         "lathe plugin list names those that are there")},
                  common);
}

} // namespace lathe::cli
