// SPDX-License-Identifier: Apache-2.0
//
// A Keras model to a model::ModelGraph: a node a call of a layer. A node's op is the layer's class; of operations that
// are no layers the domain says so ("ops" of Keras 3, "tf" of Keras 2). Its inputs are the tensors that it is called
// with, then the layer's weights; the attributes "arguments" and "weights" name both. Models in models stand in place
// of their calls, with Node::scope; a layer that is called several times is several nodes with the same weights. The
// layer that TimeDistributed wraps is a graph on its node. A node's version is that of Keras.
#pragma once

#include "base/budget.h"
#include "frontend/keras/open_model.h"
#include "model/model_graph.h"

#include <memory>
#include <string>

namespace lathe::frontend::keras {

inline constexpr const char* operations = "ops";
inline constexpr const char* tensorflow = "tf";

/// What is wrong with the model goes to the graph's diagnostics.
std::shared_ptr<model::ModelGraph> readGraph(OpenModel& open, const std::string& file,
                                             const std::shared_ptr<Budget>& budget);

} // namespace lathe::frontend::keras
