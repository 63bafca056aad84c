// SPDX-License-Identifier: Apache-2.0
//
// What the user calls inputs and outputs of a program: as its function has them, else as its graph has.
#pragma once

#include "frontend/torch/program.h"

namespace lathe::frontend::torch {

/// Fills inputNames and outputNames from what the program says of its calls.
void nameForUser(const nlohmann::json& calls, Program& program);

} // namespace lathe::frontend::torch
