// SPDX-License-Identifier: Apache-2.0
//
// Remove no-ops (optional): what has no effect is not compiled.
//
// Empty loops and branches, stores under a mask that is false, evaluations of values without effect, allocations whose
// buffer is never read, with the stores into it. Such code comes from guards that were decided and from copies that a
// schedule made superfluous.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr removeNoOps(const PrimFuncPtr& function);

} // namespace lathe::tir
