// SPDX-License-Identifier: Apache-2.0
//
// States that recurrent operators keep from one call of the model to the next, in operands that nothing produces. The
// one place where they are read and given back.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <vector>

namespace lathe::frontend::tflite {

/// From what the states held before, what they hold afterwards, both as real numbers. A Var{} before is all zeros.
using OverStates = std::function<std::vector<Var>(const std::vector<Var>& before)>;

/// Calls fn with what the operands hold before this call of the model, and keeps what it gives for the next one. Before the
/// first call that is zeros. Of an operand that some node produces, or that is absent, nothing is kept.
void overStates(NodeReader& node, const std::vector<size_t>& operands, const OverStates& fn);

} // namespace lathe::frontend::tflite
