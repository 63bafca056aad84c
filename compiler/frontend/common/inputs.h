// SPDX-License-Identifier: Apache-2.0
//
// Types of a model's inputs: declared dims are facts, named dims are symbols shared by all inputs, unknown dims are
// symbols of their own.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend {

/// One type a graph input. Fails for inputs that are neither tensors nor sequences or optionals of them, for tensors whose
/// rank is unknown, and for options that name nothing or contradict the model. A sequence whose elements' rank is unknown is
/// one that holds nothing.
Result<std::vector<relay::Type>> inputTypes(const model::ModelGraph& graph, const Options& options);

} // namespace lathe::frontend
