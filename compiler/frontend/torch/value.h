// SPDX-License-Identifier: Apache-2.0
//
// What an argument or a result of a PyTorch operator is: Python's values, as far as programs have them. Tensors are values
// being built; everything else is known, but for integers and bools that depend on sizes.
#pragma once

#include "frontend/common/emit.h"

#include <string>
#include <variant>
#include <vector>

namespace lathe::frontend::torch {

/// A tensor of complex numbers: a last dim of two more than it has, of real and imaginary parts.
struct Complex {
    Var parts;
};

struct TorchValue;
using List = std::vector<TorchValue>;

struct TorchValue {
    /// An Expr is an int (type index) or a bool (type bool), which may depend on sizes. A Var may also stand for a float, or an
    /// int, that the program took out of a tensor of rank 0.
    std::variant<std::monostate, Var, Complex, bool, Expr, double, std::string, DataType, List> value;

    TorchValue() = default; // None
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, TorchValue>)
    TorchValue(T&& from) : value(std::forward<T>(from)) {}

    bool isNone() const { return std::holds_alternative<std::monostate>(value); }
    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

/// A kind of value, for a sentence: "a tensor", "a list".
std::string kindOf(const TorchValue& value);

/// A number beside tensors: its kind takes part in type promotion, its width does not.
struct Scalar {
    enum class Kind : uint8_t { Bool, Int, Float } kind = Kind::Int;
    Expr whole;      // of a Bool or Int that is no tensor's element
    double real = 0; // of a Float that is none
    Var element;     // of rank 0, if it is one
    /// Nothing of it is left to find out while running.
    bool isKnown() const { return !element && (kind == Kind::Float || arith::asInt(whole)); }
    /// Of a known one.
    double number() const { return kind == Kind::Float ? real : static_cast<double>(arith::asInt(whole).value_or(0)); }
};

/// The scalar that a value is; nothing if it is none. A tensor is one if it has rank 0.
std::optional<Scalar> toScalar(Builder& b, const TorchValue& value);
/// As a tensor of rank 0 and that type.
Var toTensor(Builder& b, const Scalar& scalar, DataType dtype);

/// PyTorch's default type of floats, and what its integers become where a function has no integer result.
inline constexpr DataType defaultFloat = types::Float32;

} // namespace lathe::frontend::torch
