// SPDX-License-Identifier: Apache-2.0
//
// What a script's function seems to do, from its text alone: the calls of operators in it and in the modules that it calls, both
// sides of branches and bodies of loops once. It is shown as long as the function cannot be evaluated, for which the types and
// sizes of its inputs have to be given.
#pragma once

#include "frontend/torch/script/archive.h"

namespace lathe::frontend::torch::script {

/// Nodes of the function and what it calls, with ids from 0; what cannot be found is left out.
std::vector<model::Node> outlineOf(ScriptArchive& archive, const FunctionPtr& function);

} // namespace lathe::frontend::torch::script
