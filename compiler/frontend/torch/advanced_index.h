// SPDX-License-Identifier: Apache-2.0
//
// Indexing by tensors, as NumPy and PyTorch have it: x[:, i, m]. Tensors of integers, and masks for the places where
// they are true, are broadcast together; each set of places that they name is an element of the result. Where they
// stand side by side the dims of these sets take the place of the dims that they index, else they come first.
#pragma once

#include "frontend/torch/call.h"

namespace lathe::frontend::torch {

class AdvancedIndex {
public:
    /// indices: one a dim, or a mask of several dims; Var{} for a dim that is taken whole.
    AdvancedIndex(Call& call, Var x, const std::vector<Var>& indices);

    /// x[indices]
    Var read();
    /// x with x[indices] = values, or += values.
    Var written(Var values, bool accumulate);
    /// Places outside of their dim become its first or last.
    void clampPlaces();

private:
    void addMask(Var mask, int64_t at);
    bool isAdjacent() const;
    /// The dims of x, those that are indexed first.
    Ints indexedFirst() const;
    /// Where the dims of [sets…, dims that are taken whole…] stand in the result.
    Ints resultAxes() const;
    Var joinedPlaces();
    /// The dims of the result.
    Dims resultShape() const;
    /// What is written, where it is one number and a mask says where to; else Var{}.
    Var whereMasked(Var values, bool accumulate);

    Call& call_;
    Builder& b_;
    Var x_;
    Ints dims_;               // that are indexed, ascending
    std::vector<Var> places_; // in each of them
    Dims sets_;               // what they broadcast to
    Var onlyMask_;            // the mask, if nothing else indexes
};

} // namespace lathe::frontend::torch
