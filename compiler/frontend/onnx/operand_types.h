// SPDX-License-Identifier: Apache-2.0
//
// What an operator's schema says about the types of its operands: which it takes, and which must be the same.
#pragma once

#include "model/model_graph.h"

#include <functional>

namespace lathe::frontend::onnx {

/// What is wrong with the operands' types; nothing if they fit, or if the operator has no schema. typeOf(i): of input i, if it
/// is there and a tensor.
std::optional<std::string> faultOfOperandTypes(const model::Node& node,
                                               const std::function<std::optional<DataType>(size_t)>& typeOf);

} // namespace lathe::frontend::onnx
