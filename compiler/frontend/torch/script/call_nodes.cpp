// SPDX-License-Identifier: Apache-2.0
//
// The graph that people see of a program: a node for each call that makes something, with where the program has it.
#include "frontend/torch/script/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

/// "conv2d" of "aten.conv2d.default".
std::string plainName(const std::string& op) {
    const size_t first = op.find('.');
    const size_t begin = first == std::string::npos ? 0 : first + 1;
    return op.substr(begin, op.find('.', begin) - begin);
}

} // namespace

void Evaluator::addInputs(model::Node& node, const ScriptValue& value, int nesting) const {
    if (nesting > mostListNesting)
        return;
    if (const TensorRef* ref = value.as<TensorRef>())
        node.inputs.push_back(nameOf(ref->place));
    if (const Quantized* quantized = value.as<Quantized>())
        node.inputs.push_back(nameOf(quantized->integers));
    const ListCell* list = heap_.find<ListCell>(value);
    const TupleValue* tuple = value.as<TupleValue>();
    if (const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr)
        for (const ScriptValue& item : *items)
            addInputs(node, item, nesting + 1);
}

std::optional<model::AttributeValue> Evaluator::attributeOf(const ScriptValue& value) const {
    if (const bool* flag = value.as<bool>())
        return int64_t{*flag};
    if (const std::optional<int64_t> whole = asInt(value))
        return *whole;
    if (const double* real = value.as<double>())
        return *real;
    if (const std::string* text = value.as<std::string>())
        return *text;
    const ListCell* list = heap_.find<ListCell>(value);
    const TupleValue* tuple = value.as<TupleValue>();
    const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr;
    if (!items)
        return std::nullopt;
    std::vector<int64_t> wholes;
    for (const ScriptValue& item : *items) {
        const std::optional<int64_t> whole = asInt(item);
        if (!whole)
            return std::nullopt;
        wholes.push_back(*whole);
    }
    return wholes;
}

void Evaluator::enter(const std::string& op, const Schema* schema, const Arguments& arguments) {
    if (!budget_.takeNodes(1))
        return refuse(fmt::format("the program makes more than {} calls of operators", limits::graphNodes),
                      "let loops have fewer rounds");
    model::Node node;
    node.op = op;
    for (const std::string& scope : scopes_)
        if (!scope.empty() && (node.scope.empty() || node.scope.back() != scope))
            node.scope.push_back(scope);
    for (size_t i = 0; i < arguments.values.size(); ++i) {
        addInputs(node, arguments.values[i]);
        const std::string name = !arguments.names[i].empty()              ? arguments.names[i]
                                 : schema && i < schema->arguments.size() ? schema->arguments[i].name
                                                                          : fmt::format("argument {}", i);
        if (std::optional<model::AttributeValue> value = attributeOf(arguments.values[i]))
            node.attributes.push_back({name, *std::move(value)});
    }
    std::erase(node.inputs, std::string());
    node.attributes.push_back({"code", where()});
    node.name = trace_.freshName(plainName(op));
    const std::string name = node.name;
    const int32_t id = trace_.add(std::move(node));
    b_.setSpan(model_.spans->of(id));
    Diagnostic context;
    context.file = model_.file;
    context.node = fmt::format("{}, {}", name, where());
    context.op = op;
    context.nodeId = id;
    b_.setContext(context);
}

void Evaluator::note(const ScriptValue& result, int nesting) {
    if (nesting > mostListNesting)
        return;
    const TensorRef* ref = result.as<TensorRef>();
    if (ref) {
        model::Node& node = trace_.last();
        const std::string name = node.outputs.empty() ? node.name : trace_.freshName(node.name);
        names_[ref->place] = name;
        node.outputs.push_back(name);
        const Var now = memory_.read(ref->place);
        if (b_.isOutermost())
            named_.push_back({now, name});
        else
            b_.nameValue(now, name);
    }
    const ListCell* list = heap_.find<ListCell>(result);
    const TupleValue* tuple = result.as<TupleValue>();
    if (const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr)
        for (const ScriptValue& item : ScriptValues(*items))
            note(item, nesting + 1);
}

void Evaluator::addBlocks(std::vector<std::shared_ptr<const model::Graph>> graphs, model::Span span) {
    b_.setSpan(span);
    constexpr const char* blocks[] = {"block", "other block"};
    for (size_t i = 0; i < graphs.size() && i < std::size(blocks) && !failed(); ++i)
        trace_.last().attributes.push_back({blocks[i], std::move(graphs[i])});
}

} // namespace lathe::frontend::torch::script
