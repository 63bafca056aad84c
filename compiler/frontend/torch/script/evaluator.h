// SPDX-License-Identifier: Apache-2.0
//
// Evaluates the text of a TorchScript program in part: what is known is computed, so that most branches and loops go; calls of
// operators on tensors become Relay, by the table that torch.export has (frontend/torch/operators.h). Branches and loops that
// depend on elements are built, with what they change as their results. Errors are sticky (relay/builder.h).
#pragma once

#include "frontend/torch/script/archive.h"
#include "frontend/torch/script/joined.h"
#include "frontend/torch/script/overloads.h"
#include "frontend/torch/script/script_value.h"
#include "frontend/torch/script/trace.h"
#include "frontend/torch/views.h"

#include <functional>
#include <set>

namespace lathe::frontend::torch::script {

class Evaluator {
public:
    Evaluator(ScriptArchive& archive, Trace& trace, const model::ModelGraph& model, Budget& budget, Builder& b);

    // ---- objects (objects.cpp)

    /// What an object holds at a place, "encoder.cache.0", in place of what the archive says; null: that.
    using Override = std::function<std::optional<ScriptValue>(const std::string& path)>;
    /// The module of the archive with all that it holds.
    ScriptValue makeModule(Override override);
    /// What is no cell and no tuple in a value, by its place.
    using Leaves = std::map<std::string, ScriptValue>;
    Leaves leavesOf(const ScriptValue& root);
    /// The name that a stored tensor has in the model; empty if it is none.
    const std::map<Memory::Place, std::string>& storedNames() const { return storedNames_; }
    const std::map<std::string, model::TensorPtr>& storedTensors() const { return storedTensors_; }
    /// What the archive holds at a place; null: no tensor.
    relay::ConstantPtr initialOf(const std::string& path) const;

    // ---- calls (evaluate_calls.cpp)
    ScriptValue callMethod(const ScriptValue& self, const std::string& name, Arguments arguments);
    ScriptValue callFunction(const FunctionPtr& function, const std::string& scope, Arguments arguments,
                             const std::shared_ptr<const Variables>& around = nullptr);
    /// A literal, or a default of a parameter.
    ScriptValue evaluate(const Term& term);

    // ---- tensors
    ScriptValue tensor(Var value);
    Var read(TensorRef ref) { return memory_.read(ref.place); }
    /// The tensors that the program assigned to, by their storages.
    const std::set<Memory::Place>& written() const { return written_; }
    Memory& memory() { return memory_; }
    Heap& heap() { return heap_; }
    void nameValue(TensorRef ref, const std::string& name);
    std::string nameOf(Memory::Place place) const;

    /// Checks that have to hold and that no tensor carries yet: of this value.
    Var checked(Var value);

    /// False, and a fault, if the evaluation has taken too long.
    bool step(int64_t steps = 1);

    struct Named {
        Var value;
        std::string name;
    };
    /// The values of the outermost graph, in order.
    const std::vector<Named>& named() const { return named_; }

private:
    using Place = Memory::Place;
    enum class Flow : uint8_t { Next, Return };

    struct Frame {
        FunctionPtr function;
        Cell self = 0;
        bool hasSelf = false;
        Variables variables;
        std::shared_ptr<const Variables> around;
        ScriptValue result;
    };
    /// All that changes.
    struct World {
        Variables variables;
        Heap heap;
        Memory::Contents memory;
        std::vector<std::optional<Ints>> strides;
        std::vector<std::string> names;
        std::vector<std::pair<Expr, std::string>> checks;
        std::set<Place> written;
        std::map<std::string, ScriptValue> constants;
        size_t named = 0;
    };
    /// A copy, which takes steps.
    World world();
    void restore(const World& world);

    // ---- faults
    std::string where() const;
    void leave();
    void fail(const std::string& what, const std::string& hint = {});
    void refuse(const std::string& what, const std::string& hint = {});
    bool failed() const { return b_.failed(); }
    /// What the program raises: a fault, or in a block that is left to run the end of it.
    void raise(const std::string& message);

