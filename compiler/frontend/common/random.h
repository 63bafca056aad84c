// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of several distributions: all draw uniform numbers from the counter-based generator and reshape their
// distribution.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <optional>

namespace lathe::frontend {

/// Where numbers are drawn, and what numbers the random calls of a model, in its order.
struct RandomSource {
    Builder& b;
    std::function<int64_t()> nextCall;

    RandomSource(Builder& b, std::function<int64_t()> nextCall) : b(b), nextCall(std::move(nextCall)) {}
    RandomSource(NodeReader& node) : b(node.b), nextCall([&node] { return node.walk.nextRandomCall(); }) {}
};

/// As TensorFlow gives it: of two halves, of which zeros ask for other numbers each time.
std::optional<double> seedOfHalves(int64_t first, int64_t second);

/// Numbers of [low, high).
Var uniform(const RandomSource& source, Dims shape, DataType dtype, double low, double high,
            std::optional<double> seed);

/// Numbers of mean 0 and deviation 1, in float32.
Var normal(const RandomSource& source, const Dims& shape, std::optional<double> seed);

/// Classes, int64[batch, count], drawn by their unnormalized log-probabilities [batch, classes].
Var multinomial(const RandomSource& source, Var logits, const Expr& count, std::optional<double> seed);

} // namespace lathe::frontend
