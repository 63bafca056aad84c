// SPDX-License-Identifier: Apache-2.0
//
// What each operation of Expr computes on one value of each type: the one place that folding of constants, `evaluate`
// and the interpreter share, so that they cannot differ.
#pragma once

#include "arith/expr.h"

#include <optional>

namespace lathe::arith {

/// Integers, bools and indices live in `i` (uint64 as its bit pattern), floats in `f`, exactly.
union Scalar {
    int64_t i;
    double f;
};

/// Keeps the low bits of the type, sign- or zero-extended; bool: 0 or 1; index and handle: unchanged.
int64_t wrapToType(int64_t value, DataType type);

/// Add … FloorMod, Min, Max, And, Or, BitAnd … Shr on operands of `type`. Nothing for an integer division by zero and
/// for an index result beyond int64. Float results are rounded to the type.
std::optional<Scalar> applyBinary(ExprKind kind, DataType type, Scalar a, Scalar b);
/// Eq … Ge on operands of `type`.
bool applyCompare(ExprKind kind, DataType type, Scalar a, Scalar b);
/// Cast, and the casts among the intrinsics (CastNoSaturate, CastE8M0Up, CastE8M0Down).
Scalar applyCast(Scalar value, DataType from, DataType to, Intrinsic mode = Intrinsic::None);
/// Any other intrinsic on scalars; `args` all have type `from`, except RandomBits (uint64). Nothing for those that have
/// no value on scalars (addresses, runtime calls).
std::optional<Scalar> applyIntrinsic(Intrinsic intrinsic, DataType type, DataType from, std::span<const Scalar> args);
/// Whether the result is the same on every machine, so that folding it at compile time cannot change a result.
bool isExact(Intrinsic intrinsic);

/// Counter-based uniform bits: the finalizer of SplitMix64 over seed and counter, upper half. Generated code computes
/// the same.
uint32_t randomBits(uint64_t seed, uint64_t counter);

/// Floor division that cannot overflow except for INT64_MIN / -1, which wraps.
int64_t floorDivide(int64_t a, int64_t b);
int64_t floorModulo(int64_t a, int64_t b);

/// base^exponent modulo 2^64; of a negative exponent the integer part of 1 / base^-exponent, and 0 if base is 0.
int64_t intPower(int64_t base, int64_t exponent);

const char* nameOf(Intrinsic intrinsic);
Intrinsic intrinsicOf(std::string_view name); // None for an unknown name

} // namespace lathe::arith
