// SPDX-License-Identifier: Apache-2.0
//
// A model becomes a bundle: compiled for each target, its golden cases computed, the runtime and all that belongs to it put
// beside it. The command line and the workbench call this alike: the same options give the same bytes.
#pragma once

#include "base/memory_file.h"
#include "deploy/bundle_options.h"
#include "deploy/bundle_plan.h"
#include "deploy/check_bundle.h"
#include "driver/trace.h"

namespace lathe::deploy {

/// A plan with what it holds in memory: its artifacts.
struct PlannedBundle {
    BundlePlan plan;
    Manifest manifest;
    std::vector<std::shared_ptr<const MemoryFile>> held;
};

/// Everything that will be written, in memory. `diagnostics` gets what the compilations warn of. Fails with what is wrong
/// with the model, the options or the runtime packages; those are looked for before anything is compiled. Throws nothing;
/// cancelled by `progress` it fails with kind Cancelled. The time in it is that of the options, else SOURCE_DATE_EPOCH, else
/// that of the model's file.
Result<PlannedBundle> planBundle(const std::filesystem::path& model, const BundleOptions& options,
                                 std::vector<Diagnostic>& diagnostics, const driver::Progress& progress = {});

/// Signs a plan (deploy/signature.h): it gets one more file, which is not part of the bundle's id.
Result<void> signBundle(PlannedBundle& bundle, const std::filesystem::path& key, const driver::Progress& progress = {});

/// What a bundle does not hold of what it was made of.
struct Origin {
    std::filesystem::path model;
    std::filesystem::path goldenFolder, runtimeFolder;    // as in BundleOptions
    std::shared_ptr<const driver::Extensions> extensions; // of the plugins that are there; null: none
};

/// The plan of the same bundle, made again of what it says of itself (reproduce/) and of the model. Fails if the bundle does not
/// say it, if the model or its external data are others, if a plugin is missing that it was made with, or if there are fewer data
/// sets than it was made of. Of another version
/// of Lathe it is tried, with a warning.
Result<PlannedBundle> planAgain(const OpenBundle& bundle, const Origin& origin, std::vector<Diagnostic>& diagnostics,
                                const driver::Progress& progress = {});

/// Writes a folder, or, where the name ends in .tar.zst, .zip or .tar, an archive of one. It is written beside and renamed, so that
/// nothing half-written is ever there, and nothing is left if this fails or is cancelled. (A folder that is there and empty is
/// filled at the end, by renaming, manifest.json last.) What is there already is an error;
/// with `replace` a bundle, an archive or an empty folder gives way, but nothing else does.
Result<void> writeBundle(const PlannedBundle& bundle, const std::filesystem::path& out, bool replace,
                         const driver::Progress& progress = {});

/// Whether writeBundle would write there. `read`: files and folders that it is made of, which must not lie in what gives way;
/// empty paths are none.
Result<void> mayWrite(const std::filesystem::path& out, bool replace,
                      const std::vector<std::filesystem::path>& read = {});

} // namespace lathe::deploy
