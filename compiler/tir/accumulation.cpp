// SPDX-License-Identifier: Apache-2.0
#include "tir/accumulation.h"

#include <algorithm>

namespace lathe::tir {

using arith::ExprKind;
using arith::Intrinsic;

std::optional<Accumulation> asAccumulation(const Store& store) {
    const ExprKind kind = store.value.kind();
    if (store.mask ||
        (kind != ExprKind::Add && kind != ExprKind::Mul && kind != ExprKind::Max && kind != ExprKind::Min))
        return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
        const Expr& own = store.value->args[side];
        const Expr& value = store.value->args[1 - side];
        if (own.kind() != ExprKind::Load || own->masked || own->storage != store.buffer ||
            !std::ranges::equal(own->args, store.indices,
                                [](const Expr& a, const Expr& b) { return arith::structurallyEqual(a, b); }))
            continue;
        bool reads = false;
        arith::visit(value, [&](const Expr& e) {
            reads |= e.kind() == ExprKind::Load && e->storage == store.buffer;
            return !reads;
        });
        if (!reads)
            return Accumulation{kind, value};
    }
    return std::nullopt;
}

Expr horizontal(ExprKind combine, const Expr& vector) {
    const Intrinsic intrinsic = combine == ExprKind::Add   ? Intrinsic::ReduceAdd
                                : combine == ExprKind::Mul ? Intrinsic::ReduceMul
                                : combine == ExprKind::Max ? Intrinsic::ReduceMax
                                                           : Intrinsic::ReduceMin;
    return arith::call(intrinsic, {vector}, vector.dtype().scalar());
}

} // namespace lathe::tir
