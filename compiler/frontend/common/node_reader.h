// SPDX-License-Identifier: Apache-2.0
//
// What a converter, the short function that an operator has, sees of its node: operands by place, attributes by name and
// type, a place for each result, and the scope of names around it. Errors are sticky (relay/builder.h), so a converter reads
// as if nothing could go wrong.
#pragma once

#include "model/model_graph.h"
#include "relay/builder.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lathe::frontend {

using arith::Expr;
using relay::Builder;
using relay::Op;
using relay::Var;

/// What a name stands for while importing: a tensor; a sequence whose length is known, or an optional that is known to be
/// absent (one that has a value is that value); a list or an optional that only a run knows (frontend/common/sequences.h).
struct Value {
    Var var; // a tensor, a run-time list or optional
    std::shared_ptr<const std::vector<Value>> sequence;
    bool none = false; // an optional without a value
    Var mask = {};     // of a sequence: which of its steps count (frontend/keras/masks.h); absent: all
};

/// Names of a graph; those of the graphs around it are visible.
struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, Value> values;
    std::unordered_map<std::string_view, const model::ValueType*> types; // as the graph declares them
    const Value* find(const std::string& name) const;
    /// Null if no type is declared.
    const model::ValueType* declared(const std::string& name) const;
};

/// The walk that a node is read in, as the node's converter may ask it.
class Walk {
public:
    virtual ~Walk() = default;
    /// A nested graph with values for its inputs; sees the names of `around`. Gives its outputs.
    virtual std::vector<Value> run(const model::Graph& graph, const Scope* around,
                                   const std::vector<Value>& inputs) = 0;
    /// A number a random call, in the model's order.
    virtual int64_t nextRandomCall() = 0;

    // ---- variables: what the model keeps from one call to the next (relay::Function::states)

    /// What the variable holds here: what was assigned to it last, else what it held before this call of the model. Before the
    /// first call that is `initial`; null: what was assigned within `initially`, and a fault if nothing was.
    virtual Var variable(const std::string& name, const relay::ConstantPtr& initial) = 0;
    /// A fault in a branch or loop.
    virtual void assign(const std::string& name, Var value) = 0;
    /// What fn assigns, which must be constants, is what variables hold before the first call.
    virtual void initially(const std::function<void()>& fn) = 0;
};

/// 0 … rank-1 from -rank … rank-1; a fault otherwise.
int64_t axisOf(Builder& b, int64_t value, int64_t rank);
/// False, and a fault, if the tensor has fewer dims.
bool needRank(Builder& b, Var var, int atLeast);

/// One node, as an operator's converter reads it. After the first fault every call is a no-op and gives neutral values.
class NodeReader {
public:
    NodeReader(const model::Node& node, Walk& walk, const Scope& scope, Builder& b);

    const model::Node& node;
    Walk& walk;
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
    /// The types that the model declares of input i and of result i; null if it declares none.
    const model::ValueType* declared(size_t i) const;
    const model::ValueType* declaredResult(size_t i) const;
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
    std::vector<std::shared_ptr<const model::Graph>> graphs(const std::string& attribute);
    /// Names of the attributes that nothing has asked for yet.
    std::vector<std::string> unread() const;

    int64_t axis(int64_t value, int64_t rank) { return axisOf(b, value, rank); }
    std::vector<int64_t> axes(std::vector<int64_t> values, int64_t rank);
    /// False, and a fault, if the tensor has fewer dims.
    bool needRank(Var var, int atLeast) { return frontend::needRank(b, var, atLeast); }
    void fail(std::string what, std::string hint = {}) { b.fail(std::move(what), std::move(hint)); }
    /// What the model says is right, but Lathe does not do it.
    void refuse(std::string what, std::string hint = {}) {
        b.fail(std::move(what), std::move(hint), ErrorKind::Unsupported);
    }
    bool failed() const { return b.failed(); }

    std::vector<std::optional<Value>> results;

private:
    const model::AttributeValue* find(const std::string& attribute) const;
    mutable std::vector<bool> read_; // by attribute
    template <class T>
    const T* get(const std::string& attribute);
};

} // namespace lathe::frontend
