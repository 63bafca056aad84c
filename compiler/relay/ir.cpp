// SPDX-License-Identifier: Apache-2.0
//
// Looking at and rewriting Blocks. Recursion follows nesting only, never the length of a Block.
#include "relay/ir.h"

namespace lathe::relay {
namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

std::vector<Var> replaced(const std::vector<Var>& vars, const std::function<Var(Var)>& fn) {
    std::vector<Var> result;
    result.reserve(vars.size());
    for (Var var : vars)
        result.push_back(var ? fn(var) : var);
    return result;
}

} // namespace

std::vector<Var> operands(const Rhs& rhs) {
    std::vector<Var> vars =
        std::visit(Overloaded{
                       [](const OpCall& call) { return call.args; },
                       [](const FunctionCall& call) { return call.args; },
                       [](const ClosureCall& call) {
                           std::vector<Var> all{call.callee};
                           all.insert(all.end(), call.args.begin(), call.args.end());
                           return all;
                       },
                       [](const MakeTuple& tuple) { return tuple.fields; },
                       [](const Projection& projection) { return std::vector<Var>{projection.tuple}; },
                       [](const ConstantRef&) { return std::vector<Var>{}; },
                       [](const Construct& construct) { return construct.args; },
                       [](const If& branch) { return std::vector<Var>{branch.condition}; },
                       [](const Match& match) { return std::vector<Var>{match.value}; },
                       [](const Loop& loop) {
                           std::vector<Var> all{loop.tripCount, loop.condition};
                           all.insert(all.end(), loop.init.begin(), loop.init.end());
                           return all;
                       },
                       [](const FunctionLiteral& literal) { return literal.captures; },
                   },
                   rhs);
    std::erase(vars, Var{});
    return vars;
}

std::span<const Param> inputParams(const Function& main) {
    return std::span(main.params).first(main.params.size() - main.states.size());
}

std::vector<Type> outputTypes(const Function& main) {
    std::vector<Type> types = fieldTypes(main.resultType);
    types.resize(types.size() - main.states.size());
    return types;
}

std::vector<BlockPtr> blocksOf(const Rhs& rhs) {
    if (auto* branch = std::get_if<If>(&rhs))
        return {branch->thenBlock, branch->elseBlock};
    if (auto* loop = std::get_if<Loop>(&rhs))
        return {loop->body};
    if (auto* literal = std::get_if<FunctionLiteral>(&rhs))
        return {literal->function->body};
    std::vector<BlockPtr> blocks;
    if (auto* match = std::get_if<Match>(&rhs))
        for (const MatchArm& arm : match->arms)
            blocks.push_back(arm.block);
    return blocks;
}

Rhs withOperands(const Rhs& rhs, const std::function<Var(Var)>& var,
                 const std::function<BlockPtr(const BlockPtr&)>& block) {
    auto one = [&](Var operand) { return operand ? var(operand) : operand; };
    return std::visit(
        Overloaded{
            [&](const OpCall& call) -> Rhs { return OpCall{call.op, replaced(call.args, var), call.attrs}; },
            [&](const FunctionCall& call) -> Rhs { return FunctionCall{call.callee, replaced(call.args, var)}; },
            [&](const ClosureCall& call) -> Rhs { return ClosureCall{one(call.callee), replaced(call.args, var)}; },
            [&](const MakeTuple& tuple) -> Rhs { return MakeTuple{replaced(tuple.fields, var)}; },
            [&](const Projection& projection) -> Rhs { return Projection{one(projection.tuple), projection.index}; },
            [&](const ConstantRef& constant) -> Rhs { return constant; },
            [&](const Construct& construct) -> Rhs {
                return Construct{construct.dataType, construct.constructor, replaced(construct.args, var)};
            },
            [&](const If& branch) -> Rhs {
                return If{one(branch.condition), block(branch.thenBlock), block(branch.elseBlock)};
            },
            [&](const Match& match) -> Rhs {
                Match result = match;
                result.value = one(match.value);
                for (MatchArm& arm : result.arms)
                    arm.block = block(arm.block);
                return result;
            },
            [&](const Loop& loop) -> Rhs {
                Loop result = loop;
                result.tripCount = one(loop.tripCount);
                result.condition = one(loop.condition);
                result.init = replaced(loop.init, var);
                result.body = block(loop.body);
                return result;
            },
            [&](const FunctionLiteral& literal) -> Rhs {
                FunctionLiteral result{literal.function, replaced(literal.captures, var)};
                BlockPtr body = block(literal.function->body);
                if (body != literal.function->body) {
                    auto function = std::make_shared<Function>(*literal.function);
                    function->body = std::move(body);
                    result.function = std::move(function);
                }
                return result;
            },
        },
        rhs);
}

