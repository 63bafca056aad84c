// SPDX-License-Identifier: Apache-2.0
//
// What a script's function seems to do, from its text alone: the calls of operators in it and in the modules that it calls, both
// sides of branches and bodies of loops once. It is shown as long as the function cannot be evaluated, for which the types and
// sizes of its inputs have to be given; and what would end any evaluation is known before these are.
#pragma once

#include "frontend/torch/script/archive.h"

namespace lathe::frontend::torch::script {

struct Outline {
    std::vector<model::Node>
        nodes; // of the function and what it calls, with ids from 0; what cannot be found is left out
    /// Operators that are not supported, each once, where they are met whatever is known; and functions that call themselves.
    std::vector<Diagnostic> faults;
    std::string training; // the first module that asks whether it is in training mode, and is; empty: none
};
Outline outlineOf(ScriptArchive& archive, const FunctionPtr& function);

} // namespace lathe::frontend::torch::script
