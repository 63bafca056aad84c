// SPDX-License-Identifier: Apache-2.0
//
// Operators that are passed graphs: choices, loops, and regions that only say how PyTorch runs what is in them. A graph sees no
// values but those that it is passed.
#include "frontend/torch/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

constexpr const char* malformedGraph = "the program is malformedGraph; export it again";

} // namespace

void ProgramWalk::callHigherOrder(const ProgramNode& node, Frame& frame) {
    struct Known {
        std::string_view target;
        std::vector<Var> (ProgramWalk::*run)(const ProgramNode& node, Frame& frame);
    };
    static constexpr auto all = std::to_array<Known>({
        {"higher_order.cond", &ProgramWalk::runCond},
        {"higher_order.map_impl", &ProgramWalk::runMap},
        {"higher_order.scan", &ProgramWalk::runScan},
        {"higher_order.while_loop", &ProgramWalk::runWhile},
        {"higher_order.wrap_with_autocast", &ProgramWalk::runWrapped},
        {"higher_order.wrap_with_set_grad_enabled", &ProgramWalk::runWrapped},
    });
    const auto* known = std::ranges::find(all, node.target, &Known::target);
    if (known == all.end())
        return b_.fail(fmt::format("operator {} is not supported", node.target),
                       "write it without the operator, and export the program again", ErrorKind::Unsupported);
    const std::vector<Var> vars = (this->*known->run)(node, frame);
    if (b_.failed())
        return;
    List results(vars.begin(), vars.end());
    if (node.outputs.size() == 1 && node.outputs[0].as<std::vector<ProgramArgument>>())
        results = List{TorchValue(std::move(results))};
    defineResults(node, results, frame, [&](size_t, Var value) { return frame.memory.make(value); });
}

ProgramWalk::GraphPtr ProgramWalk::graphAt(const ProgramNode& node, size_t at) {
    const GraphPtr* graph = at < node.inputs.size() ? node.inputs[at].value.as<GraphPtr>() : nullptr;
    if (!graph)
        b_.fail(fmt::format("argument {} of the operator is no graph", at), malformedGraph);
    return graph ? *graph : nullptr;
}

std::vector<Var> ProgramWalk::tensorsAt(const ProgramNode& node, size_t at, Frame& frame) {
    std::vector<Var> tensors;
    const TorchValue value = at < node.inputs.size() ? valueOf(node.inputs[at].value, frame) : TorchValue(List());
    const List* list = value.as<List>();
    for (const TorchValue& one : list ? *list : List{value}) {
        if (b_.failed())
            return {};
        if (const Var* tensor = one.as<Var>())
            tensors.push_back(*tensor);
        else if (const std::optional<Scalar> number = toScalar(b_, one); number && number->kind == Scalar::Kind::Int)
            tensors.push_back(toTensor(b_, *number, types::Int64));
        else
            b_.fail(fmt::format("{} is passed to a graph, which is not supported", kindOf(one)), "pass tensors",
                    ErrorKind::Unsupported);
    }
    return tensors;
}

std::vector<Var> ProgramWalk::runGraph(const ProgramNode& node, const GraphPtr& graph, const std::vector<Var>& inputs) {
    if (b_.failed() || !graph)
        return {};
    Frame frame(*graph, false, randomCalls_, b_);
    if (graph->inputs.size() != inputs.size()) {
        b_.fail(fmt::format("graph '{}' takes {} values, and is passed {}", graph->name, graph->inputs.size(),
                            inputs.size()),
                malformedGraph);
        return {};
    }
    for (size_t i = 0; i < inputs.size() && !b_.failed(); ++i) {
        const auto* name = graph->inputs[i].as<Name>();
        if (!name || !isNew(name->text, frame))
            continue;
        if (name->isTensor) {
            frame.tensors.emplace(name->text, frame.memory.make(inputs[i]));
        } else {
            const std::vector<Expr> number = b_.symbolic(inputs[i], name->text);
            frame.others.emplace(name->text, number.size() == 1 ? number[0] : Expr(0));
        }
    }
    frame.inputs = static_cast<Memory::Place>(frame.tensors.size());
    convertNodes(frame);
    std::vector<Var> results;
    for (const ProgramArgument& output : graph->outputs) {
        const TorchValue value = b_.failed() ? TorchValue() : valueOf(output, frame);
        const Var* tensor = value.as<Var>();
        const std::optional<Scalar> number = tensor || b_.failed() ? std::nullopt : toScalar(b_, value);
        if (!tensor && !number && !b_.failed())
            b_.fail(fmt::format("graph '{}' gives {}, which is not supported", graph->name, kindOf(value)),
                    "let it give tensors", ErrorKind::Unsupported);
        results.push_back(tensor   ? *tensor
                          : number ? toTensor(b_, *number,
                                              number->kind == Scalar::Kind::Int    ? types::Int64
                                              : number->kind == Scalar::Kind::Bool ? types::Bool
                                                                                   : defaultFloat)
                                   : Var{});
    }
    enter(node);
    return b_.failed() ? std::vector<Var>() : results;
}