    // ---- objects (objects.cpp)
    ScriptValue fromPickle(const PickleValue& value, const std::string& path, bool isConstant);
    ScriptValue objectOf(const PickleValue& value, const std::string& path, bool isConstant);
    ScriptValue dictOf(const PickleValue& value, const std::string& path, bool isConstant);
    ScriptValue instanceOf(const PickleValue& value, const std::string& path, bool isConstant);
    ScriptValue storedTensor(const PickleValue& value, const std::string& path, bool isConstant);
    ScriptValue quantizedTensor(const PickleValue& value, const ScriptValue& integers, bool isConstant);
    void setState(Cell cell, const PickleValue& state, bool isConstant);
    ScriptValue constantAt(const std::string& name);
    void addLeaves(const ScriptValue& value, const std::string& path, std::set<Cell>& seen, Leaves& leaves,
                   int nesting = 0);

    // ---- terms (evaluate_terms.cpp)
    ScriptValue attribute(const ScriptValue& of, const std::string& name);
    ScriptValue element(const ScriptValue& of, const ScriptValue& index);
    ScriptValue name(const Term& term);
    std::optional<ScriptValue> global(const std::string& path);
    ScriptValue choice(const Term& term);
    ScriptValue dict(const Term& term);
    std::optional<ScriptValue> fromEnd(const ListCell& list, int64_t index);
    Expr positionIn(const Expr& size, const Expr& index);

    // ---- calls (evaluate_calls.cpp)
    ScriptValue call(const Term& term);
    Arguments argumentsOf(const Term& call, size_t from);
    std::optional<ScriptValue> callBuiltinName(const std::string& name, const Term& call);
    ScriptValue callPath(const std::string& path, const Term& call);
    ScriptValue construct(const std::string& type, Arguments arguments);
    ScriptValue callPacked(const ObjectCell& packed, const std::string& name);
    ScriptValue callOperator(std::string name, Arguments arguments);

    // ---- statements (evaluate_statements.cpp)
    Flow run(const std::vector<Statement>& statements);
    Flow run(const Statement& statement);
    void define(const FunctionPtr& function);
    void assign(const Term& target, ScriptValue value);
    void unpack(const Statement& statement, const ScriptValue& value);
    Flow runIf(const Statement& statement);
    Flow runWith(const Statement& statement);
    void setAttribute(const ScriptValue& of, const std::string& name, ScriptValue value);
    /// Adds a check; a fault if it never holds.
    void require(const ScriptValue& condition, const std::string& message);

    // ---- branches and loops (evaluate_branches.cpp, evaluate_changes.cpp, evaluate_loops.cpp)

    /// What a block does. within: begins it where it would stand, and then forgets it.
    struct Ended {
        bool raises = false;
        std::string message; // of what it raises
        Flow flow = Flow::Next;
        std::vector<Change> changes; // each as it is joined with itself
    };
    using Block = std::function<Var()>;
    Ended attempt(const World& before, const std::function<Flow()>& run,
                  const std::function<void(const Block& block)>& within);
    Flow branch(const Statement& statement, const ScriptValue& condition);
    Var side(const World& before, const std::vector<Statement>& block, const std::vector<Change>& changes,
             std::vector<std::shared_ptr<const model::Graph>>& graphs);
    void merge(const World& before, const Statement& statement, const ScriptValue& condition,
               const std::vector<Change>& changes);
    /// A value as it is joined with others. places, cells: so many were there before.
    Joined described(const ScriptValue& value, const World& before, int nesting = 0);
    /// How `change` would read had nothing changed.
    Change unchanged(const Change& change, const World& before);
    std::vector<Change> changesSince(const World& before);
    std::optional<Change> changeOf(Cell cell, const World& before);
    /// Those of both, joined; a fault where that cannot be.
    std::vector<Change> joinAll(const std::vector<Change>& a, const std::vector<Change>& b, const World& before);
    bool outlives(const Joined& joined, const World& before) const;
    /// A fault if a block made something that is there no more after it.
    void requireOutliving(const std::vector<Change>& changes, const World& before);
    /// The Vars of what changed, as it is now.
    std::vector<Var> varsOf(const std::vector<Change>& changes);
    void addVars(const Joined& joined, const ScriptValue& value, std::vector<Var>& vars);
    ScriptValue valueOf(const Joined& joined, const std::vector<Var>& vars, size_t& next, bool isResult);
    /// Puts joined values where something changed. isResult: they are the results of the last node of the trace.
    void apply(const std::vector<Change>& changes, const std::vector<Var>& vars, bool isResult);
    Flow runFor(const Statement& statement);
    Flow runWhile(const Statement& statement);
    /// A loop of a number of rounds, or as long as a condition holds.
    void loop(const Statement& statement, const World& before, const std::optional<Expr>& trips,
              const std::optional<ScriptValue>& condition);
    struct Rounds;
    Flow runRound(Rounds& rounds, Var iteration, const std::vector<Var>& vars);
    /// What comes into the first round.
    std::vector<Var> firstCarried(const Rounds& rounds);
    void settle(Rounds& rounds);
    std::vector<Var> resultsOf(const Rounds& rounds);
    /// The last node of the trace, a branch or loop, has these graphs for its blocks.
    void addBlocks(std::vector<std::shared_ptr<const model::Graph>> graphs, model::Span span);

