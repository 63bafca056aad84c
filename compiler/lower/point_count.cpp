// SPDX-License-Identifier: Apache-2.0
#include "lower/point_count.h"

#include "arith/analysis.h"

#include <algorithm>
#include <numeric>

namespace lathe::lower {
namespace {

using arith::Expr;
using arith::ExprKind;
using Values = std::unordered_map<const arith::ExprNode*, int64_t>;

constexpr int64_t mostVisited = 65536; // values of loops, a tenth of a second
constexpr int64_t longestPeriod = 1 << 20;

/// Moving the variable on by `period` adds `step` to the expression, wherever one begins.
struct Drift {
    int64_t period = 1, step = 0;
};

/// Far from overflow; nothing otherwise.
std::optional<int64_t> product(int64_t a, int64_t b) {
    constexpr int64_t largest = int64_t{1} << 60;
    int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) || result > largest || result < -largest ? std::nullopt
                                                                                          : std::optional(result);
}

/// `divisor` becomes a divisor of the step; nothing where that takes too long a period.
std::optional<Drift> stretched(Drift drift, int64_t divisor) {
    const int64_t times = divisor / std::gcd(divisor, drift.step);
    const auto period = product(drift.period, times), step = product(drift.step, times);
    return period && step && *period <= longestPeriod ? std::optional(Drift{*period, *step}) : std::nullopt;
}

std::optional<Drift> driftOf(const Expr& expr, const Expr& var) {
    if (expr.get() == var.get())
        return Drift{1, 1};
    if (!arith::mentions(expr, var))
        return Drift{};
    std::vector<Drift> args;
    int64_t period = 1;
    for (const Expr& arg : expr->args) {
        const auto drift = driftOf(arg, var);
        if (!drift)
            return std::nullopt;
        args.push_back(*drift);
        period = std::lcm(period, drift->period);
        if (period > longestPeriod)
            return std::nullopt;
    }
    std::vector<int64_t> steps; // in that period
    for (const Drift& drift : args) {
        const auto step = product(drift.step, period / drift.period);
        if (!step)
            return std::nullopt;
        steps.push_back(*step);
    }
    const auto factor = [&](size_t arg) { return arith::asInt(expr->args[arg]); };
    switch (expr.kind()) {
    case ExprKind::Add:
        return Drift{period, steps[0] + steps[1]};
    case ExprKind::Sub:
        return Drift{period, steps[0] - steps[1]};
    case ExprKind::Mul:
        for (const size_t constant : {0, 1})
            if (factor(constant)) {
                const auto step = product(*factor(constant), steps[1 - constant]);
                return step ? std::optional(Drift{period, *step}) : std::nullopt;
            }
        break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        if (const auto divisor = factor(1); divisor && *divisor > 0) {
            const auto drift = stretched(args[0], *divisor);
            if (!drift)
                return std::nullopt;
            return Drift{drift->period, expr.kind() == ExprKind::FloorMod ? 0 : drift->step / *divisor};
        }
        break;
    default:
        break;
    }
    for (size_t arg = 0; arg < args.size(); ++arg)
        if (steps[arg] != 0)
            return std::nullopt;
    return Drift{period, 0}; // whatever it computes, it computes it of the same again
}

/// Loops that conditions and extents connect, the outermost first.
struct Component {
    std::vector<const LoopRange*> loops;
    std::vector<Expr> conditions;
};

class PointCounter {
public:
    PointCounter(const Component& component, const Values& sizes) : component_(component), values_(sizes) {
        const size_t depth = component.loops.size();
        periods_.assign(depth, 1);
        tests_.resize(depth);
        for (const Expr& condition : component.conditions) {
            size_t last = 0;
            for (size_t i = 0; i < depth; ++i)
                if (arith::mentions(condition, component.loops[i]->var))
                    last = i;
            tests_[last].push_back(condition);
        }
        for (size_t i = 0; i < depth; ++i) {
            for (const Expr& condition : component.conditions)
                join(periods_[i], condition, component.loops[i]->var);
            for (size_t inner = i + 1; inner < depth; ++inner)
                for (const Expr& part : {component.loops[inner]->min, component.loops[inner]->extent})
                    join(periods_[i], part, component.loops[i]->var);
        }
    }

    /// Nothing if an extent is not known.
    std::optional<PointCount> count() {
        const auto points = from(0);
        return points ? std::optional(PointCount{*points, uncounted_}) : std::nullopt;
    }
    bool gaveUp() const { return visited_ > mostVisited; }

private:
    /// 0: it does not repeat.
    static void join(int64_t& period, const Expr& expr, const Expr& var) {
        const auto drift = driftOf(expr, var);
        period = drift && drift->step == 0 && period > 0 ? std::lcm(period, drift->period) : 0;
        if (period > longestPeriod)
            period = 0;
    }

