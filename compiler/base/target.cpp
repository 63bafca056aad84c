// SPDX-License-Identifier: Apache-2.0
#include "base/target.h"

#include <fmt/format.h>

namespace lathe {

std::string toString(const Target& target) {
    return fmt::format("{}:{}:{}:vector={},cores={},l1={},l2={},l3={}", target.triple, target.cpu, target.features,
                       target.vectorBits, target.cores, target.l1Bytes, target.l2Bytes, target.l3Bytes);
}

} // namespace lathe
