// SPDX-License-Identifier: Apache-2.0
//
// What a program keeps from one call to the next: which places of its objects, and of what types.
#include "frontend/torch/script/conversion.h"
#include "frontend/torch/script/numbers.h"
#include "relay/element.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr int mostAttempts = 6;
constexpr const char* fixSizes = "fix the sizes of the inputs: --shape NAME=SIZES";

} // namespace

bool ScriptConversion::findStates(const std::vector<relay::Type>& parameters, States& states) {
    const auto attempt = [&](const States& with) {
        relay::Module module = emptyModule();
        Builder b(module, evaluator_, budget_);
        Trace trace;
        const Budget::Amounts before = budget_->left();
        const Begun begun = begin(b, parameters, with);
        Evaluated evaluated = evaluate(b, trace, begun.inputs, with, begun.states);
        keepFault(b, trace);
        budget_->reset(before); // an attempt is not what is built
        return evaluated;
    };
    const States first = states;
    const auto isOther = [](const auto& one) { return one.second.kind == State::Kind::Known || !one.second.initial; };
    for (int i = 0; i < mostAttempts && !b_.failed(); ++i) {
        const States next = attempt(states).changed;
        if (b_.failed())
            return false;
        if (next.empty())
            return std::ranges::any_of(states, isOther);
        for (const auto& [path, state] : next) {
            const bool isCounted = states.contains(path) && states.at(path).kind == State::Kind::Known;
            const auto found = first.find(path);
            // What is another number after each call is not known.
            const bool becomesOpen = isCounted && state.type && found != first.end();
            states[path] = becomesOpen ? numberState(state.type, found->second) : state;
        }
    }
    if (!b_.failed())
        b_.fail("what the program keeps from one call to the next is of another type after each of them", fixSizes,
                ErrorKind::Unsupported);
    return false;
}

/// Of a number that is not known, which is there before the first call.
ScriptConversion::State ScriptConversion::numberState(const relay::Type& type, const State& first) {
    const DataType dtype = relay::asTensor(type)->dtype;
    return {.kind = dtype.isFloat()  ? State::Kind::Float
                    : dtype.isBool() ? State::Kind::Bool
                                     : State::Kind::Int,
            .type = type,
            .initial = first.initial,
            .known = {}};
}

std::optional<ScriptValue> ScriptConversion::overridden(Builder& b, Evaluator& evaluator, const States& states,
                                                        const Vars& values, const std::string& path) {
    const auto state = states.find(path);
    if (state == states.end())
        return std::nullopt;
    if (state->second.kind == State::Kind::Known)
        return state->second.known;
    const auto value = values.find(path);
    if (value == values.end())
        return std::nullopt;
    if (state->second.kind != State::Kind::Tensor)
        return fromTensor(b, value->second, path);
    const ScriptValue made = evaluator.tensor(value->second);
    evaluator.nameValue(*made.as<TensorRef>(), path);
    return made;
}

/// What the program left at a place where it had something else; nothing if it may stay as it is.
std::optional<ScriptConversion::State> ScriptConversion::stateOf(Builder& b, Evaluator& evaluator,
                                                                 const ScriptValue& before, const ScriptValue& after,
                                                                 const std::string& path) const {
    using Kind = State::Kind;
    const auto refuse = [&]() -> std::optional<State> {
        b.fail(fmt::format("the program keeps {} as '{}' from one call to the next, which is not supported",
                           kindOf(after, evaluator.heap()), path),
               "let it keep tensors and numbers", ErrorKind::Unsupported);
        return std::nullopt;
    };
    if (const TensorRef* ref = after.as<TensorRef>()) {
        const Var now = evaluator.read(*ref);
        if (b.failed())
            return std::nullopt;
        if (!relay::constantShape(b.shape(now))) {
            b.fail(fmt::format("the program keeps '{}' from one call to the next, {}, whose size is not known", path,
                               toString(b.type(now))),
                   fixSizes, ErrorKind::Unsupported);
            return std::nullopt;
        }
        State state{.kind = Kind::Tensor, .type = b.type(now), .initial = nullptr, .known = {}};
        if (const auto stored = evaluator.initialOf(path); stored && relay::sameType(stored->type, state.type))
            state.initial = stored;
        return state;
    }
    if (!isNumber(after))
        return after.isNone() || after.as<std::string>() || after.as<Device>()
                   ? std::optional(State{.kind = Kind::Known, .type = nullptr, .initial = nullptr, .known = after})
                   : refuse();
    const bool isBool = after.as<bool>() || (after.as<Number>() && after.as<Number>()->isBool) ||
                        (after.as<Expr>() && after.as<Expr>()->dtype().isBool());
    const DataType dtype = isBool ? types::Bool : after.as<Expr>() ? types::Int64 : types::Float64;
    const bool isKnown = after.as<bool>() || after.as<double>() || asInt(after);
    State state{.kind = isKnown            ? Kind::Known
                        : isBool           ? Kind::Bool
                        : after.as<Expr>() ? Kind::Int
                                           : Kind::Float,
                .type = relay::tensorType(dtype, {}),
                .initial = nullptr,
                .known = isKnown ? after : ScriptValue()};
    if (isNumber(before))
        state.initial = b.constantOf(cast(b, toScalarTensor(b, before), dtype));
    return state;
}

Var ScriptConversion::endOf(Builder& b, Evaluator& evaluator, const State& state, const ScriptValue& value) {
    const relay::TensorType* type = relay::asTensor(state.type);
    if (const TensorRef* ref = value.as<TensorRef>()) {
        const Var now = evaluator.read(*ref);
        return b.failed() ? Var{} : now;
    }
    return isNumber(value) && type ? cast(b, toScalarTensor(b, value), type->dtype) : Var{};
}

} // namespace lathe::frontend::torch::script
