// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/spectrum.h"

#include "frontend/common/integer_operands.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend {

Var transformed(Builder& b, Var x, int64_t axis, const Expr& length, bool onesided, bool inverse) {
    relay::DftAttrs attrs;
    attrs.axis = axis;
    attrs.onesided = onesided;
    attrs.inverse = inverse;
    attrs.length = length;
    return b.call(Op::Dft, {x}, attrs);
}

Var fittedTo(Builder& b, Var x, int64_t axis, const Expr& size) {
    if (b.failed())
        return {};
    Dims before(static_cast<size_t>(b.rank(x)), Expr(0)), after = before;
    after[static_cast<size_t>(axis)] = arith::simplify(size - dim(b, x, axis));
    return pad(b, x, "constant", before, after);
}

Var spectrumOfPlanes(NodeReader& node, Var x) {
    Builder& b = node.b;
    const Dims lengths = integersOf(node, 1, "length");
    if (!node.needRank(x, 2) || !areSizes(node, lengths, "lengths"))
        return {};
    if (lengths.size() != 2) {
        node.fail(fmt::format("there are {} lengths where two are needed", lengths.size()));
        return {};
    }
    const int64_t rank = b.rank(x);
    const Var fitted = fittedTo(b, fittedTo(b, x, rank - 2, lengths[0]), rank - 1, lengths[1]);
    const Var rows = transformed(b, unsqueeze(b, fitted, {rank}), rank - 1, lengths[1], true, false);
    return transformed(b, rows, rank - 2, lengths[0], false, false);
}

} // namespace lathe::frontend
