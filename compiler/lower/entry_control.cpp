// SPDX-License-Identifier: Apache-2.0
//
// `if` and `loop` in the entry: nested scopes, how values get in and out of them, and the stacks that loops make.
#include "abi/abi.h"
#include "lower/entry_builder.h"
#include "lower/sizes.h"

#include <algorithm>

namespace lathe::lower {

using relay::asTensor;
using tir::makeStmt;

namespace {

/// Of a local place with one element.
Expr load(const tir::BufferPtr& place) {
    return arith::load(place, {Expr(0)});
}
void store(const tir::BufferPtr& place, Expr value, EntryScope& scope) {
    scope.add(makeStmt(tir::Store{place, {Expr(0)}, std::move(value), {}}, -1));
}

/// Where a value lies after the nested statement: at the address in `slot`, or if there is none, where it was put.
Expr addressAfter(const tir::BufferPtr& slot, const Expr& address, const std::string& name, EntryScope& scope) {
    return slot ? Expr(scope.let(name, load(slot))) : address;
}

EntryValue resultValue(const relay::Type& type, std::vector<EntryValue> fields) {
    if (relay::asTuple(type))
        return {std::move(fields), true, {}, {}};
    return std::move(fields.at(0));
}

} // namespace

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

Result<std::vector<Scan>> EntryBuilder::prepareScans(const relay::Binding& binding, std::span<const relay::Type> types,
                                                     EntryScope& scope, std::vector<Expr>& owned) {
    std::vector<Scan> scans;
    for (const relay::Type& stack : types) {
        Scan scan{*asTensor(stack), {}, {}, -1};
        scan.slice = scan.type;
        scan.slice.shape.erase(scan.slice.shape.begin());
        if (!defined(scan.slice))
            return refused(binding.span, "a loop's scan output has a size that changes from one iteration to the next",
                           "give it a fixed size");
        checkSizes(scan.slice, binding.span, scope);
        if (defined(scan.type)) {
            checkSizes(scan.type, binding.span, scope);
            scan.address = scope.allocate(bytesOf(scan.type), {BufferUse::Kind::Control, {}, binding.span});
            owned.push_back(scan.address);
        } else {
            scan.kept = kept_++;
        }
        scans.push_back(std::move(scan));
    }
    return scans;
}

Expr EntryBuilder::keep(const Expr& place, const Expr& bytes, model::Span span, EntryScope& scope) {
    const arith::Var kept = scope.let("kept", rtCall(LATHE_FN_KEEP, {place, bytes}, types::Handle));
    check(scope, isGiven(kept), tir::CheckKind::OutOfMemory, "not enough memory for what the loop hands on", span);
    return kept;
}

void EntryBuilder::appendSlice(const Scan& scan, const EntryValue& slice, const Expr& step, model::Span span,
                               EntryScope& body) {
    const Expr bytes = bytesOf(scan.slice);
    const Expr base = scan.kept < 0 ? scan.address
                                    : keep(arith::intImm(scan.kept, types::Int32),
                                           arith::simplify((step + Expr(1)) * bytes), span, body);
    const Expr end = arith::call(arith::Intrinsic::PtrOffset, {base, step * bytes}, types::Handle);
    body.add(copyBytes(end, slice.address, bytes));
}

void EntryBuilder::defineDims(const TensorType& type, const std::vector<Expr>& actual, EntryScope& scope) {
    for (size_t axis = 0; axis < type.shape.size(); ++axis)
        if (type.shape[axis].kind() == arith::ExprKind::Var && !defined(type.shape[axis])) {
            const arith::Var symbol(type.shape[axis].node());
            scope.define(symbol, actual[axis]);
            define(symbol);
            scope.newSegment();
        }
}

void EntryBuilder::moveCarried(const std::vector<Handover>& carried, const std::vector<EntryValue>& current,
                               std::vector<EntryValue> next, const Expr& step, model::Span span, EntryScope& body) {
    for (size_t i = 0; i < carried.size(); ++i)
        for (size_t j = 0; j < carried.size(); ++j)
            if (i != j && !carried[i].byAddress && next[i].address.same(current[j].address)) {
                Expr aside = body.allocate(bytesOf(carried[i].type), {BufferUse::Kind::Control, {}, span});
                body.add(copyBytes(aside, next[i].address, bytesOf(carried[i].type)));
                next[i].address = aside;
                break;
            }
    // The places of this turn hold nothing that is still read: what is carried now lies in those of the turn before.
    const Expr turn = arith::cast(arith::floorMod(step, Expr(2)), types::Int32);
    for (size_t i = 0; i < carried.size(); ++i) {
        if (!carried[i].byAddress || next[i].address.same(current[i].address))
            continue;
        const Expr bytes = bytesOf(next[i].type);
        const Expr place = keep(arith::intImm(carried[i].kept, types::Int32) + turn, bytes, span, body);
        body.add(copyBytes(place, next[i].address, bytes));
        next[i].address = place;
    }
    handOver(carried, next, body);
}

Result<void> EntryBuilder::lowerLoop(const relay::Binding& binding, const relay::Loop& loop, EntryScope& scope,
                                     std::vector<Expr>& owned) {
    const std::vector<relay::Type> resultTypes = relay::fieldTypes(binding.type);
    const size_t carriedCount = loop.carried.size();
    // Carried values live across iterations: in a place of the frame, or by address where their sizes change.
    std::vector<relay::Type> carriedTypes;
    for (const relay::Param& param : loop.carried)
        carriedTypes.push_back(param.type);
    std::vector<Handover> carried = prepare(binding, carriedTypes, scope, owned);
    bool growing = false;
    for (Handover& handover : carried)
        if (handover.byAddress) {
            handover.kept = kept_;
            kept_ += 2;
            growing = true;
        }
    std::vector<EntryValue> initial;
    for (relay::Var var : loop.init)
        initial.push_back(values_.at(var.id));
    handOver(carried, initial, scope);

    Expr trips; // index; null: unbounded
    if (loop.tripCount)
        trips = scope.let("trips",
                          arith::cast(loadScalar(values_.at(loop.tripCount.id), "trip_count", scope), types::Index));
    const tir::BufferPtr going = scope.local("going", types::Bool), iteration = scope.local("iteration", types::Int64);
    store(going, loop.condition ? loadScalar(values_.at(loop.condition.id), "condition", scope) : arith::boolImm(true),
          scope);
    store(iteration, arith::intImm(0, types::Int64), scope);
    LATHE_TRY(const std::vector<Scan> scans,
              prepareScans(binding, std::span(resultTypes).subspan(carriedCount), scope, owned));
    growing = growing || std::ranges::any_of(scans, [](const Scan& scan) { return scan.kept >= 0; });

    EntryScope body(false, calls_);
    auto before = defined_;
    ++depth_;
    const std::vector<EntryValue> current = receive(carried, body);
    for (size_t i = 0; i < carriedCount; ++i)
        values_[loop.carried[i].var.id] = current[i];
    const arith::Var step = body.let("step", arith::cast(load(iteration), types::Index));
    const Expr stepAddress = arith::call(arith::Intrinsic::AddressOf, {load(iteration)}, types::Handle);
    values_[loop.iteration.var.id] = {{}, false, *asTensor(loop.iteration.type), stepAddress};
    LATHE_CHECKED(lowerBlock(*loop.body, body, {}));
    // The body's results: whether to go on, the carried values, the slices.
    const std::vector<EntryValue> results = fieldsOf(values_.at(loop.body->result.id));
    const auto firstCarried = results.begin() + (loop.condition ? 1 : 0);
    const auto firstSlice = firstCarried + static_cast<ptrdiff_t>(carriedCount);
    for (size_t i = 0; i < scans.size(); ++i)
        appendSlice(scans[i], firstSlice[static_cast<ptrdiff_t>(i)], step, binding.span, body);
    if (loop.condition) {
        const EntryValue& next = results.front();
        store(going, loadScalar(next, "next", body), body);
    }
    moveCarried(carried, current, {firstCarried, firstSlice}, step, binding.span, body);
    store(iteration, load(iteration) + arith::intImm(1, types::Int64), body);
    --depth_;
    defined_ = std::move(before);
    auto [stmt, peak, placed] = body.finish();
    scope.nested(growing ? Expr() : peak, std::move(placed), false); // how large what grows gets, only running tells
    Expr condition = load(going);
    if (trips)
        condition = arith::logicalAnd(condition, arith::lt(arith::cast(load(iteration), types::Index), trips));
    scope.add(makeStmt(tir::While{condition, stmt}, -1));

    // Dims of the results: the same symbols as the carried params', or new ones that the loop defines.
    std::vector<EntryValue> fields;
    for (size_t i = 0; i < carriedCount; ++i) {
        const TensorType& type = *asTensor(resultTypes[i]);
        arith::VarMap last;
        for (const auto& [symbol, slot] : carried[i].dims)
            last[symbol.get()] = arith::cast(load(slot), types::Index);
        std::vector<Expr> actual;
        for (const Expr& dim : carried[i].type.shape)
            actual.push_back(arith::substitute(dim, last));
        defineDims(type, actual, scope);
        fields.push_back({{}, false, type, addressAfter(carried[i].slot, carried[i].address, "last", scope)});
    }
    for (const Scan& scan : scans) {
        std::vector<Expr> actual = scan.type.shape;
        actual[0] = arith::cast(load(iteration), types::Index);
        defineDims(scan.type, actual, scope);
        const Expr address =
            scan.kept < 0 ? scan.address
                          : keep(arith::intImm(scan.kept, types::Int32), bytesOf(scan.type), binding.span, scope);
        fields.push_back({{}, false, scan.type, address});
    }
    values_[binding.var.id] = resultValue(binding.type, std::move(fields));
    return {};
}

} // namespace lathe::lower
