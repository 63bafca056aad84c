// SPDX-License-Identifier: Apache-2.0
//
// How values get in and out of the nested scopes of `if` and `loop`; `if`.
#include "lower/entry_builder.h"
#include "lower/sizes.h"

#include <algorithm>

namespace lathe::lower {

using relay::asTensor;
using tir::makeStmt;

Expr addressAfter(const tir::BufferPtr& slot, const Expr& address, const std::string& name, EntryScope& scope) {
    return slot ? Expr(scope.let(name, load(slot))) : address;
}

EntryValue resultValue(const relay::Type& type, std::vector<EntryValue> fields) {
    if (relay::asTuple(type))
        return {std::move(fields), true, {}, {}};
    return std::move(fields.at(0));
}

Expr EntryBuilder::loadScalar(const EntryValue& value, const std::string& name, EntryScope& scope) {
    tir::BufferPtr view = tir::makeBuffer(name + "_at", value.type.dtype, {Expr(1)});
    scope.bind(view, value.address);
    return scope.let(name, load(view));
}

std::vector<Handover> EntryBuilder::prepare(const relay::Binding& binding, const std::vector<relay::Type>& fields,
                                            EntryScope& scope, std::vector<Expr>& owned) {
    std::vector<Handover> result;
    std::set<const arith::ExprNode*> taken;
    for (const relay::Type& field : fields) {
        Handover handover{*asTensor(field), false, {}, nullptr, -1, {}};
        if (defined(handover.type)) {
            checkSizes(handover.type, binding.span, scope);
            handover.address = scope.allocate(bytesOf(handover.type), {BufferUse::Kind::Control, {}, binding.span});
            owned.push_back(handover.address);
        } else {
            handover.byAddress = true;
            handover.slot = scope.local("address", types::Handle);
            for (const Expr& dim : handover.type.shape)
                for (const arith::Var& var : arith::freeVars(dim))
                    if (!defined(var) && taken.insert(var.get()).second)
                        handover.dims.emplace_back(var, scope.local(var->name + "_slot", types::Int64));
        }
        result.push_back(std::move(handover));
    }
    return result;
}

void EntryBuilder::handOver(const std::vector<Handover>& handovers, const std::vector<EntryValue>& values,
                            EntryScope& scope) {
    for (size_t i = 0; i < handovers.size(); ++i) {
        const Handover& to = handovers[i];
        const EntryValue& from = values[i];
        if (!to.byAddress) {
            if (!to.address.same(from.address))
                scope.add(copyBytes(to.address, from.address, bytesOf(to.type)));
            continue;
        }
        store(to.slot, from.address, scope);
        for (const auto& [symbol, slot] : to.dims)
            for (size_t axis = 0; axis < to.type.shape.size(); ++axis)
                if (to.type.shape[axis].same(symbol))
                    store(slot, arith::cast(from.type.shape[axis], types::Int64), scope);
    }
}

std::vector<EntryValue> EntryBuilder::receive(const std::vector<Handover>& handovers, EntryScope& scope) {
    std::vector<EntryValue> values;
    bool symbols = false;
    for (const Handover& handover : handovers) {
        for (const auto& [symbol, slot] : handover.dims) {
            scope.define(symbol, arith::cast(load(slot), types::Index));
            define(symbol);
            symbols = true;
        }
        values.push_back({{}, false, handover.type, addressAfter(handover.slot, handover.address, "value", scope)});
    }
    if (symbols)
        scope.newSegment();
    return values;
}

Destinations EntryBuilder::destinationsFor(const relay::Block& block, const std::vector<Handover>& handovers) const {
    Destinations result;
    std::vector<relay::Var> vars = {block.result};
    for (const relay::BindingPtr& binding : block.bindings)
        if (binding->var == block.result)
            if (const auto* tuple = binding->as<relay::MakeTuple>())
                vars = tuple->fields;
    if (vars.size() != handovers.size())
        return result;
    for (const relay::BindingPtr& binding : block.bindings) {
        const auto* call = binding->as<relay::FunctionCall>();
        if (!call || relay::asTuple(binding->type) || isView(*binding))
            continue;
        auto it = std::find(vars.begin(), vars.end(), binding->var);
        if (it != vars.end() && std::count(vars.begin(), vars.end(), binding->var) == 1 &&
            !handovers[static_cast<size_t>(it - vars.begin())].byAddress)
            result[binding->var.id] = handovers[static_cast<size_t>(it - vars.begin())].address;
    }
    return result;
}

Result<void> EntryBuilder::lowerIf(const relay::Binding& binding, const relay::If& branch, EntryScope& scope,
                                   std::vector<Expr>& owned) {
    Expr condition = loadScalar(values_.at(branch.condition.id), "condition", scope);
    std::vector<Handover> handovers = prepare(binding, relay::fieldTypes(binding.type), scope, owned);
    const bool kept = std::ranges::any_of(handovers, &Handover::byAddress);
    std::vector<tir::Stmt> cases;
    Expr most = 0;
    std::vector<PlacedBuffer> buffers;
    for (const relay::BlockPtr& block : {branch.thenBlock, branch.elseBlock}) {
        EntryScope nested(kept, calls_);
        auto before = defined_;
        ++depth_;
        LATHE_CHECKED(lowerBlock(*block, nested, destinationsFor(*block, handovers)));
        --depth_;
        handOver(handovers, fieldsOf(values_.at(block->result.id)), nested);
        defined_ = std::move(before);
        auto [stmt, peak, placed] = nested.finish();
        std::ranges::move(placed, std::back_inserter(buffers));
        most = most && peak ? arith::simplify(arith::max(most, peak)) : Expr();
        cases.push_back(stmt);
    }
    scope.nested(most, std::move(buffers), kept);
    Expr holds = condition.dtype().isBool() ? condition : arith::ne(condition, arith::zero(condition.dtype()));
    if (!cases[0])
        cases[0] = evaluate(arith::intImm(0));
    scope.add(makeStmt(tir::If{holds, cases[0], cases[1]}, -1));
    values_[binding.var.id] = resultValue(binding.type, receive(handovers, scope));
    return {};
}

} // namespace lathe::lower
