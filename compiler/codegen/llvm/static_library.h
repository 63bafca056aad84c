// SPDX-License-Identifier: Apache-2.0
//
// From one object to a library that others can be linked with.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lathe::codegen {

/// An archive of the object, in which all symbols that it defines but `symbol` have become local. Fails for an object that
/// needs symbols of others.
Result<std::vector<std::byte>> libraryOf(std::vector<std::byte> object, const std::string& symbol,
                                         const std::string& member);

} // namespace lathe::codegen
