// SPDX-License-Identifier: Apache-2.0
//
// What a small ONNX graph with one input gives, compiled and run in a runner of its own: for tests that hold operators
// against values.
#pragma once

#include "support/file_result.h"
#include "support/onnx_model.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace lathe::testing {

/// The first output of a graph with the input x, as float32; nothing, and what went wrong in `problem`, otherwise.
inline model::HostTensor resultOf(const std::string& graph, const std::vector<int64_t>& shape, const Values& x,
                                  std::string& problem, int opset = 21,
                                  driver::NumericsLevel numerics = driver::NumericsLevel::Default) {
    driver::Options options;
    options.numerics = numerics;
    return resultOfFile(modelBytes(fmt::format("<ir_version: 10, opset_import: [\"\" : {}]>\n{}", opset, graph)), "x",
                        tensorOf(types::Float32, shape, x), std::move(options), problem);
}

} // namespace lathe::testing
