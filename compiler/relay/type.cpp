// SPDX-License-Identifier: Apache-2.0
//
// Types of the graph IR: making, comparing, text.
#include "relay/ir.h"

#include "arith/analysis.h"
#include "relay/type_map.h"

#include <fmt/format.h>

namespace lathe::relay {
namespace {

template <class T>
Type makeType(T value) {
    return std::make_shared<TypeNode>(TypeNode{std::move(value)});
}

bool sameTypes(const std::vector<Type>& a, const std::vector<Type>& b) {
    if (a.size() != b.size())
        return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (!sameType(a[i], b[i]))
            return false;
    return true;
}

bool sameTensor(const TensorType& a, const TensorType& b) {
    if (a.dtype != b.dtype || a.shape.size() != b.shape.size() || !sameLayout(a.layout, b.layout))
        return false;
    for (size_t i = 0; i < a.shape.size(); ++i)
        if (!a.shape[i].same(b.shape[i]) && !arith::provablyEqual(a.shape[i], b.shape[i]))
            return false;
    return true;
}

void printTypes(std::string& out, const std::vector<Type>& types, const arith::Names& names) {
    for (size_t i = 0; i < types.size(); ++i) {
        out += i == 0 ? "" : ", ";
        printType(out, types[i], names);
    }
}

} // namespace

Expr anyDim() {
    return Expr(-1);
}

bool isAny(const Expr& dim) {
    return arith::isConst(dim, -1);
}

Type tensorType(DataType dtype, std::vector<Expr> shape, LayoutPtr layout) {
    return makeType(TensorType{dtype, std::move(shape), std::move(layout)});
}

Type tupleType(std::vector<Type> fields) {
    return makeType(TupleType{std::move(fields)});
}

Type dataType(std::string name, std::vector<Type> args) {
    return makeType(DataTypeRef{std::move(name), std::move(args)});
}

const DataTypeRef* asDataType(const Type& type) {
    return type ? std::get_if<DataTypeRef>(&type->value) : nullptr;
}

const TensorType* asTensor(const Type& type) {
    return type ? std::get_if<TensorType>(&type->value) : nullptr;
}

const TupleType* asTuple(const Type& type) {
    return type ? std::get_if<TupleType>(&type->value) : nullptr;
}

std::vector<Type> fieldTypes(const Type& type) {
    const TupleType* tuple = asTuple(type);
    return tuple ? tuple->fields : std::vector<Type>{type};
}

bool sameLayout(const LayoutPtr& a, const LayoutPtr& b) {
    return a == b || (a && b && *a == *b);
}

bool sameType(const Type& a, const Type& b) {
    if (a == b)
        return true;
    if (!a || !b || a->value.index() != b->value.index())
        return false;
    if (const TensorType* tensor = asTensor(a))
        return sameTensor(*tensor, *asTensor(b));
    if (const TupleType* tuple = asTuple(a))
        return sameTypes(tuple->fields, asTuple(b)->fields);
    if (auto* function = std::get_if<FunctionType>(&a->value)) {
        auto& other = std::get<FunctionType>(b->value);
        return sameTypes(function->params, other.params) && sameType(function->result, other.result);
    }
    auto &left = std::get<DataTypeRef>(a->value), &right = std::get<DataTypeRef>(b->value);
    return left.name == right.name && sameTypes(left.args, right.args);
}

std::string layoutText(const Layout& layout) {
    std::string text;
    for (size_t i = 0; i < layout.axes.size(); ++i) {
        const Layout::Axis& axis = layout.axes[i];
        text += i == 0 ? "" : ", ";
        if (axis.factor == 0)
            text += fmt::format("{}", axis.dim);
        else
            text += fmt::format("{}{}{}", axis.dim, axis.outer ? '/' : '%', axis.factor);
    }
    return text;
}

void printType(std::string& out, const Type& type, const arith::Names& names) {
    if (!type) {
        out += '?';
    } else if (const TensorType* tensor = asTensor(type)) {
        out += toString(tensor->dtype) + "[";
        for (size_t i = 0; i < tensor->shape.size(); ++i) {
            out += i == 0 ? "" : ", ";
            if (isAny(tensor->shape[i]))
                out += '?';
            else
                arith::print(out, tensor->shape[i], names);
        }
        out += (tensor->layout ? "; " + layoutText(*tensor->layout) : "") + "]";
    } else if (const TupleType* tuple = asTuple(type)) {
        out += '(';
        printTypes(out, tuple->fields, names);
        out += tuple->fields.size() == 1 ? ",)" : ")";
    } else if (auto* function = std::get_if<FunctionType>(&type->value)) {
        out += "fn(";
        printTypes(out, function->params, names);
        out += ") -> ";
        printType(out, function->result, names);
    } else {
        const auto& reference = std::get<DataTypeRef>(type->value);
        out += reference.name;
        if (!reference.args.empty()) {
            out += '(';
            printTypes(out, reference.args, names);
            out += ')';
        }
    }
}

std::string toString(const Type& type) {
    static const arith::Names plain{[](const Expr& var) { return var->name; },
                                    [](const arith::StoragePtr& storage) { return storage->name; }};
    std::string out;
    printType(out, type, plain);
    return out;
}

std::string text(const std::vector<Expr>& shape) {
    std::string result = "[";
    for (size_t i = 0; i < shape.size(); ++i)
        result += (i == 0 ? "" : ",") + (isAny(shape[i]) ? "?" : arith::sizeText(shape[i]));
    return result + "]";
}

} // namespace lathe::relay
