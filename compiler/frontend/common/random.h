// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of several distributions: all draw uniform numbers from the counter-based generator and reshape their
// distribution.
#pragma once

#include "frontend/common/emit.h"

#include <optional>

namespace lathe::frontend {

/// Numbers of [low, high).
Var uniform(NodeReader& node, Dims shape, DataType dtype, double low, double high, std::optional<double> seed);

/// Numbers of mean 0 and deviation 1, in float32.
Var normal(NodeReader& node, const Dims& shape, std::optional<double> seed);

/// Classes, int64[batch, count], drawn by their unnormalized log-probabilities [batch, classes].
Var multinomial(NodeReader& node, Var logits, const Expr& count, std::optional<double> seed);

} // namespace lathe::frontend
