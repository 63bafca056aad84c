// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/conversion.h"

#include "frontend/torch/script/numbers.h"
#include "relay/element.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr int mostOutputNesting = 64;
constexpr const char* begunName = "begun";

bool isSameType(const relay::Type& a, const relay::Type& b) {
    return a && b && relay::sameType(a, b);
}

} // namespace

ScriptConversion::ScriptConversion(ScriptProgram& program, model::ModelGraph& graph, relay::Module& module,
                                   relay::Evaluator* evaluator, std::shared_ptr<Budget> budget, Builder& b)
    : program_(program), graph_(graph), module_(module), evaluator_(evaluator), budget_(std::move(budget)), b_(b) {}

void ScriptConversion::convertMain(const std::vector<relay::Type>& parameters) {
    const Budget::Amounts before = budget_->left();
    States states = build(parameters, {});
    if (b_.failed() || states.empty())
        return;
    budget_->reset(before);
    if (findStates(parameters, states))
        buildTwo(parameters, states);
    else if (!b_.failed())
        build(parameters, states);
}

relay::Module ScriptConversion::emptyModule() const {
    relay::Module module;
    module.spans = graph_.spans;
    return module;
}

/// The fault of a builder of an attempt is that of the import.
void ScriptConversion::keepFault(const Builder& b, Trace& trace) {
    if (!b.failed() || b_.failed())
        return;
    describe(trace, {}, {}); // as far as it came
    const Diagnostic& fault = b.error();
    b_.setContext(fault);
    b_.fail(fault.what, fault.hint, fault.kind);
}

// ---- evaluations

ScriptConversion::Begun ScriptConversion::begin(Builder& b, const std::vector<relay::Type>& parameters,
                                                const States& states) const {
    Diagnostic context;
    context.file = graph_.file;
    b.setContext(context);
    b.setSpan(graph_.spans->of(0));
    Begun begun;
    const std::vector<model::Value>& values = program_.inputs.values();
    for (size_t i = 0; i < values.size(); ++i)
        begun.inputs.push_back(b.param(values[i].name, parameters[i]));
    for (const auto& [path, state] : states)
        if (state.kind != State::Kind::Known)
            begun.states[path] = b.param(path, state.type);
    return begun;
}

ScriptConversion::Evaluated ScriptConversion::evaluate(Builder& b, Trace& trace, const std::vector<Var>& inputs,
                                                       const States& states, const Vars& values, bool hasBegun) {
    Evaluated evaluated;
    Evaluator evaluator(program_.archive, trace, graph_, *budget_, b);
    trace.reserve("out");
    for (const model::Value& input : program_.inputs.values())
        trace.reserve(input.name);
    const ScriptValue module = evaluator.makeModule([&](const std::string& path) {
        return hasBegun ? overridden(b, evaluator, states, values, path) : std::nullopt;
    });
    const Evaluator::Leaves before = evaluator.leavesOf(module);
    std::vector<std::pair<std::string, TensorRef>> places;
    Arguments arguments = program_.inputs.make(evaluator, b, inputs, places);
    const ScriptValue result = evaluator.callMethod(module, program_.function->name, std::move(arguments));
    if (b.failed())
        return evaluated;
    addOutputs(b, evaluator, result, "out", evaluated, 0);
    const auto isWritten = [&](const TensorRef& ref) {
        return evaluator.written().contains(evaluator.memory().whole(ref.place));
    };
    for (const auto& [name, ref] : places)
        if (isWritten(ref) && !b.failed())
            addOutputs(b, evaluator, ref, "after." + name, evaluated, 0);
    if (!evaluated.outputs.empty())
        evaluated.outputs[0] = evaluator.checked(evaluated.outputs[0]);
    const Evaluator::Leaves after = evaluator.leavesOf(module);
    // A tensor may stand at several places: it is the state of the first.
    std::set<Memory::Place> kept;
    for (const auto& [path, state] : states)
        if (const auto value = before.find(path); value != before.end() && value->second.as<TensorRef>())
            kept.insert(value->second.as<TensorRef>()->place);
    const auto isElsewhere = [&](const TensorRef& ref, const std::string& path) {
        const auto stored = evaluator.storedNames().find(ref.place);
        return kept.contains(ref.place) || (stored != evaluator.storedNames().end() && stored->second != path);
    };
    for (const auto& [path, value] : after) {
        if (b.failed())
            return evaluated;
        const auto old = before.find(path);
        const TensorRef* ref = value.as<TensorRef>();
        const bool isChanged =
            old == before.end() || !isSame(old->second, value) || (ref && isWritten(*ref) && !isElsewhere(*ref, path));
        const auto state = states.find(path);
        const bool isState = state != states.end();
        if (isState && state->second.kind != State::Kind::Known)
            evaluated.ends[path] = endOf(b, evaluator, state->second, value);
        if (!isChanged && !isState)
            continue;
        std::optional<State> now =
            stateOf(b, evaluator, old == before.end() ? ScriptValue() : old->second, value, path);
        if (!now)
            return evaluated;
        const bool isSettled =
            isState && (state->second.kind == State::Kind::Known
                            ? now->kind == State::Kind::Known && isSame(now->known, state->second.known)
                            : isSameType(now->type, state->second.type));
        if (!isSettled)
            evaluated.changed.emplace(path, *std::move(now));
    }
    if (before.size() != after.size() && !b.failed())
        b.fail("the program changes how many elements a list or dict has that it keeps from one call to the next",
               "let it keep tensors of one size", ErrorKind::Unsupported);
    evaluated.named = evaluator.named();
    evaluated.stored = evaluator.storedTensors();
    return evaluated;
}

