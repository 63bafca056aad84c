// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small models made by hand, for tests of views: no importer is needed to test what shows its result.
#pragma once

#include "model/model_graph.h"

#include <string>
#include <vector>

namespace lathe::testing {

model::Node node(std::string op, std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs);

/// Makes a ModelGraph of a graph: numbers the nodes, nested ones after those around them.
std::shared_ptr<model::ModelGraph> modelOf(std::shared_ptr<model::Graph> graph);

/// input -> Conv(W) -> Relu -> Add(with Conv's) -> output, one constant, one skip.
std::shared_ptr<model::ModelGraph> residualBlock();

/// A chain of `length` nodes with a value that every node reads (a mask) and a skip over two nodes at every fourth.
std::shared_ptr<model::ModelGraph> chainWithMask(int length);

/// An If whose branches read a value of the graph around; the refused node stands in a branch.
std::shared_ptr<model::ModelGraph> refusedInBranch();

} // namespace lathe::testing
