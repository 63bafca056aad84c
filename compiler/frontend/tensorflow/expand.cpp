// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/expand.h"

#include "base/limits.h"
#include "frontend/common/topology.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* exportAgain = "the model is malformed; export it again";
// Nodes of bodies that are gone through, needed or not: a function's anew for each call.
constexpr int64_t mostVisited = 200'000'000;

} // namespace

Expander::Expander(model::ModelGraph& model, Functions& functions, TensorReader& tensors,
                   std::shared_ptr<Budget> budget, Stored stored)
    : model_(model), functions_(functions), tensors_(tensors), budget_(std::move(budget)), stored_(std::move(stored)) {}

Meaning Expander::Frame::of(const Endpoint& endpoint) const {
    if (endpoint.argument != Endpoint::none)
        return arguments.at(static_cast<size_t>(endpoint.argument));
    const auto found = meanings.find({endpoint.node, endpoint.output});
    return found == meanings.end() ? Meaning() : found->second;
}

std::shared_ptr<model::Graph> Expander::expand(const Body& body, const std::vector<model::Value>& inputs,
                                               const std::vector<std::string>& outputs) {
    const std::vector<Diagnostic> before = model_.diagnostics;
    std::shared_ptr<model::Graph> graph = expandOnce(body, inputs, outputs);
    if (assigned_.empty() || stopped_)
        return graph;
    // Only now it is known which variables are no constants.
    model_.diagnostics = before;
    names_.clear();
    suffixes_.clear();
    initials_.clear();
    nodes_ = 0;
    return expandOnce(body, inputs, outputs);
}

std::shared_ptr<model::Graph> Expander::expandOnce(const Body& body, const std::vector<model::Value>& inputs,
                                                   const std::vector<std::string>& outputs) {
    auto graph = std::make_shared<model::Graph>();
    main_ = graph.get();
    graph->name = body.name;
    graph->inputs = inputs;
    Meanings arguments;
    for (const model::Value& input : inputs) {
        names_.insert(input.name);
        arguments.push_back({Meaning::Kind::Value, input.name});
    }
    names_.insert(outputs.begin(), outputs.end());
    Frame frame{.body = body, .arguments = arguments, .into = *graph};
    const Meanings results = emitBody(frame, std::vector<bool>(body.results.size(), true));
    std::unordered_set<std::string> given;
    for (size_t i = 0; i < results.size() && !stopped_; ++i) {
        BodyNode end;
        end.name = outputs[i].empty() ? results[i].name : outputs[i];
        end.op = "Identity";
        std::string value = valueOf(frame, end, results[i]);
        const bool isInner =
            std::ranges::none_of(inputs, [&](const auto& input) { return input.name == value; }) &&
            std::ranges::none_of(graph->initializers, [&](const auto& each) { return each.name == value; });
        const bool keepsName = outputs[i].empty() || outputs[i] == value;
        if (!isInner || !keepsName || given.contains(value)) {
            model::Node& node = addNode(frame, end, "Identity");
            node.inputs = {value};
            value = keepsName ? unique(value) : outputs[i];
            node.outputs = {value};
        }
        given.insert(value);
        graph->outputs.push_back({value, {}});
    }
    model_.nodeCount = nodes_;
    return graph;
}

Expander::Meanings Expander::emitBody(Frame& frame, const std::vector<bool>& wanted) {
    const Body& body = frame.body;
    budget_->checkpoint();
    visited_ += std::ssize(body.nodes);
    if (visited_ > mostVisited) {
        tooLarge();
        return Meanings(body.results.size());
    }
    for (const Diagnostic& fault : body.faults)
        report(&frame, nullptr, fault);
    open_.push_back(&body);
    std::vector<int> roots, all = body.controlResults;
    frame.used.resize(body.nodes.size());
    const auto use = [&](const Endpoint& endpoint) {
        if (endpoint.node == Endpoint::none)
            return;
        std::vector<bool>& used = frame.used[static_cast<size_t>(endpoint.node)];
        if (std::ssize(used) <= endpoint.output)
            used.resize(static_cast<size_t>(endpoint.output) + 1);
        used[static_cast<size_t>(endpoint.output)] = true;
    };
    for (size_t i = 0; i < body.results.size(); ++i)
        if (wanted[i] && body.results[i].node != Endpoint::none) {
            roots.push_back(body.results[i].node);
            use(body.results[i]);
        }
    all.insert(all.end(), roots.begin(), roots.end());
    const std::vector<bool> around = reached(body, all, Along::DataAndControl);
    for (size_t i = 0; i < body.nodes.size(); ++i)
        if (around[i] && hasEffect(body, body.nodes[i], 0))
            roots.push_back(static_cast<int>(i));
    const std::vector<bool> needed = reached(body, roots, Along::Data);
    for (size_t i = 0; i < body.nodes.size(); ++i)
        if (needed[i])
            std::ranges::for_each(body.nodes[i].inputs, use);
    const auto order = inOrder(body, around);
    if (!order)
        stop(order.error());
    for (size_t i = 0; order && i < order->size() && !stopped_; ++i)
        if (needed[static_cast<size_t>((*order)[i])])
            emitNode(frame, (*order)[i]);
    open_.pop_back();
    Meanings results;
    for (size_t i = 0; i < body.results.size(); ++i)
        results.push_back(wanted[i] ? frame.of(body.results[i]) : Meaning());
    return results;
}

