// SPDX-License-Identifier: Apache-2.0
//
// Where layers stand while they are read, and how their results are named: by the layer, below the models around it,
// with the number of the call and of the result where it is not the first. So a name is known before its node is read,
// and the order of layers in a config does not matter.
#pragma once

#include "frontend/keras/calls.h"

#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lathe::frontend::keras {

/// Where the layers of a model stand while they are read.
struct Frame {
    std::string values;  // before names of values: "inner/"; with the number of the call where it is not the first
    std::string weights; // before names of weights: the same for all calls
    std::string place;   // before places of weights in the file
    std::vector<std::string> scope;
    model::Graph* graph = nullptr;
    std::set<std::string>* initializers = nullptr; // of the graph
};

using Named = std::vector<std::pair<std::string, std::string>>; // results of a model: name, if they have any, and value

inline std::string valueName(const Frame& frame, const std::string& layer, int64_t call, int64_t result) {
    std::string name = frame.values + layer;
    if (call > 0)
        name += fmt::format("#{}", call);
    if (result > 0)
        name += fmt::format(":{}", result);
    return name.starts_with("output_") ? "#" + name : name; // those names are the results' own
}

inline std::string valueName(const Frame& frame, const TensorRef& ref) {
    return valueName(frame, ref.layer, ref.call, ref.result);
}

} // namespace lathe::frontend::keras
