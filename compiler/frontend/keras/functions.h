// SPDX-License-Identifier: Apache-2.0
//
// Functions that configs name: activations of layers, and those of the gates of recurrent ones.
#pragma once

#include "frontend/keras/layer.h"

namespace lathe::frontend::keras {

/// x by the function that the attribute names, or by the layer that stands there; x if there is none.
Var activated(Layer& layer, const std::string& attribute, Var x);
/// x by the function of that name. A refusal if it is unknown.
Var functionOf(Layer& layer, const std::string& name, Var x);
/// The layer ReLU, whose attributes have this before their names.
Var reluLayer(Layer& layer, const std::string& prefix, Var x);
Var leakyReluLayer(Layer& layer, const std::string& prefix, Var x);
Var softplus(Builder& b, Var x);

} // namespace lathe::frontend::keras
