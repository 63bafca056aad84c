// SPDX-License-Identifier: Apache-2.0
//
// Windows over padded operands; windows.h says what each function gives.
#include "topi/windows.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::topi {

TensorPtr padded(const std::string& name, const TensorPtr& x, const Shape& before, const Shape& shape,
                 const Expr& value, int origin) {
    const auto whole = [&](size_t d) {
        return arith::isConst(before[d], 0) && arith::provablyEqual(shape[d], x->shape[d]);
    };
    bool same = true;
    for (size_t d = 0; d < shape.size(); ++d)
        same = same && whole(d);
    if (same)
        return x;
    return te::compute(
        name, shape,
        [&](const std::vector<Var>& i) {
            Expr inside;
            Indices indices;
            for (size_t d = 0; d < i.size(); ++d) {
                const Expr index = i[d] - before[d];
                indices.push_back(whole(d) ? Expr(i[d]) : clampIndex(index, x->shape[d]));
                if (whole(d))
                    continue;
                Expr below = arith::lt(index, x->shape[d]);
                if (arith::bounds(before[d]).upper > 0)
                    below = arith::logicalAnd(arith::ge(index, 0), below);
                inside = inside ? arith::logicalAnd(inside, below) : below;
            }
            for (const Expr& dim : x->shape)
                if (arith::isConst(dim, 0))
                    return value;
            return arith::select(inside, (*x)(indices), value);
        },
        origin);
}

Window windowOf(Shape kernel, std::vector<int64_t> strides, std::vector<int64_t> dilations, Shape before, Shape after,
                bool ceilMode) {
    const size_t rank = kernel.size();
    strides.resize(rank, 1);
    dilations.resize(rank, 1);
    before.resize(rank, Expr(0));
    after.resize(rank, Expr(0));
    return {std::move(kernel), std::move(strides), std::move(dilations), std::move(before), std::move(after), ceilMode};
}

Expr Window::position(size_t d, const Expr& o, const Expr& k) const {
    const Expr start = strides[d] == 1 ? o : o * strides[d];
    return start + (dilations[d] == 1 ? k : k * dilations[d]);
}

Expr Window::needed(size_t d, const Expr& results) const {
    return arith::simplify((results - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1);
}

bool Window::hasPadding() const {
    const auto isZero = [](const Expr& e) { return arith::isConst(e, 0); };
    return !std::ranges::all_of(before, isZero) || !std::ranges::all_of(after, isZero);
}

} // namespace lathe::topi
