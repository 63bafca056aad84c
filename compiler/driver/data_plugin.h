// SPDX-License-Identifier: Apache-2.0
//
// Plugins that are data: a folder with plugin.json and files of operators' bodies, text that people read. No code of
// theirs runs, so those that are installed are on.
//
//     {"id": "contrib", "version": "1.0", "licence": "Apache-2.0", "kind": "data",
//      "adds": "operators of com.microsoft", "bodies": ["activations.txt", "norms.txt"]}
#pragma once

#include "driver/extensions.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {

struct DataPlugin {
    PluginId id;
    std::string licence, adds;
    std::filesystem::path folder;
    std::vector<frontend::BodyRow> bodies;
};

/// Up to 64 small letters, digits, - and _.
bool isPluginId(std::string_view id);

/// Reads a plugin's folder, whose content is not trusted. A Diagnostic names the plugin and the file.
Result<DataPlugin> readPlugin(const std::filesystem::path& folder);

/// Which plugins a command is to have, beside those that are installed.
struct PluginChoice {
    std::vector<std::filesystem::path> folders; // each of one plugin
    std::set<std::string> without;              // ids of those that are off
};

/// A plugin that was found. One that cannot be read has its folder's name for an id.
struct FoundPlugin {
    DataPlugin plugin;
    bool isOn = true;
    std::optional<Diagnostic> refused;
};

/// Folders of plugins that are looked through: the user's own ($XDG_DATA_HOME/lathe/plugins), then what came with this
/// program (../lib/lathe/plugins beside it). Never the working folder, nor a model's.
std::vector<std::filesystem::path> pluginFolders();

/// All that are there, by id; of two with one id that which was named, then the user's own. Fails for one that was named and
/// cannot be read, and for an id to be left out that none has.
Result<std::vector<FoundPlugin>> findPlugins(const PluginChoice& choice,
                                             const std::vector<std::filesystem::path>& folders);

/// What those that are on add; null if there is nothing, and nothing that is off.
std::shared_ptr<const Extensions> extensionsOf(const std::vector<FoundPlugin>& plugins);

} // namespace lathe::driver
