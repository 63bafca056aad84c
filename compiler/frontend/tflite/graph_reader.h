// SPDX-License-Identifier: Apache-2.0
//
// TFLite to ModelGraph. The subgraph that people call is the graph; the others hang on the nodes that name them, each
// place with nodes and ids of its own. Faults are collected, never thrown.
#pragma once

#include "base/budget.h"
#include "frontend/tflite/read.h"

#include <memory>
#include <string>

namespace lathe::frontend::tflite {

/// The model; faults are in its diagnostics (errors: it must be refused). file: as the user named it.
///
/// A node's operator is called as the schema spells it, "CONV_2D", without a domain; a custom one by its own name, in
/// customDomain. Attributes are the fields of its table of options (option_tables.h); those that name subgraphs hold
/// the graphs.
std::shared_ptr<model::ModelGraph> readGraph(const OpenModel& open, const std::string& file,
                                             const std::string& signature, const std::shared_ptr<Budget>& budget);

} // namespace lathe::frontend::tflite
