// SPDX-License-Identifier: Apache-2.0
//
// How large an expression may become by inlining: values that are used twice double it at each step.
#pragma once

#include "tir/ir.h"

namespace lathe::moves {

/// Whether what `reader` stores stays of a size to compile once all that it reads of `made` is computed in it.
bool staysSmall(const tir::Store& reader, const tir::Store& made);

} // namespace lathe::moves
