// SPDX-License-Identifier: Apache-2.0
//
// Storage rewrite (optional): workspace buffers whose lives do not overlap share memory.
//
// After "flatten buffers" each workspace buffer lies behind the one before. A buffer lives from its first access to its
// last; a loop that contains one access and does not contain the allocation counts whole, because its next iteration may
// need the value. In order of first access each buffer takes the place of one that is dead and provably as large, else
// new memory. Functions with workspace for each task of a parallel loop are left as they are.
#pragma once

#include "tir/transform/flatten_buffers.h"

namespace lathe::tir {

Flattened storageRewrite(const Flattened& flattened);

} // namespace lathe::tir
