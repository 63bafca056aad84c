// SPDX-License-Identifier: Apache-2.0
//
// Functions of the language: on numbers, texts, lists and dicts, what is known of tensors, and what changes nothing that is
// computed. One table by name; a function that does not take its arguments leaves them to PyTorch's operators of that name.
#pragma once

#include "frontend/torch/script/evaluator.h"

namespace lathe::frontend::torch::script {

struct Builtins {
    /// Nothing: there is no such function of these arguments.
    static std::optional<ScriptValue> call(Evaluator& e, const std::string& name, const Arguments& arguments);

    /// Whether there is one of that name.
    static bool isOne(const std::string& name);

    using Result = std::optional<ScriptValue>;
    using Function = Result (*)(Evaluator& e, const Arguments& a);
    struct Row {
        std::string_view name;
        Function function;
    };
    static std::span<const Row> ofDicts();
    static std::span<const Row> ofLists();
    static std::span<const Row> ofListsOfNumbers();
    static std::span<const Row> ofUncountedLists();
    static std::span<const Row> ofTexts();
    static std::span<const Row> ofTensors();
    static std::span<const Row> ofTensorsAndNumbers();

    // ---- what the functions have to do with an evaluation
    static Builder& builder(Evaluator& e) { return e.b_; }
    static Heap& heap(Evaluator& e) { return e.heap_; }
    static Var read(Evaluator& e, const TensorRef& ref) { return e.memory_.read(ref.place); }
    static ScriptValue callOperator(Evaluator& e, const std::string& name, Arguments arguments) {
        return e.callOperator(name, std::move(arguments));
    }
    static ScriptValue element(Evaluator& e, const ScriptValue& of, const ScriptValue& index) {
        return e.element(of, index);
    }
    static Expr positionIn(Evaluator& e, const Expr& size, const Expr& index) { return e.positionIn(size, index); }
    /// A list of so many elements, or a text of so many letters, is made. False, and a fault, if that is too much.
    static bool mayMake(Evaluator& e, size_t size);
    /// False, and a fault, if the evaluation has taken too many steps.
    static bool mayTake(Evaluator& e, size_t steps) { return e.step(static_cast<int64_t>(steps)); }
    static void raise(Evaluator& e, const std::string& message) { e.raise(message); }
    static void fail(Evaluator& e, const std::string& what) { e.fail(what); }
    static void refuse(Evaluator& e, const std::string& what, const std::string& hint) { e.refuse(what, hint); }
    static std::optional<Ints> strides(const Evaluator& e, const TensorRef& ref) { return e.strides_[ref.place]; }
    static ScriptValue made(Evaluator& e, const std::string& op, const Arguments& arguments,
                            const std::function<Var()>& make);
};

} // namespace lathe::frontend::torch::script
