// SPDX-License-Identifier: Apache-2.0
//
// Calls of layers, as a Functional model lists them: a layer is called once or several times, each time with tensors
// that are results of calls, and with constants. Keras 2 and 3 write them differently; here they are one.
#pragma once

#include "frontend/keras/config.h"
#include "model/model_graph.h"

#include <map>
#include <string>
#include <vector>

namespace lathe::frontend::keras {

/// A result of a call of a layer of the same model.
struct TensorRef {
    std::string layer;
    int64_t call = 0, result = 0;
};

struct LayerCall {
    std::vector<TensorRef> tensors;
    std::vector<std::string> labels; // which argument each is: "arg.0", "arg.0.1" of a list, "call.mask"
    std::vector<model::Attribute> constants;
};

/// The calls in an entry of a model's list of layers.
std::vector<LayerCall> callsOf(const Json& layer);

/// The tensors that a model's config names as its inputs or outputs: one, a list, or by names, which are empty
/// otherwise.
std::vector<std::pair<std::string, TensorRef>> refsOf(const Json& json);

} // namespace lathe::frontend::keras
