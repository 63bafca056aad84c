// SPDX-License-Identifier: Apache-2.0
//
// Replacing and matching the symbols of types.
#include "relay/type_map.h"

#include "arith/analysis.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {

void unify(const Type& declared, const Type& actual, arith::VarMap& map) {
    if (!declared || !actual || declared->value.index() != actual->value.index())
        return;
    auto all = [&](const std::vector<Type>& left, const std::vector<Type>& right) {
        for (size_t i = 0; i < left.size() && i < right.size(); ++i)
            unify(left[i], right[i], map);
    };
    if (const TensorType* tensor = asTensor(declared)) {
        const TensorType& other = *asTensor(actual);
        for (size_t i = 0; i < tensor->shape.size() && i < other.shape.size(); ++i)
            if (tensor->shape[i].kind() == arith::ExprKind::Var)
                map.try_emplace(tensor->shape[i].get(), other.shape[i]);
    } else if (const TupleType* tuple = asTuple(declared)) {
        all(tuple->fields, asTuple(actual)->fields);
    } else if (auto* reference = std::get_if<DataTypeRef>(&declared->value)) {
        all(reference->args, std::get<DataTypeRef>(actual->value).args);
    } else {
        const auto &left = std::get<FunctionType>(declared->value), &right = std::get<FunctionType>(actual->value);
        all(left.params, right.params);
        unify(left.result, right.result, map);
    }
}

Type instantiate(const Type& type, const arith::VarMap& map) {
    if (map.empty() || !type)
        return type;
    bool changed = false;
    auto one = [&](const Type& part) {
        Type result = instantiate(part, map);
        changed |= result != part;
        return result;
    };
    auto all = [&](const std::vector<Type>& list) {
        std::vector<Type> result;
        for (const Type& element : list)
            result.push_back(one(element));
        return result;
    };
    Type result;
    if (const TensorType* tensor = asTensor(type)) {
        std::vector<Expr> shape;
        for (const Expr& dim : tensor->shape) {
            Expr replaced = arith::isConst(dim) ? dim : arith::substitute(dim, map);
            if (!replaced.same(dim)) {
                changed = true;
                replaced = arith::simplify(replaced);
            }
            shape.push_back(std::move(replaced));
        }
        result = tensorType(tensor->dtype, std::move(shape), tensor->layout);
    } else if (const TupleType* tuple = asTuple(type)) {
        result = tupleType(all(tuple->fields));
    } else if (auto* function = std::get_if<FunctionType>(&type->value)) {
        std::vector<Type> params = all(function->params);
        result = std::make_shared<TypeNode>(TypeNode{FunctionType{std::move(params), one(function->result)}});
    } else {
        const auto& reference = std::get<DataTypeRef>(type->value);
        result = std::make_shared<TypeNode>(TypeNode{DataTypeRef{reference.name, all(reference.args)}});
    }
    return changed ? result : type;
}

void visitDims(const Type& type, const std::function<void(const Expr&)>& fn) {
    if (!type)
        return;
    if (const TensorType* tensor = asTensor(type)) {
        for (const Expr& dim : tensor->shape)
            fn(dim);
    } else if (const TupleType* tuple = asTuple(type)) {
        for (const Type& field : tuple->fields)
            visitDims(field, fn);
    } else if (auto* function = std::get_if<FunctionType>(&type->value)) {
        for (const Type& param : function->params)
            visitDims(param, fn);
        visitDims(function->result, fn);
    } else {
        for (const Type& arg : std::get<DataTypeRef>(type->value).args)
            visitDims(arg, fn);
    }
}

Result<Type> resultOfCall(const std::vector<Type>& params, const Type& result, const std::vector<Type>& args) {
    if (params.size() != args.size())
        return failure(fmt::format("{} arguments for {} parameters", args.size(), params.size()));
    arith::VarMap map;
    for (size_t i = 0; i < params.size(); ++i)
        unify(params[i], args[i], map);
    for (size_t i = 0; i < params.size(); ++i)
        if (!fits(args[i], instantiate(params[i], map), [](const Expr&) { return false; }, false))
            return failure(
                fmt::format("argument {} is {}, the parameter is {}", i + 1, toString(args[i]), toString(params[i])));
    return instantiate(result, map);
}

