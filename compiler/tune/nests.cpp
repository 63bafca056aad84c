// SPDX-License-Identifier: Apache-2.0
//
// Strides are differences of the index at neighbouring iterations in the middle of the loops, so that what clamps an index at
// the ends (padding) does not count, and panels count by what happens within them.
#include "tune/nests.h"

#include "arith/analysis.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/transform/lower_blocks.h"
#include "tir/transform/simplify.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {
namespace {

using arith::Expr;
using arith::ExprKind;

constexpr double unknownExtent = 16, unknownShare = 0.5;

void countInto(Operations& operations, const Expr& expr);

void countArguments(Operations& operations, const Expr& expr) {
    for (const Expr& argument : expr->args)
        countInto(operations, argument);
}

void countInto(Operations& operations, const Expr& expr) {
    const bool isFloat = expr.dtype().isFloat();
    const auto isProduct = [](const Expr& e) { return e.kind() == ExprKind::Mul && e.dtype().isFloat(); };
    switch (expr.kind()) {
    case ExprKind::Load: // its index is none of the arithmetic
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::Var:
        return;
    case ExprKind::Add:
    case ExprKind::Sub:
        if (isFloat && (isProduct(expr->args[0]) || isProduct(expr->args[1]))) {
            ++operations.fused;
            const size_t product = isProduct(expr->args[1]) ? 1 : 0;
            countInto(operations, expr->args[1 - product]);
            countArguments(operations, expr->args[product]);
            return;
        }
        ++(isFloat ? operations.added : operations.integer);
        break;
    case ExprKind::Min:
    case ExprKind::Max:
        ++(isFloat ? operations.added : operations.integer);
        break;
    case ExprKind::Mul:
        ++(isFloat ? operations.product : operations.integer);
        break;
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        ++operations.division;
        break;
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
    case ExprKind::And:
    case ExprKind::Or:
    case ExprKind::Not:
    case ExprKind::Select:
        ++operations.logic;
        break;
    case ExprKind::Cast:
        ++operations.cast;
        break;
    case ExprKind::Call:
        ++(expr->intrinsic == arith::Intrinsic::Fma ? operations.fused : operations.call);
        break;
    case ExprKind::Ramp:
    case ExprKind::Broadcast:
        break;
    default: // of bits
        ++operations.integer;
    }
    countArguments(operations, expr);
}

class Walk {
public:
    explicit Walk(std::vector<Nest>& nests) : nests_(nests) {}

    void bind(const arith::Var& var, int64_t value) { values_[var.get()] = value; }

    void walk(const tir::Stmt& stmt) {
        if (!stmt)
            return;
        if (const auto* loop = stmt->as<tir::For>())
            return walkLoop(*loop);
        if (const auto* store = stmt->as<tir::Store>())
            return add(*store);
        if (const auto* let = stmt->as<tir::Let>()) {
            lets_[let->var.get()] = resolved(let->value);
            return walk(let->body);
        }
        if (const auto* branch = stmt->as<tir::If>()) {
            const double taken = shareOf(resolved(branch->condition));
            within(taken, branch->thenCase);
            return within(1 - taken, branch->elseCase);
        }
        if (const auto* loop = stmt->as<tir::While>()) {
            loops_.push_back({arith::var("again"), 0, {tir::ForKind::Serial, unknownExtent}});
            walk(loop->body);
            loops_.pop_back();
            return;
        }
        if (const auto* list = stmt->as<tir::Seq>())
            for (const tir::Stmt& each : list->stmts)
                walk(each);
        if (const auto* allocate = stmt->as<tir::Allocate>())
            walk(allocate->body);
    }

private:
    struct Around {
        arith::Var var;
        int64_t min = 0;
        Loop loop;
    };

    Expr resolved(const Expr& expr) const { return lets_.empty() ? expr : arith::substitute(expr, lets_); }

    /// In the middle of the loops around.
    std::optional<int64_t> valueOf(const Expr& expr) const { return arith::evaluate(resolved(expr), values_); }

    void walkLoop(const tir::For& loop) {
        const int64_t min = valueOf(loop.min).value_or(0);
        const auto extent = valueOf(loop.extent);
        const int64_t count = std::max<int64_t>(extent.value_or(static_cast<int64_t>(unknownExtent)), 0);
        if (count == 0)
            return;
        loops_.push_back({loop.var, min, {loop.kind, static_cast<double>(count), static_cast<double>(loop.grain)}});
        values_[loop.var.get()] = min + (count > 2 ? count / 2 : 0);
        facts_.bind(loop.var, {min, min + count - 1});
        const int before = region_; // a parallel loop inside of another is serial
        if (loop.kind == tir::ForKind::Parallel && region_ < 0)
            region_ = regions_++;
        walk(loop.body);
        region_ = before;
        loops_.pop_back();
        values_.erase(loop.var.get());
    }

    void within(double share, const tir::Stmt& stmt) {
        if (share <= 0)
            return;
        const double before = std::exchange(share_, share_ * share);
        walk(stmt);
        share_ = before;
    }

