// SPDX-License-Identifier: Apache-2.0
//
// Padding of operands that windows slide over: shared by pad, convolution and pooling.
#pragma once

#include "topi/expressions.h"

namespace lathe::topi {

/// `x` within a tensor of `shape`: element i is x[i - before], or `value` where that is outside of x.
/// Dims with a before that is constantly 0 and the shape of x stay as they are.
TensorPtr padded(const std::string& name, const TensorPtr& x, const Shape& before, const Shape& shape,
                 const Expr& value, int origin);

/// Attributes of a window with their defaults put in.
struct Window {
    Shape kernel;
    std::vector<int64_t> strides, dilations;
    Shape before, after;
    bool ceilMode = false;

    /// Operand position (padding included) of window element k for result position o along spatial dim d.
    Expr position(size_t d, const Expr& o, const Expr& k) const;
    /// Size that an operand must have (padding included) for `results` windows along spatial dim d.
    Expr needed(size_t d, const Expr& results) const;
    bool hasPadding() const;
};
Window windowOf(Shape kernel, std::vector<int64_t> strides, std::vector<int64_t> dilations, Shape before, Shape after,
                bool ceilMode);

} // namespace lathe::topi
