// SPDX-License-Identifier: Apache-2.0
//
// What a small ONNX graph with one input gives, compiled and run in a runner of its own: for tests that hold operators
// against values.
#pragma once

#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace lathe::testing {

using Values = std::vector<float>;

/// The outputs of a model, as text, with the input x, as float32; none, and what went wrong in `problem`, otherwise.
inline std::vector<model::HostTensor> resultsOf(const std::string& text, const std::vector<int64_t>& shape,
                                                const Values& x, std::string& problem,
                                                driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    const ::onnx::ModelProto parsed = parseModel(text);
    const std::string bytes = parsed.SerializeAsString();
    const MemoryFile artifact("values");
    driver::Options options;
    options.cache = false;
    options.numerics = numerics;
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
    if (!runner.load(artifact.path()) || !runner.setInput("x", tensorOf(types::Float32, shape, x)) || !runner.run()) {
        problem = "did not run";
        return {};
    }
    std::vector<model::HostTensor> results;
    for (int i = 0; i < parsed.graph().output_size(); ++i)
        results.push_back(*runner.output(i));
    return results;
}

/// The first output of a graph of ONNX's own operators.
inline model::HostTensor resultOf(const std::string& graph, const std::vector<int64_t>& shape, const Values& x,
                                  std::string& problem, int opset = 21,
                                  driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    const auto results = resultsOf(fmt::format("<ir_version: 10, opset_import: [\"\" : {}]>\n{}", opset, graph), shape,
                                   x, problem, numerics);
    return results.empty() ? model::HostTensor{} : results.front();
}

} // namespace lathe::testing
