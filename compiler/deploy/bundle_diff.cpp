// SPDX-License-Identifier: Apache-2.0
#include "deploy/bundle_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace lathe::deploy {
namespace {

using Texts = std::map<std::pair<std::string, std::string>, std::string>; // (what, name) -> text

void addValues(Texts& texts, const char* what, const std::vector<ManifestValue>& values) {
    for (const ManifestValue& value : values) {
        std::vector<std::string> dims;
        for (const ManifestDim& dim : value.dims)
            dims.push_back(toString(dim));
        texts[{what, value.name}] = fmt::format("{}[{}]", value.dtype, fmt::join(dims, ","));
    }
}

Texts textsOf(const Manifest& manifest) {
    Texts texts;
    const auto set = [&](const char* what, std::string text) { texts[{what, ""}] = std::move(text); };
    set("form", std::string(toString(manifest.form)));
    set("name", manifest.name);
    set("version", manifest.version);
    set("created", std::to_string(manifest.created));
    set("lathe", manifest.latheVersion);
    set("llvm", manifest.llvmVersion);
    set("numerics", std::string(driver::toString(manifest.numerics)));
    set("model", manifest.model.sha256);
    set("model's file", manifest.model.file);
    set("license", manifest.model.licence);
    if (!manifest.model.signature.empty())
        set("signature", manifest.model.signature);
    set("peak bytes", manifest.peakBytes);
    set("tolerance", fmt::format("{} + {} of the range", manifest.tolerance.absolute, manifest.tolerance.ofRange));
    set("limits", fmt::format("p50 {} ms, p99 {} ms, load {} ms, {} bytes resident, {} bytes", manifest.limits.p50Ms,
                              manifest.limits.p99Ms, manifest.limits.loadMs, manifest.limits.residentBytes,
                              manifest.limits.sizeBytes));
    for (const driver::PluginId& plugin : manifest.plugins)
        texts[{"plugin", plugin.id}] = plugin.version;
    for (const ManifestVariant& variant : manifest.variants)
        texts[{"target", variant.tag}] = variant.target;
    addValues(texts, "input", manifest.inputs);
    addValues(texts, "output", manifest.outputs);
    addValues(texts, "state", manifest.states);
    for (const auto& [name, range] : manifest.symbols)
        texts[{"size", name}] =
            fmt::format("{}..{}:{}", range.least, range.most ? std::to_string(*range.most) : "", range.usual);
    for (const ManifestFile& file : manifest.files)
        texts[{"file", file.path}] = fmt::format("{} bytes, {}", file.bytes, file.sha256);
    return texts;
}

} // namespace

std::vector<BundleChange> diffBundles(const Manifest& before, const Manifest& after) {
    std::vector<BundleChange> changes;
    const Texts old = textsOf(before), now = textsOf(after);
    for (const auto& [key, text] : old) {
        const auto at = now.find(key);
        if (at == now.end() || at->second != text)
            changes.push_back({key.first, key.second, text, at == now.end() ? std::string() : at->second});
    }
    for (const auto& [key, text] : now)
        if (!old.contains(key))
            changes.push_back({key.first, key.second, {}, text});
    if (changes.empty() && before.bundleId != after.bundleId) // by what is not told apart above
        changes.push_back({"bundle id", {}, before.bundleId, after.bundleId});
    return changes;
}

} // namespace lathe::deploy
