// SPDX-License-Identifier: Apache-2.0
//
// Drives a ModelGraph through the relay Builder: names to values in nested scopes, one short function an operator,
// bodies of operators that ONNX defines by others. NodeReader is what such a function sees of its node.
#pragma once

#include "frontend/onnx/graph_reader.h"
#include "relay/builder.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::frontend::onnx {

using arith::Expr;
using relay::Builder;
using relay::Op;
using relay::Var;

/// What a name stands for while importing. Sequences and optionals exist only here, with a length that is known.
struct Value {
    Var var; // a tensor
    std::shared_ptr<const std::vector<Value>> sequence;
    bool none = false; // an optional without a value
};

/// Names of a graph; those of the graphs around it are visible.
struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, Value> values;
    const Value* find(const std::string& name) const;
};

class Converter;

/// One node, as an operator's converter reads it. After the first fault every call is a no-op and gives neutral values.
class NodeReader {
public:
    NodeReader(const model::Node& node, Converter& converter, const Scope& scope);

    const model::Node& node;
    Converter& converter;
    const Scope& scope;
    Builder& b;

    int version() const { return node.version; }
    size_t inputs() const { return node.inputs.size(); }
    size_t outputs() const { return node.outputs.size(); }
    bool hasInput(size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
    bool wants(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
    /// The tensor at input i; a fault if it is absent or no tensor.
    Var in(size_t i);
    /// The same, but Var{} if absent.
    Var optional(size_t i);
    const Value* value(size_t i);
    /// Gives result i.
    void set(size_t i, Var var);
    void set(size_t i, Value value);

    bool has(const std::string& attribute) const;
    int64_t integer(const std::string& attribute, int64_t otherwise);
    double real(const std::string& attribute, double otherwise);
    std::string text(const std::string& attribute, const std::string& otherwise);
    std::vector<int64_t> integers(const std::string& attribute);
    std::vector<double> reals(const std::string& attribute);
    std::vector<std::string> texts(const std::string& attribute);
    model::TensorPtr tensor(const std::string& attribute);
    std::shared_ptr<const model::Graph> graph(const std::string& attribute);
    /// Attribute `name` before the version in which it became input i, that input's elements from then on; nothing if
    /// neither is given; a fault if the input is not known while importing.
    std::optional<std::vector<int64_t>> integersOrInput(const std::string& name, size_t i);

    /// 0 … rank-1 from -rank … rank-1; a fault otherwise.
    int64_t axis(int64_t value, int64_t rank);
    std::vector<int64_t> axes(std::vector<int64_t> values, int64_t rank);
    /// False, and a fault, if the tensor has fewer dims.
    bool needRank(Var var, int atLeast);
    void fail(std::string what, std::string hint = {}) { b.fail(std::move(what), std::move(hint)); }
    /// What the model says is right, but Lathe does not do it.
    void refuse(std::string what, std::string hint = {}) {
        b.fail(std::move(what), std::move(hint), ErrorKind::Unsupported);
    }
    bool failed() const { return b.failed(); }

    std::vector<std::optional<Value>> results;

private:
    const model::AttributeValue* find(const std::string& attribute) const;
    template <class T>
    const T* get(const std::string& attribute);
};

using ConvertFn = void (*)(NodeReader& node, Builder& b);
/// The own converter for a node's domain, operator and version; null if there is none.
ConvertFn findConverter(const model::Node& node);

class Converter {
public:
    Converter(model::ModelGraph& graph, GraphReader& reader, relay::Module& module, Builder& builder);

    /// All of the model as function "main". parameters: one a graph input. The fault is in the Builder.
    void convertMain(const std::vector<relay::Type>& parameters);
    /// A nested graph with values for its inputs; sees the names of `around`. Gives its outputs.
    std::vector<Value> run(const model::Graph& graph, const Scope* around, const std::vector<Value>& inputs);
    /// Reasons why nodes cannot be converted at all, found without converting: all of them.
    std::vector<Diagnostic> unsupported() const;
    /// A number a random call, in the model's order.
    int64_t nextRandomCall() { return randomCalls_++; }
    /// Names of free model values in messages and symbols.
    const model::ModelGraph& graph() const { return graph_; }
    Builder& builder() { return builder_; }

private:
    void defineConstants(const model::Graph& graph, Scope& scope);
    /// What comes after the nodes of a graph: from all its names to what the graph is there for.
    using Then = std::function<std::vector<Value>(Scope& scope)>;
    /// Converts nodes first, first + 1, … and what comes after them.
    std::vector<Value> convertNodes(const model::Graph& graph, size_t first, Scope& scope, const Then& then);
    /// Node `at` is an If whose branches give results without a common type: the nodes behind it and what comes after
    /// them go into both branches.
    std::vector<Value> branchOff(const model::Graph& graph, size_t at, Scope& scope, const Then& then);
    std::vector<Value> outputsOf(const model::Graph& graph, const Scope& scope);
    void enter(const model::Node& node);
    void convertNode(const model::Node& node, Scope& scope);
    void expand(NodeReader& reader);
    void define(NodeReader& reader, Scope& scope);
    std::optional<std::string> refusal(const model::Node& node) const;

    model::ModelGraph& graph_;
    GraphReader& reader_;
    relay::Module& module_;
    Builder& builder_;
    model::Span span_; // of the node being converted
    Diagnostic context_;
    int bodies_ = 0;       // nesting of expanded bodies
    size_t continued_ = 0; // nodes taken into branches
    int64_t randomCalls_ = 0;
};

} // namespace lathe::frontend::onnx
