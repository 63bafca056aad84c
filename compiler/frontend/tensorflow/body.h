// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a graph or of a function's body with what they read found: TensorFlow's files name it, in two ways, and
// in any order. What is wrong with a node is kept with it, for it matters only where the node is needed.
#pragma once

#include "base/result.h"

#include <tensorflow/core/framework/function.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::frontend::tensorflow {

struct Body;
using BodyPtr = std::shared_ptr<Body>;

/// Result `output` of a node of the same body, or one of the body's arguments.
struct Endpoint {
    static constexpr int none = -1;
    int node = none;
    int output = 0;
    int argument = none; // instead of a node
    auto operator<=>(const Endpoint&) const = default;
};

struct BodyNode {
    std::string name, op;
    const ::tensorflow::NodeDef* proto = nullptr; // null for a node that stands for several (control_flow.h)
    std::vector<Endpoint> inputs;
    std::vector<int> controls; // nodes that run before
    std::vector<Diagnostic> faults;
    // Of a loop or choice that stands for several nodes: what runs over and over or is chosen between, and the test of
    // a loop.
    BodyPtr test, whenTrue, whenFalse, repeated;
    std::optional<int32_t> constant; // the node is this number
};

struct Body {
    std::string name;
    std::vector<std::string> arguments;
    std::vector<BodyNode> nodes;
    std::vector<Endpoint> results;
    std::vector<int> controlResults; // nodes that run whatever of the results is wanted
    std::vector<Diagnostic> faults;
};

using NodeDefs = google::protobuf::RepeatedPtrField<::tensorflow::NodeDef>;

/// A graph, which has no arguments and no results yet.
BodyPtr bodyOfGraph(const NodeDefs& nodes);
/// A function of the library. Calls name results of functions as their signatures do.
using Library = google::protobuf::RepeatedPtrField<::tensorflow::FunctionDef>;
class Functions {
public:
    explicit Functions(const Library& library);
    /// Null if there is none of that name.
    const ::tensorflow::FunctionDef* find(const std::string& name) const;
    /// Its body, made once.
    BodyPtr body(const ::tensorflow::FunctionDef& function);

private:
    std::unordered_map<std::string_view, const ::tensorflow::FunctionDef*> functions_;
    std::unordered_map<const ::tensorflow::FunctionDef*, BodyPtr> bodies_;
};

/// Where "node:2" or "node:output:2" leads in the graph; nothing if there is no such node.
std::optional<Endpoint> endpointIn(const Body& graph, const std::string& name);

/// Nodes that can be reached backwards from these, by data alone or by order too.
enum class Along { Data, DataAndControl };
std::vector<bool> reached(const Body& body, std::vector<int> from, Along along);
/// The nodes among `included` in an order in which each comes after what it reads and what runs before it. A Failure:
/// they depend on themselves.
Result<std::vector<int>> inOrder(const Body& body, const std::vector<bool>& included);

} // namespace lathe::frontend::tensorflow
