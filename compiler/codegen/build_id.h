// SPDX-License-Identifier: Apache-2.0
//
// Which code generator this is: what it makes of a function may change whenever its own code or LLVM's does.
#pragma once

#include <string>

namespace lathe::codegen {

/// The ELF build ids of the object that holds this code generator and of the one that holds LLVM, as hexadecimal digits;
/// empty if one of them was linked without (`ld --build-id=none`).
std::string buildId();

/// The version of LLVM, "19.1.7".
std::string llvmVersion();

} // namespace lathe::codegen
