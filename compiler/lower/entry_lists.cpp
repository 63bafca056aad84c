// SPDX-License-Identifier: Apache-2.0
//
// Lists, optionals and values of other data types in the entry: calls of the runtime's functions on objects, and the
// references that they take and give. An optional is a list of one element at most; a value of another data type is the list
// of its fields, with the constructor's ordinal as its tag; so is a tuple in a list.
#include "abi/abi.h"
#include "base/limits.h"
#include "lower/entry_builder.h"
#include "lower/sizes.h"
#include "relay/attrs.h"
#include "relay/data_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

using relay::asTensor;

namespace {

Expr int32(int64_t value) {
    return arith::intImm(value, types::Int32);
}

Expr elementAt(const Expr& object, const Expr& place, EntryScope& scope) {
    return scope.let("element", rtCall(LATHE_FN_OBJECT_AT, {object, place}, types::Handle));
}

Expr lengthOf(const Expr& object, EntryScope& scope) {
    return scope.let("length", rtCall(LATHE_FN_OBJECT_LENGTH, {object}, types::Index));
}

Expr dimOf(const Expr& object, int64_t axis) {
    return rtCall(LATHE_FN_OBJECT_DIM, {object, int32(axis)}, types::Index);
}

bool isListed(const relay::Type& type) {
    return relay::isList(type) || relay::isOptional(type);
}

int64_t ordinalOf(const relay::DataTypeDef& definition, const std::string& constructor) {
    const auto found = std::ranges::find(definition.constructors, constructor, &relay::Constructor::name);
    return found - definition.constructors.begin();
}

} // namespace

// ---- references

void EntryBuilder::releaseAll(std::vector<Expr>& objects, EntryScope& scope) {
    for (const Expr& object : objects)
        scope.add(evaluate(rtCall(LATHE_FN_OBJECT_RELEASE, {object}, types::Void)));
    objects.clear();
}

Expr EntryBuilder::newObject(const std::string& name, Expr made, model::Span span, EntryScope& scope) {
    hasObjects_ = true;
    const Expr object = scope.let(name, std::move(made));
    check(scope, isGiven(object), tir::CheckKind::OutOfMemory, "not enough memory for a list", span);
    return object;
}

Expr EntryBuilder::newTensor(const EntryValue& value, model::Span span, EntryScope& scope) {
    const Expr bytes = bytesOf(value.type);
    const auto rank = static_cast<int64_t>(value.type.shape.size());
    const Expr object =
        newObject("tensor", rtCall(LATHE_FN_OBJECT_TENSOR, {bytes, int32(rank)}, types::Handle), span, scope);
    for (int64_t axis = 0; axis < rank; ++axis)
        scope.add(evaluate(rtCall(LATHE_FN_OBJECT_SET_DIM,
                                  {object, int32(axis), value.type.shape[static_cast<size_t>(axis)]}, types::Void)));
    const Expr data = scope.let("data", rtCall(LATHE_FN_OBJECT_DATA, {object}, types::Handle));
    scope.add(copyBytes(data, value.address, bytes));
    return object;
}

Expr EntryBuilder::reference(const EntryValue& value, Owned& owned, model::Span span, EntryScope& scope) {
    if (value.object || value.whole) {
        const Expr object = value.object ? value.address : value.holder;
        const auto ending = std::ranges::find_if(owned.ending, [&](const Expr& each) { return each.same(object); });
        if (ending != owned.ending.end())
            owned.ending.erase(ending);
        else
            scope.add(evaluate(rtCall(LATHE_FN_OBJECT_RETAIN, {object}, types::Void)));
        return object;
    }
    if (!value.tuple)
        return newTensor(value, span, scope);
    Expr list = newObject("tuple", rtCall(LATHE_FN_OBJECT_LIST, {int32(0)}, types::Handle), span, scope);
    for (size_t i = 0; i < value.fields.size(); ++i) {
        const Expr field = reference(value.fields[i], owned, span, scope);
        list = newObject("tuple",
                         rtCall(LATHE_FN_OBJECT_INSERT, {list, Expr(static_cast<int64_t>(i)), field}, types::Handle),
                         span, scope);
    }
    return list;
}

