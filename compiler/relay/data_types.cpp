// SPDX-License-Identifier: Apache-2.0
//
// Looking up data types and instantiating their constructors.
#include "relay/data_types.h"

#include "arith/analysis.h"
#include "relay/type_map.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {
namespace {

using Arguments = std::map<std::string, Type>;

Type substitute(const Type& type, const Arguments& arguments) {
    auto all = [&](const std::vector<Type>& list) {
        std::vector<Type> result;
        for (const Type& element : list)
            result.push_back(substitute(element, arguments));
        return result;
    };
    if (const TupleType* tuple = asTuple(type))
        return tupleType(all(tuple->fields));
    const auto* named = std::get_if<DataTypeRef>(&type->value);
    if (!named)
        return type;
    auto found = arguments.find(named->name);
    return found != arguments.end() && named->args.empty() ? found->second : dataType(named->name, all(named->args));
}

/// Fixes type parameters that a field names from the type of the value given for it.
void infer(const Type& field, const Type& given, const DataTypeDef& definition, Arguments& arguments) {
    const auto* named = std::get_if<DataTypeRef>(&field->value);
    if (!named)
        return;
    if (named->args.empty() && std::ranges::find(definition.params, named->name) != definition.params.end()) {
        arguments.try_emplace(named->name, given);
        return;
    }
    if (const auto* other = std::get_if<DataTypeRef>(&given->value); other && other->name == named->name)
        for (size_t i = 0; i < named->args.size() && i < other->args.size(); ++i)
            infer(named->args[i], other->args[i], definition, arguments);
}

} // namespace

const DataTypeDef* findDataType(const Module& module, const std::string& name) {
    static const DataTypeDef list{
        "List", {"T"}, {{"Nil", {}}, {"Cons", {dataType("T"), dataType("List", {dataType("T")})}}}};
    static const DataTypeDef optional{"Optional", {"T"}, {{"None", {}}, {"Some", {dataType("T")}}}};
    if (name == list.name)
        return &list;
    if (name == optional.name)
        return &optional;
    auto found = module.dataTypes.find(name);
    return found == module.dataTypes.end() ? nullptr : &found->second;
}

std::vector<Type> fieldTypes(const DataTypeDef& definition, const Constructor& constructor,
                             const DataTypeRef& instance) {
    Arguments arguments;
    for (size_t i = 0; i < definition.params.size() && i < instance.args.size(); ++i)
        arguments[definition.params[i]] = instance.args[i];
    std::vector<Type> types;
    for (const Type& field : constructor.fields)
        types.push_back(substitute(field, arguments));
    return types;
}

Result<Type> constructedType(const Module& module, const std::string& dataType, const std::string& constructor,
                             const std::vector<Type>& args, const Type& declared) {
    const DataTypeDef* definition = findDataType(module, dataType);
    if (!definition)
        return failure(fmt::format("there is no data type '{}'", dataType));
    auto found = std::ranges::find(definition->constructors, constructor, &Constructor::name);
    if (found == definition->constructors.end())
        return failure(fmt::format("'{}' has no constructor '{}'", dataType, constructor));
    if (found->fields.size() != args.size())
        return failure(fmt::format("'{}' takes {} fields, not {}", constructor, found->fields.size(), args.size()));
    Arguments arguments;
    if (const auto* instance = declared ? std::get_if<DataTypeRef>(&declared->value) : nullptr)
        for (size_t i = 0; i < definition->params.size() && i < instance->args.size(); ++i)
            arguments[definition->params[i]] = instance->args[i];
    // A List's rest knows its element type best: it has joined those before.
    for (size_t i = args.size(); i-- > 0;)
        infer(found->fields[i], args[i], *definition, arguments);
    std::vector<Type> typeArgs;
    for (const std::string& param : definition->params) {
        auto argument = arguments.find(param);
        if (argument == arguments.end() && found->fields.empty())
            return relay::dataType(dataType); // of any instance
        if (argument == arguments.end())
            return failure(fmt::format("the type of {} in '{}' is not known", param, constructor));
        typeArgs.push_back(argument->second);
    }
    return relay::dataType(dataType, std::move(typeArgs));
}

Result<Type> joinedType(const Type& a, const Type& b, const TypeJoin& how, const TypeJoin& held) {
    const auto disagree = [&] {
        // Formats allow values of one element type to have another rank each time.
        const TensorType *left = asTensor(a), *right = asTensor(b);
        const bool isAllowed = left && right && left->dtype == right->dtype;
        return failure(isAllowed ? ErrorKind::Unsupported : ErrorKind::Invalid,
                       fmt::format("types {} and {} do not agree", toString(a), toString(b)),
                       isAllowed ? how.rankHint : how.hint);
    };
    const auto all = [&](const std::vector<Type>& left, const std::vector<Type>& right) -> Result<std::vector<Type>> {
        if (left.size() != right.size())
            return disagree();
        std::vector<Type> joined;
        for (size_t i = 0; i < left.size(); ++i) {
            LATHE_TRY(Type type, joinedType(left[i], right[i], how, held));
            joined.push_back(std::move(type));
        }
        return joined;
    };
    if (!a || !b || a->value.index() != b->value.index())
        return disagree();
    if (const TensorType* left = asTensor(a)) {
        const TensorType* right = asTensor(b);
        if (left->dtype != right->dtype || left->shape.size() != right->shape.size())
            return disagree();
        std::vector<Expr> shape;
        for (size_t i = 0; i < left->shape.size(); ++i)
            shape.push_back(how.dim(left->shape[i], right->shape[i]));
        return tensorType(left->dtype, std::move(shape),
                          how.keepsLayouts && left->layout == right->layout ? left->layout : nullptr);
    }
    if (const TupleType* tuple = asTuple(a)) {
        LATHE_TRY(std::vector<Type> fields, all(tuple->fields, asTuple(b)->fields));
        return tupleType(std::move(fields));
    }
    const DataTypeRef *left = asDataType(a), *right = asDataType(b);
    if (!left)
        return sameType(a, b) ? Result<Type>(a) : disagree();
    if (&how != &held)
        return joinedType(a, b, held, held);
    if (left->name != right->name)
        return disagree();
    // One that holds nothing is of any instance.
    const std::vector<Type>& first = left->args.empty() ? right->args : left->args;
    LATHE_TRY(std::vector<Type> args, all(first, right->args.empty() ? first : right->args));
    return dataType(left->name, std::move(args));
}

TypeJoin joinOfHeld(const std::function<bool(const Expr&)>& hidden) {
    return {.dim =
                [hidden](const Expr& x, const Expr& y) {
                    return !hidden(x) && (x.same(y) || arith::provablyEqual(x, y)) ? x : anyDim();
                },
            .rankHint = "a list of tensors of several ranks is not supported; give all the same rank",
            .hint = "",
            .keepsLayouts = false};
}

Result<Type> joinedElement(const Type& a, const Type& b) {
    const TypeJoin held = joinOfHeld([](const Expr&) { return false; });
    return joinedType(a, b, held, held);
}

bool isList(const Type& type) {
    const DataTypeRef* reference = asDataType(type);
    return reference && reference->name == "List";
}

bool isOptional(const Type& type) {
    const DataTypeRef* reference = asDataType(type);
    return reference && reference->name == "Optional";
}

Type elementOf(const Type& type) {
    const DataTypeRef* reference = isList(type) || isOptional(type) ? asDataType(type) : nullptr;
    return reference && !reference->args.empty() ? reference->args.front() : nullptr;
}

} // namespace lathe::relay
