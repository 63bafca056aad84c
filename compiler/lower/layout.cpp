// SPDX-License-Identifier: Apache-2.0
#include "lower/layout.h"

#include "arith/analysis.h"
#include "tir/visit.h"

#include <algorithm>

namespace lathe::lower {
namespace {

using arith::Expr;

struct Stored {
    tir::BufferPtr buffer;
    relay::LayoutPtr layout;

    std::vector<Expr> indices(const std::vector<Expr>& logical) const {
        std::vector<Expr> result;
        for (const relay::Layout::Axis& axis : layout->axes) {
            const Expr& index = logical[static_cast<size_t>(axis.dim)];
            result.push_back(axis.factor == 0 ? index
                             : axis.outer     ? arith::floorDiv(index, axis.factor)
                                              : arith::floorMod(index, axis.factor));
        }
        return result;
    }
};

class Applier : public tir::Mutator {
public:
    std::unordered_map<const arith::Storage*, Stored> stored;

    using Mutator::mutate;
    Expr mutate(const Expr& expr) override {
        return expr ? arith::rewrite(expr,
                                     [&](const Expr& node) {
                                         if (node.kind() == arith::ExprKind::Load)
                                             if (auto it = stored.find(node->storage.get()); it != stored.end())
                                                 return arith::load(it->second.buffer, it->second.indices(node->args));
                                         return node;
                                     })
                    : expr;
    }
    tir::Stmt mutate(const tir::Stmt& stmt) override {
        tir::Stmt changed = Mutator::mutate(stmt);
        if (const auto* store = changed ? changed->as<tir::Store>() : nullptr) {
            if (auto it = stored.find(store->buffer.get()); it != stored.end())
                return tir::makeStmt(
                    tir::Store{it->second.buffer, it->second.indices(store->indices), store->value, store->mask},
                    changed->origin);
        } else if (const auto* block = changed ? changed->as<tir::Block>() : nullptr) {
            tir::Block rewritten = *block;
            bool any = false;
            for (auto* regions : {&rewritten.reads, &rewritten.writes})
                for (tir::Region& region : *regions)
                    if (auto it = stored.find(region.buffer.get()); it != stored.end()) {
                        region = storedRegion(region, it->second);
                        any = true;
                    }
            if (any)
                return tir::makeStmt(std::move(rewritten), changed->origin);
        }
        return changed;
    }

private:
    /// A point stays a point; anything else becomes the whole of the stored axes it touches.
    static tir::Region storedRegion(const tir::Region& region, const Stored& to) {
        tir::Region result{to.buffer, {}};
        for (size_t i = 0; i < to.layout->axes.size(); ++i) {
            const relay::Layout::Axis& axis = to.layout->axes[i];
            const auto& [start, extent] = region.ranges[static_cast<size_t>(axis.dim)];
            if (axis.factor == 0)
                result.ranges.emplace_back(start, extent);
            else if (arith::isConst(extent, 1))
                result.ranges.emplace_back(
                    axis.outer ? arith::floorDiv(start, axis.factor) : arith::floorMod(start, axis.factor), Expr(1));
            else
                result.ranges.emplace_back(Expr(0), to.buffer->shape[i]);
        }
        return result;
    }
};

} // namespace

tir::PrimFuncPtr applyLayouts(const tir::PrimFuncPtr& function, const std::vector<relay::LayoutPtr>& layouts) {
    if (std::none_of(layouts.begin(), layouts.end(), [](const relay::LayoutPtr& layout) { return layout != nullptr; }))
        return function;
    Applier applier;
    auto result = std::make_shared<tir::PrimFunc>(*function);
    for (size_t i = 0; i < layouts.size(); ++i) {
        if (!layouts[i])
            continue;
        tir::Param& param = result->params[i];
        std::vector<Expr> shape;
        for (const relay::Layout::Axis& axis : layouts[i]->axes) {
            const Expr& dim = param.buffer->shape[static_cast<size_t>(axis.dim)];
            LATHE_ASSERT(axis.factor == 0 || arith::divisible(dim, axis.factor), "a layout's split divides its dim");
            shape.push_back(axis.factor == 0 ? dim
                            : axis.outer     ? arith::simplify(arith::floorDiv(dim, axis.factor))
                                             : Expr(axis.factor));
        }
        tir::BufferPtr buffer = tir::makeBuffer(param.buffer->name, param.buffer->dtype, shape);
        applier.stored[param.buffer.get()] = {buffer, layouts[i]};
        param.buffer = buffer;
    }
    result->body = applier.mutate(function->body);
    return result;
}

} // namespace lathe::lower
