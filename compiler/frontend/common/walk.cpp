// SPDX-License-Identifier: Apache-2.0
//
// The walk over nodes: context and Span for each, its converter or its body, names for its results.
#include "frontend/common/walk.h"

#include "frontend/common/sequences.h"
#include "frontend/common/topology.h"
#include "model/names_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace lathe::frontend {
namespace {

/// Which nodes read each initializer: constants carry the Spans of their readers.
std::unordered_map<std::string, std::vector<int32_t>> readersOf(const model::Graph& graph) {
    std::unordered_map<std::string, std::vector<int32_t>> readers;
    for (const model::Initializer& initializer : graph.initializers)
        readers[initializer.name];
    for (const model::Node& node : graph.nodes)
        for (const std::string* name : model::namesRead(node))
            if (const auto found = readers.find(*name); found != readers.end())
                found->second.push_back(node.id);
    return readers;
}

} // namespace

GraphWalk::GraphWalk(model::ModelGraph& graph, Dialect& dialect, relay::Module& module, Builder& builder)
    : graph_(graph), dialect_(dialect), module_(module), builder_(builder) {}

std::vector<Diagnostic> GraphWalk::unsupported() const {
    std::vector<Diagnostic> found;
    for (const model::Node* node : graph_.nodes) {
        if (!node)
            continue;
        std::optional<Diagnostic> reason = dialect_.refusalOf(*node);
        if (!reason)
            continue;
        reason->file = graph_.file;
        reason->node = displayName(*node);
        reason->op = operatorName(*node);
        reason->nodeId = node->id;
        found.push_back(*std::move(reason));
        if (found.size() == keptDiagnostics)
            break;
    }
    return found;
}

void GraphWalk::convertMain(const std::vector<relay::Type>& parameters) {
    const model::Graph& graph = *graph_.graph;
    Scope inputs;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
        inputs.values[graph.inputs[i].name].var = builder_.param(graph.inputs[i].name, parameters[i]);
    std::vector<int32_t> all;
    for (const model::Node& node : graph.nodes)
        all.push_back(node.id);
    const model::Span whole = graph_.spans->intern(std::move(all));
    span_ = whole;
    builder_.setSpan(whole);

    const std::vector<Value> outputs = run(graph, &inputs, {});
    builder_.setSpan(whole);
    context_ = {};
    context_.file = graph_.file;
    builder_.setContext(context_);
    std::vector<Var> results;
    std::vector<std::string> names;
    for (size_t i = 0; i < outputs.size() && !builder_.failed(); ++i) {
        const std::string& name = graph.outputs[i].name;
        const model::ValueType& declared = graph.outputs[i].type;
        if (outputs[i].sequence || outputs[i].none) {
            for (const model::Node& node : graph.nodes)
                if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end())
                    enter(node);
            if (declared.kind == model::ValueType::Kind::Tensor)
                builder_.fail(
                    fmt::format("output '{}' is declared as a tensor, but is a sequence or an optional", name),
                    "let the model give tensors", ErrorKind::Unsupported);
        }
        const auto isOptional = declared.kind == model::ValueType::Kind::Optional ||
                                (declared.kind == model::ValueType::Kind::Unknown && outputs[i].none);
        const Var result = varOf(builder_, outputs[i], isOptional, declaredType(declared));
        const bool isInput = inputs.values.contains(name);
        const bool isCopied = isInput && !builder_.failed() && builder_.isTensor(result);
        results.push_back(isCopied ? builder_.call(Op::Copy, {result}) : result);
        names.push_back(name);
        builder_.setSpan(whole);
    }
    std::vector<relay::StateValue> states;
    for (const std::string& name : states_) {
        const Variable& variable = variables_.at(name);
        results.push_back(variable.now);
        states.push_back({name, variable.initial});
    }
    if (builder_.failed())
        return;
    const Var result = results.size() == 1 ? results[0] : builder_.tuple(results);
    module_.functions["main"] = builder_.finish(result, names, std::move(states));
}

