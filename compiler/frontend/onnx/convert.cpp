// SPDX-License-Identifier: Apache-2.0
//
// The walk over nodes: context and Span for each, its converter or its body, names for its results.
#include "frontend/onnx/convert.h"

#include "base/limits.h"
#include "frontend/onnx/attributes.h"
#include "frontend/onnx/operand_types.h"
#include "frontend/onnx/ops.h"
#include "model/names_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace lathe::frontend::onnx {
namespace {

constexpr int bodyNesting = 16; // operators whose bodies hold operators with bodies …

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

Converter::Converter(model::ModelGraph& graph, GraphReader& reader, relay::Module& module, Builder& builder)
    : graph_(graph), reader_(reader), module_(module), builder_(builder) {}

std::optional<std::string> Converter::refusal(const model::Node& node) const {
    if (findConverter(node) || GraphReader::hasBody(node))
        return std::nullopt;
    if (node.domain == "com.microsoft")
        return fmt::format("operator {} of domain com.microsoft is an extension of ONNX Runtime and is not supported",
                           node.op);
    if (node.domain == "ai.onnx.preview.training")
        return fmt::format("operator {} trains a model; Lathe compiles models for inference", node.op);
    if (!findSchema(node.domain, node.op, newestOpset())) {
        if (node.domain == standardDomain || node.domain == "ai.onnx.ml")
            return fmt::format("domain {} has no operator {}", node.domain, node.op);
        return fmt::format("operator {} of domain '{}' is unknown: neither ONNX nor the model defines it", node.op,
                           node.domain);
    }
    return fmt::format("operator {} of domain {} is not supported in version {}", node.op, node.domain, node.version);
}

std::vector<Diagnostic> Converter::unsupported() const {
    std::vector<Diagnostic> found;
    for (const model::Node* node : graph_.nodes) {
        if (!node)
            continue;
        std::optional<std::string> reason = refusal(*node);
        if (!reason)
            continue;
        Diagnostic diagnostic =
            error(ErrorKind::Unsupported, *std::move(reason), "replace the node when exporting the model");
        diagnostic.file = graph_.file;
        diagnostic.node = displayName(*node);
        diagnostic.op = operatorName(*node);
        diagnostic.nodeId = node->id;
        found.push_back(std::move(diagnostic));
    }
    return found;
}

void Converter::convertMain(const std::vector<relay::Type>& parameters) {
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
        if (outputs[i].sequence || outputs[i].none) {
            for (const model::Node& node : graph.nodes)
                if (std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end())
                    enter(node);
            builder_.fail(fmt::format("output '{}' is a sequence or an optional, which is not supported yet", name),
                          "let the model give tensors", ErrorKind::Unsupported);
        }
        if (!builder_.failed() && builder_.isTensor(outputs[i].var) && builder_.dtype(outputs[i].var) == types::String)
            builder_.fail(fmt::format("output '{}' is of strings, which are not supported", name),
                          "let the model give numbers", ErrorKind::Unsupported);
        const bool isInput = inputs.values.contains(name);
        results.push_back(isInput ? builder_.call(Op::Copy, {outputs[i].var}) : outputs[i].var);
        names.push_back(name);
    }
    if (builder_.failed())
        return;
    const Var result = results.size() == 1 ? results[0] : builder_.tuple(results);
    module_.functions["main"] = builder_.finish(result, names);
}

std::vector<Value> Converter::run(const model::Graph& graph, const Scope* around, const std::vector<Value>& inputs) {
    Scope scope;
    scope.outer = around;
    for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i)
        scope.values[graph.inputs[i].name] = inputs[i];
    defineConstants(graph, scope);
    std::vector<Value> outputs = convertNodes(graph, 0, scope, [&](Scope& names) { return outputsOf(graph, names); });
    outputs.resize(graph.outputs.size()); // after a fault, neutral ones
    return outputs;
}

