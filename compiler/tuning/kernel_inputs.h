// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a kernels' artifact (driver/kernel_artifact.h): of the shapes that the computation has at some sizes.
#pragma once

#include "device/runner_client.h"
#include "tir/ir.h"

#include <functional>

namespace lathe::tuning {

/// Makes a tensor of this type and shape.
using MakeTensor = std::function<model::HostTensor(DataType, const std::vector<int64_t>& shape)>;

/// Sets all inputs but the plan of the artifact that the runner has loaded, in their order. `sizes`: the values of the
/// computation's scalars. Fails for an operand of more than 16 GiB, and where the runner refuses one.
Result<void> setKernelInputs(device::RunnerClient& runner, const tir::PrimFunc& computation,
                             const std::vector<int64_t>& sizes, const MakeTensor& make);

/// Of all inputs and outputs together. Fails for one of more than 16 GiB.
Result<int64_t> operandBytes(const tir::PrimFunc& computation, const std::vector<int64_t>& sizes);

} // namespace lathe::tuning