    // ---- functions of the language (builtins.h)
    friend struct Builtins;

    // ---- operators (call_operator.cpp, call_nodes.cpp, quantized.cpp)
    std::optional<ScriptValue> callReshaping(const std::string& name, const Arguments& arguments);
    TorchValue torchValue(const ScriptValue& value, const SchemaType& type, int nesting = 0);
    bool isLearning(const Schema& schema, const Arguments& arguments) const;
    ScriptValue callTable(const Overload& overload, const Arguments& arguments);
    /// The place of a tensor among the results, of the number that it has among them.
    using Placing = std::function<Place(size_t number, Var value)>;
    Placing placing(const Operator& op, const List& arguments, const Arguments& given);
    Sharing sharingWith(Place of, const Operator& op, const List& arguments, Var result);
    ScriptValue resultOf(const TorchValue& result, const SchemaType& type, const Placing& place, size_t& number);
    std::optional<Place> assignTo(const ScriptValue& to, const TorchValue& value);
    /// Begins a node of the trace: what is made from here on comes from it.
    void enter(const std::string& op, const Schema* schema, const Arguments& arguments);
    /// Ends it: a tensor that it gave.
    void note(const ScriptValue& result, int nesting = 0);
    void addInputs(model::Node& node, const ScriptValue& value, int nesting = 0) const;
    std::optional<model::AttributeValue> attributeOf(const ScriptValue& value) const;
    Place newPlace(Place place, std::optional<Ints> strides, const std::string& name);
    std::optional<ScriptValue> callQuantized(const std::string& name, const Arguments& arguments);
    friend struct QuantizedCalls;

    /// What older versions of PyTorch meant, as newer ones write it.
    void upgrade(const std::string& name, Arguments& arguments);

    ScriptArchive& archive_;
    Trace& trace_;
    const model::ModelGraph& model_;
    Budget& budget_;
    Builder& b_;
    int64_t randomCalls_ = 0;
    Memory memory_;
    Heap heap_;
    std::vector<std::optional<Ints>> strides_; // by place; nothing: not known
    std::vector<std::string> names_;           // by place, in the model
    std::vector<Frame*> frames_;
    std::vector<std::string> scopes_; // paths of the modules around
    std::vector<std::pair<Expr, std::string>> checks_;
    std::set<Place> written_;
    std::vector<Named> named_;
    int32_t line_ = 0; // of the statement
    int64_t steps_ = 0;
    int unknown_ = 0;                   // blocks around that may not run
    std::optional<std::string> raised_; // what ended one of them
    Override override_;
    std::map<const PickleValue*, ScriptValue> made_;
    std::map<Place, std::string> storedNames_;
    std::map<std::string, model::TensorPtr> storedTensors_;
    std::map<std::string, ScriptValue> constants_;
    int depth_ = 0;    // of terms and pickled values
    int blocks_ = 0;   // of statements, that run within each other
    int closures_ = 0; // functions that were defined within others
    /// Of lists in lists, which may be in themselves.
    static constexpr int mostListNesting = 64;
};

} // namespace lathe::frontend::torch::script
