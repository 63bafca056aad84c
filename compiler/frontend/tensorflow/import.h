// SPDX-License-Identifier: Apache-2.0
//
// Models of TensorFlow: a graph in a file, or a SavedModel's folder, to ModelGraph and relay Module. The row of the
// table of frontends.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::tensorflow {

/// Whether the file begins as a graph, or the folder has a SavedModel's file.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

model::Role roleOf(const model::Node& node);
bool hasOperator(const std::string& domain, const std::string& name);

} // namespace lathe::frontend::tensorflow
