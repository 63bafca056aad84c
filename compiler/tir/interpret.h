// SPDX-License-Identifier: Apache-2.0
//
// A small interpreter: computes what a PrimFunc says, bounds-checked, at any level before vectorizing. Tests hold
// compiled code against it; the Evaluator uses it for small work, so that a shape never waits for a compile.
#pragma once

#include "base/limits.h"
#include "tir/ir.h"

namespace lathe::tir {

/// Memory for a buffer parameter: dtype().bytes() an element, row-major, of the shape that the scalars give.
struct Argument {
    std::span<std::byte> bytes; // for a buffer parameter
    int64_t scalar = 0;         // for a scalar parameter
};

/// Arguments follow the parameters. Fails, naming the statement, on an access out of bounds, a failed Check (its
/// message), a mismatch of sizes, or after `stepLimit` stores.
Result<void> interpret(const PrimFunc& function, std::span<const Argument> arguments,
                       int64_t stepLimit = limits::interpretedSteps);

} // namespace lathe::tir
