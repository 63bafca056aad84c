// SPDX-License-Identifier: Apache-2.0
//
// Pad in all modes. Negative padding crops. Constant padding may put zeros between neighbours (interior); the other modes
// repeat what cropping leaves: each result index is folded back into that.
#include "arith/analysis.h"
#include "topi/families.h"
#include "topi/windows.h"

#include <algorithm>

namespace lathe::topi {

namespace {

/// Elements inserted between neighbours: only every (interior + 1)-th position holds one.
TensorPtr dilated(const TensorPtr& x, const std::vector<int64_t>& interior, const Expr& value, int origin) {
    Shape shape;
    for (size_t d = 0; d < x->shape.size(); ++d)
        shape.push_back(interior[d] == 0 ? x->shape[d]
                                         : arith::simplify(arith::max((x->shape[d] - 1) * (interior[d] + 1) + 1, 0)));
    return te::compute(
        "dilate", shape,
        [&](const std::vector<Var>& i) {
            Expr inside = arith::boolImm(true);
            Indices indices;
            for (size_t d = 0; d < i.size(); ++d) {
                const Expr step = interior[d] + 1;
                indices.push_back(interior[d] == 0 ? Expr(i[d]) : arith::floorDiv(i[d], step));
                if (interior[d] != 0)
                    inside = arith::logicalAnd(inside, arith::eq(arith::floorMod(i[d], step), 0));
            }
            return arith::select(inside, (*x)(indices), value);
        },
        origin);
}

/// Index into [0, size) for a position outside of it, however far.
Expr folded(const std::string& mode, const Expr& position, const Expr& size) {
    if (mode == "edge")
        return clampIndex(position, size);
    if (mode == "wrap")
        return arith::floorMod(position, divisor(size));
    if (mode == "symmetric") { // up and down again, the elements at both edges twice
        const Expr phase = arith::floorMod(position, divisor(arith::simplify(size * 2)));
        return clampIndex(arith::min(phase, arith::simplify(size * 2 - 1) - phase), size);
    }
    // reflect: up and down again with a period of 2 * size - 2
    const Expr period = divisor(arith::simplify(size * 2 - 2));
    const Expr phase = arith::floorMod(position, period);
    return clampIndex(arith::min(phase, period - phase), size);
}

/// The same of a position that is known to lie before the operand, or behind it, and to be folded once.
Expr foldedOnce(const std::string& mode, const Expr& position, const Expr& size, bool behind) {
    if (mode == "edge")
        return behind ? arith::simplify(size - 1) : Expr(0);
    if (mode == "wrap")
        return clampIndex(behind ? position - size : position + size, size);
    if (mode == "symmetric")
        return clampIndex(behind ? size * 2 - 1 - position : Expr(-1) - position, size);
    return clampIndex(behind ? size * 2 - 2 - position : Expr(0) - position, size);
}

/// Whether each element of the border is folded once, for an operand of any size.
bool foldsOnce(const std::string& mode, const Expr& border, const Expr& size) {
    const int64_t least = mode == "reflect" ? 1 : 0; // reflecting leaves out the element at the edge
    return arith::bounds(border).lower >= 0 && arith::bounds(size).lower > 0 &&
           (mode == "edge" || arith::bounds(arith::simplify(size - border)).lower >= least);
}

/// Elements that padding of this many takes away.
Expr cropped(const Expr& pads) {
    return arith::bounds(pads).lower >= 0 ? Expr(0) : arith::simplify(arith::max(Expr(0) - pads, 0));
}

/// Where element `at` of a padded axis lies in the operand.
Expr repeated(const std::string& mode, const Expr& at, const Expr& before, const Expr& size, const Expr& after) {
    const Expr first = cropped(before), last = cropped(after);
    if (arith::isConst(first, 0) && arith::isConst(last, 0))
        return folded(mode, at - before, size);
    return first + folded(mode, at - arith::simplify(before + first), arith::simplify(size - first - last));
}

} // namespace

Tensors computePad(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::PadAttrs>(call.attrs);
    const relay::TensorType& result = resultTensor(call);
    TensorPtr x = call.args[0];
    if (attrs.mode == "constant") {
        const bool given = call.args.size() > 1 && call.args[1];
        const Expr value = given ? (*call.args[1])(Indices(call.args[1]->shape.size(), Expr(0))) : number(0, x->dtype);
        const auto& interior = attrs.interior;
        if (std::ranges::any_of(interior, [](int64_t n) { return n != 0; }))
            x = dilated(x, interior, value, call.origin);
        return {padded("pad", x, attrs.before, result.shape, value, call.origin)};
    }
    // Along the last axis the operand and its borders are values to choose from, so that only a vector at a border has to
    // gather. The other axes are folded once a row.
    if (result.shape.empty())
        return computeCopy(call);
    const size_t last = result.shape.size() - 1;
    const auto isWhole = [&](size_t d) {
        return arith::isConst(attrs.before[d], 0) && arith::isConst(attrs.after[d], 0);
    };
    const bool chooses = foldsOnce(attrs.mode, attrs.before[last], x->shape[last]) &&
                         foldsOnce(attrs.mode, attrs.after[last], x->shape[last]) && !isWhole(last);
    return {te::compute(
        "pad", result.shape,
        [&](const std::vector<Var>& i) {
            Indices indices;
            for (size_t d = 0; d < i.size(); ++d)
                indices.push_back(
                    isWhole(d) ? Expr(i[d]) : repeated(attrs.mode, i[d], attrs.before[d], x->shape[d], attrs.after[d]));
            if (!chooses)
                return (*x)(indices);
            const Expr position = i[last] - attrs.before[last], size = x->shape[last];
            const auto at = [&](const Expr& index) {
                indices[last] = index;
                return (*x)(indices);
            };
            Expr value = at(clampIndex(position, size));
            if (!arith::isConst(attrs.after[last], 0))
                value =
                    arith::select(arith::lt(position, size), value, at(foldedOnce(attrs.mode, position, size, true)));
            if (!arith::isConst(attrs.before[last], 0))
                value = arith::select(arith::lt(position, 0), at(foldedOnce(attrs.mode, position, size, false)), value);
            return value;
        },
        call.origin)};
}

} // namespace lathe::topi
