// SPDX-License-Identifier: Apache-2.0
//
// Reductions that are told by a function of two values, over axes or over windows that move.
#pragma once

#include "frontend/common/emit.h"

#include <optional>
#include <string>

namespace lathe::frontend::tflite {

/// The kind of reduction (relay::ReduceAttrs) whose one step a graph of two inputs is; nothing if it is none.
std::optional<std::string> reductionOf(const model::Graph& step, bool ofBools);

/// x and y, which broadcast, joined by one step of a reduction.
Var joinedBy(Builder& b, const std::string& kind, Var x, Var y);

struct ReducedWindows {
    std::string kind;
    Ints window, strides, dilations; // of each dim, at least 1
};
/// False, and a fault, if they are not of `rank` dims or out of range.
bool areInRange(NodeReader& node, const ReducedWindows& windows, size_t rank);
/// What each window of x comes to, beginning with the scalar `initial`. Kinds of reductions separate, so each dim is
/// reduced by itself.
Var reducedWindows(Builder& b, Var x, Var initial, const ReducedWindows& windows);

} // namespace lathe::frontend::tflite
