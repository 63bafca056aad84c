// SPDX-License-Identifier: Apache-2.0
//
// A golden case of a bundle, golden/NAME/: case.json, which says how outputs are compared, and the tensors in .npy files by
// ordinal. All of it may come from anywhere and is held against the model's types. What checks bundles, on a device and on a
// desk, reads and judges cases by this alone.
#pragma once

#include "base/result.h"
#include "driver/compare.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::selfcheck {

struct GoldenCase {
    std::string name;
    std::vector<model::HostTensor> inputs;
    std::vector<model::HostTensor> outputs; // may be fewer than the model has
    std::vector<bool> compared;             // by output: not those that are drawn at random
    driver::CompareRules rules;
};

/// The element types of a model's inputs and outputs.
struct ValueTypes {
    std::vector<DataType> inputs, outputs;
};

/// Fails with a Diagnostic that names the file: malformed, a type that the model does not have there, more or fewer inputs.
Result<GoldenCase> readCase(const std::filesystem::path& bundle, const std::string& name, const ValueTypes& types);

/// The tensor in a .npy file, of the type that the model has there. Fails with a Diagnostic that names the file.
Result<model::HostTensor> readTensor(const std::filesystem::path& path, DataType type);

/// Empty if the outputs are as expected; else a sentence for each that is not. `ofRange` becomes the largest difference, as a
/// share of the range of expected values, if it was smaller.
std::vector<std::string> wrongOutputs(const std::vector<model::HostTensor>& expected, const std::vector<bool>& compared,
                                      const driver::CompareRules& rules, const std::vector<model::HostTensor>& got,
                                      const std::vector<std::string>& names, double& ofRange);

} // namespace lathe::selfcheck
