// SPDX-License-Identifier: Apache-2.0
//
// What a bundle consists of, for those who keep lists of such things: SPDX 2.3 and CycloneDX 1.6, as JSON. The same bundle
// has the same lists: their numbers (UUID, version 8) follow from what they list.
#pragma once

#include "deploy/manifest.h"

#include <string>

namespace lathe::deploy {

struct Sbom {
    std::string spdx, cycloneDx;
};

/// `files` of the manifest are those that are listed; `sha1` has the hash of each, by its path, which SPDX asks for.
Sbom sbomOf(const Manifest& manifest, const std::map<std::string, std::string>& sha1);

/// licenses/THIRD_PARTY.md: whose work is in the bundle, under what.
std::string thirdPartyText(const Manifest& manifest);

} // namespace lathe::deploy
