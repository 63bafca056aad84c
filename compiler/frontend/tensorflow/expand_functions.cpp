// SPDX-License-Identifier: Apache-2.0
//
// Functions in place: called ones among the nodes around the call, those of loops and choices as graphs of their own,
// which are passed values alone: a handle among what is passed leads to the same variable in there.
#include "base/limits.h"
#include "frontend/tensorflow/control_flow.h"
#include "frontend/tensorflow/expand.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* convertAgain = "the model is malformed; export it again";

/// Of what is no value, and which nested graphs see as it is.
bool isHandle(const Meaning& meaning) {
    return meaning.kind == Meaning::Kind::Variable || meaning.kind == Meaning::Kind::Table;
}

} // namespace

BodyPtr Expander::bodyNamed(Frame& frame, int index, const std::string& function) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    const ::tensorflow::FunctionDef* found = functions_.find(function);
    if (!found) {
        report(&frame, &node,
               error(fmt::format("the node calls function '{}', which there is none of", function),
                     "the model is incomplete or damaged; export it again"));
        return nullptr;
    }
    const BodyPtr body = functions_.body(*found);
    if (std::ranges::find(open_, body.get()) != open_.end()) {
        stop(error(fmt::format("function '{}' calls itself", function), "repeat work with a loop"));
        return nullptr;
    }
    if (std::ssize(open_) > limits::blockNesting) {
        stop(error(ErrorKind::Unsupported, fmt::format("functions are nested more than {} deep", limits::blockNesting),
                   "flatten the model"));
        return nullptr;
    }
    return body;
}

bool Expander::emitFunctional(Frame& frame, int index, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (!node.proto)
        return false;
    const Attributes attributes{&node.proto->attr(), frame.call};
    const auto named = [&](const char* attribute) { return bodyNamed(frame, index, attributes.function(attribute)); };
    if (node.op == "While" || node.op == "StatelessWhile") {
        const BodyPtr test = named("cond"), repeated = named("body");
        if (test && repeated)
            emitLoop(frame, index, test, repeated, inputs);
    } else if (node.op == "If" || node.op == "StatelessIf") {
        const BodyPtr whenTrue = named("then_branch"), whenFalse = named("else_branch");
        if (whenTrue && whenFalse)
            emitChoice(frame, index, {whenTrue, whenFalse}, inputs);
    } else if (node.op == "Case" || node.op == "StatelessCase") {
        std::vector<BodyPtr> branches;
        if (const auto* list = attributes.find("branches"))
            for (const auto& function : list->list().func())
                branches.push_back(bodyNamed(frame, index, function.name()));
        if (branches.empty())
            report(&frame, &node, error("the node has no branches", convertAgain));
        else if (std::ranges::none_of(branches, [](const BodyPtr& branch) { return branch == nullptr; }))
            emitChoice(frame, index, branches, inputs);
    } else if (node.op == "PartitionedCall" || node.op == "StatefulPartitionedCall") {
        const std::string name = attributes.function("f");
        const ::tensorflow::FunctionDef* function = bodyNamed(frame, index, name) ? functions_.find(name) : nullptr;
        if (function)
            emitCall(frame, index, *function, inputs);
    } else if (const ::tensorflow::FunctionDef* function = functions_.find(node.op)) {
        if (bodyNamed(frame, index, node.op))
            emitCall(frame, index, *function, inputs);
    } else {
        return false;
    }
    return true;
}

void Expander::emitCall(Frame& frame, int index, const ::tensorflow::FunctionDef& function, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    const BodyPtr body = functions_.body(function);
    if (inputs.size() != body->arguments.size())
        return report(&frame, &node,
                      error(fmt::format("the node passes {} values to function '{}', which takes {}", inputs.size(),
                                        body->name, body->arguments.size()),
                            convertAgain));
    Frame inner{.body = *body, .arguments = inputs, .into = frame.into};
    inner.prefix = frame.prefix + node.name + "/";
    inner.scope = frame.scope;
    inner.scope.push_back(node.name);
    inner.call = &node.proto->attr();
    std::vector<bool> wanted = frame.used[static_cast<size_t>(index)];
    wanted.resize(body->results.size());
    const Meanings results = emitBody(inner, wanted);
    for (size_t i = 0; i < results.size(); ++i)
        if (wanted[i] && results[i].kind != Meaning::Kind::Nothing)
            give(frame, index, static_cast<int>(i), results[i]);
}

