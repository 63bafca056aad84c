// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/evaluator.h"

#include "frontend/torch/script/strides.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr int64_t mostSteps = 5'000'000; // statements, values, and elements that are copied
constexpr int64_t stepsAtOnce = 1024;

} // namespace

Evaluator::Evaluator(ScriptArchive& archive, Trace& trace, const model::ModelGraph& model, Budget& budget, Builder& b)
    : archive_(archive), trace_(trace), model_(model), budget_(budget), b_(b), memory_(randomCalls_, b) {}

// ---- faults

std::string Evaluator::where() const {
    if (frames_.empty())
        return "data.pkl";
    const FunctionText& function = *frames_.back()->function;
    const std::string source = archive_.sourceOf(function.file, line_);
    return fmt::format("{}:{}{}", function.file, line_, source.empty() ? source : fmt::format(" ({})", source));
}

/// It is no operator's.
void Evaluator::leave() {
    Diagnostic context;
    context.file = model_.file;
    b_.setContext(context);
}

void Evaluator::fail(const std::string& what, const std::string& hint) {
    if (failed())
        return;
    leave();
    b_.fail(fmt::format("{}: {}", where(), what), hint);
}

void Evaluator::refuse(const std::string& what, const std::string& hint) {
    if (failed())
        return;
    leave();
    b_.fail(fmt::format("{}: {}", where(), what), hint, ErrorKind::Unsupported);
}

void Evaluator::raise(const std::string& message) {
    if (failed())
        return;
    if (unknown_ == 0)
        return fail(fmt::format("the program raises '{}'", message),
                    "give it inputs and arguments that it is made for");
    leave();
    raised_ = message;
    b_.disagree(fmt::format("{}: the program raises '{}'", where(), message));
}

bool Evaluator::step(int64_t steps) {
    if (failed())
        return false;
    const int64_t before = steps_;
    steps_ += steps;
    if (before / stepsAtOnce != steps_ / stepsAtOnce)
        budget_.checkpoint();
    if (steps_ > mostSteps)
        refuse(fmt::format("the program takes more than {} steps before it is left to run", mostSteps),
               "let loops have fewer rounds");
    return !failed();
}

// ---- worlds

Evaluator::World Evaluator::world() {
    constexpr size_t copiedInAStep = 64;
    step(static_cast<int64_t>((heap_.size() + memory_.size() + frames_.back()->variables.size()) / copiedInAStep));
    return {.variables = frames_.back()->variables,
            .heap = heap_,
            .memory = memory_.contents(),
            .strides = strides_,
            .names = names_,
            .checks = checks_,
            .written = written_,
            .constants = constants_,
            .named = named_.size()};
}

void Evaluator::restore(const World& world) {
    frames_.back()->variables = world.variables;
    heap_ = world.heap;
    memory_.restore(world.memory);
    strides_ = world.strides;
    names_ = world.names;
    checks_ = world.checks;
    written_ = world.written;
    constants_ = world.constants;
    named_.resize(std::min(named_.size(), world.named));
}

// ---- tensors

ScriptValue Evaluator::tensor(Var value) {
    std::optional<Ints> strides;
    if (!failed())
        strides = contiguous(b_.shape(value));
    return TensorRef{newPlace(memory_.make(value), std::move(strides), {})};
}

Memory::Place Evaluator::newPlace(Place place, std::optional<Ints> strides, const std::string& name) {
    storedNames_.erase(place);
    strides_.resize(place + 1);
    names_.resize(place + 1);
    strides_[place] = std::move(strides);
    names_[place] = name.empty() ? name : trace_.freshName(name);
    return place;
}

void Evaluator::nameValue(TensorRef ref, const std::string& name) {
    names_[ref.place] = name;
}

std::string Evaluator::nameOf(Place place) const {
    return place < names_.size() ? names_[place] : std::string();
}

Var Evaluator::checked(Var value) {
    for (const auto& [condition, message] : std::exchange(checks_, {}))
        if (!failed())
            value = assume(b_, value, condition, message);
    return value;
}

} // namespace lathe::frontend::torch::script
