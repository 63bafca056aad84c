// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/paddings.h"

#include "frontend/common/integer_operands.h"

#include <fmt/format.h>

namespace lathe::frontend {

std::optional<Paddings> readPaddings(NodeReader& node, Var x) {
    const Dims all = integersOf(node, 1, "padding");
    if (!areSizes(node, all, "paddings"))
        return std::nullopt;
    const auto rank = static_cast<size_t>(node.b.rank(x));
    if (all.size() != 2 * rank) {
        node.fail(fmt::format("there are {} paddings where a tensor of rank {} needs {}", all.size(), rank, 2 * rank));
        return std::nullopt;
    }
    Paddings paddings;
    Dims padded = node.b.shape(x);
    for (size_t i = 0; i < rank; ++i) {
        paddings.before.push_back(all[2 * i]);
        paddings.after.push_back(all[2 * i + 1]);
        padded[i] = arith::simplify(padded[i] + all[2 * i] + all[2 * i + 1]);
    }
    return mayFill(node.b, padded) ? std::optional(std::move(paddings)) : std::nullopt;
}

Var mirrored(NodeReader& node, Builder& b, Var x) {
    auto paddings = readPaddings(node, x);
    if (!paddings)
        return {};
    const bool symmetric = node.text("mode", "REFLECT") == "SYMMETRIC";
    const Dims shape = b.shape(x);
    for (size_t i = 0; i < shape.size(); ++i) {
        const Expr most = arith::max(paddings->before[i], paddings->after[i]);
        if (arith::isConst(arith::simplify(most), 0))
            continue;
        const Expr all = symmetric ? shape[i] : arith::simplify(shape[i] - 1);
        x = assume(b, x, arith::le(most, all),
                   fmt::format("dim {} of {} has as many elements as its padding mirrors", i, text(shape)));
    }
    return pad(b, x, symmetric ? "symmetric" : "reflect", std::move(paddings->before), std::move(paddings->after));
}

} // namespace lathe::frontend
