// SPDX-License-Identifier: Apache-2.0
//
// A body to the nodes of a ModelGraph: only what its results need, functions in place of their calls, variables in
// place of the handles that lead to them. Order that the file asks for by control edges is kept among what assigns and
// reads variables; all other control edges, and what only they need, vanish.
#pragma once

#include "frontend/tensorflow/attributes.h"
#include "frontend/tensorflow/body.h"
#include "frontend/tensorflow/saved_tables.h"

#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lathe::frontend::tensorflow {

/// What an endpoint stands for: a value of the ModelGraph, a variable, or a table.
struct Meaning {
    enum class Kind { Nothing, Value, Variable, Table } kind = Kind::Nothing;
    std::string name;
};

/// What the file says of its resources, by the nodes that make them; null where it says nothing.
struct Stored {
    std::function<Result<model::TensorPtr>(const std::string& node)> variable = {}; // before the first call
    std::function<Result<SavedTable>(const std::string& node)> table = {};
};

/// Whether the operator makes a variable hold something else.
bool assigns(std::string_view op);

class Expander {
public:
    Expander(model::ModelGraph& model, Functions& functions, TensorReader& tensors, std::shared_ptr<Budget> budget,
             Stored stored);

    /// The body as the model's graph. inputs: one an argument; outputs: one a result, by these names where they are not
    /// empty.
    std::shared_ptr<model::Graph> expand(const Body& body, const std::vector<model::Value>& inputs,
                                         const std::vector<std::string>& outputs);

private:
    using Meanings = std::vector<Meaning>;
    /// A body on its way into a graph.
    struct Frame {
        const Body& body;
        const Meanings& arguments;
        model::Graph& into;
        std::string prefix = {};             // of the names of its nodes
        std::vector<std::string> scope = {}; // of the calls that it stands in
        const AttributeMap* call = nullptr;
        std::map<std::pair<int, int>, Meaning> meanings = {}; // of results, by node and place
        std::vector<std::vector<bool>> used = {};             // results that are read, by node
        Meaning of(const Endpoint& endpoint) const;
    };

    std::shared_ptr<model::Graph> expandOnce(const Body& body, const std::vector<model::Value>& inputs,
                                             const std::vector<std::string>& outputs);
    Meanings emitBody(Frame& frame, const std::vector<bool>& wanted);
    void emitNode(Frame& frame, int index);
    void emitPlain(Frame& frame, int index, const std::vector<Meaning>& inputs);
    bool emitVariable(Frame& frame, int index, const std::vector<Meaning>& inputs);
    bool emitTable(Frame& frame, int index, const std::vector<Meaning>& inputs);
    void emitCall(Frame& frame, int index, const ::tensorflow::FunctionDef& function, const Meanings& inputs);
    void emitLoop(Frame& frame, int index, const BodyPtr& test, const BodyPtr& repeated, const Meanings& inputs);
    void emitChoice(Frame& frame, int index, const std::vector<BodyPtr>& branches, const Meanings& inputs);
    bool emitFunctional(Frame& frame, int index, const Meanings& inputs);

    struct Nested {
        std::shared_ptr<model::Graph> graph; // its outputs are what its results are where those are values
        Meanings results;
    };
    Nested nested(Frame& around, const std::string& name, const Body& body, const Meanings& arguments);
    BodyPtr bodyNamed(Frame& frame, int index, const std::string& function);

    bool hasEffect(const Body& body, const BodyNode& node, int depth);
    model::Node& addNode(Frame& frame, const BodyNode& node, std::string op);
    std::string valueOf(Frame& frame, const BodyNode& node, const Meaning& meaning);
    std::string readVariable(Frame& frame, const BodyNode& node, const std::string& variable);
    std::string initialOf(Frame& frame, const BodyNode& node, const std::string& variable);
    std::string unique(const std::string& wanted);
    void give(Frame& frame, int index, int output, Meaning meaning);
    std::string giveValue(Frame& frame, int index, int output, model::Node& node);
    bool count();
    void tooLarge();
    void report(const Frame* frame, const BodyNode* node, Diagnostic fault);
    void stop(Diagnostic fault);

    model::ModelGraph& model_;
    Functions& functions_;
    TensorReader& tensors_;
    std::shared_ptr<Budget> budget_;
    Stored stored_;
    model::Graph* main_ = nullptr;
    std::unordered_set<std::string> names_;
    std::unordered_map<std::string, int64_t> suffixes_;
    std::unordered_map<std::string, std::string> initials_; // initializers by variable
    std::unordered_set<std::string> assigned_;              // variables that some node assigns
    std::vector<const Body*> open_;                         // that are being expanded
    std::unordered_map<const Body*, bool> effects_;
    int32_t nodes_ = 0;
    int64_t visited_ = 0;
    bool stopped_ = false;
};

} // namespace lathe::frontend::tensorflow
