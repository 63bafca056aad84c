// SPDX-License-Identifier: Apache-2.0
//
// Sequences and optionals: those whose length or presence is known while importing are lists of values (Value::sequence),
// which cost nothing; the others are Vars of relay's List and Optional, made while the model runs. Here the first become the
// second, where only a run tells what happens to them.
#pragma once

#include "frontend/common/node_reader.h"

#include <vector>

namespace lathe::frontend {

/// The type that a model declares, a dim that is no number any; null where the rank of a tensor is not declared, or no such
/// value can be. Of what a list or an optional holds that may be: then it is of one that holds nothing.
relay::Type declaredType(const model::ValueType& type);

/// A run-time list of the values; `declared` (may be null) is its type if it holds nothing.
Var listOf(Builder& b, const std::vector<Value>& values, const relay::Type& declared = nullptr);
/// The value as a Var: a known sequence as a list, an optional known to be absent as one.
Var varOf(Builder& b, const Value& value, const relay::Type& declared = nullptr);
/// x as an optional that has a value, unless it is one already.
Var asOptional(Builder& b, Var x);
/// What is in x if it is an optional, else x. A run fails if there is nothing.
Var withoutOptional(Builder& b, Var x);
/// varOf the value, as an optional or as none.
Var varOf(Builder& b, const Value& value, bool optional, const relay::Type& declared = nullptr);

bool isRunTimeList(Builder& b, const Value& value);
bool isRunTimeOptional(Builder& b, const Value& value);

} // namespace lathe::frontend