void EntryBuilder::giveObject(const relay::Binding& binding, const Expr& object, Owned& owned) {
    owned.objects.push_back(object);
    values_[binding.var.id] = objectValue(binding.type, object);
}

void EntryBuilder::bindDim(const Expr& dim, const Expr& actual, model::Span span, EntryScope& scope) {
    if (dim.kind() == arith::ExprKind::Var && !defined(dim)) {
        const arith::Var symbol(dim.node());
        scope.define(symbol, actual);
        define(symbol);
        scope.newSegment();
        if (symbol->lower > 0 || symbol->upper < limits::tensorElements) // what kernels count on
            check(scope, arith::logicalAnd(arith::ge(symbol, symbol->lower), arith::le(symbol, symbol->upper)),
                  tir::CheckKind::ShapeMismatch,
                  fmt::format("{} is outside {} … {}", symbol->name, symbol->lower, symbol->upper), span);
    } else {
        check(scope, arith::eq(dim, actual), tir::CheckKind::ShapeMismatch,
              "a dim of what a list holds, or a function gives, is not what it must be", span);
    }
}

EntryValue EntryBuilder::unpacked(const relay::Type& type, const Expr& object, model::Span span, EntryScope& scope,
                                  std::vector<Expr>& objects) {
    if (const relay::TupleType* tuple = relay::asTuple(type)) {
        EntryValue value{{}, true, {}, {}};
        for (size_t i = 0; i < tuple->fields.size(); ++i) {
            objects.push_back(elementAt(object, Expr(static_cast<int64_t>(i)), scope));
            value.fields.push_back(unpacked(tuple->fields[i], Expr(objects.back()), span, scope, objects));
        }
        return value;
    }
    const TensorType* tensor = asTensor(type);
    if (!tensor)
        return objectValue(type, object);
    for (size_t axis = 0; axis < tensor->shape.size(); ++axis)
        if (!arith::isConst(tensor->shape[axis])) // constant ones are what the list's type says
            bindDim(tensor->shape[axis], dimOf(object, static_cast<int64_t>(axis)), span, scope);
    checkSizes(*tensor, span, scope);
    const Expr data = scope.let("data", rtCall(LATHE_FN_OBJECT_DATA, {object}, types::Handle));
    return {{}, false, *tensor, data, {}, object, true};
}

// ---- operators

Result<void> EntryBuilder::lowerListCall(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                                         const Destinations& destinations, Owned& owned) {
    hasObjects_ = true;
    switch (call.op) {
    case relay::Op::ListLength:
        lowerLength(binding, call, scope);
        break;
    case relay::Op::ListGet:
        lowerGet(binding, call, scope, owned);
        break;
    case relay::Op::ListInsert:
        lowerInsert(binding, call, scope, owned);
        break;
    case relay::Op::ListErase:
        lowerErase(binding, call, scope, owned);
        break;
    default:
        lowerJoin(binding, call, scope, destinations, owned);
    }
    return {};
}

Expr EntryBuilder::placeIn(const EntryValue& list, const EntryValue& place, bool end, model::Span span,
                           EntryScope& scope) {
    const Expr length = lengthOf(list.address, scope);
    const Expr given = scope.let("given", arith::cast(loadScalar(place, "place", scope), types::Index));
    const Expr at = scope.let("at", arith::select(arith::lt(given, Expr(0)), given + length, given));
    check(scope, arith::logicalAnd(arith::ge(at, Expr(0)), end ? arith::le(at, length) : arith::lt(at, length)),
          tir::CheckKind::IndexOutOfRange,
          relay::isOptional(list.object) ? "the optional has no value" : "a place is outside of the list", span);
    return at;
}

