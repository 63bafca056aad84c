// SPDX-License-Identifier: Apache-2.0
//
// Primitives that dissolve a block into its consumers or into its producer.
#include "schedule/editor.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

namespace {

/// For indices that are iteration variables plus something free of them, each variable once (constants only where the
/// dimension has one element): iteration variable = index - offset, as a function of the indices of an access.
class Inverse {
public:
    Inverse(const tir::Block& block, const std::vector<Expr>& indices) {
        std::vector<Var> iters;
        for (const tir::IterVar& iter : block.iters)
            iters.push_back(iter.var);
        std::unordered_set<const arith::ExprNode*> seen;
        for (size_t d = 0; d < indices.size(); ++d) {
            auto affine = arith::asAffine(indices[d], iters);
            int count = 0;
            for (size_t i = 0; affine && i < iters.size(); ++i) {
                if (arith::isConst(affine->coefficients[i], 0))
                    continue;
                valid = valid && arith::isConst(affine->coefficients[i], 1) && seen.insert(iters[i].get()).second;
                sources_.push_back({iters[i], d, affine->base});
                ++count;
            }
            valid = valid && affine && count <= 1;
        }
        for (const Var& iter : iters)
            valid = valid && seen.contains(iter.get());
    }

    arith::VarMap at(const std::vector<Expr>& indices) const {
        arith::VarMap map;
        for (const Source& source : sources_)
            map[source.iter.get()] = arith::simplify(indices[source.dim] - source.offset);
        return map;
    }

    bool valid = true;

private:
    struct Source {
        Var iter;
        size_t dim;
        Expr offset;
    };
    std::vector<Source> sources_;
};

/// Puts fn(indices) in place of loads of a buffer.
class LoadReplacer : public tir::Mutator {
public:
    LoadReplacer(const tir::Buffer* buffer, std::function<Expr(const std::vector<Expr>&)> fn)
        : buffer_(buffer), fn_(std::move(fn)) {}

    Expr mutate(const Expr& expr) override {
        if (!expr)
            return expr;
        return arith::rewrite(expr, [&](const Expr& node) {
            return node.kind() == arith::ExprKind::Load && node->storage.get() == buffer_ ? fn_(node->args) : node;
        });
    }
    Stmt mutate(const Stmt& stmt) override {
        Stmt result = descend(stmt);
        const auto* block = result->as<tir::Block>();
        if (!block || !reads(*block, buffer_))
            return result;
        tir::Block changed = *block;
        refreshRegions(changed);
        return tir::makeStmt(std::move(changed), result->origin);
    }
    using tir::Mutator::mutate;

private:
    const tir::Buffer* buffer_;
    std::function<Expr(const std::vector<Expr>&)> fn_;
};

bool callsRuntime(const Expr& expr) {
    bool found = false;
    arith::visit(expr, [&](const Expr& node) {
        found |= node.kind() == arith::ExprKind::Call && node->intrinsic == arith::Intrinsic::RtCall;
        return !found;
    });
    return found;
}

const tir::Store& requireInjective(const Editor& edit, const tir::Block& block) {
    const tir::Store* store = block.body->as<tir::Store>();
    edit.require(store && !store->mask && block.writes.size() == 1,
                 fmt::format("block '{}' is more than one store", block.name));
    for (const tir::IterVar& iter : block.iters)
        edit.require(iter.kind == tir::IterKind::Spatial && !block.init,
                     fmt::format("block '{}' is a reduction", block.name));
    edit.require(!reads(block, store->buffer.get()), fmt::format("block '{}' reads its own result", block.name));
    edit.require(!callsRuntime(store->value),
                 fmt::format("block '{}' calls the runtime: inlined, it would call for each element", block.name));
    return *store;
}

bool storesWholeBuffer(const tir::Block& block, const tir::Store& store) {
    for (size_t d = 0; d < store.indices.size(); ++d)
        if (std::ranges::none_of(block.iters, [&](const tir::IterVar& iter) {
                return store.indices[d].same(iter.var) && arith::provablyEqual(iter.extent, store.buffer->shape[d]);
            }))
            return false;
    return true;
}

/// A private buffer may be larger than what is written; a consumer that copies all of it asks for iterations that the
/// block does not have.
bool asksForDomain(const tir::Block& inlined, const Access& access, const arith::VarMap& iterations) {
    LoopRanges domain(loopsOf(access.path));
    for (const tir::IterVar& iter : blockOf(access.path).iters)
        domain.add(iter.var, 0, iter.extent, true);
    return std::ranges::all_of(inlined.iters, [&](const tir::IterVar& iter) {
        const Expr& value = iterations.at(iter.var.get());
        return provablyAtLeast(value, 0, domain) && provablyBelow(value, iter.extent, domain);
    });
}

Stmt evaluate(const Expr& value) {
    return tir::makeStmt(tir::Evaluate{value}, 0);
}

} // namespace

