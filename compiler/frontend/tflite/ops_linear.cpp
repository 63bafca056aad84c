// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {

namespace {

/// x as the rows of a matrix with as many columns as `columns`, whatever dims they had.
Var asRows(NodeReader& node, Builder& b, Var x, const Expr& columns) {
    const Quotient rows = quotient(b.shape(x), {columns});
    if (arith::isConst(rows.divisor, 0)) {
        node.fail(fmt::format("the weights have no columns, so that {} has no rows", text(b.shape(x))),
                  "the model is malformed; export it again");
        return {};
    }
    return reshape(b, x, {rows.value, columns});
}

} // namespace

/// The weights are [results, columns]; leading dims of the input are one, unless the options say to keep them.
void convertFullyConnected(NodeReader& node, Builder& b) {
    const std::string format = node.text("weights_format", "DEFAULT");
    if (format != "DEFAULT")
        return node.refuse(fmt::format("weights in the order {} are not supported", format),
                           "convert the model without shuffled weights");
    const Var x = realOf(node, 0), weights = realOf(node, 1), bias = optionalReal(node, 2);
    if (!node.needRank(x, 1) || !isOfRank(node, weights, 2))
        return;
    const bool keep = node.integer("keep_num_dims", 0) != 0;
    const bool isFlat = !keep || b.rank(x) == 1;
    const DataType dtype = b.dtype(x), sums = bias ? computeType(b, x) : types::Void;
    const Var rows = isFlat ? asRows(node, b, x, dim(b, weights, 1)) : x;
    Var y = matmul(b, rows, weights, false, true, sums);
    if (bias && !b.failed())
        y = add(b, y, fittedAlong(b, cast(b, bias, sums), b.rank(y) - 1, y));
    if (keep && isFlat)
        y = squeeze(b, y, {0});
    if (!b.failed())
        give(node, 0, activated(node, cast(b, y, dtype)));
}

void convertBatchMatmul(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), y = realOf(node, 1);
    if (node.needRank(x, 2) && node.needRank(y, 2))
        give(node, 0, matmul(b, x, y, node.integer("adj_x", 0) != 0, node.integer("adj_y", 0) != 0));
}

} // namespace lathe::frontend::tflite