    std::optional<int64_t> from(size_t depth) {
        if (depth == component_.loops.size())
            return 1;
        const LoopRange& loop = *component_.loops[depth];
        const auto first = arith::evaluate(loop.min, values_), extent = arith::evaluate(loop.extent, values_);
        if (!first || !extent)
            return std::nullopt;
        const int64_t period = periods_[depth] > 0 ? std::min(periods_[depth], *extent) : *extent;
        int64_t total = 0;
        for (int64_t i = 0; i < period; ++i) {
            if (++visited_ > mostVisited)
                return std::nullopt;
            values_[loop.var.get()] = *first + i;
            if (!holds(tests_[depth]))
                continue;
            const auto inner = from(depth + 1);
            const int64_t times = *extent / period + (i < *extent % period ? 1 : 0);
            int64_t points = 0;
            if (!inner || __builtin_mul_overflow(*inner, times, &points) ||
                __builtin_add_overflow(total, points, &total))
                return std::nullopt;
        }
        return total;
    }

    bool holds(const std::vector<Expr>& tests) {
        return std::ranges::all_of(tests, [&](const Expr& test) {
            const auto value = arith::evaluate(test, values_);
            uncounted_ |= !value; // it reads data, or a size that is not known
            return value.value_or(1) != 0;
        });
    }

    const Component& component_;
    Values values_;
    std::vector<int64_t> periods_;         // by loop: after so many values all is the same again
    std::vector<std::vector<Expr>> tests_; // by the innermost loop that they mention
    int64_t visited_ = 0;
    bool uncounted_ = false;
};

std::vector<Component> componentsOf(std::span<const LoopRange> loops, std::span<const Expr> conditions) {
    std::vector<size_t> roots(loops.size());
    std::iota(roots.begin(), roots.end(), size_t{0});
    const auto rootOf = [&](size_t loop) {
        while (roots[loop] != loop)
            loop = roots[loop];
        return loop;
    };
    /// The loops that the expression mentions become one component with `with`, if that is a loop; which is it?
    const auto connect = [&](const Expr& expr, std::optional<size_t> with) {
        for (size_t i = 0; i < loops.size(); ++i)
            if (arith::mentions(expr, loops[i].var)) {
                if (with)
                    roots[rootOf(i)] = rootOf(*with);
                with = i;
            }
        return with;
    };
    std::vector<std::optional<size_t>> homes;
    for (const Expr& condition : conditions)
        homes.push_back(connect(condition, std::nullopt));
    for (size_t i = 0; i < loops.size(); ++i)
        for (const Expr& part : {loops[i].min, loops[i].extent})
            connect(part, i);
    std::vector<Component> components(loops.size());
    for (size_t i = 0; i < loops.size(); ++i)
        components[rootOf(i)].loops.push_back(&loops[i]);
    for (size_t i = 0; i < conditions.size(); ++i)
        if (homes[i])
            components[rootOf(*homes[i])].conditions.push_back(conditions[i]);
    std::erase_if(components, [](const Component& component) { return component.loops.empty(); });
    return components;
}

/// The points of the loops, whatever conditions say.
std::optional<int64_t> boundOf(const Component& component, const Values& sizes) {
    arith::Facts facts;
    for (const auto& [size, value] : sizes)
        facts.ranges[size] = {value, value};
    int64_t total = 1;
    for (const LoopRange* loop : component.loops) {
        const arith::Interval first = arith::bounds(loop->min, facts), extent = arith::bounds(loop->extent, facts);
        const int64_t most = std::max<int64_t>(0, extent.upper);
        if (__builtin_mul_overflow(total, most, &total))
            return std::nullopt;
        int64_t last = 0;
        if (__builtin_add_overflow(first.upper, std::max<int64_t>(1, most) - 1, &last))
            return std::nullopt;
        facts.ranges[loop->var.get()] = {first.lower, last};
    }
    return total;
}

} // namespace

std::optional<PointCount> countPoints(std::span<const LoopRange> loops, std::span<const Expr> conditions,
                                      const Values& sizes) {
    PointCount total{1, false};
    std::vector<Expr> parts;
    for (const Expr& condition : conditions)
        for (const Expr& part : arith::conjuncts(condition)) {
            const bool ofLoops =
                std::ranges::any_of(loops, [&](const LoopRange& loop) { return arith::mentions(part, loop.var); });
            if (ofLoops) {
                parts.push_back(part);
                continue;
            }
            const auto value = arith::evaluate(part, sizes);
            total.atMost |= !value;
            if (value == 0)
                return PointCount{0, false};
        }
    for (const Component& component : componentsOf(loops, parts)) {
        PointCounter counter(component, sizes);
        std::optional<PointCount> count = counter.count();
        if (!count && counter.gaveUp())
            if (const auto bound = boundOf(component, sizes))
                count = PointCount{*bound, true};
        if (!count || __builtin_mul_overflow(total.points, count->points, &total.points))
            return std::nullopt;
        total.atMost |= count->atMost;
    }
    return total;
}

} // namespace lathe::lower
