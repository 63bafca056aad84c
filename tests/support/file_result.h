// SPDX-License-Identifier: Apache-2.0
//
// What a model in memory, of any format, gives: compiled, and run in a runner of its own.
#pragma once

#include "support/host_tensor.h"
#include "support/model_in_runner.h"

#include <string>
#include <utility>
#include <vector>

namespace lathe::testing {

using Values = std::vector<float>;

/// The outputs; none, and what went wrong in `problem`, otherwise.
inline std::vector<model::HostTensor> resultsOfFile(const std::string& bytes, const Inputs& inputs,
                                                    driver::Options options, std::string& problem) {
    options.cache = false;
    ModelInRunner model([&](const std::filesystem::path& out, driver::Trace& trace) {
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model", out, {}, options, trace);
    });
    std::vector<model::HostTensor> outputs = model.run(inputs);
    if (!model.problem.empty())
        problem = model.problem;
    return outputs;
}

/// The first output.
inline model::HostTensor resultOfFile(const std::string& bytes, const std::string& input, const model::HostTensor& x,
                                      driver::Options options, std::string& problem) {
    const auto results = resultsOfFile(bytes, {{input, x}}, std::move(options), problem);
    return results.empty() ? model::HostTensor{} : results.front();
}

} // namespace lathe::testing
