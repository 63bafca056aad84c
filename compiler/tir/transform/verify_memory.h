// SPDX-License-Identifier: Apache-2.0
//
// Verify memory (required): before code generation, every access has a place.
//
// Each buffer that is loaded or stored is a parameter, allocated or bound around the access; allocations are of constant
// size and small (they become stack); an access has one index; nothing writes a buffer parameter that is an input. A
// finding is a bug of a pass before, so it throws InternalError with the function and the buffer.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

void verifyMemory(const PrimFunc& function);

} // namespace lathe::tir