namespace {

/// A string, or what holds strings alone, as a tensor of them; nothing if it is neither.
std::optional<Var> textTensor(Builder& b, const ScriptValue& value, const ScriptValues* items) {
    if (const std::string* text = value.as<std::string>())
        return textConstant(b, {}, {*text});
    if (!items || items->empty())
        return std::nullopt;
    std::vector<std::string> texts;
    for (const ScriptValue& item : *items) {
        const std::string* text = item.as<std::string>();
        if (!text)
            return std::nullopt;
        texts.push_back(*text);
    }
    return textConstant(b, std::move(texts));
}

} // namespace

void ScriptConversion::addOutputs(Builder& b, Evaluator& evaluator, const ScriptValue& value, const std::string& name,
                                  Evaluated& evaluated, int depth) const {
    if (b.failed() || value.isNone() || !evaluator.step())
        return;
    const auto add = [&](Var output) {
        evaluated.names.push_back(name);
        evaluated.outputs.push_back(output);
    };
    const Heap& heap = evaluator.heap();
    const TupleValue* tuple = value.as<TupleValue>();
    const ListCell* list = heap.find<ListCell>(value);
    const ScriptValues* items = tuple ? tuple->items.get() : list ? &list->items : nullptr;
    const bool isRows = list && list->items.size() == 1 && list->items[0].as<Rows>();
    if (const TensorRef* ref = value.as<TensorRef>()) {
        add(evaluator.read(*ref));
    } else if (isNumber(value)) {
        add(value.as<Number>() && !value.as<Number>()->isBool ? cast(b, toScalarTensor(b, value), types::Float64)
                                                              : toScalarTensor(b, value));
    } else if (const std::optional<Var> texts = textTensor(b, value, items)) {
        add(*texts);
    } else if (items && !isRows && depth < mostOutputNesting) {
        for (size_t i = 0; i < items->size(); ++i)
            addOutputs(b, evaluator, (*items)[i], fmt::format("{}.{}", name, i), evaluated, depth + 1);
    } else if (const DictCell* dict = heap.find<DictCell>(value); dict && depth < mostOutputNesting) {
        for (const auto& [key, entry] : dict->entries) {
            const std::string* text = key.as<std::string>();
            const std::optional<std::string> number = printedNumber(key);
            addOutputs(b, evaluator, entry, fmt::format("{}.{}", name, text ? *text : number.value_or("?")), evaluated,
                       depth + 1);
        }
    } else {
        b.fail(fmt::format("output '{}' is {}, which is not supported", name, kindOf(value, heap)),
               value.as<Complex>() ? "let the program give torch.view_as_real(…)" : "let the program give tensors",
               ErrorKind::Unsupported);
    }
}

// ---- functions

ScriptConversion::States ScriptConversion::build(const std::vector<relay::Type>& parameters, const States& states) {
    relay::Module module = emptyModule();
    Builder b(module, evaluator_, budget_);
    Trace trace;
    const Begun begun = begin(b, parameters, states);
    Evaluated evaluated = evaluate(b, trace, begun.inputs, states, begun.states);
    if (!b.failed() && !evaluated.changed.empty())
        return evaluated.changed;
    finish(b, module, trace, std::move(evaluated), begun, states, std::nullopt);
    keepFault(b, trace);
    if (!b_.failed())
        module_ = std::move(module);
    return {};
}

