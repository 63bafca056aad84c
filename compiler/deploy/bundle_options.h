// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a bundle: the value that `lathe bundle` makes of its arguments and a wizard of its pages. As JSON it lies
// in the bundle (reproduce/options.json), from which the same bundle can be made again.
#pragma once

#include "deploy/manifest.h"
#include "device/device.h"
#include "driver/decisions.h"
#include "driver/options.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lathe::deploy {

/// Parts that may be left out.
enum class Part { C, Cpp, Python, Examples, Golden, Sbom, Reproduce };
std::string_view toString(Part part); // "c", "cpp", "python", "examples", "golden", "sbom", "reproduce"
Result<Part> parsePart(std::string_view text);
inline constexpr Part allParts[] = {Part::C,      Part::Cpp,  Part::Python,   Part::Examples,
                                    Part::Golden, Part::Sbom, Part::Reproduce};
/// Whether it can be chosen for a form: else it is always there, or never.
bool hasChoice(BundleForm form, Part part);
/// Fails (kind Usage), with those that there are in the hint, for a part that cannot be chosen for the form.
Result<void> checkChoice(BundleForm form, Part part);

struct BundleOptions {
    BundleForm form = BundleForm::Folder;
    std::string name; // isModelName; empty: modelNameOf the file
    std::string version = "0.1.0";
    std::string licence; // of the model, an SPDX expression; empty: not stated
    std::vector<Target>
        targets; // variants, best first; empty: this machine; C source has one at most, whose registers and caches it is made for
    std::set<Part> parts{std::begin(allParts), std::end(allParts)};
    driver::Options compile; // its target is not looked at: `targets` has them
    SymbolRanges symbols;    // of those that stay open; others have any size from 1 on
    int cases = 3;           // golden cases at most
    CaseTolerance tolerance;
    Limits limits;
    /// Plugins that have to be there, by id: in the bundle those that it was compiled with. Of another version they are tried, with
    /// a warning.
    std::vector<driver::PluginId> plugins;
    // Where things lie; not part of the JSON.
    driver::Decisions decisions;
    std::filesystem::path goldenFolder; // a test_data_set folder, or one of several; empty: those beside the model
    std::optional<int64_t>
        created;           // the time that stands in it, in seconds since 1970; none: bundle_model.h says which
    device::Device device; // where artifacts are tried: over ssh all, by qemu those that this machine cannot run
    std::filesystem::path runtimeFolder; // empty: deploy/runtime_package.h says where
};

std::string toJson(const BundleOptions& options);
/// What is not named stays at its default; unknown keys, and values out of range, are errors of kind Usage.
Result<BundleOptions> parseBundleOptions(std::string_view json);

/// Fails (kind Usage) for a name, version, licence, range or number that cannot be.
Result<void> validate(const BundleOptions& options);

} // namespace lathe::deploy
