// SPDX-License-Identifier: Apache-2.0
//
// What an operator's schema says about the types of its operands and results: which it takes and gives, and which must be
// the same.
#pragma once

#include "model/model_graph.h"

#include <functional>

namespace lathe::frontend::onnx {

/// The element type of input or output i, if it is there and a tensor.
using TypeOf = std::function<std::optional<DataType>(size_t i)>;

/// What is wrong with the operands' types; nothing if they fit, or if the operator has no schema.
std::optional<std::string> faultOfOperandTypes(const model::Node& node, const TypeOf& typeOfInput);

/// The same of the results, which attributes ask for (a cast's target) and which must agree with the operands. Nothing for
/// constants.
std::optional<std::string> faultOfResultTypes(const model::Node& node, const TypeOf& typeOfInput,
                                              const TypeOf& typeOfOutput);

} // namespace lathe::frontend::onnx
