// SPDX-License-Identifier: Apache-2.0
//
// A loop's variable stands at its first turn while the loops inside are walked, and over its whole range once they are done:
// then all that turns inside a loop has its range, and what stands around it does not move, which is what one run of it sees.
#include "lower/loop_nest.h"

#include "arith/analysis.h"
#include "lower/lower.h"
#include "lower/point_count.h"
#include "tir/transform/loop_facts.h"
#include "tir/visit.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

namespace lathe::lower {
namespace {

using arith::Expr;
using arith::ExprKind;
using arith::Interval;

struct Access {
    const tir::Buffer* buffer = nullptr;
    std::vector<Expr> indices; // over loops and sizes alone
};

class Walk {
public:
    explicit Walk(const std::unordered_map<const arith::ExprNode*, int64_t>& sizes) : sizes_(sizes) {
        for (const auto& [size, value] : sizes)
            facts_.ranges[size] = {value, value};
    }

    /// Adds what stands in the statement to `cost`, and its accesses to `accesses`. block: around it; empty: none.
    void add(const tir::Stmt& stmt, const std::string& block, LoopCost& cost, std::vector<Access>& accesses) {
        if (const auto* loop = stmt->as<tir::For>()) {
            addLoop(*loop, *stmt, block, cost, accesses);
        } else if (const auto* each = stmt->as<tir::Block>()) {
            const arith::VarMap around = values_;
            for (const tir::IterVar& iter : each->iters)
                values_[iter.var.get()] = arith::substitute(iter.binding, around);
            // What the init does is not counted.
            under(each->predicate ? arith::substitute(each->predicate, around) : arith::boolImm(true),
                  [&] { add(each->body, each->name, cost, accesses); });
            values_ = around;
        } else if (const auto* choice = stmt->as<tir::If>()) {
            const Expr condition = arith::substitute(choice->condition, values_);
            under(condition, [&] { add(choice->thenCase, block, cost, accesses); });
            if (choice->elseCase)
                under(arith::logicalNot(condition), [&] { add(choice->elseCase, block, cost, accesses); });
        } else if (const auto* repeat = stmt->as<tir::While>()) { // data alone says how often
            const std::optional<PointCount> around = std::exchange(runs_, std::nullopt);
            ++unknown_;
            add(repeat->body, block, cost, accesses);
            --unknown_;
            runs_ = around;
        } else if (const auto* let = stmt->as<tir::Let>()) {
            values_[let->var.get()] = arith::substitute(let->value, values_);
            add(let->body, block, cost, accesses);
        } else if (const auto* store = stmt->as<tir::Store>()) {
            addStore(*store, *stmt, block, cost, accesses);
        } else {
            for (const tir::Stmt& child : tir::childrenOf(*stmt))
                add(child, block, cost, accesses);
        }
    }

    /// Bytes of the elements that the accesses meet: of each buffer a box around them all. Absent if a size is open on which
    /// that depends: the most that it may be says nothing of a run.
    std::optional<int64_t> touched(const std::vector<Access>& accesses) const {
        std::map<const tir::Buffer*, std::vector<Interval>> boxes;
        constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
        for (const Access& access : accesses) {
            std::vector<Interval>& box = boxes[access.buffer];
            box.resize(access.indices.size(), Interval{most, least});
            for (size_t dim = 0; dim < box.size(); ++dim) {
                const Expr& index = access.indices[dim];
                if (isOpen(index) || (tir::readsMemory(index) && isOpen(access.buffer->shape[dim])))
                    return std::nullopt;
                const Interval range = arith::bounds(index, facts_);
                box[dim] = {std::min(box[dim].lower, range.lower), std::max(box[dim].upper, range.upper)};
            }
        }
        double bytes = 0;
        for (const auto& [buffer, box] : boxes) {
            double elements = 1;
            for (size_t dim = 0; dim < box.size(); ++dim) {
                const double span = static_cast<double>(box[dim].upper) - static_cast<double>(box[dim].lower) + 1;
                const Interval size = arith::bounds(buffer->shape[dim], facts_);
                elements *= std::clamp(span, 0.0, static_cast<double>(size.upper));
            }
            bytes += elements * static_cast<double>(buffer->dtype.bytes());
        }
        constexpr double unbounded = 1e15; // an index or a size is not known
        return bytes < unbounded ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
    }

private:
    arith::Facts facts_;                              // ranges of sizes and loops
    std::unordered_set<const arith::ExprNode*> open_; // loops that were walked whose range is not known
    arith::VarMap values_;                            // of the blocks' variables
    const std::unordered_map<const arith::ExprNode*, int64_t>& sizes_;
    std::vector<LoopRange> loops_;                          // around what is walked, the outermost first
    std::vector<Expr> conditions_;                          // likewise
    int unknown_ = 0;                                       // likewise: loops whose turns data alone says
    std::optional<PointCount> runs_ = PointCount{1, false}; // of what is walked

