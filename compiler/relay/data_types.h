// SPDX-License-Identifier: Apache-2.0
//
// Data types: the built-in List (Nil | Cons(element, rest)) and Optional (None | Some(element)), and those of a Module.
// An optional is a list of one element at most: the operators on lists take both.
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

/// Null if there is none of that name.
const DataTypeDef* findDataType(const Module& module, const std::string& name);
/// Types of a constructor's fields for an instance of its data type.
std::vector<Type> fieldTypes(const DataTypeDef& definition, const Constructor& constructor,
                             const DataTypeRef& instance);
/// The type of a constructed value; `declared` (may be null) decides type arguments that no field fixes.
Result<Type> constructedType(const Module& module, const std::string& dataType, const std::string& constructor,
                             const std::vector<Type>& args, const Type& declared);

/// How types of two values become one type of both.
struct TypeJoin {
    std::function<Expr(const Expr& x, const Expr& y)> dim; // of tensors of one element type and rank
    const char* rankHint;                                  // where these differ in rank alone, which is unsupported
    const char* hint;                                      // where types disagree otherwise
    bool keepsLayouts;                                     // equal ones
};
/// `held`: for what values of data types hold.
Result<Type> joinedType(const Type& a, const Type& b, const TypeJoin& how, const TypeJoin& held);
/// What values of a data type hold, where one is to hold values of both types: a dim in which they differ is any, as is one that
/// `hidden` says has no meaning there.
TypeJoin joinOfHeld(const std::function<bool(const Expr&)>& hidden);
/// By that alone, where all dims have a meaning.
Result<Type> joinedElement(const Type& a, const Type& b);

/// Whether it is a List or an Optional.
bool isList(const Type& type);
bool isOptional(const Type& type);
/// What a List or an Optional holds; null if it is neither, or is empty whatever it could hold.
Type elementOf(const Type& type);

} // namespace lathe::relay
