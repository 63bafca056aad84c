// SPDX-License-Identifier: Apache-2.0
//
// A program as the format-neutral graph that people see, with its tensors.
#pragma once

#include "frontend/torch/archive.h"
#include "frontend/torch/program.h"

#include <set>
#include <unordered_map>

namespace lathe::frontend::torch {

struct StoredTensor {
    model::TensorPtr tensor; // of complex numbers with a last dim of two
    bool isComplex = false;
};

/// What the program gives: an output of its signature, or an input that it assigns to.
struct ProgramOutput {
    std::string name;      // "out.0", "after.x"
    ProgramArgument value; // in the program's graph
    int32_t node = -1;     // that stands for it in the model, where the value has a name of its own
};

struct ProgramModel {
    Program program;
    std::shared_ptr<model::ModelGraph> graph;
    std::unordered_map<std::string, StoredTensor> tensors; // by name in the program's graph: those that are used
    std::unordered_map<std::string, std::string> names;    // in the model, by that in the program's graph
    std::vector<ProgramOutput> outputs;
    std::set<std::string> assigned; // inputs of the program's graph that it assigns to
};

/// Faults of tensors and names are in the graph's diagnostics.
ProgramModel makeModel(Program program, Archive& archive, const std::string& file, Budget& budget);

} // namespace lathe::frontend::torch
