// SPDX-License-Identifier: Apache-2.0
//
// Data types: the built-in List (Nil | Cons(element, rest)) and Optional (None | Some(element)), and those of a Module.
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

} // namespace lathe::relay