std::vector<Value> GraphWalk::run(const model::Graph& graph, const Scope* around, const std::vector<Value>& inputs) {
    Scope scope;
    scope.outer = around;
    for (const auto* values : {&graph.inputs, &graph.outputs, &graph.values})
        for (const model::Value& value : *values)
            scope.types.emplace(value.name, &value.type);
    for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i)
        scope.values[graph.inputs[i].name] = inputs[i];
    defineConstants(graph, scope);
    std::vector<Value> outputs = convertNodes(graph, 0, scope, [&](Scope& names) { return outputsOf(graph, names); });
    outputs.resize(graph.outputs.size()); // after a fault, neutral ones
    return outputs;
}

std::vector<Value> GraphWalk::outputsOf(const model::Graph& graph, const Scope& scope) {
    std::vector<Value> outputs;
    for (const model::Value& output : graph.outputs) {
        const Value* found = builder_.failed() ? nullptr : scope.find(output.name);
        if (!found)
            builder_.fail(fmt::format("nothing produces the output '{}' of graph '{}'", output.name, graph.name));
        outputs.push_back(found ? *found : Value{});
    }
    return outputs;
}

void GraphWalk::defineConstants(const model::Graph& graph, Scope& scope) {
    const auto readers = readersOf(graph);
    const model::Span around = span_;
    for (const model::Initializer& initializer : graph.initializers) {
        const std::vector<int32_t>& ids = readers.at(initializer.name);
        const bool isOutput = std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                          [&](const model::Value& output) { return output.name == initializer.name; });
        if (ids.empty() && !isOutput)
            continue;
        builder_.setSpan(ids.empty() ? around : graph_.spans->intern(ids));
        Value& value = scope.values[initializer.name];
        value.var = builder_.constant(relay::makeConstant(initializer.tensor));
        builder_.nameValue(value.var, initializer.name);
    }
    builder_.setSpan(around);
}

std::vector<Value> GraphWalk::convertNodes(const model::Graph& graph, size_t first, Scope& scope, const Then& then) {
    const model::Span span = span_;
    const Diagnostic context = context_;
    for (size_t i = first; i < graph.nodes.size() && !builder_.failed(); ++i) {
        const model::Node& node = graph.nodes[i];
        convertNode(node, scope);
        if (builder_.disagreed() && dialect_.branchesOf(node)) {
            std::vector<Value> results = branchOff(graph, i, scope, then);
            span_ = span;
            context_ = context;
            return results;
        }
    }
    if (builder_.failed())
        return {};
    span_ = span;
    context_ = context;
    builder_.setSpan(span);
    builder_.setContext(context);
    return then(scope);
}

void GraphWalk::enter(const model::Node& node) {
    span_ = graph_.spans->of(node.id);
    builder_.setSpan(span_);
    if (bodies_ > 0) // inside a body the user knows only the node that it belongs to
        return;
    context_ = {};
    context_.file = graph_.file;
    context_.node = displayName(node);
    context_.op = operatorName(node);
    context_.nodeId = node.id;
    builder_.setContext(context_);
}

void GraphWalk::convertNode(const model::Node& node, Scope& scope) {
    enter(node);
    NodeReader reader(node, *this, scope, builder_);
    dialect_.checked(reader, [&] {
        if (const ConvertFn convert = dialect_.converterOf(node))
            convert(reader, builder_);
        else
            expand(reader);
    });
    if (!builder_.failed())
        define(reader, scope);
}

void GraphWalk::define(NodeReader& reader, Scope& scope) {
    const model::Node& node = reader.node;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i].empty())
            continue;
        if (!reader.results[i]) {
            builder_.fail(fmt::format("result {} of the operator is not supported", i), {}, ErrorKind::Unsupported);
            return;
        }
        Value value = *reader.results[i];
        for (const std::string& name : node.inputs) {
            const Value* operand = name.empty() ? nullptr : scope.find(name);
            if (operand && value.var && operand->var == value.var && !value.sequence && builder_.isTensor(value.var)) {
                value.var = builder_.call(Op::Copy, {value.var}); // so that each node has a binding of its own
                break;
            }
        }
        if (value.var && bodies_ == 0)
            builder_.nameValue(value.var, node.outputs[i]);
        scope.values[node.outputs[i]] = std::move(value);
    }
}

} // namespace lathe::frontend
