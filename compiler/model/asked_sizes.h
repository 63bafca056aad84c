// SPDX-License-Identifier: Apache-2.0
//
// What a user asks the sizes of inputs to be, held against what the model declares of them: one rule and the same words
// wherever sizes are given, whether a model is imported or an artifact run.
#pragma once

#include "base/result.h"
#include "model/model_graph.h"
#include "model/size_name.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe::model {

/// By a name; -1 leaves a size open.
using Sizes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// An input as the model has it.
struct SizedInput {
    std::string name;
    bool hasShape = true;
    std::vector<Dim> dims; // of equal names (isSizeName) equal sizes
    std::string type;      // "float32[n,3]", for people
};
std::vector<SizedInput> sizedInputs(const Graph& graph);

/// Names the sizes as if the model declared them so: equal names are equal sizes, those that the model has itself too, and of
/// an input whose shape is not declared they say the rank, and `beside` the sizes that get no name. Fails (kind Usage) for what
/// is no input, and for names that the input cannot have: of another rank, or of a size that is fixed.
Result<void> nameSizes(ModelGraph& model, const SizeNames& asked, const Sizes& beside);

/// What is asked for, by input and each once: a size that is asked for by its own name (n=5) becomes that size of all inputs
/// that have it (sizeMeant). Fails (kind Usage) for a name that is neither an input's nor an open size's, for an open size that
/// is given no number, for sizes that the input cannot have, and for what contradicts itself.
Result<Sizes> sizesByInput(std::span<const SizedInput> inputs, const Sizes& asked);

/// Of a name that is no input's (kind Usage); the hint lists the names that there are.
Diagnostic noInput(const std::string& name, std::span<const SizedInput> inputs);

} // namespace lathe::model