/// if it has begun: as it goes on; else: as the archive has it.
void ScriptConversion::buildTwo(const std::vector<relay::Type>& parameters, const States& states) {
    relay::Module module = emptyModule();
    Builder b(module, evaluator_, budget_);
    Trace trace;
    const Begun begun = begin(b, parameters, states);
    const Var hasBegun = b.param(begunName, relay::tensorType(types::Bool, {}));
    std::vector<std::shared_ptr<const model::Graph>> graphs;
    Evaluated later, first;
    const auto run = [&](Evaluated& into, bool isLater) {
        return [&, isLater] {
            trace.open();
            into = evaluate(b, trace, begun.inputs, states, begun.states, isLater);
            graphs.push_back(trace.close());
            std::vector<Var> results = into.outputs;
            for (const auto& [path, end] : into.ends)
                results.push_back(end);
            return b.failed() ? Var{} : b.tuple(results);
        };
    };
    const Var both = b.ifElse(hasBegun, run(later, true), run(first, false));
    if (!b.failed() && later.names != first.names)
        b.fail("the program gives other outputs at its first call than later", {}, ErrorKind::Unsupported);
    int next = 0;
    for (Var& output : later.outputs)
        output = b.failed() ? Var{} : b.project(both, next++);
    for (auto& [path, end] : later.ends)
        end = b.failed() ? Var{} : b.project(both, next++);
    model::Node node;
    node.op = "prim.If";
    node.name = trace.freshName("first_call");
    for (size_t i = 0; i < graphs.size() && i < 2; ++i)
        node.attributes.push_back({i == 0 ? "later calls" : "first call", graphs[i]});
    trace.add(std::move(node));
    later.stored.insert(first.stored.begin(), first.stored.end());
    later.named.clear();
    finish(b, module, trace, std::move(later), begun, states, std::pair(std::string(begunName), hasBegun));
    keepFault(b, trace);
    if (!b_.failed())
        module_ = std::move(module);
}

void ScriptConversion::finish(Builder& b, relay::Module& module, Trace& trace, Evaluated evaluated, const Begun& begun,
                              const States& states, const std::optional<std::pair<std::string, Var>>& begins) {
    if (b.failed())
        return;
    if (evaluated.outputs.empty())
        return b.fail("the program gives no tensors", "let it return what it computes");
    std::set<Var> taken(begun.inputs.begin(), begun.inputs.end());
    for (const auto& [path, parameter] : begun.states)
        taken.insert(parameter);
    std::map<std::string, std::string> renamed;
    std::vector<Var> results;
    for (size_t i = 0; i < evaluated.outputs.size(); ++i) {
        const Var output = evaluated.outputs[i];
        const auto own = std::ranges::find(evaluated.named, output, &Evaluator::Named::value);
        const bool isOwn = taken.insert(output).second && own != evaluated.named.end();
        if (isOwn) {
            renamed[own->name] = evaluated.names[i];
            results.push_back(output);
            continue;
        }
        model::Node node;
        node.op = "output";
        node.name = evaluated.names[i];
        node.outputs = {evaluated.names[i]};
        if (own != evaluated.named.end())
            node.inputs = {renamed.contains(own->name) ? renamed.at(own->name) : own->name};
        b.setSpan(graph_.spans->of(trace.add(std::move(node))));
        results.push_back(b.call(Op::Copy, {output}));
        b.nameValue(results.back(), evaluated.names[i]);
    }
    for (const auto& [value, name] : evaluated.named)
        b.nameValue(value, renamed.contains(name) ? renamed.at(name) : name);
    std::vector<relay::StateValue> kept;
    for (const auto& [path, state] : states) {
        if (state.kind == State::Kind::Known)
            continue;
        const relay::TensorType* type = relay::asTensor(state.type);
        const Var end = evaluated.ends[path];
        results.push_back(b.failed() || !end ? Var{} : withDims(b, end, type->shape));
        kept.push_back({path, state.initial ? state.initial
                                            : relay::makeSplat(type->dtype, *relay::constantShape(type->shape), 0)});
    }
    if (begins) {
        results.push_back(b.scalarInt(1, types::Bool));
        kept.push_back({begins->first, relay::makeSplat(types::Bool, {}, 0)});
    }
    if (b.failed())
        return;
    describe(trace, evaluated, renamed);
    const Var result = results.size() == 1 ? results[0] : b.tuple(results);
    module.functions["main"] = b.finish(result, evaluated.names, std::move(kept));
}

/// The graph that people see: what the trace has, with the tensors that it reads.
void ScriptConversion::describe(Trace& trace, const Evaluated& evaluated,
                                const std::map<std::string, std::string>& renamed) {
    auto graph = std::make_shared<model::Graph>(trace.finish(renamed));
    graph->name = program_.function->name;
    graph->inputs = graph_.graph->inputs;
    for (const std::string& name : evaluated.names)
        graph->outputs.push_back({name, {}});
    std::set<std::string> read;
    std::vector<const model::Graph*> pending{graph.get()};
    while (!pending.empty()) {
        const model::Graph* one = pending.back();
        pending.pop_back();
        for (const model::Node& node : one->nodes) {
            read.insert(node.inputs.begin(), node.inputs.end());
            for (const auto& inner : model::graphsOf(node))
                pending.push_back(inner.get());
        }
    }
    for (const auto& [name, tensor] : evaluated.stored)
        if (read.contains(name))
            graph->initializers.push_back({name, tensor});
    graph_.nodeCount = trace.nodeCount();
    graph_.graph = std::move(graph);
    model::indexNodes(graph_);
}

} // namespace lathe::frontend::torch::script
