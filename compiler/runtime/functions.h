// SPDX-License-Identifier: Apache-2.0
//
// The table of functions that generated code calls.
#pragma once

#include "abi/abi.h"

namespace lathe::runtime {

/// The same for all models and contexts, for the life of the process.
const lathe_functions* functionTable();

} // namespace lathe::runtime