Result<void> checkLayout(const Layout& layout, size_t rank) {
    for (const Layout::Axis& axis : layout.axes) {
        if (axis.dim < 0 || static_cast<size_t>(axis.dim) >= rank)
            return failure(fmt::format("a layout names dim {} of {}", axis.dim, rank));
        if (axis.factor < 0 || axis.factor == 1 || (axis.factor == 0 && axis.outer))
            return failure(fmt::format("a layout splits dim {} by {}", axis.dim, axis.factor));
    }
    for (size_t dim = 0; dim < rank; ++dim) {
        std::vector<const Layout::Axis*> own;
        for (const Layout::Axis& axis : layout.axes)
            if (static_cast<size_t>(axis.dim) == dim)
                own.push_back(&axis);
        bool whole = own.size() == 1 && own[0]->factor == 0;
        bool split = own.size() == 2 && own[0]->factor == own[1]->factor && own[0]->factor != 0 &&
                     own[0]->outer != own[1]->outer;
        if (!whole && !split)
            return failure(fmt::format("a layout stores dim {} neither whole nor as an outer and an inner part", dim));
    }
    return {};
}

std::vector<Expr> storedShape(const std::vector<Expr>& shape, const LayoutPtr& layout) {
    if (!layout)
        return shape;
    std::vector<Expr> stored;
    for (const Layout::Axis& axis : layout->axes) {
        const Expr& dim = shape[static_cast<size_t>(axis.dim)];
        stored.push_back(axis.factor == 0 ? dim
                         : axis.outer     ? arith::simplify(arith::ceilDiv(dim, axis.factor))
                                          : Expr(axis.factor));
    }
    return stored;
}

Type withoutLayout(const Type& type) {
    if (const TensorType* tensor = asTensor(type))
        return tensor->layout ? tensorType(tensor->dtype, tensor->shape) : type;
    if (const TupleType* tuple = asTuple(type)) {
        std::vector<Type> fields;
        for (const Type& field : tuple->fields)
            fields.push_back(withoutLayout(field));
        return tupleType(std::move(fields));
    }
    return type;
}

Type opened(const Type& type, const std::function<Expr()>& fresh) {
    if (const TensorType* tensor = asTensor(type)) {
        std::vector<Expr> shape;
        for (const Expr& dim : tensor->shape)
            shape.push_back(isAny(dim) ? fresh() : dim);
        return tensorType(tensor->dtype, std::move(shape));
    }
    if (const TupleType* tuple = asTuple(type)) {
        std::vector<Type> fields;
        for (const Type& field : tuple->fields)
            fields.push_back(opened(field, fresh));
        return tupleType(std::move(fields));
    }
    return type;
}

bool isOpened(const Type& type, const Type& given) {
    if (const TensorType *tensor = asTensor(type), *other = asTensor(given); tensor && other)
        return tensor->dtype == other->dtype && !other->layout &&
               std::ranges::equal(tensor->shape, other->shape, [](const Expr& dim, const Expr& own) {
                   return isAny(dim) ? own.kind() == arith::ExprKind::Var : arith::provablyEqual(dim, own);
               });
    if (const TupleType *tuple = asTuple(type), *other = asTuple(given); tuple && other)
        return std::ranges::equal(tuple->fields, other->fields, isOpened);
    return sameType(type, given);
}

bool fits(const Type& inferred, const Type& stated, const std::function<bool(const Expr&)>& free, bool widens) {
    if (inferred == stated)
        return true;
    if (!inferred || !stated || inferred->value.index() != stated->value.index())
        return false;
    auto all = [&](const std::vector<Type>& left, const std::vector<Type>& right) {
        bool good = left.size() == right.size();
        for (size_t i = 0; good && i < left.size(); ++i)
            good = fits(left[i], right[i], free, widens);
        return good;
    };
    if (const TensorType* tensor = asTensor(inferred)) {
        const TensorType& other = *asTensor(stated);
        if (tensor->dtype != other.dtype || tensor->shape.size() != other.shape.size() ||
            !sameLayout(tensor->layout, other.layout))
            return false;
        for (size_t i = 0; i < tensor->shape.size(); ++i) {
            const Expr &x = tensor->shape[i], &y = other.shape[i];
            if (x.same(y) || isAny(y) || free(x) || (widens && y.kind() == arith::ExprKind::Var) ||
                arith::provablyEqual(x, y))
                continue;
            std::vector<arith::Var> vars = arith::freeVars(x);
            if (!std::ranges::any_of(vars, free))
                return false;
        }
        return true;
    }
    if (const TupleType* tuple = asTuple(inferred))
        return all(tuple->fields, asTuple(stated)->fields);
    if (auto* function = std::get_if<FunctionType>(&inferred->value)) {
        const auto& other = std::get<FunctionType>(stated->value);
        return all(function->params, other.params) && fits(function->result, other.result, free, widens);
    }
    const auto &left = std::get<DataTypeRef>(inferred->value), &right = std::get<DataTypeRef>(stated->value);
    widens = false;
    return left.name == right.name && (left.args.empty() || all(left.args, right.args));
}

} // namespace lathe::relay
