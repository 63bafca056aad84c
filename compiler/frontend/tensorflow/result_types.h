// SPDX-License-Identifier: Apache-2.0
//
// Types of results by what a node says of itself, for a graph that is cut behind nodes which Lathe cannot convert: those
// that read files and texts, and whatever names its element type in an attribute.
#pragma once

#include "model/model_graph.h"

namespace lathe::frontend::tensorflow {

/// Of kind Unknown if the node says nothing.
model::ValueType typeOfResult(const model::Node& node, size_t result);

} // namespace lathe::frontend::tensorflow
