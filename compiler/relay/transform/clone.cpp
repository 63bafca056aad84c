// SPDX-License-Identifier: Apache-2.0
//
// Copying of Blocks; nesting is the only recursion.
#include "relay/transform/clone.h"

#include "arith/analysis.h"
#include "relay/attr_fields.h"
#include "relay/type_map.h"

namespace lathe::relay::transform {

Var Cloner::of(Var original) const {
    auto found = vars_.find(original.id);
    return found == vars_.end() ? original : found->second;
}

Type Cloner::of(const Type& type) const {
    return instantiate(type, symbols_);
}

Var Cloner::fresh(Var original) {
    Var copy{nextVar_++};
    vars_[original.id] = copy;
    return copy;
}

void Cloner::renew(const Expr& expr) {
    if (!expr || arith::isConst(expr))
        return;
    for (const arith::Var& symbol : arith::freeVars(expr))
        if (!symbols_.contains(symbol.get()))
            symbols_[symbol.get()] = arith::symbol(symbol->name, symbol->lower, symbol->upper);
}

void Cloner::renew(const Type& type) {
    visitDims(type, [this](const Expr& dim) { renew(dim); });
}

Param Cloner::param(const Param& param) {
    renew(param.type);
    return {fresh(param.var), of(param.type), param.name};
}

BlockPtr Cloner::block(const BlockPtr& block) {
    auto copy = std::make_shared<Block>();
    copy->bindings = bindings(*block);
    copy->result = of(block->result);
    return copy;
}

std::vector<BindingPtr> Cloner::bindings(const Block& block) {
    std::vector<BindingPtr> result;
    result.reserve(block.bindings.size());
    for (const BindingPtr& original : block.bindings) {
        auto copy = std::make_shared<Binding>(*original);
        Rhs rhs = original->rhs;
        if (Loop* loop = std::get_if<Loop>(&rhs)) {
            loop->iteration = param(loop->iteration);
            for (Param& carried : loop->carried)
                carried = param(carried);
        } else if (Match* match = std::get_if<Match>(&rhs)) {
            for (MatchArm& arm : match->arms)
                for (Param& field : arm.fields)
                    field = param(field);
        } else if (FunctionLiteral* literal = std::get_if<FunctionLiteral>(&rhs)) {
            auto function = std::make_shared<Function>(*literal->function);
            for (Param& each : function->params)
                each = param(each);
            function->resultType = of(function->resultType);
            literal->function = std::move(function);
        } else if (OpCall* call = std::get_if<OpCall>(&rhs)) {
            if (call->op == Op::BindSymbols)
                visitExprs(call->attrs, [this](const Expr& symbol) { renew(symbol); });
            call->attrs = mapExprs(call->attrs, [this](const Expr& expr) {
                return arith::isConst(expr) ? expr : arith::substitute(expr, symbols_);
            });
        }
        copy->rhs = withOperands(
            rhs, [this](Var var) { return of(var); }, [this](const BlockPtr& nested) { return this->block(nested); });
        renew(original->type);
        copy->type = of(original->type);
        copy->var = fresh(original->var);
        result.push_back(std::move(copy));
    }
    return result;
}

} // namespace lathe::relay::transform
