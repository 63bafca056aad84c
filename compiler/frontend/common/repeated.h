// SPDX-License-Identifier: Apache-2.0
//
// Repetitions and reversals as TensorFlow's operators spell them, and TFLite's after them: by operand 1 and attributes.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// x as often along each dim as operand 1 says.
Var tiled(NodeReader& node, Var x);
/// x backwards along the axes that operand 1 names.
Var reversedAlong(NodeReader& node, Var x);
/// Of x, as many elements of each sequence backwards as operand 1 says.
Var reversedSequences(NodeReader& node, Var x);

} // namespace lathe::frontend
