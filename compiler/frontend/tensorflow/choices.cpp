// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/choices.h"

#include "frontend/tensorflow/extract.h"
#include "frontend/tensorflow/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace lathe::frontend::tensorflow {
namespace {

constexpr int64_t mostSteps = 1'000'000'000; // Merges times nodes

const BodyNode& nodeOf(const Body& body, const Endpoint& endpoint) {
    return body.nodes[static_cast<size_t>(endpoint.node)];
}

bool isSwitch(const BodyNode& node) {
    return (node.op == "Switch" || node.op == "RefSwitch") && node.inputs.size() == 2;
}

/// Where loops begin, beyond which no way of a choice leads.
bool bounds(const BodyNode& node) {
    return node.op == "Enter" || node.op == "RefEnter" || node.op == "NextIteration" || node.op == "LoopCond";
}

/// What a Switch goes by, without the identities on the way.
Endpoint predicateOf(const Body& body, const BodyNode& fork) {
    return originOf(body, fork.inputs[1]);
}

/// The predicates of the Switches that are first on the ways back from an endpoint, with the way out of each.
std::set<std::pair<Endpoint, int>> forksBefore(const Body& body, const Endpoint& end) {
    std::set<std::pair<Endpoint, int>> found;
    std::set<int> seen;
    std::vector<Endpoint> ahead = {end};
    while (!ahead.empty()) {
        const Endpoint at = ahead.back();
        ahead.pop_back();
        if (at.node == Endpoint::none)
            continue;
        const BodyNode& node = nodeOf(body, at);
        if (isSwitch(node)) {
            const Endpoint predicate = predicateOf(body, node);
            if (predicate.node == Endpoint::none || nodeOf(body, predicate).op != "LoopCond")
                found.emplace(predicate, at.output);
            continue;
        }
        if (bounds(node) || !seen.insert(at.node).second)
            continue;
        ahead.insert(ahead.end(), node.inputs.begin(), node.inputs.end());
        for (const int before : node.controls)
            if (!isSwitch(body.nodes[static_cast<size_t>(before)])) // an edge that does not say which way
                ahead.push_back({.node = before, .output = 0, .argument = Endpoint::none});
    }
    return found;
}

struct Fork {
    Endpoint predicate;
    size_t whenTrue = 1; // which of the Merge's operands comes where it holds
};

/// The predicate by which one operand of the Merge comes and not the other.
std::optional<Fork> forkOf(const Body& body, const BodyNode& merge) {
    const std::array forks = {forksBefore(body, merge.inputs[0]), forksBefore(body, merge.inputs[1])};
    const auto leads = [&](size_t input, const Endpoint& predicate, int way) {
        return forks[input].contains({predicate, way});
    };
    std::optional<Fork> oneSided;
    for (size_t input = 0; input < 2; ++input) {
        for (const auto& [predicate, way] : forks[input]) {
            const Fork fork{predicate, way == 1 ? input : 1 - input};
            if (leads(input, predicate, 1 - way) || leads(1 - input, predicate, way))
                continue;
            if (leads(1 - input, predicate, 1 - way))
                return fork;
            if (!oneSided)
                oneSided = fork;
        }
    }
    return oneSided;
}

/// Nodes that run only after a Switch by this predicate.
std::vector<bool> behind(const Body& body, const Endpoint& predicate) {
    std::vector<std::vector<int>> readers(body.nodes.size());
    std::vector<int> ahead;
    std::vector<bool> is(body.nodes.size(), false);
    const auto mark = [&](int node) {
        if (!is[static_cast<size_t>(node)]) {
            is[static_cast<size_t>(node)] = true;
            ahead.push_back(node);
        }
    };
    for (size_t i = 0; i < body.nodes.size(); ++i) {
        for (const Endpoint& input : body.nodes[i].inputs)
            if (input.node != Endpoint::none)
                readers[static_cast<size_t>(input.node)].push_back(static_cast<int>(i));
        for (const int before : body.nodes[i].controls)
            readers[static_cast<size_t>(before)].push_back(static_cast<int>(i));
        if (isSwitch(body.nodes[i]) && predicateOf(body, body.nodes[i]) == predicate)
            mark(static_cast<int>(i));
    }
    while (!ahead.empty()) {
        const int node = ahead.back();
        ahead.pop_back();
        if (body.nodes[static_cast<size_t>(node)].op != "NextIteration")
            std::ranges::for_each(readers[static_cast<size_t>(node)], mark);
    }
    return is;
}

/// One way of a choice: the operand of the Merge, and which it is.
BodyPtr wayOf(const Body& body, const BodyNode& merge, const Fork& fork, size_t input, const std::vector<bool>& inside,
              std::vector<Endpoint>& passed) {
    const auto argument = [&](const Endpoint& endpoint) {
        const auto found = std::ranges::find(passed, endpoint);
        if (found != passed.end())
            return static_cast<int>(found - passed.begin());
        passed.push_back(endpoint);
        return static_cast<int>(passed.size()) - 1;
    };
    BodyPtr way = extract(body, {merge.inputs[input]}, [&](const Endpoint& endpoint) -> std::optional<int> {
        if (endpoint.node == Endpoint::none)
            return argument(endpoint);
        const BodyNode& node = nodeOf(body, endpoint);
        if (isSwitch(node))
            return argument(predicateOf(body, node) == fork.predicate ? node.inputs[0] : endpoint);
        if (bounds(node) || !inside[static_cast<size_t>(endpoint.node)])
            return argument(endpoint);
        return std::nullopt;
    });
    BodyNode& index = way->nodes.emplace_back();
    index.name = "value_index";
    index.op = "Const";
    index.constant = static_cast<int32_t>(input);
    way->results.push_back({.node = static_cast<int>(way->nodes.size()) - 1, .output = 0, .argument = Endpoint::none});
    return way;
}

} // namespace

