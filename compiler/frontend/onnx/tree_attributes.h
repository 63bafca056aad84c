// SPDX-License-Identifier: Apache-2.0
//
// The decision trees that a node's attributes describe, in the two forms that ai.onnx.ml has.
#pragma once

#include "frontend/onnx/tree_tables.h"

namespace lathe::frontend::onnx {

/// Of TreeEnsemble, whose leaves have a table of their own. Nothing, and a fault, if what is given makes no trees.
std::optional<TreeTables> readEnsemble(NodeReader& node, int64_t targets);
/// Of TreeEnsembleRegressor and TreeEnsembleClassifier, whose nodes have ids in their tree, with the votes in attributes that
/// begin with `votes`, "target" or "class".
std::optional<TreeTables> readNamedTrees(NodeReader& node, const std::string& votes, int64_t targets);

/// Of an attribute that holds them as floats, or, under NAME_as_tensor, in a tensor; nothing, and a fault, if it has both.
std::optional<std::vector<double>> realsOf(NodeReader& node, const std::string& name, bool* isDouble = nullptr);

} // namespace lathe::frontend::onnx
