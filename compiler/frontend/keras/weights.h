// SPDX-License-Identifier: Apache-2.0
//
// Where the weights of layers lie. Keras 3 names them by the place of their layer in its model: its class, and how many
// of that class came before. Older files name them by the names of the outermost layers, with a list of names each;
// what a place has is found there by the order in which Keras writes: all that training changes, then the rest.
#pragma once

#include "frontend/keras/open_model.h"
#include "frontend/keras/weight_specs.h"

#include <functional>
#include <map>

namespace lathe::frontend::keras {

/// fn(layer, place) for each layer of a model, place as "layers/dense_1" below that of the model. Calls of operations
/// are left out.
void forEachLayer(const Json& model, const std::string& place,
                  const std::function<void(const Json& layer, const std::string& place)>& fn);

class Weights {
public:
    /// model: outlives this.
    explicit Weights(OpenModel& model) : model_(model) {}
    /// Reads the lists of names of an HDF5 file that is the whole model.
    Result<void> readNames();
    /// Those of a layer at a place, one a spec; null for one that is not read.
    Result<std::vector<model::TensorPtr>> read(const std::vector<WeightSpec>& specs, const std::string& place);

private:
    Result<std::vector<std::string>> textsOf(const hdf5::Object& group, const std::string& name);
    Result<model::TensorPtr> readOne(const std::string& path, const WeightSpec& spec);

    OpenModel& model_;
    std::map<std::string, std::string> paths_;  // in the file, by place
    std::map<std::string, std::string> faults_; // why places of an outermost layer have none, by its place
    std::map<std::string, model::TensorPtr> known_;
};

} // namespace lathe::frontend::keras
