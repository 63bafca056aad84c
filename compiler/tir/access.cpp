// SPDX-License-Identifier: Apache-2.0
//
// Access patterns over flat, row-major indices.
#include "tir/access.h"

#include "arith/analysis.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace lathe::tir {

using arith::ExprKind;

namespace {

bool mentionsAny(const Expr& expr, const std::vector<arith::Var>& vars) {
    return std::ranges::any_of(vars, [&](const arith::Var& var) { return arith::mentions(expr, var); });
}

} // namespace

std::optional<int64_t> AccessPattern::constantStride(const arith::Var& var) const {
    if (irregular.contains(var.get()))
        return std::nullopt;
    auto it = stride.find(var.get());
    return it == stride.end() ? std::optional<int64_t>(0) : arith::asInt(it->second);
}

const Store* onlyStore(const Block& block) {
    if (!block.body)
        return nullptr;
    // A reduction whose domain may be empty runs under a test, for its initialisation's sake.
    const If* guarded = block.init ? block.body->as<If>() : nullptr;
    return guarded && !guarded->elseCase ? guarded->thenCase->as<Store>() : block.body->as<Store>();
}

AccessPattern accessPatternOf(const BufferPtr& buffer, const std::vector<Expr>& indices, const Block& block) {
    AccessPattern access;
    access.buffer = buffer;
    std::vector<arith::Var> vars;
    for (const IterVar& iter : block.iters)
        vars.push_back(iter.var);
    auto ownVar = [&](const Expr& expr) {
        for (const arith::Var& var : vars)
            if (var.same(expr))
                return true;
        return false;
    };
    const auto isPart = [&](const Expr& index, ExprKind kind) {
        return index.kind() == kind && ownVar(index->args[0]) && arith::asInt(index->args[1]);
    };
    const auto hasOtherPart = [&](const Expr& part) {
        const ExprKind other = part.kind() == ExprKind::FloorMod ? ExprKind::FloorDiv : ExprKind::FloorMod;
        return std::ranges::any_of(indices, [&](const Expr& index) {
            return isPart(index, other) && index->args[0].same(part->args[0]) &&
                   arith::asInt(index->args[1]) == arith::asInt(part->args[1]);
        });
    };
    Expr flat = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
        Expr index = indices[i];
        // Panels of a layout: within one, the inner part alone moves.
        if ((isPart(index, ExprKind::FloorMod) || isPart(index, ExprKind::FloorDiv)) && hasOtherPart(index)) {
            access.panel[index->args[0].get()] = *arith::asInt(index->args[1]);
            index = index.kind() == ExprKind::FloorMod ? index->args[0] : Expr(0);
        }
        flat = flat * buffer->shape[i] + index;
    }
    flat = arith::simplify(flat);
    const auto addIrregular = [&](const Expr& part) {
        for (const arith::Var& var : arith::freeVars(part))
            if (ownVar(var))
                access.irregular.insert(var.get());
    };
    // What is no sum of multiples stands aside, as an unknown of its own.
    std::vector<arith::Var> unknowns;
    std::set<const arith::ExprNode*> unsteady;
    const Expr sum = arith::rewrite(flat, [&](const Expr& node) {
        const bool regular = node.kind() == ExprKind::Var || node.kind() == ExprKind::Add ||
                             node.kind() == ExprKind::Sub || node.kind() == ExprKind::Mul;
        if (regular || !mentionsAny(node, vars))
            return node;
        if (node.kind() == ExprKind::FloorDiv && ownVar(node->args[0]) && arith::asInt(node->args[1])) {
            int64_t& same = access.steady[node->args[0].get()];
            same = std::gcd(same, *arith::asInt(node->args[1]));
        } else {
            for (const arith::Var& var : arith::freeVars(node))
                unsteady.insert(var.get());
        }
        addIrregular(node);
        return Expr(unknowns.emplace_back(arith::var("unknown", node.dtype())));
    });
    if (auto affine = arith::asAffine(sum, vars)) {
        for (size_t i = 0; i < vars.size(); ++i)
            if (mentionsAny(affine->coefficients[i], unknowns)) {
                access.irregular.insert(vars[i].get());
                unsteady.insert(vars[i].get());
            } else if (!arith::isConst(affine->coefficients[i], 0)) {
                access.stride[vars[i].get()] = affine->coefficients[i];
                unsteady.insert(vars[i].get());
            }
    } else {
        addIrregular(sum);
        access.steady.clear();
    }
    for (const arith::ExprNode* var : unsteady)
        access.steady.erase(var);
    for (const arith::ExprNode* var : access.irregular)
        access.stride.erase(var);
    return access;
}

std::vector<AccessPattern> readsOf(const Block& block) {
    std::vector<AccessPattern> reads;
    const Store* store = onlyStore(block);
    if (!store)
        return reads;
    arith::visit(store->value, [&](const Expr& node) {
        if (node.kind() == ExprKind::Load && node->storage != store->buffer) {
            auto buffer = std::static_pointer_cast<const Buffer>(node->storage);
            reads.push_back(accessPatternOf(buffer, node->args, block));
        }
        return true;
    });
    return reads;
}

bool isOutput(const Block& block) {
    const Store* store = onlyStore(block);
    return !store || store->buffer->scope == Scope::Global;
}

bool isReduction(const Block& block) {
    return std::any_of(block.iters.begin(), block.iters.end(),
                       [](const IterVar& iter) { return iter.kind == IterKind::Reduce; });
}

bool isInjective(const Block& block) {
    return !isReduction(block) && onlyStore(block) && !block.init;
}

