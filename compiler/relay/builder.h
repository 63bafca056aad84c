// SPDX-License-Identifier: Apache-2.0
//
// The Builder makes Bindings, and is the only way: it runs the operator's type rule and value rule and takes the Span, so
// an untyped binding does not exist. Values that types depend on (small integer, bool and float tensors, symbols included)
// are folded here, through value rules and the Evaluator.
//
// Errors are sticky: after the first failing call every call is a no-op that gives Var{}, so a frontend's operator reads
// as straight code and the caller asks error() once.
#pragma once

#include "base/budget.h"
#include "relay/attrs.h"
#include "relay/evaluator.h"
#include "relay/ir.h"

namespace lathe::relay {

/// Elements of a tensor that are known while building: index Exprs for integers and bools (symbols included), FloatImms for floats.
using KnownValue = std::vector<Expr>;

class Builder {
public:
    /// Continues a module (nextVar, spans, data types). The evaluator may be null: then only value rules fold. Where the budget
    /// is spent nothing is folded any more; each call asks its checkpoint.
    Builder(Module& module, Evaluator* evaluator, std::shared_ptr<Budget> budget = std::make_shared<Budget>());
    ~Builder();
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;

    // ---- where the next bindings come from
    void setSpan(Span span);
    Span span() const;
    /// Fields that errors get: node name, operator, id.
    void setContext(Diagnostic where);

    // ---- bindings
    Var call(Op op, std::vector<Var> args, AttrsPtr attrs = nullptr);
    template <class A>
    Var call(Op op, std::vector<Var> args, A attrs) {
        return call(op, std::move(args), AttrsPtr(std::make_shared<A>(std::move(attrs))));
    }
    Var constant(ConstantPtr constant);
    /// A scalar (rank 0) of dtype, or with the given dims.
    Var scalar(double value, DataType dtype);
    Var scalarInt(int64_t value, DataType dtype = types::Int64);
    /// An int64 tensor with known elements (symbols included); rank 1, or rank 0 for `scalarOf`.
    Var fromExprs(const std::vector<Expr>& elements);
    Var scalarOf(const Expr& element);
    Var tuple(std::vector<Var> fields);
    Var project(Var tuple, int index);
    Var closure(FunctionPtr function, std::vector<Var> captures);
    Var construct(const std::string& dataType, const std::string& constructor, std::vector<Var> args,
                  Type type = nullptr);
    /// If the condition is known, only that branch is built. fn builds into a fresh Block and gives its result (a tuple for several).
    /// Inside a branch the condition is known. Results of different rank or kind are an error that `disagreed` tells.
    Var ifElse(Var condition, const std::function<Var()>& thenFn, const std::function<Var()>& elseFn);
    /// The same, but a branch that cannot be built (its types are at odds: it would fail if it were taken) is left out,
    /// and a check while running says why.
    Var ifElseOrCheck(Var condition, const std::function<Var()>& thenFn, const std::function<Var()>& elseFn);
    using BodyFn = std::function<std::vector<Var>(Var iteration, const std::vector<Var>& carried)>;
    /// body(iteration, carried) gives the Block's result Vars in the order of relay::Loop. A carried dim that changes is
    /// widened to a symbol (the body is then built again).
    Var loop(Var tripCount, Var condition, const std::vector<Var>& init, int scans, const BodyFn& body);
    Var match(Var value, const std::function<Var(const std::string& constructor, const std::vector<Var>& fields)>& arm);

    // ---- what is known
    const Type& type(Var var) const;
    const TensorType& tensor(Var var) const; // InternalError if it is no tensor; a rank-0 float after an error
    bool isTensor(Var var) const;
    /// Whether it can be used here: the branch or loop that made it is not closed.
    bool isVisible(Var var) const;
    std::vector<Expr> shape(Var var) const;
    int rank(Var var) const;
    DataType dtype(Var var) const;
    /// Elements if all are known (at most limits::knownValueElements), else null.
    const KnownValue* known(Var var) const;
    /// Elements as index Exprs, known or bound to fresh symbols by a BindSymbols binding. Fails for non-integers or unknown shape.
    std::vector<Expr> symbolic(Var var, const std::string& nameHint);
    /// All-constant elements, or nothing.
    std::optional<std::vector<int64_t>> knownInts(Var var) const;
    std::optional<std::vector<double>> knownFloats(Var var) const;
    /// The constant behind a Var, or null.
    ConstantPtr constantOf(Var var) const;

    // ---- errors
    void fail(std::string what, std::string hint = {}, ErrorKind kind = ErrorKind::Invalid);
    /// The same where branches give results that have no common type: whoever builds them may take it back.
    void disagree(std::string what, std::string hint = {});
    bool failed() const;
    /// Whether the error is of that kind.
    bool disagreed() const;
    /// Forgets such an error. All Blocks begun since the branches must have been closed, as ifElse does.
    void takeBack();
    const Diagnostic& error() const;

    /// Builds in a Block of its own, which is thrown away with all that was learnt in it and the error, if there was one.
    /// Whether there was none.
    bool tried(const std::function<void()>& fn);

    // ---- functions
    /// Starts a Function; parameters, then bindings, then finish. A parameter may come later, in a branch or loop too: it is
    /// visible everywhere from then on.
    Var param(const std::string& name, Type type);
    /// Whether the next binding is one of the Function's own, in no branch or loop.
    bool isOutermost() const;
    /// Names the model value that var equals (kept only where the value is unchanged).
    void nameValue(Var var, const std::string& modelValue);
    FunctionPtr finish(Var result, std::vector<std::string> outputNames = {}, std::vector<StateValue> states = {});

private:
    struct State;
    struct Branches;
    struct Called;
    struct LoopTypes;
    /// Assumes of an operand what is required and not known; fails where it does not hold.
    void require(const Expr& condition, const std::string& message, std::vector<Var>& args);
    std::optional<std::vector<Expr>> valueOf(const Called& called);
    /// The results, computed now; nothing where that would be too much, or cannot be.
    std::optional<Var> evaluate(const Called& called);
    /// Whether one more branch or loop may be begun here; fails if not.
    bool mayNest();
    /// Whether var can decide about an `if` or loop; fails if not.
    bool isCondition(Var var);
    Branches buildBranches(Var condition, const std::function<Var()>& thenFn, const std::function<Var()>& elseFn,
                           bool both);
    Var joinBranches(Var condition, const Branches& branches);
    /// Whether they can decide how often a loop runs; fails if not.
    bool isLoop(Var tripCount, Var condition);
    /// Builds the loop's parameters and body; the types of what the body gives, without its condition. A condition that is
    /// always true goes.
    std::vector<Type> buildBody(Loop& loop, LoopTypes& types, const BodyFn& body);
    /// Makes the carried types those of all iterations; whether they changed, so that the body is to be built again.
    bool widen(LoopTypes& types, const std::vector<Type>& values);
    /// The types of the loop's results: of carried values and scans.
    std::vector<Type> resultsOf(const Loop& loop, const LoopTypes& types, const std::vector<Type>& values);
    std::unique_ptr<State> state_;
};

} // namespace lathe::relay
