// SPDX-License-Identifier: Apache-2.0
//
// Marks from the results backwards, over Vars and symbols, then sweeps each Block once.
#include "relay/transform/dead_code.h"

#include "relay/attr_fields.h"
#include "relay/type_map.h"

#include <unordered_set>

namespace lathe::relay::transform {
namespace {

class Marker {
public:
    explicit Marker(const Function& function) : index_(function) {
        for (const Param& param : function.params)
            define(param.type, Var{});
        defineBlock(*function.body);
        mark(function.body->result);
        markType(function.resultType);
        while (!open_.empty()) {
            Var var = open_.back();
            open_.pop_back();
            visit(var);
        }
    }

    bool live(const Binding& binding) const { return live_.contains(binding.var.id); }
    std::unordered_set<std::string> callees;

private:
    Index index_;
    std::unordered_map<const arith::ExprNode*, Var> definers_;
    std::unordered_set<uint32_t> live_;
    std::vector<Var> open_;

    void define(const Expr& expr, Var var) {
        if (expr && !arith::isConst(expr))
            for (const arith::Var& symbol : arith::freeVars(expr))
                definers_.try_emplace(symbol.get(), var);
    }
    void define(const Type& type, Var var) {
        visitDims(type, [&](const Expr& dim) { define(dim, var); });
    }
    void defineBlock(const Block& block) {
        for (const BindingPtr& binding : block.bindings) {
            // Symbols of parameters of nested Blocks come with the construct that holds them.
            if (const Loop* loop = binding->as<Loop>())
                for (const Param& param : loop->carried)
                    define(param.type, binding->var);
            if (const Match* match = binding->as<Match>())
                for (const MatchArm& arm : match->arms)
                    for (const Param& field : arm.fields)
                        define(field.type, binding->var);
            if (const FunctionLiteral* literal = binding->as<FunctionLiteral>())
                for (const Param& param : literal->function->params)
                    define(param.type, binding->var);
            for (const BlockPtr& nested : blocksOf(binding->rhs))
                defineBlock(*nested);
            if (const OpCall* call = binding->as<OpCall>(); call && call->op == Op::BindSymbols)
                visitExprs(call->attrs, [&](const Expr& symbol) { define(symbol, binding->var); });
            define(binding->type, binding->var);
        }
    }

    void mark(Var var) {
        if (var && live_.insert(var.id).second)
            open_.push_back(var);
    }
    void markExpr(const Expr& expr) {
        if (!arith::isConst(expr))
            for (const arith::Var& symbol : arith::freeVars(expr))
                if (auto definer = definers_.find(symbol.get()); definer != definers_.end())
                    mark(definer->second);
    }
    void markType(const Type& type) {
        visitDims(type, [this](const Expr& dim) { markExpr(dim); });
    }
    void visit(Var var) {
        const Index::Entry* entry = index_.find(var);
        if (!entry || !entry->binding)
            return;
        const Binding& binding = *entry->binding;
        for (Var operand : operands(binding.rhs))
            mark(operand);
        markType(binding.type);
        if (const OpCall* call = binding.as<OpCall>(); call && call->op != Op::BindSymbols)
            visitExprs(call->attrs, [this](const Expr& expr) { markExpr(expr); });
        if (const FunctionCall* call = binding.as<FunctionCall>())
            callees.insert(call->callee);
        for (const BlockPtr& nested : blocksOf(binding.rhs))
            mark(nested->result);
    }
};

} // namespace

Module deadCode(const Module& module) {
    Module result = module;
    std::vector<std::string> open{"main"};
    std::unordered_set<std::string> reached{"main"};
    while (!open.empty()) {
        std::string name = std::move(open.back());
        open.pop_back();
        auto found = result.functions.find(name);
        if (found == result.functions.end())
            continue;
        Marker marker(*found->second);
        for (const std::string& callee : marker.callees)
            if (reached.insert(callee).second)
                open.push_back(callee);
        Rewriter rewriter;
        BlockPtr body = rewriteBlock(found->second->body, rewriter, [&](const BindingPtr& binding, Rewriter&) {
            return marker.live(*binding) ? std::vector<BindingPtr>{binding} : std::vector<BindingPtr>{};
        });
        if (body == found->second->body)
            continue;
        auto function = std::make_shared<Function>(*found->second);
        function->body = std::move(body);
        found->second = std::move(function);
    }
    std::erase_if(result.functions, [&](const auto& entry) { return !reached.contains(entry.first); });
    return result;
}

Module sweep(const Module& before, const Module& after) {
    return after.functions == before.functions ? before : deadCode(after);
}

} // namespace lathe::relay::transform