Expander::Nested Expander::nested(Frame& around, const std::string& name, const Body& body, const Meanings& arguments) {
    Nested made{std::make_shared<model::Graph>(), {}};
    made.graph->name = body.name;
    Meanings inner = arguments;
    for (size_t i = 0; i < inner.size(); ++i) {
        if (isHandle(inner[i]))
            continue;
        inner[i] = {Meaning::Kind::Value, unique(around.prefix + name + "/" + body.arguments[i])};
        made.graph->inputs.push_back({inner[i].name, {}});
    }
    Frame frame{.body = body, .arguments = inner, .into = *made.graph};
    frame.prefix = around.prefix + name + "/";
    frame.scope = around.scope;
    frame.scope.push_back(name);
    made.results = emitBody(frame, std::vector<bool>(body.results.size(), true));
    for (const Meaning& result : made.results)
        if (!isHandle(result))
            made.graph->outputs.push_back({result.name, {}});
    return made;
}

void Expander::emitLoop(Frame& frame, int index, const BodyPtr& test, const BodyPtr& repeated, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (test->arguments.size() != inputs.size() || repeated->arguments.size() != inputs.size() ||
        repeated->results.size() != inputs.size() || test->results.size() != 1)
        return report(
            &frame, &node,
            error(fmt::format("the loop carries {} values, its test takes {} and its body takes {} and gives {}",
                              inputs.size(), test->arguments.size(), repeated->arguments.size(),
                              repeated->results.size()),
                  convertAgain));
    const Nested condition = nested(frame, node.name + "/cond", *test, inputs);
    const Nested body = nested(frame, node.name + "/body", *repeated, inputs);
    if (stopped_)
        return;
    model::Node added;
    std::vector<std::string> passed;
    std::vector<size_t> places;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (isHandle(inputs[i]) != isHandle(body.results[i]) ||
            (isHandle(inputs[i]) && inputs[i].name != body.results[i].name))
            return report(&frame, &node,
                          error(ErrorKind::Unsupported, "the loop exchanges variables, which is not supported"));
        if (isHandle(inputs[i])) {
            give(frame, index, static_cast<int>(i), inputs[i]);
            continue;
        }
        passed.push_back(inputs[i].name);
        places.push_back(i);
    }
    model::Node& loop = addNode(frame, node, "While");
    loop.inputs = std::move(passed);
    loop.attributes = {{"body", std::shared_ptr<const model::Graph>(body.graph)},
                       {"cond", std::shared_ptr<const model::Graph>(condition.graph)}};
    for (const size_t place : places)
        loop.outputs.push_back(giveValue(frame, index, static_cast<int>(place), loop));
}

void Expander::emitChoice(Frame& frame, int index, const std::vector<BodyPtr>& branches, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (inputs.empty())
        return report(&frame, &node, error("the node has no operands", convertAgain));
    const Meanings passed(inputs.begin() + 1, inputs.end());
    std::vector<std::shared_ptr<const model::Graph>> graphs;
    std::vector<Nested> made;
    for (const BodyPtr& branch : branches) {
        if (branch->arguments.size() != passed.size() || branch->results.size() != branches[0]->results.size())
            return report(
                &frame, &node,
                error(fmt::format("the node passes {} values to '{}', which takes {} and gives {}", passed.size(),
                                  branch->name, branch->arguments.size(), branch->results.size()),
                      convertAgain));
        made.push_back(nested(frame, fmt::format("{}/branch{}", node.name, made.size()), *branch, passed));
        graphs.push_back(made.back().graph);
        if (stopped_)
            return;
    }
    std::vector<std::string> values = {valueOf(frame, node, inputs[0])};
    for (const Meaning& each : passed)
        if (!isHandle(each))
            values.push_back(each.name);
    model::Node& choice =
        addNode(frame, node, branches.size() == 2 && node.op != "Case" && node.op != "StatelessCase" ? "If" : "Case");
    choice.inputs = std::move(values);
    if (choice.op == "If")
        choice.attributes = {{"else_branch", graphs[1]}, {"then_branch", graphs[0]}};
    else
        choice.attributes = {{"branches", graphs}};
    for (size_t i = 0; i < made[0].results.size(); ++i) {
        const Meaning& first = made[0].results[i];
        const auto differs = [&](const Nested& other) {
            return isHandle(other.results[i]) != isHandle(first) ||
                   (isHandle(first) && other.results[i].name != first.name);
        };
        if (std::ranges::any_of(made, differs))
            return report(&frame, &node,
                          error(ErrorKind::Unsupported, "the branches give several variables, which is not supported"));
        if (isHandle(first))
            give(frame, index, static_cast<int>(i), first);
        else
            choice.outputs.push_back(giveValue(frame, index, static_cast<int>(i), choice));
    }
}

} // namespace lathe::frontend::tensorflow
