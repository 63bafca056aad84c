// SPDX-License-Identifier: Apache-2.0
//
// How two models differ: which nodes were added, removed, changed, renamed, moved, and what of them; inputs and outputs.
// Nodes are paired by their names first, where they also do the same, then by what they compute from the inputs on, then by
// their neighbours; so a model whose names were all changed is the same model, renamed. Nested graphs take part: their nodes
// are paired as all others.
#pragma once

#include "model/model_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::graph {

struct NodeChange {
    const model::Node* before = nullptr; // null: added
    const model::Node* after = nullptr;  // null: removed
    bool renamed = false;
    bool moved = false; // another place in the order of the others, or another scope
    std::vector<std::string>
        changes; // a text each: "operator: Relu → Elu", "attribute axis: 1 → 2", "operand 0: a → b"
};

/// An input or output of the model: added if it has no type before, removed if it has none after.
struct ValueChange {
    bool output = false;
    std::string name;
    std::string before, after; // types; of an output that another node gives: the nodes
};

/// The nodes are those of the graphs that were compared, which must live as long.
struct ModelDiff {
    std::vector<NodeChange> nodes; // in the order of the model after; what was removed where it stood
    std::vector<ValueChange> values;
    std::vector<std::pair<const model::Node*, const model::Node*>> equal; // all other pairs, before and after

    /// The same computation behind the same inputs and outputs; nodes may be renamed and moved.
    bool sameStructure() const;
};

/// What a node's name says about it. Exporters number nodes, so a name may wander to another one; a compiler's Vars do not. Labels
/// are for people alone.
enum class NodeNames : uint8_t { Hints, Identities, Labels };

/// Nodes of one name are a pair whatever they do, if names are identities.
ModelDiff diffModels(const model::ModelGraph& before, const model::ModelGraph& after,
                     NodeNames names = NodeNames::Hints);

} // namespace lathe::graph
