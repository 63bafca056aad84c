// SPDX-License-Identifier: Apache-2.0
//
// What attributes may say. An operator's schema has their names and types; what it has in prose alone, the words that a mode
// knows and the numbers that a flag takes, stands here in one table, by operator and version. All nodes are held against both
// while the model is read, so a converter, or the body of an operator that has none, sees nothing unknown.
#pragma once

#include "model/model_graph.h"

namespace onnx {
class OpSchema;
}

namespace lathe::frontend::onnx {

/// What is wrong with a node's attributes: one unknown to the operator, given twice, missing, of another type, or with a value
/// that this version of the operator does not know. Each names the attribute, its
/// value and what is known instead.
std::vector<Diagnostic> faultsOfAttributes(const model::Node& node, const ::onnx::OpSchema& schema);

/// The values that version `version` of an operator knows, separated by blanks: words ("nearest linear"), numbers ("0 1"),
/// numbers from one on ("1.."), or "type" for the number of an element type. Empty if the table says nothing: any value that
/// has the type.
std::string_view knownValues(std::string_view op, int version, std::string_view attribute);

} // namespace lathe::frontend::onnx
