// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/control_flow.h"

#include "base/limits.h"
#include "frontend/tensorflow/choices.h"
#include "frontend/tensorflow/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lathe::frontend::tensorflow {
namespace {

bool isEnter(const BodyNode& node) {
    return (node.op == "Enter" || node.op == "RefEnter") && !node.inputs.empty();
}

/// Nodes that run together, as often as the loop goes round.
struct LoopFrame {
    int parent = 0;
    int depth = 0;
    std::string name;
};

/// Which frame each node runs in: 0 is none. Nodes that nothing leads to from the start have -1.
class Frames {
public:
    explicit Frames(const Body& body) : of(body.nodes.size(), unknown), frames_(1) {
        std::vector<std::vector<int>> readers(body.nodes.size());
        std::vector<int> ahead;
        for (size_t i = 0; i < body.nodes.size(); ++i) {
            const BodyNode& node = body.nodes[i];
            bool isFirst = true;
            const auto reads = [&](int before) {
                readers[static_cast<size_t>(before)].push_back(static_cast<int>(i));
                isFirst = false;
            };
            for (const Endpoint& input : node.inputs)
                if (input.node != Endpoint::none)
                    reads(input.node);
            std::ranges::for_each(node.controls, reads);
            if (isFirst) {
                of[i] = isEnter(node) ? child(0, node) : 0;
                ahead.push_back(static_cast<int>(i));
            }
        }
        while (!ahead.empty()) {
            const auto from = static_cast<size_t>(ahead.back());
            ahead.pop_back();
            const bool leaves = body.nodes[from].op == "Exit" || body.nodes[from].op == "RefExit";
            const int frame = leaves ? frames_[static_cast<size_t>(of[from])].parent : of[from];
            for (const int reader : readers[from]) {
                const BodyNode& node = body.nodes[static_cast<size_t>(reader)];
                int& to = of[static_cast<size_t>(reader)];
                if (to != unknown || tooDeep)
                    continue;
                to = isEnter(node) ? child(frame, node) : frame;
                ahead.push_back(reader);
            }
        }
    }

    static constexpr int unknown = -1;
    std::vector<int> of; // by node
    bool tooDeep = false;

    const LoopFrame& operator[](int frame) const { return frames_[static_cast<size_t>(frame)]; }
    /// All but the outermost, innermost first.
    std::vector<int> loops() const {
        std::vector<int> order;
        for (int i = 1; i < static_cast<int>(frames_.size()); ++i)
            order.push_back(i);
        std::ranges::stable_sort(order, std::greater(), [&](int i) { return (*this)[i].depth; });
        return order;
    }

private:
    int child(int parent, const BodyNode& enter) {
        const auto& attributes = enter.proto->attr();
        const auto name = attributes.find("frame_name");
        const std::string text = name == attributes.end() ? std::string() : name->second.s();
        const auto [found, isNew] = children_.try_emplace({parent, text}, static_cast<int>(frames_.size()));
        if (isNew) {
            frames_.push_back({parent, (*this)[parent].depth + 1, text});
            tooDeep |= frames_.back().depth > limits::blockNesting;
        }
        return found->second;
    }

