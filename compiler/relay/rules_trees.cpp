// SPDX-License-Identifier: Apache-2.0
//
// The type rule of ensembles of decision trees.
#include "relay/rule_families.h"

#include "arith/analysis.h"

#include <fmt/format.h>

namespace lathe::relay::rules {

Result<Type> treeEnsemble(Op, RuleContext& context) {
    LATHE_TRY(const TensorType* x, tensorArg(context, 0, 2));
    LATHE_TRY(const TensorType* nodes, tensorArg(context, 1, 2));
    LATHE_TRY(const TensorType* splits, tensorArg(context, 2, 1));
    LATHE_TRY(const TensorType* roots, tensorArg(context, 3, 1));
    LATHE_TRY(const TensorType* votes, tensorArg(context, 4, 1));
    LATHE_TRY(const TensorType* targets, tensorArg(context, 5, 1));
    LATHE_TRY(const TensorType* weights, tensorArg(context, 6, 1));
    const auto isReal = [](DataType dtype) { return dtype == types::Float32 || dtype == types::Float64; };
    if (!isReal(x->dtype) || splits->dtype != x->dtype || !isReal(weights->dtype))
        return failure(fmt::format("values are {}, what splits them {}, weights {}", toString(x->dtype),
                                   toString(splits->dtype), toString(weights->dtype)),
                       "values and splits have one type, float32 or float64, and weights one of them");
    for (const TensorType* table : {nodes, roots, votes, targets})
        if (table->dtype != types::Int32)
            return failure(fmt::format("a table of the trees is {}", toString(table->dtype)), "they are int32");
    const auto& at = attrs<TreeAttrs>(context.attrs());
    LATHE_CHECKED(checkWord("aggregate", at.aggregate, {"sum", "min", "max"}));
    if (at.targets < 1)
        return failure(fmt::format("{} targets", at.targets));
    LATHE_CHECKED(equalDim(nodes->shape[1], Expr(4), context, "the fields of a node and 4"));
    LATHE_CHECKED(equalDim(nodes->shape[0], splits->shape[0], context, "the numbers of nodes and of splits"));
    LATHE_CHECKED(equalDim(targets->shape[0], weights->shape[0], context, "the numbers of targets and of weights"));
    return tensorType(weights->dtype, {x->shape[0], Expr(at.targets)});
}

} // namespace lathe::relay::rules
