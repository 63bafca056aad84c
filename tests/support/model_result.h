// SPDX-License-Identifier: Apache-2.0
//
// What a small ONNX graph gives, compiled and run in a runner of its own: for tests that hold operators
// against values.
#pragma once

#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace lathe::testing {

using Values = std::vector<float>;

using Inputs = std::vector<std::pair<std::string, model::HostTensor>>;

/// The outputs of a model, as text, with these inputs; none, and what went wrong in `problem`, otherwise.
inline std::vector<model::HostTensor> resultsOf(const std::string& text, const Inputs& inputs, std::string& problem,
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
    std::vector<model::HostTensor> results;
    for (int i = 0; i < parsed.graph().output_size(); ++i)
        results.push_back(*runner.output(i));
    return results;
}

/// The same with the input x alone, of float32.
inline std::vector<model::HostTensor> resultsOf(const std::string& text, const std::vector<int64_t>& shape,
                                                const Values& x, std::string& problem,
                                                driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    return resultsOf(text, {{"x", tensorOf(types::Float32, shape, x)}}, problem, numerics);
}

/// The first output of a graph of ONNX's own operators.
inline model::HostTensor resultOf(const std::string& graph, const Inputs& inputs, std::string& problem, int opset = 21,
                                  driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    const auto results = resultsOf(fmt::format("<ir_version: 10, opset_import: [\"\" : {}]>\n{}", opset, graph), inputs,
                                   problem, numerics);
    return results.empty() ? model::HostTensor{} : results.front();
}

/// The same with the input x alone, of float32.
inline model::HostTensor resultOf(const std::string& graph, const std::vector<int64_t>& shape, const Values& x,
                                  std::string& problem, int opset = 21,
                                  driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    return resultOf(graph, {{"x", tensorOf(types::Float32, shape, x)}}, problem, opset, numerics);
}

} // namespace lathe::testing
