// SPDX-License-Identifier: Apache-2.0
//
// Which of an operator's overloads a call in a program means. The text does not say, as Python's does not: the kinds of the
// arguments decide, by PyTorch's rules of what may stand for what.
#pragma once

#include "frontend/torch/operators.h"
#include "frontend/torch/script/script_value.h"

namespace lathe::frontend::torch::script {

/// Arguments of a call, by place or by name.
struct Arguments {
    ScriptValues values;
    std::vector<std::string> names; // one for each; empty: by place
    void add(ScriptValue value, std::string name = {}) {
        values.push_back(std::move(value));
        names.push_back(std::move(name));
    }
    /// Null if it is not given.
    const ScriptValue* find(size_t place, std::string_view name) const;
    ScriptValue* find(size_t place, std::string_view name);
    /// Whether they are no more than so many, all by place.
    bool areByPlace(size_t most) const;
};

struct Overload {
    const Operator* op = nullptr;
    bool isAssigned = false; // what it gives is assigned to its first argument
};
/// The overload of "aten.add", or of "aten.add_", that takes the arguments; null if none does.
Overload chosenOverload(const std::string& name, const Arguments& arguments, const Heap& heap);
/// "aten::add" of "aten.add".
std::string shownOperator(std::string name);
/// Whether there is an operator of that name at all.
bool isOperator(const std::string& name);

} // namespace lathe::frontend::torch::script
