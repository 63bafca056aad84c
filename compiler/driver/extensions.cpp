// SPDX-License-Identifier: Apache-2.0
#include "driver/extensions.h"

#include <fmt/format.h>
#include <set>

namespace lathe::driver {

namespace {

/// Names of one kind of row, "PLUGIN/NAME", each once.
class AddedNames {
public:
    explicit AddedNames(std::string_view kind) : kind_(kind) {}

    /// isWhole: the row has all functions that are called.
    Result<void> add(const std::string& name, bool isWhole) {
        if (pluginOf(name).empty())
            return failure(fmt::format("{} '{}' of a plugin does not name the plugin", kind_, name),
                           fmt::format("it is called PLUGIN/{}", name));
        if (!names_.insert(name).second)
            return failure(fmt::format("plugin {} adds the {} '{}' twice", pluginOf(name), kind_, name), switchOff);
        if (!isWhole)
            return failure(
                fmt::format("plugin {} adds the {} '{}' without all of its functions", pluginOf(name), kind_, name),
                switchOff);
        return {};
    }

private:
    static constexpr const char* switchOff = "switch the plugin off";
    std::string_view kind_;
    std::set<std::string_view> names_;
};

} // namespace

std::string_view pluginOf(std::string_view name) {
    const size_t slash = name.find('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

Result<void> checkExtensions(const Extensions& extensions) {
    LATHE_CHECKED(frontend::checkAdded(extensions.operators));
    AddedNames passes("pass"), variants("variant"), spaces("space");
    for (const PassRow& pass : extensions.passes)
        LATHE_CHECKED(passes.add(pass.name, pass.run != nullptr));
    for (const lower::AddedKernelPass& pass : extensions.kernelPasses)
        LATHE_CHECKED(passes.add(pass.name, pass.run != nullptr));
    for (const relay::choose::VariantRow& row : extensions.variants)
        LATHE_CHECKED(variants.add(row.name, row.applies && row.cycles && row.rewrite));
    for (const tune::SpaceRow& row : extensions.spaces)
        LATHE_CHECKED(spaces.add(row.name, row.schedule != nullptr));
    return {};
}

std::span<const relay::choose::VariantRow> variantsOf(const Extensions* extensions) {
    return extensions ? extensions->variants : std::span<const relay::choose::VariantRow>();
}

std::span<const tune::SpaceRow> spacesOf(const Extensions* extensions) {
    return extensions ? extensions->spaces : std::span<const tune::SpaceRow>();
}

std::shared_ptr<const frontend::AddedOperators> operatorsOf(const std::shared_ptr<const Extensions>& extensions) {
    return extensions ? std::shared_ptr<const frontend::AddedOperators>(extensions, &extensions->operators) : nullptr;
}

} // namespace lathe::driver
