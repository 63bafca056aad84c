// SPDX-License-Identifier: Apache-2.0
//
// Keras models: file to ModelGraph and relay Module. The row of the table of frontends.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::keras {

/// Whether it is an HDF5 file, or has the files of a Keras model.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

model::Role roleOf(const model::Node& node);
bool hasOperator(const std::string& domain, const std::string& name);

} // namespace lathe::frontend::keras
