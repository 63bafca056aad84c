// SPDX-License-Identifier: Apache-2.0
//
// Slices as TensorFlow and its relatives write them: operands that say begin, end and step, or begin and size, of each
// dim, and masks of what they leave out, drop or add. Bounds may be computed while the model runs.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x by operands 1 … 3, begin, end and strides, and the attributes begin_mask, end_mask, ellipsis_mask, new_axis_mask,
/// shrink_axis_mask and offset (ends are sizes).
Var stridedSlice(NodeReader& node, Builder& b, Var x);

/// x by operands 1 and 2, begin and size, where -1 stands for all that is left.
Var sizedSlice(NodeReader& node, Builder& b, Var x);

} // namespace lathe::frontend