/// On the stack, as a loop's number of iterations.
void EntryBuilder::lowerLength(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope) {
    const tir::BufferPtr length = scope.local("length", types::Int64);
    store(length, rtCall(LATHE_FN_OBJECT_LENGTH, {values_.at(call.args[0].id).address}, types::Int64), scope);
    const Expr address = arith::call(arith::Intrinsic::AddressOf, {load(length)}, types::Handle);
    values_[binding.var.id] = {{}, false, *asTensor(binding.type), address};
}

void EntryBuilder::lowerGet(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope, Owned& owned) {
    const EntryValue list = values_.at(call.args[0].id);
    const Expr at = placeIn(list, values_.at(call.args[1].id), false, binding.span, scope);
    const Expr element = elementAt(list.address, at, scope);
    owned.objects.push_back(element);
    values_[binding.var.id] = unpacked(binding.type, element, binding.span, scope, owned.objects);
}

void EntryBuilder::lowerInsert(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                               Owned& owned) {
    const EntryValue list = values_.at(call.args[0].id), added = values_.at(call.args[2].id);
    const Expr at = placeIn(list, values_.at(call.args[1].id), true, binding.span, scope);
    const Expr element = reference(added, owned, binding.span, scope);
    const Expr before = reference(list, owned, binding.span, scope);
    giveObject(
        binding,
        newObject("list", rtCall(LATHE_FN_OBJECT_INSERT, {before, at, element}, types::Handle), binding.span, scope),
        owned);
}

void EntryBuilder::lowerErase(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                              Owned& owned) {
    const EntryValue list = values_.at(call.args[0].id);
    const Expr at = placeIn(list, values_.at(call.args[1].id), false, binding.span, scope);
    const Expr before = reference(list, owned, binding.span, scope);
    giveObject(binding,
               newObject("list", rtCall(LATHE_FN_OBJECT_ERASE, {before, at}, types::Handle), binding.span, scope),
               owned);
}

Expr EntryBuilder::firstDim(const Expr& list, int64_t axis) const {
    return rtCall(LATHE_FN_OBJECT_EXTENT, {list, int32(axis), int32(LATHE_EXTENT_FIRST)}, types::Index);
}

void EntryBuilder::join(const Expr& list, int64_t axis, bool stacks, const TensorType& type, const Expr& address,
                        EntryScope& scope) {
    scope.add(
        evaluate(rtCall(LATHE_FN_OBJECT_JOIN,
                        {list, int32(axis), int32(stacks ? 1 : 0), int32(type.dtype.bytes()), address}, types::Void)));
}

void EntryBuilder::lowerJoin(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                             const Destinations& destinations, Owned& owned) {
    const Expr list = values_.at(call.args[0].id).address;
    const TensorType& type = *asTensor(binding.type);
    const int64_t axis = relay::attrs<relay::AxisAttrs>(call.attrs).axis;
    const bool stacks = call.op == relay::Op::ListStack;
    check(scope, arith::gt(lengthOf(list, scope), Expr(0)), tir::CheckKind::InvalidValue,
          "the list is empty: it has no tensors to be joined", binding.span);
    const Expr extent = scope.let(
        "extent", rtCall(LATHE_FN_OBJECT_EXTENT,
                         {list, int32(axis), int32(stacks ? LATHE_EXTENT_COUNT : LATHE_EXTENT_SUM)}, types::Index));
    check(scope, arith::ge(extent, Expr(0)), tir::CheckKind::ShapeMismatch,
          "the tensors of the list differ in a dim along which they are not joined", binding.span);
    for (int64_t i = 0; i < static_cast<int64_t>(type.shape.size()); ++i)
        bindDim(type.shape[static_cast<size_t>(i)],
                i == axis ? extent : firstDim(list, i - (stacks && i > axis ? 1 : 0)), binding.span, scope);
    EntryValue result = makeResult(binding, scope, destinations, owned);
    join(list, axis, stacks, type, result.address, scope);
    values_[binding.var.id] = std::move(result);
}

// ---- constructors

