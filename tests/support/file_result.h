// SPDX-License-Identifier: Apache-2.0
//
// What a model in memory, of any format, gives for one input: compiled, and run in a runner of its own.
#pragma once

#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"

#include <string>
#include <vector>

namespace lathe::testing {

using Values = std::vector<float>;

/// The first output; nothing, and what went wrong in `problem`, otherwise.
inline model::HostTensor resultOfFile(const std::string& bytes, const std::string& input, const model::HostTensor& x,
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
    if (!runner.load(artifact.path()) || !runner.setInput(input, x) || !runner.run()) {
        problem = "did not run";
        return {};
    }
    return *runner.output(0);
}

} // namespace lathe::testing
