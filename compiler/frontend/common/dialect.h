// SPDX-License-Identifier: Apache-2.0
//
// What the walk over a graph's nodes (walk.h) asks of the format that the graph comes from. Everything else about a format, how
// its files are read and what its operators compute, the walk does not know.
#pragma once

#include "base/result.h"
#include "frontend/common/node_reader.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe::frontend {

using ConvertFn = void (*)(NodeReader& node, Builder& b);

/// The attributes of a node that hold its two graphs, of which its first operand picks one.
struct Branches {
    std::string whenTrue, whenFalse;
};

class Dialect {
public:
    virtual ~Dialect() = default;
    /// The own converter for a node's domain, operator and version; null if there is none.
    virtual ConvertFn converterOf(const model::Node& node) const = 0;
    /// Why a node cannot be converted at all, neither by a converter nor by a body, with the kind of the fault; nothing if it can.
    virtual std::optional<Diagnostic> refusalOf(const model::Node& node) const = 0;
    /// Calls `convert` for a node, and before and after it holds the node against what the format says of its operator: types of
    /// operands, attributes, types of results. What does not fit is a fault in the Builder.
    virtual void checked(NodeReader& node, const std::function<void()>& convert) const = 0;
    /// The graph by which the format defines the operator of a node that has no converter: formal names of inputs and outputs,
    /// its nodes under the node's id. `operands` may become others, which fit the body. A fault may be in the Builder as well.
    /// By default the format defines none.
    virtual Result<std::shared_ptr<model::Graph>> bodyOf(NodeReader& node, std::vector<Value>& operands);
    /// What a node itself says of a result's type; of kind Unknown if nothing.
    virtual model::ValueType typeOf(const model::Node&, size_t) const { return {}; }
    /// Nothing if the node is no choice between two graphs, or one whose graphs are passed what they read, so that nothing behind it
    /// can move into them.
    virtual std::optional<Branches> branchesOf(const model::Node&) const { return {}; }
};

} // namespace lathe::frontend
