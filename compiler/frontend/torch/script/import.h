// SPDX-License-Identifier: Apache-2.0
//
// Imports TorchScript programs: archives (.pt, .pth, .jit, .ptl) of compiled functions as text, and of the objects that they
// work on.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::torch::script {

/// Whether the files' names are those of such an archive: a guess, cheap and never wrong for a good one.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

model::Role roleOf(const model::Node& node);

} // namespace lathe::frontend::torch::script
