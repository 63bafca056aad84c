// SPDX-License-Identifier: Apache-2.0
//
// What the Builder keeps between calls. A Frame is a Block under construction; what is learnt inside of it (Vars, symbols,
// known values) is forgotten when it closes, so nothing of a nested Block leaks.
#pragma once

#include "relay/builder.h"

#include <unordered_map>
#include <unordered_set>

namespace lathe::relay {

struct VarInfo {
    Type type;
    std::shared_ptr<const KnownValue> known; // made from the constant when first asked for
    ConstantPtr constant;
    std::vector<Var> fields; // of a tuple made here
    std::shared_ptr<const Construct> construct;
};

struct Frame {
    std::vector<BindingPtr> bindings;
    std::vector<uint32_t> bound;
    std::unordered_set<const arith::ExprNode*> symbols; // defined while this frame was open, nested ones included
    std::vector<std::pair<uint32_t, std::shared_ptr<const KnownValue>>> learnt; // what was known before
};

struct Builder::State {
    Module& module;
    Evaluator* evaluator;
    std::shared_ptr<Budget> budget;
    Span span;
    Diagnostic where;
    std::optional<Diagnostic> error;
    bool disagreed = false; // the error may be taken back
    std::unordered_map<uint32_t, VarInfo> vars;
    std::vector<Frame> frames = std::vector<Frame>(1);
    std::vector<Param> params;

    State(Module& module, Evaluator* evaluator, std::shared_ptr<Budget> budget)
        : module(module), evaluator(evaluator), budget(std::move(budget)) {}

    VarInfo& at(Var var);
    Var bind(Rhs rhs, Type type);
    /// Makes a Var known in this frame without a binding: parameters of functions, loops and arms.
    Var declare(Type type);
    /// The same in a frame around it.
    Var declare(Type type, Frame& frame);
    Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper);
    void learn(Var var, std::shared_ptr<const KnownValue> known);
    void open() { frames.emplace_back(); }
    /// Closes the innermost frame; the symbols that were defined in it are added to `inner`.
    BlockPtr close(Var result, std::unordered_set<const arith::ExprNode*>& inner);
    bool usesAny(const Expr& expr, const std::unordered_set<const arith::ExprNode*>& symbols) const;
    /// The type that values of both types have: equal dims stay unless they use inner symbols, others become fresh symbols.
    /// With `widened` (carried values of a loop) those symbols are added to it, and a dim that is one of them stays.
    Result<Type> join(const Type& a, const Type& b, const std::unordered_set<const arith::ExprNode*>& inner,
                      const std::string& hint, std::unordered_set<const arith::ExprNode*>* widened = nullptr);
};

/// Negative axes counted from the end, for every operator where -1 has no other meaning.
AttrsPtr withPositiveAxes(Op op, const AttrsPtr& attrs, int64_t rank);

/// Whether a constant is small enough that its elements may become known.
bool isKnowable(const ConstantPtr& constant);

} // namespace lathe::relay
