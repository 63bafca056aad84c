// SPDX-License-Identifier: Apache-2.0
//
// How the models of ai.onnx.ml that are no trees take their features. They compute in float32, in float64 for such input, and
// give float32.
#pragma once

#include "frontend/common/emit.h"

#include <optional>

namespace lathe::frontend::onnx {

/// x in the type that such a model computes in.
Var asReal(Builder& b, Var x);
/// What is of rank 1 as one row.
Var asRows(Builder& b, Var x);
/// The columns of x [n, features], or, of rank 1, its elements as one row; nothing, and a fault, if unknown.
std::optional<int64_t> featuresOf(NodeReader& node, Builder& b, Var x);
/// A list of floats as a constant of x's type, in the given dims; a fault if it does not fill them.
Var realTensor(NodeReader& node, Builder& b, const char* name, Var x, const std::vector<int64_t>& shape);

} // namespace lathe::frontend::onnx
