// SPDX-License-Identifier: Apache-2.0
//
// What a model in memory, of any format, gives: compiled, and run in a runner of its own.
#pragma once

#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"

#include <string>
#include <utility>
#include <vector>

namespace lathe::testing {

using Values = std::vector<float>;

using Inputs = std::vector<std::pair<std::string, model::HostTensor>>;

/// The outputs; none, and what went wrong in `problem`, otherwise.
inline std::vector<model::HostTensor> resultsOfFile(const std::string& bytes, const Inputs& inputs,
                                                    driver::Options options, std::string& problem) {
    const MemoryFile artifact("values");
    options.cache = false;
    driver::Trace trace;
    const auto compiled =
        driver::compileBytes(std::as_bytes(std::span(bytes)), "model", artifact.path(), {}, options, trace);
    if (!compiled) {
        problem = toString(compiled.error());
        return {};
    }
    device::RunnerOptions where;
    where.program = LATHE_BINARY_DIR "/lathe-runner";
    device::RunnerClient runner(where);
    if (!runner.load(artifact.path())) {
        problem = "was not loaded";
        return {};
    }
    for (const auto& [name, tensor] : inputs)
        if (const auto set = runner.setInput(name, tensor); !set) {
            problem = toString(set.error());
            return {};
        }
    if (const auto ran = runner.run(); !ran) {
        problem = toString(ran.error());
        return {};
    }
    return *runner.outputs();
}

/// The first output.
inline model::HostTensor resultOfFile(const std::string& bytes, const std::string& input, const model::HostTensor& x,
                                      driver::Options options, std::string& problem) {
    const auto results = resultsOfFile(bytes, {{input, x}}, std::move(options), problem);
    return results.empty() ? model::HostTensor{} : results.front();
}

} // namespace lathe::testing
