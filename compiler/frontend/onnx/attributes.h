// SPDX-License-Identifier: Apache-2.0
//
// What attributes may say. An operator's schema has their names and types; what it has in prose alone, the words that a mode
// knows and the numbers that a flag takes, stands here in one table, by operator and version. Every node of a model whose
// operator has a schema is held against both while the model is read, so a converter, or the body of an operator that has
// none, sees nothing unknown. Of operators without a schema only the names are checked, after their converter has asked for
// those that it knows.
#pragma once

#include "model/model_graph.h"

namespace onnx {
class OpSchema;
}

namespace lathe::frontend::onnx {

/// What is wrong with a node's attributes: one unknown to the operator, given twice, missing, of another type, or with a value
/// that this version of the operator does not know. Each names the attribute; where its name or value is unknown, the value
/// and what is known instead.
std::vector<Diagnostic> faultsOfAttributes(const model::Node& node, const ::onnx::OpSchema& schema);

/// Whether an attribute of that name may stand at any operator and mean nothing to it: ONNX's checker leaves names that begin
/// with "__" to tools, and so they are passed over, whether the operator has a schema or not.
bool mayBeUnknown(std::string_view attribute);

/// The values that version `version` of an operator knows, separated by blanks: words ("nearest linear"), numbers ("0 1"),
/// all from a least one on ("0..", "1.."), "type" for the number of each element type that Lathe has. Empty if the table says
/// nothing: any value that has the type.
std::string_view knownValues(std::string_view op, int version, std::string_view attribute);

} // namespace lathe::frontend::onnx
