// SPDX-License-Identifier: Apache-2.0
//
// A device over ssh as a study of it is told, and recorded: what it says of itself. What it can do at most is not measured.
#pragma once

#include "device/runner_client.h"

#include <string>

namespace lathe::tuning {

struct StudyDevice {
    std::string processor; // as its system calls it
    int cores = 1;         // that its runner may use
};
/// Asks the runner on the device.
Result<StudyDevice> askDevice(const device::RunnerOptions& runner);

} // namespace lathe::tuning
