// SPDX-License-Identifier: Apache-2.0
#include "deploy/plugin_fields.h"

#include "driver/data_plugin.h"

namespace lathe::deploy {

nlohmann::json toJson(const std::vector<driver::PluginId>& plugins) {
    nlohmann::json all = nlohmann::json::array();
    for (const driver::PluginId& plugin : plugins)
        all.push_back({{"id", plugin.id}, {"version", plugin.version}});
    return all;
}

Result<std::vector<driver::PluginId>> readPlugins(const FieldsOf& fields) {
    std::vector<driver::PluginId> plugins;
    LATHE_CHECKED(fields.each("plugins", [&](const FieldsOf& one) -> Result<void> {
        driver::PluginId& plugin = plugins.emplace_back();
        LATHE_CHECKED(one.text("id", plugin.id));
        LATHE_CHECKED(one.text("version", plugin.version));
        return driver::isPluginId(plugin.id) ? Result<void>() : one.wrong("id", "is no id of a plugin");
    }));
    return plugins;
}

} // namespace lathe::deploy
