// SPDX-License-Identifier: Apache-2.0
//
// What functions of lists, tuples and dicts share.
#pragma once

#include "frontend/torch/script/builtins.h"

namespace lathe::frontend::torch::script {

/// Null if the argument is none.
const ListCell* listAt(Evaluator& e, const Arguments& a, size_t place);
const DictCell* dictAt(Evaluator& e, const Arguments& a);
/// The items of a list or tuple; null if it is none, or of unknown length, which is a fault.
const ScriptValues* itemsAt(Evaluator& e, const Arguments& a, size_t place);
/// The cell of the first argument, which is one.
Cell cellAt(const Arguments& a);
/// Whether it is known how many elements a list has.
bool isCounted(const ListCell& list);

/// New ones.
ScriptValue listOf(Evaluator& e, ScriptValues items);
ScriptValue dictOf(Evaluator& e, DictCell dict);
/// The list that is the first argument gets other items.
void setList(Evaluator& e, const Arguments& a, ScriptValues items);
/// A place in so many elements, counted from the end if it is negative; nothing, and a fault, if it is not known or not there.
std::optional<size_t> placeAt(Evaluator& e, size_t size, const ScriptValue& index);
/// Where a slice begins or ends, or its step; nothing, and a fault, if it is not known.
std::optional<int64_t> boundAt(Evaluator& e, const Arguments& a, size_t argument, int64_t otherwise);

/// Where a dict has a key; nothing if it has it not, or if it is not known which key that is: a fault.
std::optional<size_t> entryOf(Evaluator& e, const DictCell& dict, const ScriptValue& key);
/// An entry more, or another value of one that is there.
void put(Evaluator& e, DictCell& dict, ScriptValue key, ScriptValue value);

} // namespace lathe::frontend::torch::script
