// SPDX-License-Identifier: Apache-2.0
//
// `loop` in the entry: what it carries from one iteration to the next, and the stacks that it makes.
#include "abi/abi.h"
#include "lower/entry_builder.h"
#include "lower/sizes.h"

#include <algorithm>
#include <iterator>

namespace lathe::lower {

using relay::asTensor;

Result<std::vector<Scan>> EntryBuilder::prepareScans(const relay::Binding& binding, std::span<const relay::Type> types,
                                                     EntryScope& scope, Owned& owned) {
    std::vector<Scan> scans;
    for (const relay::Type& stack : types) {
        Scan scan{*asTensor(stack), {}, {}, -1};
        scan.slice = scan.type;
        scan.slice.shape.erase(scan.slice.shape.begin());
        if (!defined(scan.slice) || (stack_ && !defined(scan.type))) {
            scan.list = scope.local("slices", types::Handle);
            const Expr none = rtCall(LATHE_FN_OBJECT_LIST, {arith::intImm(0, types::Int32)}, types::Handle);
            store(scan.list, newObject("list", none, binding.span, scope), scope);
            scans.push_back(std::move(scan));
            continue;
        }
        checkSizes(scan.slice, binding.span, scope);
        if (defined(scan.type)) {
            checkSizes(scan.type, binding.span, scope);
            scan.address = scope.allocate(bytesOf(scan.type), {BufferUse::Kind::Control, {}, binding.span});
            owned.places.push_back(scan.address);
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
    if (scan.list) {
        Owned nothing;
        const Expr added = reference(slice, nothing, span, body);
        const Expr longer = rtCall(LATHE_FN_OBJECT_INSERT, {load(scan.list), step, added}, types::Handle);
        store(scan.list, newObject("list", longer, span, body), body);
        return;
    }
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
                               std::vector<EntryValue> next, const Expr& step, model::Span span, EntryScope& body,
                               Owned& owned) {
    const auto isOverwritten = [&](size_t i, size_t j) { // what is by address moves before that
        return i != j && carried[j].address && !carried[i].byAddress && next[i].address.same(current[j].address);
    };
    for (size_t i = 0; i < carried.size(); ++i)
        for (size_t j = 0; j < carried.size(); ++j)
            if (isOverwritten(i, j)) {
                const Expr bytes = bytesOf(carried[j].type); // of which a view has no more
                Expr aside = body.allocate(bytes, {BufferUse::Kind::Control, {}, span});
                body.add(copyBytes(aside, next[i].address, bytes));
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
    handOver(carried, next, body, owned, span);
}

Result<LoopState> EntryBuilder::prepareLoop(const relay::Binding& binding, const relay::Loop& loop, EntryScope& scope,
                                            Owned& owned) {
    LoopState state;
    std::vector<relay::Type> carriedTypes;
    for (const relay::Param& param : loop.carried)
        carriedTypes.push_back(param.type);
    state.carried = prepare(binding, carriedTypes, scope, owned);
    for (Handover& handover : state.carried)
        if (handover.byAddress && stack_) {
            handover.byAddress = false;
            handover.boxed = true;
        } else if (handover.byAddress) {
            handover.kept = kept_;
            kept_ += 2;
        }
    std::vector<EntryValue> initial;
    for (relay::Var var : loop.init)
        initial.push_back(values_.at(var.id));
    // What the body reads beside the carried value must not be changed in place by it.
    std::vector<Expr> readInside;
    std::ranges::copy_if(owned.ending, std::back_inserter(readInside),
                         [&](const Expr& object) { return reads(*loop.body, object); });
    std::erase_if(owned.ending, [&](const Expr& object) {
        return std::ranges::any_of(readInside, [&](const Expr& other) { return other.same(object); });
    });
    handOver(state.carried, initial, scope, owned, binding.span);
    owned.ending.insert(owned.ending.end(), readInside.begin(), readInside.end());
    if (loop.tripCount)
        state.trips = scope.let(
            "trips", arith::cast(loadScalar(values_.at(loop.tripCount.id), "trip_count", scope), types::Index));
    state.going = scope.local("going", types::Bool);
    state.iteration = scope.local("iteration", types::Int64);
    store(state.going,
          loop.condition ? loadScalar(values_.at(loop.condition.id), "condition", scope) : arith::boolImm(true), scope);
    store(state.iteration, arith::intImm(0, types::Int64), scope);
    const std::vector<relay::Type> results = relay::fieldTypes(binding.type);
    LATHE_TRY(state.scans, prepareScans(binding, std::span(results).subspan(loop.carried.size()), scope, owned));
    return state;
}

Result<EntryScope::Finished> EntryBuilder::lowerBody(const relay::Binding& binding, const relay::Loop& loop,
                                                     const LoopState& state) {
    EntryScope body(false, calls_);
    auto before = defined_;
    ++depth_;
    std::vector<Expr> given;
    const std::vector<EntryValue> current = receive(state.carried, body, given);
    for (size_t i = 0; i < current.size(); ++i)
        values_[loop.carried[i].var.id] = current[i];
    const arith::Var step = body.let("step", arith::cast(load(state.iteration), types::Index));
    const Expr stepAddress = arith::call(arith::Intrinsic::AddressOf, {load(state.iteration)}, types::Handle);
    values_[loop.iteration.var.id] = {{}, false, *asTensor(loop.iteration.type), stepAddress};
    LATHE_TRY(Owned left, lowerBlock(*loop.body, body, {}, given));
    // The body's results: whether to go on, the carried values, the slices.
    const std::vector<EntryValue> results = fieldsOf(values_.at(loop.body->result.id));
    const auto firstCarried = results.begin() + (loop.condition ? 1 : 0);
    const auto firstSlice = firstCarried + std::ssize(current);
    for (size_t i = 0; i < state.scans.size(); ++i)
        appendSlice(state.scans[i], firstSlice[static_cast<ptrdiff_t>(i)], step, binding.span, body);
    if (loop.condition)
        store(state.going, loadScalar(results.front(), "next", body), body);
    moveCarried(state.carried, current, {firstCarried, firstSlice}, step, binding.span, body, left);
    releaseAll(left.ending, body);
    store(state.iteration, load(state.iteration) + arith::intImm(1, types::Int64), body);
    --depth_;
    defined_ = std::move(before);
    return body.finish();
}

EntryValue EntryBuilder::stackOf(const Scan& scan, model::Span span, EntryScope& scope, Owned& owned) {
    const Expr list = scope.let("list", load(scan.list));
    const auto number = [](int64_t value) { return arith::intImm(value, types::Int32); };
    const Expr count =
        scope.let("count", rtCall(LATHE_FN_OBJECT_EXTENT, {list, number(0), number(LATHE_EXTENT_COUNT)}, types::Index));
    check(scope, arith::ge(count, Expr(0)), tir::CheckKind::ShapeMismatch,
          "a loop's scan output has a size that changes from one iteration to the next", span);
    std::vector<Expr> actual = {count};
    for (size_t axis = 1; axis < scan.type.shape.size(); ++axis)
        actual.push_back(scope.let("dim", firstDim(list, static_cast<int64_t>(axis) - 1)));
    defineDims(scan.type, actual, scope);
    for (size_t axis = 0; axis < scan.type.shape.size(); ++axis) // those that were known before
        check(scope, arith::logicalOr(arith::eq(count, Expr(0)), arith::eq(actual[axis], scan.type.shape[axis])),
              tir::CheckKind::ShapeMismatch, "a loop's scan output has another size than it must have", span);
    checkSizes(scan.type, span, scope);
    scope.newSegment();
    const Expr address = scope.allocate(bytesOf(scan.type), {BufferUse::Kind::Control, {}, span});
    owned.places.push_back(address);
    join(list, 0, true, scan.type, address, scope);
    scope.add(evaluate(rtCall(LATHE_FN_OBJECT_RELEASE, {list}, types::Void)));
    return {{}, false, scan.type, address};
}

std::vector<EntryValue> EntryBuilder::loopResults(const relay::Binding& binding, const LoopState& state,
                                                  EntryScope& scope, Owned& owned) {
    const std::vector<relay::Type> resultTypes = relay::fieldTypes(binding.type);
    std::vector<EntryValue> fields;
    for (const Handover& carried : state.carried) {
        if (carried.object) {
            owned.objects.push_back(scope.let("object", load(carried.slot)));
            fields.push_back(objectValue(carried.object, owned.objects.back()));
            continue;
        }
        if (carried.boxed) {
            const Expr object = scope.let("object", load(carried.slot));
            owned.objects.push_back(object);
            fields.push_back(unpacked(resultTypes[fields.size()], object, binding.span, scope, owned.objects));
            continue;
        }
        const TensorType& type = *asTensor(resultTypes[fields.size()]);
        arith::VarMap last;
        for (const auto& [symbol, slot] : carried.dims)
            last[symbol.get()] = arith::cast(load(slot), types::Index);
        std::vector<Expr> actual;
        for (const Expr& dim : carried.type.shape)
            actual.push_back(arith::substitute(dim, last));
        defineDims(type, actual, scope);
        fields.push_back({{}, false, type, addressAfter(carried.slot, carried.address, "last", scope)});
    }
    for (const Scan& scan : state.scans) {
        if (scan.list) {
            fields.push_back(stackOf(scan, binding.span, scope, owned));
            continue;
        }
        std::vector<Expr> actual = scan.type.shape;
        actual[0] = arith::cast(load(state.iteration), types::Index);
        defineDims(scan.type, actual, scope);
        const Expr address =
            scan.kept < 0 ? scan.address
                          : keep(arith::intImm(scan.kept, types::Int32), bytesOf(scan.type), binding.span, scope);
        fields.push_back({{}, false, scan.type, address});
    }
    return fields;
}

Result<void> EntryBuilder::lowerLoop(const relay::Binding& binding, const relay::Loop& loop, EntryScope& scope,
                                     Owned& owned) {
    LATHE_TRY(const LoopState state, prepareLoop(binding, loop, scope, owned));
    LATHE_TRY(EntryScope::Finished body, lowerBody(binding, loop, state));
    // How large what grows gets, only running tells.
    scope.nested(state.grows() ? Expr() : body.peak, std::move(body.buffers), false);
    Expr condition = load(state.going);
    if (state.trips)
        condition =
            arith::logicalAnd(condition, arith::lt(arith::cast(load(state.iteration), types::Index), state.trips));
    scope.add(tir::makeStmt(tir::While{condition, body.stmt}, -1));
    values_[binding.var.id] = resultValue(binding.type, loopResults(binding, state, scope, owned));
    return {};
}

} // namespace lathe::lower