    /// Whether it hangs on a size that has no value.
    bool isOpen(const Expr& expr) const {
        return std::ranges::any_of(arith::freeVars(expr), [&](const arith::Var& var) {
            return !facts_.ranges.contains(var.get()) || open_.contains(var.get());
        });
    }

    void recount() { runs_ = unknown_ > 0 ? std::nullopt : countPoints(loops_, conditions_, sizes_); }

    template <typename Body>
    void under(const Expr& condition, const Body& body) {
        if (arith::isConst(condition, 1))
            return body();
        const std::optional<PointCount> around = runs_;
        conditions_.push_back(condition);
        recount();
        body();
        conditions_.pop_back();
        runs_ = around;
    }

    void addLoop(const tir::For& loop, const tir::StmtNode& stmt, const std::string& block, LoopCost& outer,
                 std::vector<Access>& accesses) {
        LoopCost cost;
        cost.name = loop.var->name;
        cost.kind = loop.kind;
        cost.stmt = &stmt;
        const Expr min = arith::substitute(loop.min, values_), extent = arith::substitute(loop.extent, values_);
        const Interval turns = arith::bounds(extent, facts_);
        const int64_t first = arith::bounds(min, facts_).lower;
        const auto isLoop = [&](const arith::Var& var) {
            return std::ranges::any_of(loops_, [&](const LoopRange& outer) { return outer.var.get() == var.get(); });
        };
        if (turns.isPoint() && std::ranges::none_of(arith::freeVars(extent), isLoop))
            cost.trips = std::max<int64_t>(0, turns.upper);
        const std::optional<PointCount> around = runs_;
        loops_.push_back({loop.var, min, extent});
        recount();
        note(cost);
        facts_.ranges[loop.var.get()] = {first, first};
        std::vector<Access> own;
        add(loop.body, block, cost, own);
        const bool bounded = turns.upper < std::numeric_limits<int64_t>::max() - std::abs(first);
        facts_.ranges[loop.var.get()] = {first, bounded ? first + std::max<int64_t>(1, turns.upper) - 1
                                                        : std::numeric_limits<int64_t>::max()};
        if (isOpen(min) || isOpen(extent) || tir::readsMemory(min) || tir::readsMemory(extent))
            open_.insert(loop.var.get());
        cost.touched = touched(own);
        loops_.pop_back();
        runs_ = around;
        accesses.insert(accesses.end(), own.begin(), own.end());
        addTo(outer, std::move(cost));
    }

    void addStore(const tir::Store& store, const tir::StmtNode& stmt, const std::string& block, LoopCost& outer,
                  std::vector<Access>& accesses) {
        LoopCost cost;
        cost.name = block.empty() ? store.buffer->name : block;
        cost.stmt = &stmt;
        note(cost);
        std::vector<Access> own;
        double bytes = 0;
        const auto access = [&](const tir::Buffer& buffer, const std::vector<Expr>& indices) {
            Access& each = own.emplace_back(&buffer, std::vector<Expr>());
            for (const Expr& index : indices)
                each.indices.push_back(arith::substitute(index, values_));
            bytes += static_cast<double>(buffer.dtype.bytes());
        };
        access(*store.buffer, store.indices);
        arith::visit(store.value, [&](const Expr& node) {
            if (node.kind() == ExprKind::Load)
                access(tir::bufferOf(node), node->args);
            return true;
        });
        if (runs_) {
            cost.flops = static_cast<double>(runs_->points) * static_cast<double>(operationsOf(store.value));
            cost.accessed = static_cast<double>(runs_->points) * bytes;
        }
        cost.touched = touched(own);
        accesses.insert(accesses.end(), own.begin(), own.end());
        addTo(outer, std::move(cost));
    }

    void note(LoopCost& cost) const {
        if (runs_) {
            cost.runs = runs_->points;
            cost.runsAtMost = cost.workAtMost = runs_->atMost;
        }
    }

    /// Sums that lack a part are absent.
    static void addTo(LoopCost& outer, LoopCost cost) {
        const bool first = outer.inside.empty();
        const auto sum = [&](std::optional<double>& total, const std::optional<double>& part) {
            const bool known = part && (first || total);
            total = known ? std::optional(total.value_or(0) + *part) : std::nullopt;
        };
        sum(outer.flops, cost.flops);
        sum(outer.accessed, cost.accessed);
        outer.workAtMost |= cost.workAtMost;
        outer.inside.push_back(std::move(cost));
    }
};

} // namespace

LoopCost loopCosts(const tir::PrimFunc& function, const std::unordered_map<const arith::ExprNode*, int64_t>& sizes) {
    LoopCost cost;
    cost.name = function.name;
    cost.trips = cost.runs = 1;
    std::vector<Access> accesses;
    Walk walk(sizes);
    if (function.body)
        walk.add(function.body, "", cost, accesses);
    cost.touched = walk.touched(accesses);
    return cost;
}

} // namespace lathe::lower
