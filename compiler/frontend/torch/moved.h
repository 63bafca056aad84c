// SPDX-License-Identifier: Apache-2.0
//
// The operand of an operator that puts elements elsewhere, or only calls them by other places: it does not look at
// them, so complex ones are moved as well, their two parts together.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

class Moved {
public:
    explicit Moved(Call& call, const char* name = "self");

    Var x;            // of complex numbers: its parts, in a last dim that the rank does not count
    int64_t rank = 0; // 0 after a fault

    /// A dim, from -rank … rank-1.
    int64_t axis(int64_t value) { return call_.axis(value, rank); }
    /// The dims that PyTorch sees.
    Dims shape() const;
    /// A shape, and an order of axes, with the dim of the parts behind.
    Dims whole(Dims shape) const;
    Ints whole(Ints axes) const;
    void give(Var moved);
    void give(std::vector<Var> parts);

private:
    Call& call_;
    bool isComplex_;
};

} // namespace lathe::frontend::torch
