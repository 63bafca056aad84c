// SPDX-License-Identifier: Apache-2.0
#include "tuning/study_device.h"

#include "base/printable.h"

#include <algorithm>
#include <charconv>

namespace lathe::tuning {
namespace {

constexpr size_t longestName = 200;
constexpr int mostCores = 4096;

} // namespace

Result<StudyDevice> askDevice(const device::RunnerOptions& runner) {
    device::RunnerClient client(runner);
    LATHE_TRY(const auto facts, client.facts());
    StudyDevice device{.processor = "unknown processor"};
    for (const auto& [name, value] : facts)
        if (name == "cpu")
            device.processor = printable(value.substr(0, longestName));
        else if (name == "cores")
            std::from_chars(value.data(), value.data() + value.size(), device.cores);
    device.cores = std::clamp(device.cores, 1, mostCores);
    return device;
}

} // namespace lathe::tuning
