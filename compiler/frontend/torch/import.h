// SPDX-License-Identifier: Apache-2.0
//
// Imports programs of torch.export: archives (.pt2) that hold a graph as JSON and tensors beside it.
#pragma once

#include "frontend/frontend.h"

#include <string>

namespace lathe::frontend::torch {

/// Whether the files' names are those of such an archive: a guess, cheap and never wrong for a good one.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

model::Role roleOf(const model::Node& node);
bool hasOperator(const std::string& domain, const std::string& name);

} // namespace lathe::frontend::torch
