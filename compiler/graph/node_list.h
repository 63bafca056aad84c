// SPDX-License-Identifier: Apache-2.0
//
// A model as a list of nodes, each of which knows where its operands come from and has hashes of what it computes, so that
// nodes of two models can be compared whatever their values are called. The nodes of nested graphs stand in the list too.
#pragma once

#include "base/hash.h"
#include "model/model_graph.h"

#include <string>
#include <vector>

namespace lathe::graph {

/// Where a value comes from.
struct ValueSource {
    enum class Kind : uint8_t { Absent, Input, Constant, Inner, Node, Unknown } kind = Kind::Unknown;
    int place = -1;   // Node: in the list; Input: its position
    int index = 0;    // of a node's outputs; of the inputs of a nested graph
    Hash128 hash;     // of what it is, from the inputs on
    std::string text; // for people
};

struct ListedNode {
    const model::Node* node = nullptr;
    std::vector<ValueSource> operands; // inputs, then what nested graphs give
    Hash128 local, whole;              // of the node and its constants; with all that stands before it
};

/// The nodes of a nested graph stand before the node that it hangs on; else the order is the model's.
struct NodeList {
    std::vector<ListedNode> nodes;
    std::vector<ValueSource> outputs; // of the model
};

/// `first`: the model whose inputs are numbered by their place; those of another model have the numbers of their names there.
NodeList listNodes(const model::ModelGraph& model, const model::ModelGraph& first);

/// Of the content. Nested graphs count as what they give; their nodes stand in the list.
Hash128 hashOf(const model::AttributeValue& value);

} // namespace lathe::graph
