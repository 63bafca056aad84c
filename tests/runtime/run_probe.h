// SPDX-License-Identifier: Apache-2.0
//
// Runs of the probe (probe_model.c) in a runner, here or elsewhere.
#pragma once

#include "device/runner_client.h"
#include "support/host_tensor.h"

#include <vector>

namespace lathe::testing {

/// Rows of four values, as the probe takes them.
inline model::HostTensor rows(const std::vector<float>& values) {
    return testing::tensorOf(types::Float32, {std::ssize(values) / 4, 4}, values);
}

/// Loads the probe, which then behaves as `first` asks, and runs it.
inline Result<device::RunnerTimes> runProbe(device::RunnerClient& client, const std::string& probe, float first) {
    LATHE_CHECKED(client.load(probe));
    LATHE_CHECKED(client.setInput("x", rows({first, 1, 2, 3})));
    return client.run();
}

} // namespace lathe::testing
