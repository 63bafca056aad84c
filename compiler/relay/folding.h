// SPDX-License-Identifier: Apache-2.0
//
// What folding a call over constants costs and whether it pays. The Builder, constant folding and the Evaluator ask here,
// so that they go by one rule.
//
// What only makes a tensor larger (a fill, a broadcast, a widening cast of integers) is not folded: computed where it is
// read it costs next to nothing, as a constant it fills the artifact. What counts is the constants of the model that a
// result comes from, not the operands at hand, so a chain of calls that each double a tensor is seen for what it is.
#pragma once

#include "relay/ir.h"

#include <span>
#include <unordered_map>

namespace lathe::relay {

/// Bytes of a tensor with constant dims; nothing for other types and above limits::tensorBytes.
std::optional<int64_t> bytesOf(const Type& type);

/// How much of a model's constants stands behind a constant: all of it, or for a recipe that of its arguments, each once,
/// but never more than its own. (Arguments that share constants are not told apart: then it is too high.)
class Origins {
public:
    struct Amount {
        int64_t bytes = 0, elements = 0;
    };
    Amount of(const ConstantPtr& constant);

private:
    std::unordered_map<Hash128, Amount, HashOfHash128> known_; // by the constant's hash
};

/// Whether the value of a call with this result should be a constant itself. It is small (32 KiB: types may depend on it),
/// or at most twice as large as what it comes from. For a float result that counts at the result's width: products want
/// their float weights unpacked and laid out.
bool paysAsConstant(const Type& result, const Origins::Amount& from);

/// Steps of computing a call, about a nanosecond each in compiled code: elements read, written, and summed on the way, by the
/// operator's column (relay/operator_steps.h).
/// Unknown dims count as 1. Never over 2^62.
int64_t stepsOf(const OpCall& call, std::span<const Type> args, const Type& result);

/// Steps that one folded call may take: compiled code is not interrupted within a kernel.
inline constexpr int64_t callSteps = int64_t{1} << 28;

/// Up to this many steps the Evaluator interprets, beyond it compiles.
inline constexpr int64_t interpretedSteps = 20'000;

/// What evaluating a call of so many steps at once takes from a Budget, with preparing, interpreting or compiling it.
inline constexpr int64_t evaluationSteps(int64_t steps) {
    return steps <= interpretedSteps ? 1'000'000 : 30'000'000 + steps;
}

} // namespace lathe::relay
