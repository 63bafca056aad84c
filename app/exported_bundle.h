// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the Engine made of bundles.
#pragma once

#include "deploy/bundle_diff.h"
#include "deploy/bundle_model.h"
#include "deploy/check_bundle.h"

#include <QString>
#include <optional>
#include <string>
#include <vector>

namespace lathe::app {

/// What became of a bundle.
struct ExportedBundle {
    QString out, id;
    uint64_t bytes = 0;
    std::optional<deploy::BundleCheck> check; // none: it was not wished
};

/// What two bundles on the disk are, and how they differ.
struct ComparedBundles {
    std::string beforeId, afterId;
    std::vector<deploy::BundleChange> changes;
};

} // namespace lathe::app
