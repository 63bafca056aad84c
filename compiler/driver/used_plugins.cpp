// SPDX-License-Identifier: Apache-2.0
#include "driver/used_plugins.h"

#include <algorithm>

namespace lathe::driver {

std::vector<PluginId> usedPlugins(const Trace& trace, const Extensions* extensions) {
    std::set<std::string> ids = trace.plugins;
    for (const PassRecord& pass : trace.passes)
        if (pass.changed && !pass.plugin.empty())
            ids.insert(pass.plugin);
    for (const VariantRecord& record : trace.variants)
        if (const std::string_view plugin = pluginOf(record.chosen.variant); !plugin.empty())
            ids.emplace(plugin);
    std::vector<PluginId> used;
    for (const std::string& id : ids) {
        used.push_back({id, {}});
        if (!extensions)
            continue;
        if (const auto known = std::ranges::find(extensions->plugins, id, &PluginId::id);
            known != extensions->plugins.end())
            used.back() = *known;
    }
    return used;
}

} // namespace lathe::driver
