// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/builtins.h"

#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <map>
#include <string>

namespace lathe::frontend::torch::script {
namespace {

const std::multimap<std::string_view, Builtins::Function>& builtinTable() {
    static const auto all = [] {
        std::multimap<std::string_view, Builtins::Function> made;
        for (const std::span<const Builtins::Row> rows :
             {Builtins::ofDicts(), Builtins::ofLists(), Builtins::ofListsOfNumbers(), Builtins::ofUncountedLists(),
              Builtins::ofTexts(), Builtins::ofTensors(), Builtins::ofTensorsAndNumbers()})
            for (const Builtins::Row& row : rows)
                made.emplace(row.name, row.function);
        return made;
    }();
    return all;
}

/// "aten.add" of "python.abs" and of numbers that are assigned to in place.
std::string numberName(const std::string& name) {
    constexpr std::string_view python = "python.";
    if (name == "python.min" || name == "python.max" || name == "python.abs")
        return "prim." + name.substr(python.size());
    return name.starts_with(python) ? "aten." + name.substr(python.size()) : name;
}

} // namespace

std::optional<ScriptValue> Builtins::call(Evaluator& e, const std::string& name, const Arguments& arguments) {
    const auto [begin, end] = builtinTable().equal_range(name);
    for (auto at = begin; at != end && !e.failed(); ++at)
        if (Result result = at->second(e, arguments); result || e.failed())
            return result;
    if (e.failed() || !arguments.areByPlace(2))
        return std::nullopt;
    Result number = callNumberFunction(e.b_, numberName(name), arguments.values);
    const bool areNumbers = !arguments.values.empty() && std::ranges::all_of(arguments.values, isNumber);
    if (!number && areNumbers && !isOperator(name) && !e.failed())
        e.refuse("a function of numbers cannot be computed: '" + name + "'",
                 "let the numbers be such as the program is made for, or fix them: --arg, --shape");
    return number;
}

bool Builtins::mayMake(Evaluator& e, size_t size) {
    if (size > limits::sequenceParts) {
        e.refuse("a list or a text of more than " + std::to_string(limits::sequenceParts) + " elements is made",
                 "let the program compute with tensors");
        return false;
    }
    constexpr size_t copiedInAStep = 8;
    return e.step(static_cast<int64_t>(size / copiedInAStep) + 1);
}

bool Builtins::isOne(const std::string& name) {
    return builtinTable().contains(name) || isNumberFunction(numberName(name));
}

ScriptValue Builtins::made(Evaluator& e, const std::string& op, const Arguments& arguments,
                           const std::function<Var()>& make) {
    e.enter(op, nullptr, arguments);
    if (e.failed())
        return {};
    const Var value = e.checked(make());
    if (e.failed())
        return {};
    const ScriptValue result = e.tensor(value);
    e.note(result);
    return result;
}

} // namespace lathe::frontend::torch::script
