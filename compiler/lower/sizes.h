// SPDX-License-Identifier: Apache-2.0
//
// Sizes of values in the entry. Those made of the inputs' dims are sizes because the inputs exist; those made by data may be
// anything until they are checked.
#pragma once

#include "relay/ir.h"

#include <set>

namespace lathe::lower {

arith::Expr elementsOf(const std::vector<arith::Expr>& shape);
arith::Expr bytesOf(const relay::TensorType& type);

struct SizeCondition {
    arith::Expr holds;
    std::string message;
};

/// What must hold, in this order, so that the type's dims are not negative and their product is within
/// limits::tensorElements; nothing for dims over `inputSymbols` alone and for what is provable.
std::vector<SizeCondition> sizeConditions(const relay::TensorType& type,
                                          const std::set<const arith::ExprNode*>& inputSymbols);

} // namespace lathe::lower