void Expander::emitNode(Frame& frame, int index) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (!count())
        return;
    for (const Diagnostic& fault : node.faults)
        report(&frame, &node, fault);
    Meanings inputs;
    for (const Endpoint& input : node.inputs) {
        inputs.push_back(frame.of(input));
        if (inputs.back().kind == Meaning::Kind::Nothing && node.faults.empty())
            report(&frame, &node,
                   error(fmt::format("the node reads output {} of '{}', which has no such output", input.output,
                                     input.node == Endpoint::none
                                         ? std::string("?")
                                         : frame.body.nodes[static_cast<size_t>(input.node)].name),
                         exportAgain));
    }
    if (node.constant) {
        const auto number = std::make_shared<int32_t>(*node.constant);
        const std::string name = unique(frame.prefix + node.name);
        frame.into.initializers.push_back(
            {name, std::make_shared<model::TensorData>(
                       model::TensorData{types::Int32, {}, {number, std::as_bytes(std::span(number.get(), 1))}, {}})});
        return give(frame, index, 0, {Meaning::Kind::Value, name});
    }
    if (node.repeated)
        return emitLoop(frame, index, node.test, node.repeated, inputs);
    if (node.whenTrue)
        return emitChoice(frame, index, {node.whenTrue, node.whenFalse}, inputs);
    if (emitVariable(frame, index, inputs) || emitTable(frame, index, inputs) || emitFunctional(frame, index, inputs))
        return;
    emitPlain(frame, index, inputs);
}

void Expander::emitPlain(Frame& frame, int index, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    const Attributes attributes{&node.proto->attr(), frame.call};
    if (node.op == "Const") {
        const auto* value = attributes.find("value");
        const auto tensor = value && value->has_tensor()
                                ? tensors_.read(value->tensor())
                                : Result<model::TensorPtr>(failure("a constant without a value", exportAgain));
        if (!tensor)
            return report(&frame, &node, tensor.error());
        const std::string name = unique(frame.prefix + node.name);
        frame.into.initializers.push_back({name, *tensor});
        return give(frame, index, 0, {Meaning::Kind::Value, name});
    }
    std::vector<std::string> values;
    for (const Meaning& input : inputs)
        values.push_back(valueOf(frame, node, input));
    model::Node& added = addNode(frame, node, node.op);
    added.inputs = std::move(values);
    std::vector<Diagnostic> faults;
    added.attributes = readAttributes(attributes, tensors_, faults);
    const std::vector<bool>& used = frame.used[static_cast<size_t>(index)];
    for (size_t i = 0; i < used.size(); ++i)
        added.outputs.push_back(used[i] ? giveValue(frame, index, static_cast<int>(i), added) : std::string());
    for (Diagnostic& fault : faults)
        report(&frame, &node, std::move(fault));
}

std::string Expander::giveValue(Frame& frame, int index, int output, model::Node& node) {
    const std::string name = unique(output == 0 ? node.name : fmt::format("{}:{}", node.name, output));
    give(frame, index, output, {Meaning::Kind::Value, name});
    return name;
}

void Expander::give(Frame& frame, int index, int output, Meaning meaning) {
    frame.meanings[{index, output}] = std::move(meaning);
}

model::Node& Expander::addNode(Frame& frame, const BodyNode& node, std::string op) {
    model::Node added;
    added.id = nodes_++;
    added.name = frame.prefix + node.name;
    added.op = std::move(op);
    added.scope = frame.scope;
    return frame.into.nodes.emplace_back(std::move(added));
}

bool Expander::hasEffect(const Body& body, const BodyNode& node, int depth) {
    if (assigns(node.op))
        return true;
    if (depth > limits::blockNesting)
        return false;
    const auto ofBody = [&](const BodyPtr& inner) {
        if (!inner || inner.get() == &body)
            return false;
        const auto [known, isNew] = effects_.try_emplace(inner.get(), false);
        if (isNew) {
            const bool any = std::ranges::any_of(
                inner->nodes, [&](const BodyNode& each) { return hasEffect(*inner, each, depth + 1); });
            effects_[inner.get()] = any;
            return any;
        }
        return known->second;
    };
    if (ofBody(node.repeated) || ofBody(node.whenTrue) || ofBody(node.whenFalse))
        return true;
    if (!node.proto)
        return false;
    std::vector<std::string> called = {node.op};
    for (const auto& [name, value] : node.proto->attr()) {
        if (value.value_case() == ::tensorflow::AttrValue::kFunc)
            called.push_back(value.func().name());
        for (const auto& function : value.list().func())
            called.push_back(function.name());
    }
    return std::ranges::any_of(called, [&](const std::string& name) {
        const ::tensorflow::FunctionDef* function = functions_.find(name);
        return function && ofBody(functions_.body(*function));
    });
}

std::string Expander::unique(const std::string& wanted) {
    if (names_.insert(wanted).second)
        return wanted;
    for (int64_t& suffix = suffixes_[wanted];;) {
        std::string name = fmt::format("{}_{}", wanted, ++suffix);
        if (names_.insert(name).second)
            return name;
    }
}

bool Expander::count() {
    if (stopped_)
        return false;
    budget_->checkpoint();
    if (budget_->takeNodes(1))
        return true;
    tooLarge();
    return false;
}

void Expander::tooLarge() {
    stop(error(
        ErrorKind::Unsupported,
        fmt::format("the model has more than {} nodes with functions in place of their calls", limits::graphNodes),
        "split the model"));
}

void Expander::stop(Diagnostic fault) {
    if (!std::exchange(stopped_, true))
        report(nullptr, nullptr, std::move(fault));
}

void Expander::report(const Frame* frame, const BodyNode* node, Diagnostic fault) {
    if (model_.diagnostics.size() >= keptDiagnostics)
        return;
    fault.file = model_.file;
    if (node) {
        fault.node = frame->prefix + node->name;
        fault.op = node->op;
    }
    model_.diagnostics.push_back(std::move(fault));
}

} // namespace lathe::frontend::tensorflow
