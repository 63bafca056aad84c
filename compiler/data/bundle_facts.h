// SPDX-License-Identifier: Apache-2.0
//
// What a self-check acts on of what a bundle says of itself: its artifacts, golden cases and limits. It is read of
// manifest.json as far as that goes, and of the list of files where there is no manifest; a name leads to a listed file or the
// bundle is refused. What else the manifest says is for who has more than a device (deploy/manifest.h).
#pragma once

#include "data/limits.h"
#include "data/listed_files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::data {

inline constexpr const char* manifestName = "manifest.json";

struct BundleFacts {
    std::vector<std::string> artifacts; // paths, best first
    std::vector<std::string> cases;     // names: as the manifest has them, then those that only lie there
    Limits limits;
};

/// Of files that are as they were written. Fails with a Diagnostic that names manifest.json.
Result<BundleFacts> readBundleFacts(const std::filesystem::path& bundle, const std::vector<ListedFile>& listed);

} // namespace lathe::data
