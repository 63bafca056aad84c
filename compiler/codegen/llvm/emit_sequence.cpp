// SPDX-License-Identifier: Apache-2.0
//
// Loads of statements in sequence, where they step through one buffer alike. In long steps they are columns of a tile,
// which is transposed (emit_transpose.cpp); in short ones they pass over one stretch of memory (emit_stretch.cpp).
#include "codegen/llvm/emitter.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transposed_tile.h"

#include <algorithm>

namespace lathe::codegen {
namespace {

/// Each load is compared with each group: more of them are no tile.
constexpr size_t mostGroups = 32;

/// Vectors of one type whose first elements lie so far from `base`, a lane `stride` from the next.
struct Group {
    const arith::Storage* storage;
    Expr base, stride;
    std::map<int64_t, std::vector<Expr>> loads;
};

/// Vectors that are loaded whenever the statement runs, from memory that does not depend on other loads.
void collectLoads(const Expr& value, std::vector<Expr>& loads) {
    arith::visit(value, [&](const Expr& e) {
        if (e.kind() == ExprKind::Load)
            loads.push_back(e);
        return e.kind() != ExprKind::Load && (e.kind() != ExprKind::Select || e->args[0].dtype().lanes > 1);
    });
}

bool reads(const Expr& expr, const std::unordered_set<const arith::Storage*>& storages) {
    bool found = false;
    arith::visit(expr, [&](const Expr& e) {
        found = found || (e.kind() == ExprKind::Load && storages.contains(e->storage.get()));
        return !found;
    });
    return found;
}

} // namespace

void FunctionEmitter::prepareLoads(std::span<const tir::Stmt> stores) {
    std::unordered_set<const arith::Storage*> written;
    std::vector<Expr> loads;
    for (const tir::Stmt& stmt : stores) {
        const auto* store = stmt->as<tir::Store>();
        written.insert(store->buffer.get());
        collectLoads(store->value, loads);
    }
    std::vector<Group> groups;
    for (const Expr& load : loads) {
        const DataType type = load.dtype();
        if (load->masked || load->args.size() != 1 || load->args[0].kind() != ExprKind::Ramp || type.bits < 8 ||
            reads(load, written))
            continue;
        const Expr& index = load->args[0];
        bool known = false;
        for (Group& group : groups) {
            const auto distance = group.storage == load->storage.get() &&
                                          arith::provablyEqual(group.stride, index->args[1]) &&
                                          group.loads.begin()->second[0].dtype() == type
                                      ? arith::asInt(arith::simplify(index->args[0] - group.base, facts))
                                      : std::nullopt;
            known = distance.has_value();
            if (known) {
                group.loads[*distance].push_back(load);
                break;
            }
        }
        if (!known && groups.size() < mostGroups)
            groups.push_back({load->storage.get(), index->args[0], index->args[1], {{0, {load}}}});
    }
    for (Group& group : groups) {
        const int lanes = group.loads.begin()->second[0].dtype().lanes;
        const std::optional<int64_t> step = arith::asInt(group.stride);
        if (!step || 2 * std::abs(*step) > lanes) {
            if (lanes <= tir::mostRows)
                loadTiles(group.base, group.stride, std::move(group.loads));
        } else if (*step > 1) {
            findStretches(group.base, *step, group.loads);
        }
    }
}

} // namespace lathe::codegen