bool isCheap(const Block& block) {
    const Store* store = onlyStore(block);
    if (!store)
        return false;
    int cost = 0;
    arith::visit(store->value, [&](const Expr& node) {
        switch (node.kind()) {
        case ExprKind::Load:
            cost += 1;
            break;
        case ExprKind::Call:
            cost += 8;
            break;
        case ExprKind::Div:
        case ExprKind::Mod:
            cost += node.dtype().isIndex() ? 0 : 6;
            break;
        case ExprKind::Add:
        case ExprKind::Sub:
        case ExprKind::Mul:
        case ExprKind::Cast:
            cost += node.dtype().isIndex() ? 0 : 1;
            break;
        default:
            break;
        }
        return cost <= 8;
    });
    return cost <= 4;
}

bool chooses(const Store& store) {
    bool found = false;
    arith::visit(store.value, [&](const Expr& node) {
        found |= node.kind() == ExprKind::Select;
        return !found;
    });
    return found;
}

int64_t treeSize(const Expr& expr, const Buffer* buffer, int64_t loaded, int64_t most) {
    std::unordered_map<const arith::ExprNode*, int64_t> sizes;
    arith::visitUpwards(expr, [&](const Expr& node) {
        int64_t size = node.kind() == ExprKind::Load && node->storage.get() == buffer ? loaded : 1;
        for (const Expr& arg : node->args)
            size = std::min(most, size + sizes.at(arg.get()));
        sizes[node.get()] = size;
    });
    return sizes.at(expr.get());
}

bool isFlat(const Block& block) {
    const Store* store = onlyStore(block);
    if (!store)
        return false;
    const AccessPattern output = accessPatternOf(store->buffer, store->indices, block);
    bool flat = true;
    for (const AccessPattern& read : readsOf(block)) {
        flat &= read.affine() && output.affine();
        for (const IterVar& iter : block.iters)
            flat = flat && read.uses(iter.var) == output.uses(iter.var) &&
                   (!read.uses(iter.var) ||
                    arith::provablyEqual(read.stride.at(iter.var.get()), output.stride.at(iter.var.get())));
    }
    return flat;
}

std::optional<size_t> gatheredAlong(const Block& block) {
    for (const AccessPattern& read : readsOf(block)) {
        if (!read.affine() || !read.uses(block.iters.back().var) || read.constantStride(block.iters.back().var) == 1)
            continue;
        for (size_t i = 0; i + 1 < block.iters.size(); ++i)
            if (read.constantStride(block.iters[i].var) == 1)
                return i;
    }
    return std::nullopt;
}

bool followsReduction(const Block& block) {
    bool follows = false, fits = onlyStore(block) && isReduction(block) && block.iters.back().kind == IterKind::Reduce;
    if (fits)
        for (const AccessPattern& read : readsOf(block)) {
            const auto stride = read.constantStride(block.iters.back().var);
            fits &= stride && (*stride == 0 || *stride == 1);
            follows |= stride == 1;
        }
    return fits && follows;
}

bool followsResults(const Block& next, const Block& block) {
    size_t axis = 0;
    for (const IterVar& iter : block.iters)
        if (iter.kind == IterKind::Spatial &&
            (axis >= next.iters.size() || !arith::provablyEqual(iter.extent, next.iters[axis++].extent)))
            return false;
    if (axis != next.iters.size())
        return false;
    const Store* made = onlyStore(block);
    for (const AccessPattern& read : readsOf(next))
        if (made && read.buffer == made->buffer)
            for (const IterVar& iter : next.iters)
                if (!read.affine() || (!read.uses(iter.var) && !arith::isConst(iter.extent, 1)))
                    return false;
    return made != nullptr;
}

std::optional<Contraction> asContraction(const Block& block) {
    const Store* store = onlyStore(block);
    if (!store || !isReduction(block) || store->value.kind() != ExprKind::Add)
        return std::nullopt;
    auto isOwn = [&](const Expr& expr) { return expr.kind() == ExprKind::Load && expr->storage == store->buffer; };
    const Expr& left = store->value->args[0];
    const Expr& right = store->value->args[1];
    Expr product = isOwn(left) ? right : isOwn(right) ? left : Expr();
    if (!product || product.kind() != ExprKind::Mul)
        return std::nullopt;
    std::vector<AccessPattern> operands;
    for (Expr factor : product->args) {
        while (factor.kind() == ExprKind::Cast)
            factor = factor->args[0];
        if (factor.kind() != ExprKind::Load)
            return std::nullopt;
        operands.push_back(
            accessPatternOf(std::static_pointer_cast<const Buffer>(factor->storage), factor->args, block));
    }
    // Each operand is used for several results: one has a spatial axis that the other lacks.
    bool reused = std::any_of(block.iters.begin(), block.iters.end(), [&](const IterVar& iter) {
        return iter.kind == IterKind::Spatial && operands[0].uses(iter.var) != operands[1].uses(iter.var);
    });
    if (!reused)
        return std::nullopt;
    return Contraction{operands[0], operands[1], accessPatternOf(store->buffer, store->indices, block)};
}

int dimAlong(const Block& body, const Buffer* buffer, const arith::Var& var) {
    int found = -1;
    arith::visit(onlyStore(body)->value, [&](const arith::Expr& node) {
        if (node.kind() == arith::ExprKind::Load && node->storage.get() == buffer)
            for (size_t dim = 0; dim < node->args.size(); ++dim)
                if (var.same(node->args[dim]))
                    found = static_cast<int>(dim);
        return true;
    });
    return found;
}

int64_t lanesOf(const Block& block, const Target& target) {
    return target.lanesOf(onlyStore(block)->buffer->dtype);
}

int64_t lanesOfWidest(const Block& block, const Target& target) {
    int64_t lanes = lanesOf(block, target);
    for (const AccessPattern& read : readsOf(block))
        lanes = std::min(lanes, target.lanesOf(read.buffer->dtype));
    return lanes;
}

} // namespace lathe::tir
