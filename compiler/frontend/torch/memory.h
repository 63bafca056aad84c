// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a program that assigns to tensors. In PyTorch views share their elements, so an assignment to one changes what all
// others hold; relay's values never change. A Place is a tensor as the program sees it: a storage, and by which views it is
// seen. An assignment puts the new elements into a new value of the whole storage, and views are taken of that anew when
// they are read.
#pragma once

#include "frontend/torch/operators.h"

#include <span>
#include <vector>

namespace lathe::frontend::torch {

class Memory {
public:
    /// randomCalls: see Call.
    Memory(int64_t& randomCalls, Builder& b) : randomCalls_(randomCalls), b_(b) {}

    using Place = uint32_t;

    /// A tensor with a storage of its own.
    Place make(Var value);
    /// What a view operator gives of a tensor: argument `self` of its call, result `result` (of a list, if it gives one).
    Place makeView(Place of, const Operator& op, List arguments, size_t self, size_t result, Var value);
    /// What may be a view of a tensor or a copy; only PyTorch's strides would tell. Of several: of one of them, or a copy.
    Place makePerhaps(std::span<const Place> of, Var value);

    /// What the tensor holds now. A fault if that is not known.
    Var read(Place place);
    /// Elements of the tensor's own type and shape. A fault if it cannot be assigned to.
    void assign(Place place, Var value);
    /// The tensor whose storage it shares, through all views.
    Place whole(Place place) const { return places_[place].whole; }

    /// What all tensors hold at some time.
    class Contents {
        friend class Memory;
        std::vector<std::pair<Var, int64_t>> now; // by place, with its version
    };
    Contents contents() const;
    /// Places that were made since are gone.
    void restore(const Contents& contents);
    /// The storages that were there already and hold something else now.
    std::vector<Place> changedSince(const Contents& contents) const;
    size_t size() const { return places_.size(); }

private:
    struct Seen {
        Place whole;
        Place parent; // itself, if it is whole
        const Operator* op = nullptr;
        List arguments;
        size_t self = 0, result = 0;
        bool isUncertain = false; // whether it shares elements at all
        /// If it is: the storages of all that it may be a view of, with their versions then.
        std::vector<std::pair<Place, int64_t>> others = {};
        std::optional<Place> uncertain = {}; // the nearest one, of itself and what it is a view of
        Var now;
        int64_t version = 0; // of the whole, when `now` was found
    };
    Place add(Seen seen);
    /// The view of a value in place of the parent.
    Var viewed(const Seen& seen, Var parent);
    /// The parent's value with other elements where the view sees them.
    Var putBack(Place place, Var parent, Var value);
    /// The same of several views, each of the next one; the value of what the last one is a view of.
    Var scattered(std::span<const Place> views, Var value);
    void refuseUncertain();

    int64_t& randomCalls_;
    Builder& b_;
    std::vector<Seen> places_;
};

} // namespace lathe::frontend::torch
