// SPDX-License-Identifier: Apache-2.0
//
// The product is checked dim by dim against what is left of the limit, so that it never overflows on the way.
#include "lower/sizes.h"

#include "arith/analysis.h"
#include "base/limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

using arith::Expr;

Expr elementsOf(const std::vector<Expr>& shape) {
    Expr count = 1;
    for (const Expr& dim : shape)
        count = count * dim;
    return arith::simplify(count);
}

Expr bytesOf(const relay::TensorType& type) {
    return arith::simplify(elementsOf(type.shape) * static_cast<int64_t>(type.dtype.bytes()));
}

std::vector<SizeCondition> sizeConditions(const relay::TensorType& type,
                                          const std::set<const arith::ExprNode*>& inputSymbols) {
    std::vector<SizeCondition> conditions;
    Expr elements = 1;
    for (const Expr& dim : type.shape) {
        const std::vector<arith::Var> vars = arith::freeVars(dim);
        if (std::any_of(vars.begin(), vars.end(),
                        [&](const arith::Var& v) { return !inputSymbols.contains(v.get()); })) {
            const Expr most = arith::floorDiv(limits::tensorElements, arith::max(elements, 1));
            const Expr holds = arith::simplify(arith::logicalAnd(arith::ge(dim, 0), arith::le(dim, most)));
            if (!arith::provablyTrue(holds))
                conditions.push_back(
                    {holds, fmt::format("the size {} is negative or more than can be held", arith::toString(dim))});
        }
        elements = arith::simplify(elements * dim);
    }
    return conditions;
}

} // namespace lathe::lower
