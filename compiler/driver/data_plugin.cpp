// SPDX-License-Identifier: Apache-2.0
#include "driver/data_plugin.h"

#include "base/json.h"
#include "base/user_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t manifestBytes = 64 << 10, bodyFileBytes = 1 << 20;
constexpr size_t bodyFiles = 100, pluginsInFolder = 1000, longestId = 64;

Failure unreadable(const std::string& plugin, const fs::path& file, const std::string& what) {
    Diagnostic fault = error(fmt::format("plugin {}: {}", plugin, what), "correct the plugin, or remove it");
    fault.file = file.string();
    return Failure(std::move(fault));
}

/// A regular file (a pipe would be waited for) of limited size.
Result<std::string> readSmall(const std::string& plugin, const fs::path& path, uintmax_t most) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
        return unreadable(plugin, path, "there is no such file");
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<size_t>(most) + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || !file.is_open())
        return unreadable(plugin, path, "the file cannot be read");
    text.resize(static_cast<size_t>(file.gcount()));
    if (text.size() > most)
        return unreadable(plugin, path, fmt::format("the file is larger than {} bytes", most));
    return text;
}

/// A file in the folder itself.
bool isFileName(std::string_view name) {
    return !name.empty() && name.front() != '.' && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

/// The texts of the manifest, of which all have to be there.
Result<void> readTexts(const nlohmann::json& json, const fs::path& file, DataPlugin& plugin) {
    std::string kind;
    for (const auto& [key, into] :
         {std::pair{"id", &plugin.id.id}, std::pair{"version", &plugin.id.version},
          std::pair{"licence", &plugin.licence}, std::pair{"adds", &plugin.adds}, std::pair{"kind", &kind}}) {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_string())
            return unreadable(plugin.id.id, file, fmt::format("there is no text \"{}\"", key));
        *into = found->get<std::string>();
    }
    for (const auto& [key, value] : json.items())
        if (!std::set<std::string>{"id", "version", "licence", "adds", "kind", "bodies"}.contains(key))
            return unreadable(plugin.id.id, file, fmt::format("the key \"{}\" is unknown", key));
    if (!isPluginId(plugin.id.id))
        return unreadable(plugin.folder.filename().string(), file,
                          "its id is not made of up to 64 small letters, digits, - and _");
    if (kind != "data")
        return unreadable(plugin.id.id, file, fmt::format("its kind is '{}'; only \"data\" is known", kind));
    return {};
}

} // namespace

bool isPluginId(std::string_view id) {
    return !id.empty() && id.size() <= longestId && std::ranges::all_of(id, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

Result<DataPlugin> readPlugin(const fs::path& folder) {
    DataPlugin plugin;
    plugin.folder = folder;
    plugin.id.id = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    const fs::path manifest = folder / "plugin.json";
    LATHE_TRY(const std::string text, readSmall(plugin.id.id, manifest, manifestBytes));
    const auto json = parseJson(text);
    if (!json || !json->is_object())
        return unreadable(plugin.id.id, manifest, "this is no JSON object");
    LATHE_CHECKED(readTexts(*json, manifest, plugin));
    const auto bodies = json->find("bodies");
    if (bodies == json->end() || !bodies->is_array() || bodies->size() > bodyFiles)
        return unreadable(plugin.id.id, manifest, fmt::format("\"bodies\" is no list of up to {} files", bodyFiles));
    for (const nlohmann::json& name : *bodies) {
        if (!name.is_string() || !isFileName(name.get_ref<const std::string&>()))
            return unreadable(plugin.id.id, manifest, "\"bodies\" has what is no name of a file in its folder");
        const fs::path file = folder / name.get<std::string>();
        LATHE_TRY(const std::string body, readSmall(plugin.id.id, file, bodyFileBytes));
        LATHE_TRY(auto rows, frontend::readBodies(body, plugin.id.id, file.string()));
        plugin.bodies.insert(plugin.bodies.end(), rows.begin(), rows.end());
    }
    return plugin;
}

std::vector<fs::path> pluginFolders() {
    std::vector<fs::path> folders;
    if (const fs::path own = userFolder(UserFolder::Data); !own.empty())
        folders.push_back(own / "plugins");
    std::error_code ignored;
    folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "lib" / "lathe" /
                      "plugins");
    return folders;
}

Result<std::vector<FoundPlugin>> findPlugins(const PluginChoice& choice, const std::vector<fs::path>& folders) {
    std::vector<FoundPlugin> found;
    const auto add = [&](FoundPlugin plugin) {
        const auto same = [&](const FoundPlugin& other) { return other.plugin.id.id == plugin.plugin.id.id; };
        if (std::ranges::none_of(found, same))
            found.push_back(std::move(plugin));
    };
    for (const fs::path& folder : choice.folders) {
        LATHE_TRY(DataPlugin plugin, readPlugin(folder));
        add({std::move(plugin), true, {}});
    }
    for (const fs::path& folder : folders) {
        std::vector<fs::path> entries;
        std::error_code failed;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
            if (entries.size() < pluginsInFolder && at->is_directory(failed))
                entries.push_back(at->path());
        std::ranges::sort(entries);
        for (const fs::path& entry : entries) {
            Result<DataPlugin> plugin = readPlugin(entry);
            if (plugin)
                add({*std::move(plugin), true, {}});
            else
                add({DataPlugin{{entry.filename().string(), {}}, {}, {}, entry, {}}, false, plugin.error()});
        }
    }
    for (const std::string& id : choice.without) {
        const auto off = std::ranges::find(found, id, [](const FoundPlugin& each) { return each.plugin.id.id; });
        if (off == found.end())
            return failure(ErrorKind::Usage, fmt::format("there is no plugin '{}'", id),
                           "lathe plugin list names those that are there");
        off->isOn = false;
    }
    std::ranges::sort(found, {}, [](const FoundPlugin& each) { return each.plugin.id.id; });
    return found;
}

std::shared_ptr<const Extensions> extensionsOf(const std::vector<FoundPlugin>& plugins) {
    auto extensions = std::make_shared<Extensions>();
    for (const FoundPlugin& found : plugins) {
        const DataPlugin& plugin = found.plugin;
        if (found.isOn)
            extensions->plugins.push_back(plugin.id);
        for (const frontend::BodyRow& body : plugin.bodies)
            if (found.isOn)
                extensions->operators.bodies.push_back(body);
            else
                extensions->operators.off.push_back({plugin.id.id, body.domain, body.name});
    }
    const bool isEmpty = extensions->operators.bodies.empty() && extensions->operators.off.empty();
    return isEmpty ? nullptr : extensions;
}

} // namespace lathe::driver