std::vector<Value> Converter::outputsOf(const model::Graph& graph, const Scope& scope) {
    std::vector<Value> outputs;
    for (const model::Value& output : graph.outputs) {
        const Value* found = builder_.failed() ? nullptr : scope.find(output.name);
        if (!found)
            builder_.fail(fmt::format("nothing produces the output '{}' of graph '{}'", output.name, graph.name));
        outputs.push_back(found ? *found : Value{});
    }
    return outputs;
}

void Converter::defineConstants(const model::Graph& graph, Scope& scope) {
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

std::vector<Value> Converter::convertNodes(const model::Graph& graph, size_t first, Scope& scope, const Then& then) {
    const model::Span span = span_;
    const Diagnostic context = context_;
    for (size_t i = first; i < graph.nodes.size() && !builder_.failed(); ++i) {
        const model::Node& node = graph.nodes[i];
        convertNode(node, scope);
        if (builder_.disagreed() && node.op == "If" && node.domain == standardDomain) {
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

std::vector<Value> Converter::branchOff(const model::Graph& graph, size_t at, Scope& scope, const Then& then) {
    const model::Node& node = graph.nodes[at];
    const Diagnostic reason = builder_.error();
    builder_.takeBack();
    enter(node);
    continued_ += graph.nodes.size() - at - 1;
    if (continued_ > static_cast<size_t>(limits::continuedNodes)) {
        builder_.disagree(reason.what +
                              fmt::format("; what follows them would go into both branches, which makes more than "
                                          "{} nodes",
                                          limits::continuedNodes),
                          reason.hint);
        return {};
    }
    NodeReader reader(node, *this, scope, builder_);
    Var condition = reader.in(0);
    if (!builder_.failed() && builder_.rank(condition) != 0) {
        relay::ReshapeAttrs scalar;
        condition = builder_.call(Op::Reshape, {condition}, scalar);
    }
    size_t count = 0;
    const auto arm = [&](const std::string& attribute) -> Var {
        const auto branch = reader.graph(attribute);
        if (builder_.failed())
            return {};
        enter(node);
        Scope names; // a scope of its own, not a copy of all names so far
        names.outer = &scope;
        Scope inner;
        inner.outer = &names;
        defineConstants(*branch, inner);
        const std::vector<Value> values = convertNodes(*branch, 0, inner, [&](Scope& local) {
            const std::vector<Value> results = outputsOf(*branch, local);
            enter(node);
            NodeReader chosen(node, *this, names, builder_);
            for (size_t i = 0; i < results.size(); ++i)
                chosen.set(i, results[i]);
            if (!builder_.failed())
                define(chosen, names);
            return convertNodes(graph, at + 1, names, then);
        });
        enter(node);
        std::vector<Var> vars;
        for (const Value& value : values) {
            if (value.sequence || value.none)
                builder_.disagree(reason.what, reason.hint);
            vars.push_back(value.var);
        }
        count = vars.size();
        return builder_.failed() ? Var{} : count == 1 ? vars[0] : builder_.tuple(vars);
    };
    if (!supported_)
        supported_ = unsupported().empty();
    const Var result =
        *supported_
            ? builder_.ifElseOrCheck(
                  condition, [&] { return arm("then_branch"); }, [&] { return arm("else_branch"); })
            : builder_.ifElse(condition, [&] { return arm("then_branch"); }, [&] { return arm("else_branch"); });
    enter(node);
    std::vector<Value> values(builder_.failed() ? 0 : count);
    for (size_t i = 0; i < values.size(); ++i)
        values[i].var = count == 1 ? result : builder_.project(result, static_cast<int>(i));
    return values;
}

void Converter::enter(const model::Node& node) {
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

void Converter::convertNode(const model::Node& node, Scope& scope) {
    enter(node);
    NodeReader reader(node, *this, scope, builder_);
    const auto typeOf = [&](size_t i) -> std::optional<DataType> {
        const Value* value = reader.hasInput(i) ? scope.find(node.inputs[i]) : nullptr;
        return value && value->var && builder_.isTensor(value->var) ? std::optional(builder_.dtype(value->var))
                                                                    : std::nullopt;
    };
    OperandTypes operandTypes(node);
    if (std::optional<std::string> fault = operandTypes.faultOfOperands(typeOf))
        return builder_.fail(*std::move(fault), "the model is malformed; export it again");
    if (const ConvertFn convert = findConverter(node)) {
        convert(reader, builder_);
        if (!findSchema(node.domain, node.op, node.version))
            for (const std::string& name : reader.unread())
                if (!mayBeUnknown(name))
                    builder_.fail(fmt::format("attribute '{}' is unknown to the operator", name),
                                  "remove the attribute");
    } else {
        expand(reader);
    }
    if (builder_.failed())
        return;
    const auto typeOfResult = [&](size_t i) -> std::optional<DataType> {
        const Var var = reader.results[i] ? reader.results[i]->var : Var{};
        return var && builder_.isTensor(var) ? std::optional(builder_.dtype(var)) : std::nullopt;
    };
    if (std::optional<std::string> fault = operandTypes.faultOfResults(typeOfResult))
        return builder_.fail(*std::move(fault), "correct the attributes that say the type, or export the model again");
    define(reader, scope);
}

void Converter::define(NodeReader& reader, Scope& scope) {
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
            if (operand && value.var && operand->var == value.var && !value.sequence) {
                value.var = builder_.call(Op::Copy, {value.var}); // so that each node has a binding of its own
                break;
            }
        }
        if (value.var && bodies_ == 0)
            builder_.nameValue(value.var, node.outputs[i]);
        scope.values[node.outputs[i]] = std::move(value);
    }
}

void Converter::expand(NodeReader& reader) {
    const model::Node& node = reader.node;
    if (const std::optional<std::string> reason = refusal(node)) {
        builder_.fail(*reason, "replace the node when exporting the model", ErrorKind::Unsupported);
        return;
    }
    if (bodies_ >= bodyNesting) {
        builder_.fail(fmt::format("the operator's body is nested more than {} deep", bodyNesting));
        return;
    }
    std::vector<model::ValueType> types;
    std::vector<Value> values;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Value* value = reader.value(i);
        values.push_back(value ? *value : Value{});
    }
    if (!builder_.failed())
        fitBodyOperands(reader, builder_, values);
    if (builder_.failed())
        return;
    for (const Value& value : values) {
        model::ValueType& type = types.emplace_back();
        if (!value.var)
            continue;
        type.kind = model::ValueType::Kind::Tensor;
        type.dtype = builder_.dtype(value.var);
        type.hasShape = true;
        for (const Expr& dim : builder_.shape(value.var))
            type.shape.push_back({arith::asInt(dim).value_or(-1), {}});
    }
    Result<std::shared_ptr<model::Graph>> body = reader_.expandBody(node, types);
    if (!body) {
        builder_.fail(body.error().what, body.error().hint, body.error().kind);
        return;
    }
    Scope formal;
    for (size_t i = 0; i < (*body)->inputs.size(); ++i)
        if (i < values.size() && reader.hasInput(i))
            formal.values[(*body)->inputs[i].name] = values[i];
    ++bodies_;
    Scope inner;
    inner.outer = &formal;
    const std::vector<Value> results = convertNodes(**body, 0, inner, [&](Scope& names) {
        std::vector<Value> outputs;
        for (const model::Value& output : (*body)->outputs) {
            const Value* found = names.find(output.name);
            outputs.push_back(found ? *found : Value{});
        }
        return outputs;
    });
    --bodies_;
    for (size_t i = 0; i < results.size(); ++i)
        if (results[i].var || results[i].sequence || results[i].none)
            reader.set(i, results[i]);
}

} // namespace lathe::frontend::onnx
