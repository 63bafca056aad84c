// SPDX-License-Identifier: Apache-2.0
//
// TFLite models: file to ModelGraph and relay Module. The row of the table of frontends.
#pragma once

#include "frontend/frontend.h"

namespace lathe::frontend::tflite {

/// Whether the bytes have the identifier of a TFLite model at its place.
bool probe(const Source& source);

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options);

model::Role roleOf(const model::Node& node);
bool hasOperator(const std::string& domain, const std::string& name);

} // namespace lathe::frontend::tflite