/// cond(predicate, graph, graph, operands)
std::vector<Var> ProgramWalk::runCond(const ProgramNode& node, Frame& frame) {
    if (node.inputs.size() < 3) {
        b_.fail("the operator has no two graphs", malformedGraph);
        return {};
    }
    const TorchValue predicate = valueOf(node.inputs[0].value, frame);
    const GraphPtr whenTrue = graphAt(node, 1), whenFalse = graphAt(node, 2);
    const std::vector<Var> operands = tensorsAt(node, 3, frame);
    const std::optional<Scalar> number = b_.failed() || predicate.as<Var>() ? std::nullopt : toScalar(b_, predicate);
    if (b_.failed() || (!predicate.as<Var>() && !number)) {
        b_.fail("the condition is no bool", malformedGraph);
        return {};
    }
    const Var condition =
        cast(b_, number ? toTensor(b_, *number, types::Bool) : asScalar(b_, *predicate.as<Var>()), types::Bool);
    const size_t count = whenTrue->outputs.size();
    const auto branch = [&](const GraphPtr& graph) {
        return [&, graph] {
            const std::vector<Var> results = runGraph(node, graph, operands);
            if (!b_.failed() && (results.empty() || results.size() != count))
                b_.fail(fmt::format("the graphs give {} and {} values", count, results.size()), malformedGraph);
            return b_.failed() ? Var{} : count == 1 ? results[0] : b_.tuple(results);
        };
    };
    const Var result = b_.ifElse(condition, branch(whenTrue), branch(whenFalse));
    std::vector<Var> results;
    for (size_t i = 0; i < count && !b_.failed(); ++i)
        results.push_back(count == 1 ? result : b_.project(result, static_cast<int>(i)));
    return results;
}

/// while_loop(condition graph, body graph, carried values, other values)
std::vector<Var> ProgramWalk::runWhile(const ProgramNode& node, Frame& frame) {
    const GraphPtr condition = graphAt(node, 0), body = graphAt(node, 1);
    const std::vector<Var> carried = tensorsAt(node, 2, frame), others = tensorsAt(node, 3, frame);
    const auto run = [&](const GraphPtr& graph, std::vector<Var> values, size_t wanted) {
        values.insert(values.end(), others.begin(), others.end());
        std::vector<Var> results = runGraph(node, graph, values);
        if (!b_.failed() && results.size() != wanted)
            b_.fail(fmt::format("graph '{}' gives {} values of {}", graph->name, results.size(), wanted),
                    malformedGraph);
        results.resize(wanted);
        return results;
    };
    const auto goesOn = [&](const std::vector<Var>& values) { return asScalar(b_, run(condition, values, 1)[0]); };
    const Var begins = goesOn(carried);
    if (b_.failed())
        return {};
    const Var result = b_.loop({}, begins, carried, 0, [&](Var, const std::vector<Var>& values) {
        const std::vector<Var> next = run(body, values, carried.size());
        std::vector<Var> results = {goesOn(next)};
        results.insert(results.end(), next.begin(), next.end());
        return results;
    });
    std::vector<Var> results;
    for (size_t i = 0; i < carried.size() && !b_.failed(); ++i)
        results.push_back(b_.project(result, static_cast<int>(i)));
    return results;
}

std::vector<Var> ProgramWalk::loopOver(const ProgramNode& node, const GraphPtr& graph, const std::vector<Var>& carried,
                                       const std::vector<Var>& rows, const std::vector<Var>& others) {
    if (b_.failed() || !graph)
        return {};
    const size_t count = graph->outputs.size();
    if (rows.empty() || count < carried.size()) {
        b_.fail(rows.empty()
                    ? "the operator is passed nothing to go over"
                    : fmt::format("graph '{}' gives {} values, and carries {}", graph->name, count, carried.size()),
                malformedGraph);
        return {};
    }
    const Expr length = dim(b_, rows[0], 0);
    const Var result = b_.loop(b_.scalarOf(length), {}, carried, static_cast<int>(count - carried.size()),
                               [&](Var iteration, const std::vector<Var>& values) {
                                   std::vector<Var> passed = values;
                                   for (Var all : rows)
                                       passed.push_back(gather(b_, all, iteration, 0));
                                   passed.insert(passed.end(), others.begin(), others.end());
                                   return runGraph(node, graph, passed);
                               });
    std::vector<Var> results;
    for (size_t i = 0; i < count && !b_.failed(); ++i)
        results.push_back(b_.project(result, static_cast<int>(i)));
    return results;
}

/// map_impl(graph, tensors to go over, other values)
std::vector<Var> ProgramWalk::runMap(const ProgramNode& node, Frame& frame) {
    const std::vector<Var> rows = tensorsAt(node, 1, frame), others = tensorsAt(node, 2, frame);
    return loopOver(node, graphAt(node, 0), {}, rows, others);
}

/// scan(graph, carried values, tensors to go over, other values)
std::vector<Var> ProgramWalk::runScan(const ProgramNode& node, Frame& frame) {
    const std::vector<Var> carried = tensorsAt(node, 1, frame), rows = tensorsAt(node, 2, frame),
                           others = tensorsAt(node, 3, frame);
    return loopOver(node, graphAt(node, 0), carried, rows, others);
}

/// wrap_with_set_grad_enabled(enabled, graph, values…), wrap_with_autocast(device, type, enabled, cache, graph, values…)
std::vector<Var> ProgramWalk::runWrapped(const ProgramNode& node, Frame& frame) {
    const auto isGraph = [](const ProgramNode::Input& input) { return input.value.as<GraphPtr>() != nullptr; };
    const auto at = static_cast<size_t>(std::ranges::find_if(node.inputs, isGraph) - node.inputs.begin());
    const GraphPtr graph = graphAt(node, at);
    if (node.target.ends_with("autocast") && graph) {
        const TorchValue* enabled = at >= 2 ? node.inputs[2].value.as<TorchValue>() : nullptr;
        if (!enabled || !enabled->as<bool>() || *enabled->as<bool>()) {
            b_.fail("autocast chooses the types that operators compute in, which is not supported",
                    "convert the model to the wanted type, and export it without autocast", ErrorKind::Unsupported);
            return {};
        }
    }
    std::vector<Var> passed;
    for (size_t i = at + 1; i < node.inputs.size(); ++i)
        for (Var one : tensorsAt(node, i, frame))
            passed.push_back(one);
    return runGraph(node, graph, passed);
}

} // namespace lathe::frontend::torch
