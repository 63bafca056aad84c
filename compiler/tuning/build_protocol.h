// SPDX-License-Identifier: Apache-2.0
//
// What the tuner and its builders say to each other: messages of ChildProcess and ParentStream. A builder begins with
// builderHello; then each request has an answer. The numbers are this machine's.
#pragma once

#include "driver/kernel_artifact.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe::tuning {

inline constexpr std::string_view builderHello = "lathe builder 1";
inline constexpr int exitLacksMemory = 3;

/// What holds for the kernels of one task.
struct BuildSetting {
    std::string options;                     // as toJson prints them
    std::string computation;                 // as tir::print does
    std::vector<std::vector<int64_t>> sizes; // tune::Task::allSizes
    int64_t cpuSeconds = 0;                  // for one kernel
    int64_t bytes = 0;                       // writable memory of the builder; 0: no limit
    bool operator==(const BuildSetting&) const = default;
};

struct BuildRequest {
    std::optional<BuildSetting> setting; // if it is not that of the request before
    std::string name;
    std::optional<std::string> trace; // as schedule::print prints it; none: unscheduled
};

std::string encode(const BuildRequest& request);
/// Nothing if the message is malformed.
std::optional<BuildRequest> decodeRequest(std::string_view message);

/// Of a kernel, or why there is none.
std::string encodeBuilt(const driver::CompiledKernel& kernel, const std::vector<std::vector<int64_t>>& sizes);
std::string encodeRefused(const std::string& why);

struct BuildAnswer {
    std::optional<driver::CompiledKernel> kernel; // name, object, checks, workspace for all of the sizes
    std::string why;
};
/// Nothing if the message is malformed, or its object is not the one that was sent.
std::optional<BuildAnswer> decodeAnswer(std::string_view message);

} // namespace lathe::tuning
