// SPDX-License-Identifier: Apache-2.0
//
// What a client keeps of its runner beside the connection.
#pragma once

#include "device/runner_client.h"
#include "device/runner_connection.h"

namespace lathe::device {

struct RunnerClient::State : RunnerConnection {
    int outputCount = 0;
    std::vector<bool> composed; // by output: whether it is no tensor
    bool hasStates = false;
    size_t callCount = 0;
    int32_t stateCount = 0;
};

} // namespace lathe::device