    std::vector<LoopFrame> frames_;
    std::map<std::pair<int, std::string>, int> children_;
};

/// Nodes of a loop by what they do. A carried value has one of each but, where nothing reads it, of the last two.
struct Carried {
    int merge = Endpoint::none, enter = Endpoint::none, next = Endpoint::none;
};
struct LoopNodes {
    std::vector<Carried> carried;
    std::vector<int> invariants; // Enters of values that stay the same
    std::vector<int> merges;     // of choices
    int test = Endpoint::none;   // LoopCond
};

/// Merges in an order in which inner choices come first.
std::vector<int> ordered(const Body& body, std::vector<int> merges) {
    std::vector<bool> included(body.nodes.size());
    for (size_t i = 0; i < included.size(); ++i)
        included[i] = body.nodes[i].op != "NextIteration" && body.nodes[i].op != "RefNextIteration";
    const auto order = inOrder(body, included);
    if (!order) // told again where it matters
        return merges;
    std::vector<int> places(body.nodes.size(), 0);
    for (size_t i = 0; i < order->size(); ++i)
        places[static_cast<size_t>((*order)[i])] = static_cast<int>(i);
    std::ranges::sort(merges, {}, [&](int node) { return places[static_cast<size_t>(node)]; });
    return merges;
}

LoopNodes nodesOf(const Body& body, const Frames& frames, int frame) {
    LoopNodes found;
    std::vector<bool> isCarried(body.nodes.size(), false);
    const auto opOf = [&](const Endpoint& endpoint) {
        return endpoint.node == Endpoint::none ? std::string_view()
                                               : std::string_view(body.nodes[static_cast<size_t>(endpoint.node)].op);
    };
    for (size_t i = 0; i < body.nodes.size(); ++i) {
        const BodyNode& node = body.nodes[i];
        if (frames.of[i] != frame)
            continue;
        if (node.op == "LoopCond")
            found.test = static_cast<int>(i);
        if ((node.op != "Merge" && node.op != "RefMerge") || node.whenTrue)
            continue;
        Carried carried{.merge = static_cast<int>(i)};
        for (const Endpoint& input : node.inputs) {
            if (opOf(input).ends_with("NextIteration"))
                carried.next = input.node;
            else if (opOf(input).ends_with("Enter"))
                carried.enter = input.node;
        }
        if (carried.next == Endpoint::none) {
            found.merges.push_back(static_cast<int>(i));
            continue;
        }
        if (carried.enter == Endpoint::none)
            continue;
        isCarried[static_cast<size_t>(carried.enter)] = true;
        found.carried.push_back(carried);
    }
    for (size_t i = 0; i < body.nodes.size(); ++i)
        if (frames.of[i] == frame && isEnter(body.nodes[i]) && !isCarried[i])
            found.invariants.push_back(static_cast<int>(i));
    found.merges = ordered(body, std::move(found.merges));
    return found;
}

Endpoint resultOf(int node, int output = 0) {
    return {.node = node, .output = output, .argument = Endpoint::none};
}

/// One node in place of a loop's.
void gatherLoop(Body& body, Frames& frames, int frame) {
    const LoopNodes nodes = nodesOf(body, frames, frame);
    gatherChoices(body, nodes.merges);
    if (nodes.test == Endpoint::none || body.nodes[static_cast<size_t>(nodes.test)].inputs.empty())
        return; // its nodes will be told of, if they are needed
    std::map<Endpoint, Endpoint> exits;
    std::map<Endpoint, int> arguments;
    BodyNode loop;
    loop.name = frames[frame].name.empty() ? body.nodes[static_cast<size_t>(nodes.test)].name : frames[frame].name;
    loop.op = "While";
    std::map<int, int> places; // of carried values, by Merge
    for (const Carried& carried : nodes.carried) {
        const int place = static_cast<int>(loop.inputs.size());
        places.emplace(carried.merge, place);
        arguments.emplace(resultOf(carried.merge), place);
        loop.inputs.push_back(body.nodes[static_cast<size_t>(carried.enter)].inputs[0]);
    }
    for (const int invariant : nodes.invariants) {
        arguments.emplace(resultOf(invariant), static_cast<int>(loop.inputs.size()));
        loop.inputs.push_back(body.nodes[static_cast<size_t>(invariant)].inputs[0]);
    }
    std::map<int, int> forks; // carried values by their Switch
    for (size_t i = 0; i < body.nodes.size(); ++i) {
        const BodyNode& node = body.nodes[i];
        const bool isFork = frames.of[i] == frame && (node.op == "Switch" || node.op == "RefSwitch");
        const auto place = isFork && node.inputs.size() == 2 && node.inputs[1].node == nodes.test
                               ? places.find(node.inputs[0].node)
                               : places.end();
        if (place == places.end())
            continue;
        forks.emplace(static_cast<int>(i), place->second);
        arguments.emplace(resultOf(static_cast<int>(i), 1), place->second);
    }
    const int self = static_cast<int>(body.nodes.size());
    for (size_t i = 0; i < body.nodes.size(); ++i) {
        const BodyNode& node = body.nodes[i];
        if ((node.op != "Exit" && node.op != "RefExit") || node.inputs.size() != 1)
            continue;
        if (const auto fork = forks.find(node.inputs[0].node); fork != forks.end())
            exits.emplace(resultOf(static_cast<int>(i)), resultOf(self, fork->second));
    }
    const auto argumentOf = [&](const Endpoint& endpoint) {
        const auto found = arguments.find(endpoint);
        return found == arguments.end() ? std::nullopt : std::optional(found->second);
    };
    std::vector<Endpoint> next;
    for (const Carried& carried : nodes.carried) {
        const BodyNode& node = body.nodes[static_cast<size_t>(carried.next)];
        next.push_back(node.inputs.empty() ? Endpoint{} : node.inputs[0]);
    }
    for (const int invariant : nodes.invariants)
        next.push_back(resultOf(invariant));
    loop.test = extract(body, {body.nodes[static_cast<size_t>(nodes.test)].inputs[0]}, argumentOf);
    loop.repeated = extract(body, next, argumentOf);
    for (const BodyPtr& part : {loop.test, loop.repeated})
        for (size_t i = 0; i < loop.inputs.size(); ++i)
            part->arguments.push_back(fmt::format("carried{}", i));
    body.nodes.push_back(std::move(loop));
    frames.of.push_back(frames[frame].parent);
    replaceEndpoints(body, exits);
}

} // namespace

void gatherControlFlow(Body& body) {
    const bool hasAny = std::ranges::any_of(
        body.nodes, [](const BodyNode& node) { return node.op == "Merge" || node.op == "RefMerge" || isEnter(node); });
    if (!hasAny)
        return;
    Frames frames(body);
    if (frames.tooDeep) {
        body.faults.push_back(error(ErrorKind::Unsupported,
                                    fmt::format("loops are nested more than {} deep", limits::blockNesting),
                                    "flatten the model"));
        return;
    }
    const std::vector<int> loops = frames.loops();
    if (std::ssize(loops) * std::ssize(body.nodes) > 1'000'000'000) {
        body.faults.push_back(
            error(ErrorKind::Unsupported, fmt::format("there are {} loops", loops.size()), "split the model"));
        return;
    }
    for (const int frame : loops)
        gatherLoop(body, frames, frame);
    gatherChoices(body, nodesOf(body, frames, 0).merges);
}

} // namespace lathe::frontend::tensorflow
