// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the selection leads, in words: the names of model nodes, and why a node has no loops.
#pragma once

#include "inspect/provenance.h"

#include <QString>

namespace lathe::views::models {

/// "Conv_3, Relu_4 and 7 more".
QString namesOf(const model::ModelGraph& graph, const std::vector<int>& nodes);

/// "removed by import", or "no code of its own" for a branch or a loop of the model. Of a node that no function computes.
QString whyNoCode(const inspect::Provenance& provenance, int node);

/// "Constant_2 has no loops: removed by import."; empty for a node that a function computes.
QString whyNoLoops(const inspect::Provenance& provenance, int node);

} // namespace lathe::views::models
