// SPDX-License-Identifier: Apache-2.0
//
// Python's numbers, as TorchScript computes with them: known ones at once, ints that depend on sizes as Exprs, and floats and
// bools that are found out while the model runs as tensors of rank 0.
#pragma once

#include "frontend/torch/script/script_value.h"

#include <string_view>

namespace lathe::frontend::torch::script {

/// An int or a bool; a bool that is known becomes a bool.
ScriptValue fromExpr(const Expr& expr);
bool isNumber(const ScriptValue& value);
/// Of an int or a bool; nothing for other values.
std::optional<Expr> toExpr(const ScriptValue& value);
/// As a tensor of rank 0: float64, int64 or bool. Var{} for what is no number.
Var toScalarTensor(Builder& b, const ScriptValue& value);
/// The only element of a tensor as a number.
ScriptValue fromTensor(Builder& b, Var tensor, const std::string& name);

/// Whether a value counts as true, as Python has it of numbers: a bool, known or not. Nothing for values that are no numbers.
std::optional<ScriptValue> truthOf(Builder& b, const ScriptValue& value);

/// Whether there is a function of numbers of that name.
bool isNumberFunction(std::string_view name);
/// "aten.add" of numbers, "math" functions among them. Nothing if there is no such function of these values.
std::optional<ScriptValue> callNumberFunction(Builder& b, std::string_view name, const ScriptValues& arguments);
/// int(x), float(x); nothing for values that cannot be one.
std::optional<ScriptValue> toInt(Builder& b, const ScriptValue& value);
std::optional<ScriptValue> toFloat(Builder& b, const ScriptValue& value);

/// As Python prints it: "3", "2.5", "1e-05"; nothing for what is not known.
std::optional<std::string> printedNumber(const ScriptValue& value);

} // namespace lathe::frontend::torch::script
