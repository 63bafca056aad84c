// SPDX-License-Identifier: Apache-2.0
//
// What a model is held against: inputs with the outputs that are expected of them, as ONNX's tests have them in a folder,
// and the rules by which outputs of this model are compared.
#pragma once

#include "data/compare.h"
#include "device/runner_client.h"
#include "driver/options.h"
#include "model/model_graph.h"

#include <filesystem>
#include <vector>

namespace lathe::inspect {

/// By position, in the model's order.
struct DataSet {
    std::vector<model::HostTensor> inputs, outputs;
};

/// Reads input_N.pb for each input of the model, and as many output_N.pb as there are. Fails if an input is missing or a
/// file is damaged.
Result<DataSet> readDataSet(const std::filesystem::path& folder, const device::RunnerModel& loaded);

/// Fails if an input has other sizes than the model was compiled for.
Result<void> checkSizes(const DataSet& data, const device::RunnerModel& loaded);

/// Follows from what the model is: its operators and types.
data::CompareRules rulesFor(const model::ModelGraph& graph, data::Tolerance tolerance);

} // namespace lathe::inspect
