// SPDX-License-Identifier: Apache-2.0
//
// What a small ONNX graph gives, compiled and run in a runner of its own: for tests that hold operators against values.
#pragma once

#include "support/file_result.h"
#include "support/onnx_model.h"

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace lathe::testing {

/// The outputs of a model, as text, with these inputs; none, and what went wrong in `problem`, otherwise.
inline std::vector<model::HostTensor> resultsOf(const std::string& text, const Inputs& inputs, std::string& problem,
                                                driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    driver::Options options;
    options.numerics = numerics;
    return resultsOfFile(modelBytes(text), inputs, std::move(options), problem);
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

/// What a float32 tensor has instead of these values v; empty where each is within 1e-4 (1 + |v|) of its own.
inline std::string differs(const model::HostTensor& tensor, const Values& expected) {
    const Values values = valuesOf<float>(tensor);
    bool same = values.size() == expected.size();
    for (size_t i = 0; same && i < values.size(); ++i)
        same = std::abs(values[i] - expected[i]) <= 1e-4F * (1 + std::abs(expected[i]));
    return same ? std::string() : fmt::format("gives {}", fmt::join(values, ", "));
}

} // namespace lathe::testing
