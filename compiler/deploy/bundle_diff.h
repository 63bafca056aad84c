// SPDX-License-Identifier: Apache-2.0
//
// How two bundles differ: what their manifests say, and file by file.
#pragma once

#include "deploy/manifest.h"

#include <string>
#include <vector>

namespace lathe::deploy {

struct BundleChange {
    std::string what;          // "name", "target", "plugin", "input", "file" …
    std::string name;          // of the file, the input …; empty where there is one
    std::string before, after; // empty before: added; empty after: removed
};

/// Empty if the bundle ids are equal and so is what the manifests say beside.
std::vector<BundleChange> diffBundles(const Manifest& before, const Manifest& after);

} // namespace lathe::deploy
