// SPDX-License-Identifier: Apache-2.0
//
// A container image of bundles whose form is one static program: the bundle is all that is in it. The image lies in one tar file,
// as the OCI's image layout (image-spec 1.1) has it and, for older Docker, with the list of `docker save`.
#pragma once

#include "deploy/check_bundle.h"

namespace lathe::deploy {

/// Writes it to NAME.tar: each bundle below /bundle, its program as the entry point. Bundles for several machines, one each,
/// become one image, of which an engine takes the one for its machine. The same bundles give the same bytes.
/// Fails with kind Usage if they are of other forms, of two models, or two are for one machine; and if a bundle is damaged.
Result<void> writeImage(const std::vector<OpenBundle>& bundles, const std::filesystem::path& out, bool replace,
                        const driver::Progress& progress);

} // namespace lathe::deploy
