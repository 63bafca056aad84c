// SPDX-License-Identifier: Apache-2.0
#include "driver/extensions.h"

#include <fmt/format.h>
#include <set>

namespace lathe::driver {

std::string_view pluginOf(std::string_view pass) {
    const size_t slash = pass.find('/');
    return slash == std::string_view::npos ? std::string_view() : pass.substr(0, slash);
}

Result<void> checkExtensions(const Extensions& extensions) {
    LATHE_CHECKED(frontend::checkAdded(extensions.operators));
    std::set<std::string_view> names;
    const auto add = [&](const std::string& name) -> Result<void> {
        if (pluginOf(name).empty())
            return failure(fmt::format("pass '{}' of a plugin does not name the plugin", name),
                           "a plugin's passes are called PLUGIN/PASS");
        if (!names.insert(name).second)
            return failure(fmt::format("plugin {} adds the pass '{}' twice", pluginOf(name), name),
                           "switch the plugin off");
        return {};
    };
    for (const PassRow& pass : extensions.passes)
        LATHE_CHECKED(add(pass.name));
    for (const lower::AddedKernelPass& pass : extensions.kernelPasses)
        LATHE_CHECKED(add(pass.name));
    return {};
}

std::shared_ptr<const frontend::AddedOperators> operatorsOf(const std::shared_ptr<const Extensions>& extensions) {
    return extensions ? std::shared_ptr<const frontend::AddedOperators>(extensions, &extensions->operators) : nullptr;
}

} // namespace lathe::driver