BindingPtr withOperands(const BindingPtr& binding, const std::function<Var(Var)>& var,
                        const std::function<BlockPtr(const BlockPtr&)>& block) {
    bool touched = false;
    Rhs rhs = withOperands(
        binding->rhs,
        [&](Var before) {
            Var now = var(before);
            touched |= now != before;
            return now;
        },
        [&](const BlockPtr& before) {
            BlockPtr now = block(before);
            touched |= now != before;
            return now;
        });
    if (!touched)
        return binding;
    auto copy = std::make_shared<Binding>(*binding);
    copy->rhs = std::move(rhs);
    return copy;
}

// ---- Index --------------------------------------------------------------------------------------------------------

namespace {

void indexParams(Index& index, const std::vector<Param>& params, const Block* block) {
    for (const Param& param : params) {
        Index::Entry& entry = index.entries[param.var.id];
        entry.param = &param;
        entry.block = block;
    }
}

void indexBlock(Index& index, const Block& block) {
    for (const BindingPtr& binding : block.bindings) {
        Index::Entry& entry = index.entries[binding->var.id];
        entry.binding = binding;
        entry.block = &block;
        for (Var operand : operands(binding->rhs)) {
            Index::Entry& used = index.entries[operand.id];
            if (used.users.empty() || used.users.back() != binding)
                used.users.push_back(binding);
            ++used.uses;
        }
        if (const Loop* loop = binding->as<Loop>()) {
            Index::Entry& iteration = index.entries[loop->iteration.var.id];
            iteration.param = &loop->iteration;
            iteration.block = loop->body.get();
            indexParams(index, loop->carried, loop->body.get());
        } else if (const Match* match = binding->as<Match>()) {
            for (const MatchArm& arm : match->arms)
                indexParams(index, arm.fields, arm.block.get());
        } else if (const FunctionLiteral* literal = binding->as<FunctionLiteral>()) {
            indexParams(index, literal->function->params, literal->function->body.get());
        }
        for (const BlockPtr& nested : blocksOf(binding->rhs))
            indexBlock(index, *nested);
    }
    ++index.entries[block.result.id].uses;
}

} // namespace

Index::Index(const Function& function) {
    indexParams(*this, function.params, function.body.get());
    indexBlock(*this, *function.body);
}

const Index::Entry* Index::find(Var var) const {
    auto found = entries.find(var.id);
    return found == entries.end() ? nullptr : &found->second;
}

// ---- rewriting ----------------------------------------------------------------------------------------------------

Var Rewriter::replaced(Var var) const {
    for (auto found = map.find(var.id); found != map.end(); found = map.find(var.id))
        var = found->second;
    return var;
}

BlockPtr rewriteBlock(const BlockPtr& block, Rewriter& rewriter, const BindingFn& fn) {
    auto result = std::make_shared<Block>();
    result->bindings.reserve(block->bindings.size());
    bool changed = false;
    for (const BindingPtr& binding : block->bindings) {
        BindingPtr current = withOperands(
            binding, [&](Var var) { return rewriter.replaced(var); },
            [&](const BlockPtr& nested) { return rewriteBlock(nested, rewriter, fn); });
        std::vector<BindingPtr> placed = fn(current, rewriter);
        changed |= placed.size() != 1 || placed.front() != binding;
        std::ranges::move(placed, std::back_inserter(result->bindings));
    }
    result->result = rewriter.replaced(block->result);
    if (!changed && result->result == block->result)
        return block;
    return result;
}

} // namespace lathe::relay