Result<void> EntryBuilder::lowerConstruct(const relay::Binding& binding, const relay::Construct& value,
                                          EntryScope& scope, Owned& owned) {
    const relay::DataTypeDef* definition = relay::findDataType(module_, value.dataType);
    LATHE_ASSERT(definition, "the verifier knows the data type");
    const bool listed = isListed(binding.type);
    const int64_t tag = listed ? 0 : ordinalOf(*definition, value.constructor);
    const auto insert = [&](const Expr& list, size_t place, relay::Var element) {
        const Expr added = reference(EntryValue(values_.at(element.id)), owned, binding.span, scope);
        return newObject(
            "object", rtCall(LATHE_FN_OBJECT_INSERT, {list, Expr(static_cast<int64_t>(place)), added}, types::Handle),
            binding.span, scope);
    };
    if (listed && value.args.size() == 2) { // an element and the rest
        const Expr rest = reference(EntryValue(values_.at(value.args[1].id)), owned, binding.span, scope);
        giveObject(binding, insert(rest, 0, value.args[0]), owned);
        return {};
    }
    Expr object = newObject("object", rtCall(LATHE_FN_OBJECT_LIST, {int32(tag)}, types::Handle), binding.span, scope);
    for (size_t i = 0; i < value.args.size(); ++i)
        object = insert(object, i, value.args[i]);
    giveObject(binding, object, owned);
    return {};
}

void EntryBuilder::takeApart(const relay::MatchArm& arm, const EntryValue& value, bool handsOn, model::Span span,
                             EntryScope& scope, std::vector<Expr>& given) {
    const Expr& object = value.address;
    const bool hasRest = relay::isList(value.object) && arm.fields.size() == 2;
    const size_t elements = arm.fields.size() - (hasRest ? 1 : 0);
    for (size_t i = 0; i < elements; ++i) {
        const Expr element = elementAt(object, Expr(static_cast<int64_t>(i)), scope);
        given.push_back(element);
        values_[arm.fields[i].var.id] = unpacked(arm.fields[i].type, element, span, scope, given);
    }
    if (hasRest) {
        if (!handsOn)
            scope.add(evaluate(rtCall(LATHE_FN_OBJECT_RETAIN, {object}, types::Void)));
        given.push_back(
            newObject("rest", rtCall(LATHE_FN_OBJECT_ERASE, {object, Expr(0)}, types::Handle), span, scope));
        values_[arm.fields[1].var.id] = objectValue(arm.fields[1].type, given.back());
    } else if (handsOn) {
        scope.add(evaluate(rtCall(LATHE_FN_OBJECT_RELEASE, {object}, types::Void)));
    }
}

Result<void> EntryBuilder::lowerMatch(const relay::Binding& binding, const relay::Match& match, EntryScope& scope,
                                      Owned& owned) {
    hasObjects_ = true;
    const EntryValue value = values_.at(match.value.id);
    const auto ending =
        std::ranges::find_if(owned.ending, [&](const Expr& object) { return object.same(value.address); });
    const bool handsOn =
        ending != owned.ending.end() &&
        std::ranges::none_of(match.arms, [&](const relay::MatchArm& arm) { return reads(*arm.block, value.address); });
    if (handsOn)
        owned.ending.erase(ending);
    // Of a list and an optional: whether it is empty, which its first constructor makes.
    const bool listed = isListed(value.object);
    const Expr which = listed ? lengthOf(value.address, scope)
                              : Expr(scope.let("tag", rtCall(LATHE_FN_OBJECT_TAG, {value.address}, types::Index)));
    std::vector<Case> cases;
    for (size_t i = 0; i < match.arms.size(); ++i) {
        const relay::MatchArm& arm = match.arms[i];
        cases.push_back({arith::eq(which, Expr(static_cast<int64_t>(i))), arm.block.get(),
                         [this, &arm, &binding, value, handsOn](EntryScope& nested, std::vector<Expr>& given) {
                             takeApart(arm, value, handsOn, binding.span, nested, given);
                             return Result<void>();
                         }});
    }
    return lowerCases(binding, cases, scope, owned);
}

} // namespace lathe::lower
