// SPDX-License-Identifier: Apache-2.0
//
// Which operators of one Block stand in one function, by the rules of fuse.h: post-dominators, then groups that grow by
// union-find. An operator is tried once, with its immediate post-dominator; the answer holds for all uses of its value.
#pragma once

#include "relay/transform/fuse.h"

namespace lathe::relay::transform {

class FusionGroups {
public:
    static constexpr int outside = -1; // no operator of the Block

    struct Node {
        size_t place = 0; // in the Block
        const OpCall* call = nullptr;
        FusionKind kind = FusionKind::Opaque;
        std::vector<int> users; // nodes of this Block, ascending
        bool escapes = false;   // used by something that is no node of this Block
        int postDominator = outside;
        int depth = 0;        // in the tree of post-dominators
        int parent = 0;       // union-find
        int size = 1;         // of the group, at its root
        int anchor = outside; // the group's product or reduction, of attention the last one, at its root
        bool attends = false; // it is attention, at its root
    };

    FusionGroups(const Block& block, const Index& index, const FuseOptions& options);

    const std::vector<Node>& nodes() const { return nodes_; }
    /// The same for all of a group.
    int root(int id);
    /// What became of each use of a node by another, by producer, then by consumer. The indices are those of nodes. Empty if
    /// nothing was to be grouped.
    std::vector<FusionEdge> edges();

private:
    /// An outcome, and the node that it is due to.
    struct Answer {
        FusionOutcome outcome = FusionOutcome::Joined;
        int due = outside;
        bool joined() const { return outcome == FusionOutcome::Joined; }
    };

    const Block& block_;
    const FuseOptions& options_;
    std::vector<Node> nodes_;
    std::vector<std::optional<Answer>> answers_; // of nodes that were tried
    std::vector<std::pair<int, int>> apart_;     // options.apart, of this Block

    Node& at(int id) { return nodes_[static_cast<size_t>(id)]; }
    const Binding& binding(const Node& node) const { return *block_.bindings[node.place]; }
    const Type& typeOf(int id) { return binding(at(id)).type; }
    bool isElementwise(int id) { return at(id).kind <= FusionKind::Broadcast; }
    int anchorOf(int id) { return at(root(id)).anchor; }

    void group();
    int common(int a, int b);
    void postDominators();
    bool between(int from, int to, std::vector<int>& path);
    Answer joinPostDominator(int id);
    Answer mayJoin(int id, int target, const std::vector<int>& path);
    Answer mayFollow(int anchored, int step);
    Answer mayPrecede(int id, int target, const std::vector<int>& path);
    Answer inlines(int producer, int consumer);
    Answer mayUnite(const std::vector<int>& roots, int anchor);
    Answer isAllowed(const std::vector<int>& roots);
    void merge(int a, int b);
    int firstOperandOf(int id);
    void joinAttention(int scores);
};

} // namespace lathe::relay::transform
