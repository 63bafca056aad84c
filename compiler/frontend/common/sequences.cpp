// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/sequences.h"

#include "relay/data_types.h"

#include <fmt/format.h>

namespace lathe::frontend {

using relay::Type;

namespace {

constexpr size_t mostMade = 1000; // elements of a known sequence that becomes a list

} // namespace

Type declaredType(const model::ValueType& type) {
    using Kind = model::ValueType::Kind;
    if (type.kind == Kind::Tensor) {
        if (!type.hasShape || type.dtype == types::Void)
            return nullptr;
        std::vector<Expr> shape;
        for (const model::Dim& dim : type.shape)
            shape.push_back(dim.value >= 0 ? Expr(dim.value) : relay::anyDim());
        return relay::tensorType(type.dtype, std::move(shape));
    }
    if (type.kind != Kind::Sequence && type.kind != Kind::Optional)
        return nullptr;
    const Type element = type.element ? declaredType(*type.element) : nullptr;
    return relay::dataType(type.kind == Kind::Sequence ? "List" : "Optional",
                           element ? std::vector<Type>{element} : std::vector<Type>());
}

Var listOf(Builder& b, const std::vector<Value>& values, const Type& declared) {
    if (values.size() > mostMade) {
        b.fail(fmt::format("a sequence of {} elements is used where only a run knows how, {} at most", values.size(),
                           mostMade),
               "split it, or let a loop fill it", ErrorKind::Unsupported);
        return {};
    }
    std::vector<Var> elements;
    Type element = relay::isList(declared) && values.empty() ? relay::elementOf(declared) : nullptr;
    for (const Value& value : values) {
        elements.push_back(varOf(b, value));
        if (b.failed())
            return {};
        const Type& own = b.type(elements.back());
        Result<Type> joined = relay::joinedElement(element ? element : own, own);
        if (!joined) {
            b.fail(joined.error().what, joined.error().hint, joined.error().kind);
            return {};
        }
        element = *std::move(joined);
    }
    const Type type = element ? relay::dataType("List", {element}) : nullptr;
    Var list = b.construct("List", "Nil", {}, type);
    for (size_t i = elements.size(); i-- > 0;)
        list = b.construct("List", "Cons", {elements[i], list}, type);
    return list;
}

Var varOf(Builder& b, const Value& value, const Type& declared) {
    if (value.sequence)
        return listOf(b, *value.sequence, relay::isOptional(declared) ? relay::elementOf(declared) : declared);
    if (value.none)
        return b.construct("Optional", "None", {}, relay::isOptional(declared) ? declared : nullptr);
    return value.var;
}

Var asOptional(Builder& b, Var x) {
    return b.failed() || relay::isOptional(b.type(x)) ? x : b.construct("Optional", "Some", {x});
}

Var withoutOptional(Builder& b, Var x) {
    return b.failed() || !relay::isOptional(b.type(x)) ? x : b.call(Op::ListGet, {x, b.scalarInt(0)});
}

Var varOf(Builder& b, const Value& value, bool optional, const Type& declared) {
    const Var var = varOf(b, value, declared);
    return optional ? asOptional(b, var) : withoutOptional(b, var);
}

bool isRunTimeList(Builder& b, const Value& value) {
    return value.var && !b.failed() && relay::isList(b.type(value.var));
}

bool isRunTimeOptional(Builder& b, const Value& value) {
    return value.var && !b.failed() && relay::isOptional(b.type(value.var));
}

} // namespace lathe::frontend
