// SPDX-License-Identifier: Apache-2.0
//
// Drives a ModelGraph through the relay Builder, whatever format it comes from: names to values in nested scopes, one short
// function an operator, bodies of operators that are defined by others. What only the format knows its Dialect says.
#pragma once

#include "frontend/common/conversion.h"
#include "frontend/common/dialect.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::frontend {

class GraphWalk : public Walk, public Conversion {
public:
    GraphWalk(model::ModelGraph& graph, Dialect& dialect, relay::Module& module, Builder& builder);

    void convertMain(const std::vector<relay::Type>& parameters) override;
    std::vector<Value> run(const model::Graph& graph, const Scope* around, const std::vector<Value>& inputs) override;
    std::vector<Diagnostic> unsupported() const override;
    int64_t nextRandomCall() override { return randomCalls_++; }
    Var variable(const std::string& name, const relay::ConstantPtr& initial) override;
    void assign(const std::string& name, Var value) override;
    void initially(const std::function<void()>& fn) override;

private:
    void defineConstants(const model::Graph& graph, Scope& scope);
    /// What comes after the nodes of a graph: from all its names to what the graph is there for.
    using Then = std::function<std::vector<Value>(Scope& scope)>;
    /// Converts nodes first, first + 1, … and what comes after them.
    std::vector<Value> convertNodes(const model::Graph& graph, size_t first, Scope& scope, const Then& then);
    /// Node `at` is a choice between branches that give results without a common type: the nodes behind it and what comes after
    /// them go into both branches.
    std::vector<Value> branchOff(const model::Graph& graph, size_t at, Scope& scope, const Then& then);
    std::vector<Value> outputsOf(const model::Graph& graph, const Scope& scope);
    /// What is known of a variable: no `now` before it is first read or assigned.
    struct Variable {
        relay::ConstantPtr initial;
        Var now;
    };
    Var current(const std::string& name, Variable& variable);
    void setInitial(const std::string& name, Variable& variable, Var value);
    /// The type of a value that a state may have; null, and a fault, if it cannot be one.
    const relay::TensorType* keepable(const std::string& name, Var value);
    void enter(const model::Node& node);
    void convertNode(const model::Node& node, Scope& scope);
    void expand(NodeReader& reader);
    void define(NodeReader& reader, Scope& scope);

    model::ModelGraph& graph_;
    Dialect& dialect_;
    relay::Module& module_;
    Builder& builder_;
    model::Span span_; // of the node being converted
    Diagnostic context_;
    int bodies_ = 0;                // nesting of expanded bodies
    size_t continued_ = 0;          // nodes taken into branches
    std::optional<bool> supported_; // whether every node can be converted; asked at the first branch taken so
    int64_t randomCalls_ = 0;
    std::unordered_map<std::string, Variable> variables_;
    std::vector<std::string> states_; // the variables that have a parameter of main, in the order of these
    bool isInitial_ = false;          // assignments say what variables hold before the first call
};

} // namespace lathe::frontend
