// SPDX-License-Identifier: Apache-2.0
//
// A golden case of a bundle, golden/NAME/: case.json, which says how outputs are compared, and the tensors in .npy files by
// ordinal. All of it may come from anywhere and is held against the loaded model.
#pragma once

#include "base/result.h"
#include "driver/compare.h"
#include "runtime/lathe_rt.h"

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

/// Fails with a Diagnostic that names the file: malformed, a type that the model does not have there, more or fewer inputs.
Result<GoldenCase> readCase(const std::filesystem::path& bundle, const std::string& name, const lathe_model* model);

/// The element type by the runtime's description; Void for one that no tensor here can have.
DataType typeOf(DLDataType type);

} // namespace lathe::selfcheck
