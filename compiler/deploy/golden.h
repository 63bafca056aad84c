// SPDX-License-Identifier: Apache-2.0
//
// Golden cases: inputs with the outputs that are expected of them, which travel with a bundle so that whoever has it can say
// whether it computes there what it should. They come from data beside the model (test_data_set_N), which say that the model
// is right; or from the model itself under strict numerics on this machine, which say that a device agrees with it.
//
// On disk: a folder a case with input_N.npy, output_N.npy and case.json. The arrays hold the bytes of the elements; of types
// that NumPy lacks as unsigned integers of that width.
#pragma once

#include "data/golden_case.h"
#include "deploy/bundle_options.h"
#include "deploy/bundle_plan.h"
#include "deploy/model_interface.h"

#include <functional>

namespace lathe::deploy {

/// A golden case as it was made here.
struct MadeCase {
    data::GoldenCase golden;
    std::string source;           // as in a ManifestCase
    data::CaseResult result = {}; // what outputs that are as expected say
    uint64_t bytes() const;       // of its tensors
};

/// At most this for all cases of a bundle; those that would be more are left out, with a remark.
inline constexpr uint64_t goldenBytes = uint64_t{64} << 20;

struct GoldenWork {
    const std::filesystem::path& model;
    const BundleOptions& options;
    const model::ModelGraph& graph;
    device::RunnerClient& runner; // with the strict artifact loaded
};
/// Fails if data are named and cannot be read, or are not what the model computes within the tolerance. Cases that the model
/// itself refuses, as by a division by zero, are left out with a remark. Inputs are drawn again if most of what they give are no
/// finite numbers, of which nothing would be known; what remains of these is a remark. `interface` gets which outputs are random.
Result<std::vector<MadeCase>> makeGolden(const GoldenWork& work, ModelInterface& interface,
                                         std::vector<std::string>& remarks);

/// Files of a case below golden/NAME/.
std::vector<PlannedFile> filesOf(const MadeCase& made, const ModelInterface& interface);

} // namespace lathe::deploy
