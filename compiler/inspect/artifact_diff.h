// SPDX-License-Identifier: Apache-2.0
//
// How two artifacts differ: what they say of themselves, kernel by kernel and constant by constant. A kernel is the same if
// its object code is; the linked code of two artifacts may differ throughout because one kernel is longer.
#pragma once

#include "artifact/artifact.h"
#include "device/runner_client.h"

#include <string>
#include <vector>

namespace lathe::inspect {

/// What an artifact says of itself.
struct ArtifactFacts {
    artifact::Parts parts;
    device::RunnerModel model;
};

/// Loads the artifact in the runner's child. Fails as RunnerClient::load does.
Result<ArtifactFacts> readFacts(const std::filesystem::path& artifact, device::RunnerClient& runner);

struct ArtifactChange {
    std::string
        what; // "name", "target", "peak bytes", "input", "output", "kernel", "call", "constant", "entry", "code"
    std::string name;          // of an input, a kernel …; empty where there is one
    std::string before, after; // empty before: added; empty after: removed
};

/// Empty if they are the same code, constants and name. The code itself stands there only if nothing else says how it differs.
std::vector<ArtifactChange> diffArtifacts(const ArtifactFacts& before, const ArtifactFacts& after);

} // namespace lathe::inspect
