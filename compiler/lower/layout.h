// SPDX-License-Identifier: Apache-2.0
//
// Applies layouts to a computation: topi writes logical indices, the buffers of parameters with a layout are stored
// another way. Only layouts whose splits divide the dims are applied, so a stored buffer has no padding.
#pragma once

#include "relay/ir.h"
#include "tir/ir.h"

namespace lathe::lower {

/// layouts[i]: of the i-th parameter, null for identity.
tir::PrimFuncPtr applyLayouts(const tir::PrimFuncPtr& function, const std::vector<relay::LayoutPtr>& layouts);

} // namespace lathe::lower