void Schedule::computeInline(const BlockRef& block) {
    Editor edit(*this, "computeInline");
    Path path = edit.block(block.name);
    const tir::Block& inlined = blockOf(path);
    const tir::Store& store = requireInjective(edit, inlined);
    BufferPtr buffer = store.buffer;
    edit.require(!edit.isParameter(buffer.get()),
                 fmt::format("block '{}' makes the result '{}'", block.name, buffer->name));
    Inverse inverse(inlined, store.indices);
    edit.require(inverse.valid,
                 fmt::format("block '{}' is not injective: it stores not at its iteration variables", block.name));
    bool whole = storesWholeBuffer(inlined, store);
    int uses = 0;
    for (const Access& access : accessesOf(edit.body, buffer.get())) {
        if (access.path.back() == path.back())
            continue;
        edit.require(!access.write, fmt::format("'{}' is written elsewhere too", buffer->name));
        edit.require(access.path.back()->as<tir::Block>() != nullptr,
                     fmt::format("'{}' is used outside of blocks", buffer->name));
        arith::VarMap iterations = inverse.at(access.indices);
        edit.requireInScope(evaluate(arith::substitute(store.value, iterations)), access.path, block.name);
        edit.require(whole || asksForDomain(inlined, access, iterations),
                     fmt::format("'{}' may be used where block '{}' does not write it", buffer->name, block.name));
        ++uses;
    }
    edit.require(uses > 0, fmt::format("nothing reads block '{}'", block.name));

    edit.body = replaceAt(path, nullptr);
    edit.body = LoadReplacer(buffer.get(), [&](const std::vector<Expr>& indices) {
                    return arith::substitute(store.value, inverse.at(indices));
                }).mutate(edit.body);
    edit.removeAllocate(buffer.get());
    edit.step.blocks = {numberOf(block)};
    edit.commit();
}

void Schedule::reverseComputeInline(const BlockRef& block) {
    Editor edit(*this, "reverseComputeInline");
    Path path = edit.block(block.name);
    const tir::Block& consumer = blockOf(path);
    requireInjective(edit, consumer);

    Path producerPath;
    for (const Path& other : findBlocks(edit.body))
        for (const tir::Region& region : blockOf(other).writes)
            if (other.back() != path.back() && reads(consumer, region.buffer.get()))
                producerPath = other; // the last one: everything else the consumer reads is there by then
    edit.require(!producerPath.empty(), fmt::format("block '{}' has no producer", block.name));
    const tir::Block& producer = blockOf(producerPath);
    const tir::Store& before = requireInjective(edit, producer);
    BufferPtr buffer = before.buffer;
    edit.require(!edit.isParameter(buffer.get()),
                 fmt::format("block '{}' makes the result '{}'", producer.name, buffer->name));

    std::vector<Expr> indices;
    for (const Access& access : accessesOf(edit.body, buffer.get())) {
        if (access.path.back() == producerPath.back())
            continue;
        edit.require(access.path.back() == path.back(), fmt::format("'{}' is used elsewhere too", buffer->name));
        bool same = indices.empty() || std::ranges::equal(indices, access.indices, [](const Expr& a, const Expr& b) {
                        return structurallyEqual(a, b);
                    });
        edit.require(same, fmt::format("block '{}' reads '{}' at more than one place", block.name, buffer->name));
        indices = access.indices;
    }
    Inverse inverse(consumer, indices);
    edit.require(inverse.valid,
                 fmt::format("block '{}' reads '{}' not just at its iteration variables", block.name, buffer->name));
    for (const tir::Region& region : consumer.reads)
        edit.require(region.buffer == buffer || edit.writersOf(region.buffer.get()) != std::vector{producer.name},
                     fmt::format("block '{}' has a second result that is used", producer.name));
    // Every element of the producer is one iteration of the consumer.
    arith::VarMap map = inverse.at(before.indices);
    for (const tir::IterVar& iter : consumer.iters) {
        LoopRanges domain;
        for (const tir::IterVar& other : producer.iters)
            domain.add(other.var, 0, other.extent, true);
        auto range = rangeOf(map.at(iter.var.get()), domain);
        edit.require(range && arith::provablyEqual(range->lower, 0) &&
                         arith::provablyEqual(range->upper + 1, iter.extent),
                     fmt::format("blocks '{}' and '{}' differ in their domains", producer.name, block.name));
    }

    tir::Block merged = producer;
    Stmt store = LoadReplacer(buffer.get(), [&](const std::vector<Expr>&) {
                     return before.value;
                 }).mutate(tir::substitute(consumer.body, map));
    merged.body = store;
    merged.name = producer.name;
    refreshRegions(merged);
    edit.requireInScope(store, producerPath, block.name);
    int origin = path.back()->origin;
    edit.body = replaceAt(path, nullptr);
    edit.body = replaceAt(findBlock(edit.body, producer.name), tir::makeStmt(std::move(merged), origin));
    edit.removeAllocate(buffer.get());
    edit.checkParallelLoops();
    edit.step.blocks = {numberOf(block)};
    edit.commit();
}

} // namespace lathe::schedule
