// SPDX-License-Identifier: Apache-2.0
//
// How a buffer's elements lie in memory: every access is rewritten through an index map, or rows get room between them. The
// loops stay as they are.
#include "schedule/editor.h"
#include "schedule/index_text.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::schedule {

namespace {

constexpr int64_t mostAlignment = int64_t{1} << 16;

/// Each variable must be recoverable from the stored index: it stands as itself (plus a constant), or as all digits of
/// a mixed radix: x // a, (x // b) % c … with matching steps, or in a sum with steps that do not overlap.
class Invertible {
public:
    Invertible(const std::vector<Var>& vars, const std::vector<Expr>& extents) : vars_(vars), extents_(extents) {}

    bool check(const std::vector<Expr>& map) {
        std::vector<std::vector<Digit>> digits(vars_.size());
        for (const Expr& entry : map)
            if (!addEntry(entry, digits))
                return false;
        for (size_t i = 0; i < vars_.size(); ++i)
            if (!covers(digits[i], extents_[i]))
                return false;
        return true;
    }

private:
    /// (x // step) % size; without a size: all of x // step.
    struct Digit {
        int64_t step = 1;
        std::optional<int64_t> size;
    };
    using Digits = std::vector<std::vector<Digit>>;

    std::optional<size_t> indexOf(const Expr& expr) const {
        for (size_t i = 0; i < vars_.size(); ++i)
            if (expr.same(vars_[i]))
                return i;
        return std::nullopt;
    }

    std::optional<std::pair<size_t, Digit>> digitOf(const Expr& expr) const {
        if (auto var = indexOf(expr))
            return std::pair{*var, Digit{}};
        bool divides = expr.kind() == arith::ExprKind::FloorDiv, mods = expr.kind() == arith::ExprKind::FloorMod;
        auto constant = divides || mods ? arith::asInt(expr->args[1]) : std::nullopt;
        if (!constant || *constant < 1)
            return std::nullopt;
        auto inner = digitOf(expr->args[0]);
        if (!inner || inner->second.size)
            return std::nullopt;
        if (mods)
            inner->second.size = *constant;
        else if (__builtin_mul_overflow(inner->second.step, *constant, &inner->second.step))
            return std::nullopt;
        return inner;
    }

    /// A sum of digits times steps, each step at least as large as all that is below it; and a constant.
    bool addEntry(const Expr& entry, Digits& digits) {
        std::vector<std::pair<Expr, Expr>> terms; // digit, factor
        std::vector<Expr> open{entry};
        while (!open.empty()) {
            Expr expr = open.back();
            open.pop_back();
            if (expr.kind() == arith::ExprKind::Add) {
                open.insert(open.end(), expr->args.begin(), expr->args.end());
            } else if (expr.kind() == arith::ExprKind::Mul) {
                bool left = digitOf(expr->args[0]).has_value();
                terms.emplace_back(expr->args[left ? 0 : 1], expr->args[left ? 1 : 0]);
            } else if (arith::freeVars(expr).empty()) {
                continue;
            } else {
                terms.emplace_back(expr, 1);
            }
        }
        Expr below = 1;
        while (!terms.empty()) {
            // Next comes a term whose factor is exactly what the terms below fill.
            auto next = std::ranges::find_if(terms, [&](const auto& term) {
                return arith::bounds(arith::simplify(term.second - below)).lower >= 0 &&
                       (terms.size() == 1 || arith::provablyEqual(term.second, below));
            });
            if (next == terms.end())
                return false;
            auto digit = digitOf(next->first);
            if (!digit)
                return false;
            digits[digit->first].push_back(digit->second);
            Expr size = digit->second.size ? Expr(*digit->second.size)
                                           : arith::ceilDiv(extents_[digit->first], digit->second.step);
            below = arith::simplify(next->second * size);
            terms.erase(next);
        }
        return true;
    }

    static bool covers(std::vector<Digit> digits, const Expr& extent) {
        if (arith::bounds(extent).upper <= 1)
            return true;
        std::ranges::sort(digits, {}, &Digit::step);
        int64_t step = 1;
        for (const Digit& digit : digits) {
            if (digit.step != step)
                return false;
            if (!digit.size)
                return true;
            if (__builtin_mul_overflow(step, *digit.size, &step))
                return false;
        }
        return arith::bounds(extent).upper <= step;
    }

    const std::vector<Var>& vars_;
    const std::vector<Expr>& extents_;
};

} // namespace

