// SPDX-License-Identifier: Apache-2.0
//
// Which values of a model depend on what an operator draws at random: no two engines agree on them. What depends on none is
// the same wherever the model runs.
#pragma once

#include "model/host_tensor.h"
#include "model/model_graph.h"

#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace lathe::model {

/// For each output of the model, whether it depends on a draw. A node is one step: all that it gives depends on all that
/// it reads and on what the graphs nested in it give. inputs: what the model is fed with, by position.
std::vector<bool> randomOutputs(const ModelGraph& model, std::span<const HostTensor> inputs);
/// The names of all values of the outermost graph that do.
std::unordered_set<std::string> randomValues(const ModelGraph& model, std::span<const HostTensor> inputs);

/// The tensor of a value of the outermost graph that is given, not computed: an input, an initializer or a constant.
std::optional<HostTensor> givenTensor(const ModelGraph& model, std::span<const HostTensor> inputs,
                                      const std::string& value);

/// The share of the elements that a Dropout of the outermost graph drops in training mode; nothing if it is computed.
std::optional<double> dropRatio(const ModelGraph& model, std::span<const HostTensor> inputs, const Node& node);

} // namespace lathe::model
