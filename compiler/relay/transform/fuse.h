// SPDX-License-Identifier: Apache-2.0
//
// Fuse: operators end up in primitive functions, each of which lowering makes one kernel of (a pair, where only data decides
// a result's size). Runs twice: first in groups, down to groups of one (optional), then, with maxOps = 1, each operator that
// is in no primitive function yet in one of its own (required: lowering knows primitive functions only; nothing is left to do
// unless the first run was left out).
//
// Why groups: writing a tensor to memory and reading it back costs more than most elementwise work, so
// operators are grouped as the field does: an operator joins its immediate post-dominator (the first operator that all ways
// from it pass) together with everything in between, if the kinds allow it:
//   elementwise, broadcast, injective   with each other, as long as nothing is computed twice: a producer with fewer
//                                       elements than its consumer, or one that others use too, stays outside
//   reduction                           takes elementwise and injective producers, and an elementwise epilogue
//   product, window, softmax …          takes an elementwise epilogue of its own result's shape (bias, activation, residual)
//   opaque, reshape                     alone (a reshape alone is a view and costs nothing)
// A group has one result and at most one product or reduction, its anchor; it holds at most `maxOps` operators, and never two
// that are to be kept apart. Of each operator and those that use its value the result says what became of it, and why.
// Groups of attention become one: a softmax, the product of its scores and that of its rows, if nothing else uses scores or
// rows, and these are of float32 and known length and enough for tasks (topi/rows_between_products.h has what that gains).
//
// The primitive function's parameters are the tensors it reads; constants of a single value stand inside of it, but not for
// opaque operators. It is called from where its last operator stood, by that operator's Var, so users stay as they are.
// Bindings inside keep their Spans; the call's Span joins them. BindSymbols, Assume, tuples, data types and control flow stay
// where they are.
#pragma once

#include "relay/ir.h"
#include "relay/transform/fusion_outcome.h"

#include <optional>
#include <set>

namespace lathe::relay::transform {

struct FuseOptions {
    int maxOps = 64; // of a group; 1: each operator alone
    /// Producer and consumer that may not stand in one function, however it would come about.
    std::set<std::pair<Var, Var>> apart{};
};

/// An operator that was put in a function.
struct FusedOperator {
    Var var; // in the module before
    Span span;
    Op op{};
    std::string function;
};

/// An operator and another of the same Block that uses its value.
struct FusionEdge {
    size_t producer = 0, consumer = 0; // among the operators
    FusionOutcome outcome{};
    std::optional<size_t> due; // the operator that it is due to, if that is neither of the two
};

struct Fused {
    Module module;
    std::vector<FusedOperator> operators; // Block by Block, an outer one before those in it
    std::vector<FusionEdge> edges;        // of all operators; empty with maxOps = 1
};

Fused fuse(const Module& module, const FuseOptions& options = {});

} // namespace lathe::relay::transform
