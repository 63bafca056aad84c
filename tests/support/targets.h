// SPDX-License-Identifier: Apache-2.0
//
// The targets that kernels are tested for: vectors of 256 and of 512 bits, as far as this machine has the instructions to run
// them.
#pragma once

#include "codegen/target.h"

#include <vector>

namespace lathe::testing {

inline std::vector<const char*> targetsThatRunHere() {
    std::vector<const char*> targets = {"x86-64-v3", "x86-64-v4"};
    std::erase_if(
        targets, [](const char* target) { return !codegen::checkRunsHere(*codegen::parseTarget(target)).has_value(); });
    return targets;
}

} // namespace lathe::testing
