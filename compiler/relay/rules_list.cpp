// SPDX-License-Identifier: Apache-2.0
//
// Type rules of the operators on lists and optionals. What a list holds is known up to dims that each element has of its
// own: what is taken out of it has fresh symbols there.
#include "relay/rule_families.h"

#include "base/limits.h"
#include "relay/data_types.h"
#include "relay/type_map.h"

#include <fmt/format.h>

namespace lathe::relay::rules {
namespace {

Result<Type> listArg(RuleContext& context, bool optionals) {
    const Type& type = context.args()[0];
    if (isList(type) || (optionals && isOptional(type)))
        return type;
    return failure(fmt::format("operand 1 is {}, not a list", type ? toString(type) : "missing"));
}

Result<void> checkPlace(RuleContext& context) {
    LATHE_TRY(const TensorType* place, tensorArg(context, 1, 0));
    if (place->dtype != types::Int64)
        return failure(fmt::format("operand 2 is {}, not int64", toString(place->dtype)));
    return {};
}

Result<Type> elementArg(RuleContext& context, bool optionals) {
    LATHE_TRY(const Type list, listArg(context, optionals));
    const Type element = elementOf(list);
    if (!element)
        return failure(ErrorKind::Unsupported,
                       fmt::format("operand 1 is {}, of whose elements no type is known", toString(list)),
                       "declare the type of the sequence's elements, their rank included");
    return element;
}

} // namespace

Result<Type> listLength(Op, RuleContext& context) {
    LATHE_CHECKED(listArg(context, true));
    return tensorType(types::Int64, {});
}

Result<Type> listGet(Op, RuleContext& context) {
    LATHE_TRY(const Type element, elementArg(context, true));
    LATHE_CHECKED(checkPlace(context));
    return opened(element, [&] { return context.freshSymbol("element", 0, limits::tensorElements); });
}

Result<Type> listInsert(Op, RuleContext& context) {
    LATHE_TRY(const Type list, listArg(context, false));
    LATHE_CHECKED(checkPlace(context));
    const Type& added = context.args()[2];
    if (!added)
        return failure("operand 3 is missing");
    const Type held = elementOf(list), own = withoutLayout(added);
    LATHE_TRY(Type element, joinedElement(held ? held : own, own));
    return dataType("List", {std::move(element)});
}

Result<Type> listErase(Op, RuleContext& context) {
    LATHE_CHECKED(checkPlace(context));
    return listArg(context, false);
}

Result<Type> listJoin(Op op, RuleContext& context) {
    LATHE_TRY(const Type element, elementArg(context, false));
    const TensorType* tensor = asTensor(element);
    if (!tensor)
        return failure(fmt::format("operand 1 holds {}, not tensors", toString(element)));
    const auto fresh = [&](const char* hint) { return context.freshSymbol(hint, 0, limits::tensorElements); };
    const Type one = opened(element, [&] { return fresh("element"); });
    std::vector<Expr> shape = asTensor(one)->shape;
    const int64_t axis = attrs<AxisAttrs>(context.attrs()).axis;
    const bool stacks = op == Op::ListStack;
    LATHE_CHECKED(checkAxis(axis, static_cast<int64_t>(shape.size()) + (stacks ? 1 : 0)));
    if (stacks)
        shape.insert(shape.begin() + axis, fresh("stacked"));
    else
        shape[static_cast<size_t>(axis)] = fresh("joined");
    return tensorType(tensor->dtype, std::move(shape));
}

} // namespace lathe::relay::rules