    /// Of a condition that compares with a constant: as if the other side took each value between its bounds as often. That
    /// is so for the guard of a split.
    double shareOf(const Expr& condition) {
        double share = 1;
        for (const Expr& each : arith::conjuncts(condition))
            share *= shareOfOne(each);
        return share;
    }
    double shareOfOne(const Expr& condition) {
        const ExprKind kind = condition.kind();
        if (kind != ExprKind::Lt && kind != ExprKind::Le && kind != ExprKind::Gt && kind != ExprKind::Ge &&
            kind != ExprKind::Eq && kind != ExprKind::Ne)
            return unknownShare;
        // a < b as b - a > 0, a <= b as b - a >= 0
        const bool swapped = kind == ExprKind::Lt || kind == ExprKind::Le;
        const Expr &a = condition->args[0], &b = condition->args[1];
        if (!a.dtype().isIndex())
            return unknownShare;
        arith::VarMap scalars;
        for (const arith::Var& var : arith::freeVars(condition))
            if (const auto value = values_.find(var.get());
                value != values_.end() && !facts_.ranges.contains(var.get()))
                scalars[var.get()] = Expr(value->second);
        const Expr difference = arith::simplify(arith::substitute(swapped ? b - a : a - b, scalars), facts_);
        const auto [lower, upper] = arith::bounds(difference, facts_);
        constexpr int64_t far = int64_t{1} << 50;
        if (lower < -far || upper > far)
            return unknownShare;
        const auto values = static_cast<double>(upper - lower + 1);
        if (kind == ExprKind::Eq || kind == ExprKind::Ne) {
            const double equal = lower <= 0 && upper >= 0 ? 1 / values : 0;
            return kind == ExprKind::Eq ? equal : 1 - equal;
        }
        const int64_t least = kind == ExprKind::Lt || kind == ExprKind::Gt ? 1 : 0;
        return std::clamp(static_cast<double>(upper - least + 1) / values, 0.0, 1.0);
    }

    void add(const tir::Store& store) {
        Nest nest;
        for (const Around& around : loops_)
            nest.loops.push_back(around.loop);
        nest.region = region_;
        nest.share = share_;
        nest.bits = store.buffer->dtype.bits;
        const Expr value = resolved(store.value);
        countInto(nest.operations, value);
        std::vector<Expr> indices;
        addAccess(nest, indices, store.buffer, store.indices, true);
        for (const Expr& index : store.indices)
            addLoads(nest, indices, resolved(index));
        addLoads(nest, indices, value);
        nests_.push_back(std::move(nest));
    }

    void addLoads(Nest& nest, std::vector<Expr>& indices, const Expr& value) {
        arith::visit(value, [&](const Expr& e) {
            if (e.kind() == ExprKind::Load) {
                std::vector<Expr> at = e->args;
                if (e->masked)
                    at.pop_back();
                const auto buffer = std::static_pointer_cast<const tir::Buffer>(e->storage);
                addAccess(nest, indices, buffer, at, false);
                nest.bits = std::max<int>(nest.bits, buffer->dtype.bits);
            }
            return true;
        });
    }

    void addAccess(Nest& nest, std::vector<Expr>& indices, const tir::BufferPtr& buffer, const std::vector<Expr>& at,
                   bool writes) {
        const Expr index = resolved(tir::flatIndex(*buffer, at));
        Access* known = nullptr;
        for (size_t i = 0; i < indices.size() && !known; ++i)
            if (nest.accesses[i].buffer == buffer && arith::structurallyEqual(indices[i], index))
                known = &nest.accesses[i];
        if (!known) {
            indices.push_back(index);
            known = &nest.accesses.emplace_back(accessOf(buffer, index));
        }
        (writes ? known->writes : known->reads) = true;
    }

    Access accessOf(const tir::BufferPtr& buffer, const Expr& index) {
        Access access;
        access.buffer = buffer;
        access.strides.resize(loops_.size());
        const auto here = arith::evaluate(index, values_);
        access.regular = here.has_value();
        for (size_t i = 0; here && i < loops_.size(); ++i) {
            if (loops_[i].loop.extent < 2 || !values_.contains(loops_[i].var.get()))
                continue;
            int64_t& value = values_.at(loops_[i].var.get());
            ++value;
            if (const auto next = arith::evaluate(index, values_))
                access.strides[i] = *next - *here;
            --value;
        }
        double elements = 1; // of the buffer
        for (const Expr& extent : buffer->shape)
            elements *= std::max(static_cast<double>(valueOf(extent).value_or(1)), 1.0);
        double executions = 1;
        access.inside.resize(loops_.size() + 1);
        std::vector<Step> steps;
        for (size_t d = loops_.size() + 1; d-- > 0;) {
            if (d < loops_.size()) {
                steps.push_back({access.strides[d], loops_[d].loop.extent});
                executions *= loops_[d].loop.extent;
            }
            Touched& touched = access.inside[d] = tune::touched(steps, access.bytes());
            if (!access.regular)
                touched.elements = touched.lines = executions;
            touched.elements = std::min(touched.elements, elements);
            touched.lines = std::min({touched.lines, touched.elements, std::max(1.0, elements)});
        }
        return access;
    }

    std::vector<Nest>& nests_;
    std::vector<Around> loops_;
    std::unordered_map<const arith::ExprNode*, int64_t> values_; // of scalars, and of loops in their middle
    arith::VarMap lets_;
    arith::Facts facts_;
    double share_ = 1;
    int region_ = -1, regions_ = 0;
};

} // namespace

double Nest::extentOf(tir::ForKind kind) const {
    double product = 1;
    for (const Loop& loop : loops)
        if (loop.kind == kind)
            product *= loop.extent;
    return product;
}

double Nest::iterations() const {
    double product = share;
    for (const Loop& loop : loops)
        product *= loop.extent;
    return product;
}

std::vector<Nest> nestsOf(const tir::PrimFuncPtr& scheduled, std::span<const int64_t> sizes) {
    const tir::PrimFuncPtr loops = tir::simplify(tir::lowerBlocks(scheduled));
    std::vector<Nest> nests;
    Walk walk(nests);
    size_t next = 0;
    for (const tir::Param& param : loops->params)
        if (!param.buffer && next < sizes.size())
            walk.bind(param.scalar, sizes[next++]);
    walk.walk(loops->body);
    return nests;
}

} // namespace lathe::tune