void Schedule::storageAlign(const BlockRef& block, int writeIndex, int axis, const Number& factor,
                            const Number& offset) {
    Editor edit(*this, "storageAlign");
    Path path = edit.block(block.name);
    const BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).writes, writeIndex);
    edit.require(!edit.isParameter(buffer.get()), fmt::format("'{}' is the caller's", buffer->name));
    edit.require(buffer->strides.empty() && !buffer->offset, fmt::format("'{}' has strides", buffer->name));
    const auto rank = static_cast<int>(buffer->shape.size());
    const int dim = axis < 0 ? axis + rank : axis;
    edit.require(dim >= 0 && dim + 1 < rank,
                 fmt::format("'{}' has {} dimensions; elements of {} are no rows", buffer->name, rank, axis));
    edit.require(factor >= 1 && factor <= mostAlignment && offset >= 0 && offset < factor,
                 fmt::format("{} of {} elements are no alignment", offset.value, factor.value));
    for (const Expr& extent : buffer->shape)
        edit.require(arith::bounds(extent).lower >= 1, fmt::format("'{}' may have no elements", buffer->name));
    auto changed = std::make_shared<tir::Buffer>(*buffer);
    changed->strides.assign(static_cast<size_t>(rank), Expr(1));
    Expr stride = 1;
    for (int d = rank; d-- > 0;) {
        if (d == dim) // the least that is not below the compact one
            stride = arith::ceilDiv(stride - offset.value, factor.value) * factor.value + offset.value;
        changed->strides[static_cast<size_t>(d)] = stride = arith::simplify(stride);
        stride = stride * buffer->shape[static_cast<size_t>(d)];
    }
    Path allocation = findAllocate(edit.body, buffer.get());
    edit.require(!allocation.empty(), fmt::format("'{}' is not allocated in this function", buffer->name));
    const Stmt content = rewriteAccesses(allocation.back()->as<tir::Allocate>()->body, buffer.get(), changed,
                                         [](const std::vector<Expr>& indices) { return indices; });
    edit.body = replaceAt(allocation, tir::makeStmt(tir::Allocate{changed, content}, allocation.back()->origin));
    edit.step.blocks = {numberOf(block)};
    edit.step.numbers = {int64_t{writeIndex}, int64_t{axis}, Editor::recorded(factor), Editor::recorded(offset)};
    edit.commit();
}

void Schedule::transformLayout(const BlockRef& block, int writeIndex, const std::vector<Var>& vars,
                               const std::vector<Expr>& map) {
    Editor edit(*this, "transformLayout");
    Path path = edit.block(block.name);
    BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).writes, writeIndex);
    edit.require(!edit.isParameter(buffer.get()), fmt::format("'{}' is the caller's", buffer->name));
    edit.require(buffer->strides.empty() && !buffer->offset, fmt::format("'{}' has strides", buffer->name));
    edit.require(vars.size() == buffer->shape.size(), fmt::format("'{}' has {} dimensions, the map takes {}",
                                                                  buffer->name, buffer->shape.size(), vars.size()));
    edit.require(Invertible(vars, buffer->shape).check(map),
                 "the map is not recognised as one that keeps all elements apart");

    LoopRanges domain;
    for (size_t i = 0; i < vars.size(); ++i)
        domain.add(vars[i], 0, buffer->shape[i], true);
    auto changed = std::make_shared<tir::Buffer>(*buffer);
    changed->shape.clear();
    for (const Expr& entry : map) {
        auto range = rangeOf(entry, domain);
        edit.require(range && arith::bounds(range->lower).lower >= 0,
                     fmt::format("the stored index {} is not known to start at 0", toString(entry)));
        changed->shape.push_back(arith::simplify(range->upper + 1));
    }
    Path allocation = findAllocate(edit.body, buffer.get());
    edit.require(!allocation.empty(), fmt::format("'{}' is not allocated in this function", buffer->name));
    Stmt content = rewriteAccesses(allocation.back()->as<tir::Allocate>()->body, buffer.get(), changed,
                                   [&](const std::vector<Expr>& indices) {
                                       arith::VarMap values;
                                       for (size_t i = 0; i < vars.size(); ++i)
                                           values[vars[i].get()] = indices[i];
                                       std::vector<Expr> stored;
                                       for (const Expr& entry : map)
                                           stored.push_back(arith::simplify(arith::substitute(entry, values)));
                                       return stored;
                                   });
    edit.body = replaceAt(allocation, tir::makeStmt(tir::Allocate{changed, content}, allocation.back()->origin));

    edit.step.blocks = {numberOf(block)};
    edit.step.numbers = {writeIndex, static_cast<int64_t>(vars.size())};
    // Names in the text count, as blocks do: d0 … the logical indices, s0 … the function's scalars.
    arith::VarMap names;
    for (size_t i = 0; i < vars.size(); ++i)
        names[vars[i].get()] = arith::var(fmt::format("d{}", i));
    const std::vector<Var> scalars = scalarsOf(*function_);
    for (size_t i = 0; i < scalars.size(); ++i)
        names[scalars[i].get()] = arith::var(fmt::format("s{}", i));
    for (const Expr& entry : map)
        edit.step.texts.push_back(toString(arith::substitute(entry, names)));
    edit.commit();
}

} // namespace lathe::schedule
