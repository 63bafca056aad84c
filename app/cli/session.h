// SPDX-License-Identifier: Apache-2.0
//
// What run, profile and bench have in common: a model or an artifact, compiled if need be, loaded in a runner, its inputs
// set from files or at random.
#pragma once

#include "app/cli/commands.h"
#include "base/memory_file.h"
#include "driver/runner_client.h"
#include "relay/ir.h"

#include <random>
#include <unordered_map>

namespace lathe::cli {

/// Compiles into `memory` unless the file is an artifact already; the path to load.
Result<std::filesystem::path> artifactFor(const std::string& model, const MemoryFile& memory, const Common& common,
                                          driver::Trace& trace, double& seconds);

/// A tensor from a .pb or .npy file.
Result<model::HostTensor> readTensorFile(const std::filesystem::path& path);
Result<void> writeNpy(const std::filesystem::path& path, const model::HostTensor& tensor);

/// Input name and dims.
using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// Values: standard normal for floats, small non-negative integers, from the seed.
model::HostTensor randomTensor(DataType dtype, const std::vector<int64_t>& shape, std::mt19937_64& generator);

/// Sets all inputs of a loaded model: `files` are NAME=FILE, the others random. Dims are those of the files and `shapes`, or 1
/// for a symbol that neither gives. The dims that all inputs have.
Result<Shapes> setInputs(driver::RunnerClient& runner, const driver::RunnerModel& loaded,
                         const std::vector<std::string>& files, uint64_t seed, const Shapes& shapes);

/// Values of the symbols that stand in the types of main's parameters, at these dims of inputs.
std::unordered_map<const arith::ExprNode*, int64_t> symbolValues(const relay::Function& main, const Shapes& shapes);

} // namespace lathe::cli
