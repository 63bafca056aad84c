// SPDX-License-Identifier: Apache-2.0
//
// Looking up data types and instantiating their constructors.
#include "relay/data_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {
namespace {

Type reference(std::string name, std::vector<Type> args = {}) {
    return std::make_shared<TypeNode>(TypeNode{DataTypeRef{std::move(name), std::move(args)}});
}

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
    return found != arguments.end() && named->args.empty() ? found->second : reference(named->name, all(named->args));
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
        "List", {"T"}, {{"Nil", {}}, {"Cons", {reference("T"), reference("List", {reference("T")})}}}};
    static const DataTypeDef optional{"Optional", {"T"}, {{"None", {}}, {"Some", {reference("T")}}}};
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
        if (argument == arguments.end())
            return failure(fmt::format("the type of {} in '{}' is not known", param, constructor));
        typeArgs.push_back(argument->second);
    }
    return reference(dataType, std::move(typeArgs));
}

} // namespace lathe::relay
