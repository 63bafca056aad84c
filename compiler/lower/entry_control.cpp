// SPDX-License-Identifier: Apache-2.0
//
// How values get in and out of the nested scopes of `if` and `loop`; `if`.
#include "lower/entry_builder.h"
#include "lower/sizes.h"

#include <algorithm>
#include <utility>

namespace lathe::lower {

using relay::asTensor;
using tir::makeStmt;

Expr addressAfter(const tir::BufferPtr& slot, const Expr& address, const std::string& name, EntryScope& scope) {
    return slot ? Expr(scope.let(name, load(slot))) : address;
}

EntryValue objectValue(const relay::Type& type, const Expr& object) {
    return {{}, false, {}, object, type};
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
                                            EntryScope& scope, Owned& owned) {
    std::vector<Handover> result;
    std::set<const arith::ExprNode*> taken;
    for (const relay::Type& field : fields) {
        Handover handover;
        if (relay::asDataType(field)) {
            handover.object = field;
            handover.slot = scope.local("object", types::Handle);
            result.push_back(std::move(handover));
            continue;
        }
        handover.type = *asTensor(field);
        if (defined(handover.type)) {
            checkSizes(handover.type, binding.span, scope);
            handover.address = scope.allocate(bytesOf(handover.type), {BufferUse::Kind::Control, {}, binding.span});
            owned.places.push_back(handover.address);
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
                            EntryScope& scope, Owned& owned, model::Span span) {
    for (size_t i = 0; i < handovers.size(); ++i) {
        const Handover& to = handovers[i];
        const EntryValue& from = values[i];
        if (to.object || to.boxed) {
            store(to.slot, reference(from, owned, span, scope), scope);
            continue;
        }
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

std::vector<EntryValue> EntryBuilder::receive(const std::vector<Handover>& handovers, EntryScope& scope,
                                              std::vector<Expr>& objects) {
    std::vector<EntryValue> values;
    bool symbols = false;
    for (const Handover& handover : handovers) {
        if (handover.object) {
            objects.push_back(scope.let("object", load(handover.slot)));
            values.push_back(objectValue(handover.object, objects.back()));
            continue;
        }
        if (handover.boxed) {
            const Expr object = scope.let("object", load(handover.slot));
            objects.push_back(object);
            const TensorType& type = handover.type;
            values.push_back(
                unpacked(relay::tensorType(type.dtype, type.shape, type.layout), object, {}, scope, objects));
            continue;
        }
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

Result<void> EntryBuilder::lowerCases(const relay::Binding& binding, const std::vector<Case>& cases, EntryScope& scope,
                                      Owned& owned) {
    const std::vector<Handover> handovers = prepare(binding, relay::fieldTypes(binding.type), scope, owned);
    const bool kept = std::ranges::any_of(handovers, &Handover::byAddress);
    // What ends here ends in each way that it may go, so that it can be changed in place there.
    const std::vector<Expr> handedOn = std::exchange(owned.ending, {});
    std::vector<tir::Stmt> statements;
    Expr most = 0;
    std::vector<PlacedBuffer> buffers;
    for (const Case& each : cases) {
        EntryScope nested(kept, calls_);
        auto before = defined_;
        ++depth_;
        std::vector<Expr> given = handedOn;
        if (each.begin)
            LATHE_CHECKED(each.begin(nested, given));
        LATHE_TRY(Owned left, lowerBlock(*each.block, nested, destinationsFor(*each.block, handovers), given));
        --depth_;
        std::vector<EntryValue> values = fieldsOf(values_.at(each.block->result.id));
        for (size_t i = 0; i < values.size(); ++i)
            if (handovers[i].byAddress && values[i].holder)
                values[i].address = copied(values[i], binding.span, nested);
        handOver(handovers, values, nested, left, binding.span);
        releaseAll(left.ending, nested);
        defined_ = std::move(before);
        auto [stmt, peak, placed] = nested.finish();
        std::ranges::move(placed, std::back_inserter(buffers));
        most = most && peak ? arith::simplify(arith::max(most, peak)) : Expr();
        statements.push_back(stmt);
    }
    scope.nested(most, std::move(buffers), kept);
    tir::Stmt all = statements.back();
    for (size_t i = cases.size() - 1; i-- > 0;) {
        const tir::Stmt taken = statements[i] ? statements[i] : evaluate(arith::intImm(0));
        all = makeStmt(tir::If{cases[i].holds, taken, all}, -1);
    }
    if (all)
        scope.add(std::move(all));
    values_[binding.var.id] = resultValue(binding.type, receive(handovers, scope, owned.objects));
    return {};
}

Expr EntryBuilder::copied(const EntryValue& value, model::Span span, EntryScope& scope) {
    scope.newSegment(); // its size may have been found in this one
    const Expr address = scope.allocate(bytesOf(value.type), {BufferUse::Kind::Control, {}, span});
    scope.add(copyBytes(address, value.address, bytesOf(value.type)));
    return address;
}

Result<void> EntryBuilder::lowerIf(const relay::Binding& binding, const relay::If& branch, EntryScope& scope,
                                   Owned& owned) {
    const Expr condition = loadScalar(values_.at(branch.condition.id), "condition", scope);
    const Expr holds = condition.dtype().isBool() ? condition : arith::ne(condition, arith::zero(condition.dtype()));
    return lowerCases(binding, {{holds, branch.thenBlock.get()}, {{}, branch.elseBlock.get()}}, scope, owned);
}

} // namespace lathe::lower
