// SPDX-License-Identifier: Apache-2.0
//
// Running results along an axis, of any function that is associative.
#pragma once

#include "frontend/common/emit.h"

#include <functional>
#include <vector>

namespace lathe::frontend {

/// What comes of values with all before them along an axis: combine gives of several tensors' elements, and of those
/// that stand later, the results, in tensors of the same types. All values have one shape. By doubling (W. Hillis and
/// G. Steele, "Data Parallel Algorithms"): as many steps as the axis' size has binary digits.
using Combine = std::function<std::vector<Var>(const std::vector<Var>& before, const std::vector<Var>& own)>;
std::vector<Var> scanned(Builder& b, const std::vector<Var>& values, int64_t axis, const Combine& combine);

} // namespace lathe::frontend
