// SPDX-License-Identifier: Apache-2.0
//
// A small model whose kernel asks for the rows of a register tile, and what its artifact must compute.
#pragma once

#include "device/runner_client.h"
#include "support/host_tensor.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::testing {

/// y[i, j] = max(sum over k of x[i, k] · w[k, j], 0); x is 13 by 7 and w[k, j] = k − j, so that sums are exact.
inline std::string product() {
    std::string weights;
    for (int k = 0; k < 7; ++k)
        for (int j = 0; j < 32; ++j)
            weights += fmt::format("{}{}", weights.empty() ? "" : ", ", k - j);
    return "g (float[13,7] x) => (float[13,32] y) <float[7,32] w = {" + weights +
           "}> { p = MatMul (x, w) y = Relu (p) }";
}

/// Empty if the artifact computes what it should.
inline std::string wrongProduct(const std::filesystem::path& artifact) {
    device::RunnerOptions options;
    options.program = LATHE_BINARY_DIR "/lathe-runner";
    device::RunnerClient runner(options);
    if (auto loaded = runner.load(artifact); !loaded)
        return toString(loaded.error());
    std::vector<float> x(13 * 7);
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 11) - 5;
    if (!runner.setInput("x", tensorOf(types::Float32, {13, 7}, x)) || !runner.run())
        return "it does not run";
    auto output = runner.output(0);
    if (!output || output->bytes.size() != 13 * 32 * 4)
        return "it has no output";
    const auto y = valuesOf<float>(*output);
    for (int i = 0; i < 13; ++i)
        for (int j = 0; j < 32; ++j) {
            float sum = 0;
            for (int k = 0; k < 7; ++k)
                sum += x[static_cast<size_t>(i * 7 + k)] * static_cast<float>(k - j);
            if (y[static_cast<size_t>(i * 32 + j)] != std::max(sum, 0.0F))
                return fmt::format("y[{}, {}] is {}, not {}", i, j, y[static_cast<size_t>(i * 32 + j)], sum);
        }
    return {};
}

} // namespace lathe::testing