void replaceEndpoints(Body& body, const std::map<Endpoint, Endpoint>& others) {
    const auto replace = [&](Endpoint& endpoint) {
        if (const auto found = others.find(endpoint); found != others.end())
            endpoint = found->second;
    };
    for (BodyNode& node : body.nodes)
        std::ranges::for_each(node.inputs, replace);
    std::ranges::for_each(body.results, replace);
}

void gatherChoices(Body& body, const std::vector<int>& merges) {
    if (std::ssize(merges) * std::ssize(body.nodes) > mostSteps) {
        body.faults.push_back(error(ErrorKind::Unsupported,
                                    fmt::format("there are {} Merges among {} nodes, too many to find what they choose",
                                                merges.size(), body.nodes.size())));
        return;
    }
    for (const int at : merges) {
        const BodyNode merge = body.nodes[static_cast<size_t>(at)];
        const auto fork = merge.inputs.size() == 2 ? forkOf(body, merge) : std::nullopt;
        if (!fork) {
            body.nodes[static_cast<size_t>(at)].faults.push_back(
                error(ErrorKind::Unsupported, "no Switch decides which operand of the Merge comes",
                      "export the model with control flow of TensorFlow 2"));
            continue;
        }
        const std::vector<bool> inside = behind(body, fork->predicate);
        std::vector<Endpoint> passed;
        BodyNode choice;
        choice.name = merge.name;
        choice.op = "If";
        choice.whenTrue = wayOf(body, merge, *fork, fork->whenTrue, inside, passed);
        choice.whenFalse = wayOf(body, merge, *fork, 1 - fork->whenTrue, inside, passed);
        for (const BodyPtr& way : {choice.whenTrue, choice.whenFalse})
            for (size_t i = 0; i < passed.size(); ++i)
                way->arguments.push_back(fmt::format("passed{}", i));
        choice.inputs = {fork->predicate};
        choice.inputs.insert(choice.inputs.end(), passed.begin(), passed.end());
        choice.controls = merge.controls;
        body.nodes[static_cast<size_t>(at)] = std::move(choice); // its results have the same places
    }
}

} // namespace lathe::frontend::tensorflow
