// SPDX-License-Identifier: Apache-2.0
#include "tir/transform/dynamic_extents.h"

#include "arith/analysis.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <algorithm>

namespace lathe::tir {
namespace {

void addExtent(std::vector<DynamicExtent>& extents, const DynamicExtent& added) {
    const auto same = std::ranges::find_if(
        extents, [&](const DynamicExtent& known) { return arith::structurallyEqual(known.extent, added.extent); });
    if (same == extents.end())
        extents.push_back(added);
    else
        same->unrolled = same->unrolled || added.unrolled;
}

/// The variable that the statement defines for those within it; null: none.
const Var* definedBy(const StmtNode& stmt) {
    if (const For* loop = stmt.as<For>())
        return &loop->var;
    const Let* let = stmt.as<Let>();
    return let ? &let->var : nullptr;
}

} // namespace

const std::vector<DynamicExtent>& DynamicExtents::of(const Stmt& stmt) {
    if (const auto found = known_.find(stmt.get()); found != known_.end())
        return found->second.extents;
    std::vector<DynamicExtent> extents;
    const For* loop = stmt->as<For>();
    if (loop && (loop->kind == ForKind::Unrolled || loop->kind == ForKind::Vectorized) && !arith::asInt(loop->extent) &&
        !readsMemory(loop->extent))
        extents.push_back({loop->extent, arith::freeVars(loop->extent), loop->kind == ForKind::Unrolled});
    const Var* own = definedBy(*stmt);
    for (const Stmt& child : childrenOf(*stmt))
        for (const DynamicExtent& inner : of(child))
            if (!own || std::ranges::none_of(inner.vars, [&](const Var& var) { return var.get() == own->get(); }))
                addExtent(extents, inner);
    return known_.emplace(stmt.get(), Known{stmt, std::move(extents)}).first->second.extents;
}

} // namespace lathe::tir
