// SPDX-License-Identifier: Apache-2.0
//
// What is known of index expressions: one simplifier, one bounds and one divisibility analysis serve shapes, loops and
// the memory plan. All are conservative: "no" means "not proved".
#pragma once

#include "arith/expr.h"

#include <memory>

namespace lathe::arith {

/// Inclusive; saturates at the int64 limits, which mean "unbounded".
struct Interval {
    int64_t lower = std::numeric_limits<int64_t>::min();
    int64_t upper = std::numeric_limits<int64_t>::max();
    bool operator==(const Interval&) const = default;
    bool isPoint() const { return lower == upper; }
};

/// Ranges that hold besides those that Vars carry: loop variables, guards.
struct Facts {
    std::unordered_map<const ExprNode*, Interval> ranges;
    /// Conditions known true, for exact (structural, simplified) use.
    std::vector<Expr> truths;

    void bind(const Var& var, Interval range) { ranges[var.get()] = range; }
};

/// Index expressions: sums and products in a canonical order with like terms merged; floordiv/floormod by constants
/// split into the divisible and the bounded part; min, max, select and compares decided by bounds. Data types:
/// constants folded, identities that hold for every value (x + 0 for integers, select of equal sides). Never changes a value.
Expr simplify(const Expr& expr, const Facts& facts = {});

Interval bounds(const Expr& expr, const Facts& facts = {});

/// The greatest known m such that expr is congruent to r modulo m for a constant r: {m, r}; {1, 0} if nothing is known,
/// m = 0: expr is the constant r.
struct Congruence {
    int64_t modulus = 1;
    int64_t remainder = 0;
};
Congruence congruence(const Expr& expr, const Facts& facts = {});
bool divisible(const Expr& expr, int64_t divisor, const Facts& facts = {});

bool provablyEqual(const Expr& a, const Expr& b, const Facts& facts = {});
bool provablyTrue(const Expr& condition, const Facts& facts = {});
bool provablyFalse(const Expr& condition, const Facts& facts = {});

class Simplifier;

/// The same questions, many of them under the same facts: what was simplified and bounded for one is remembered for the
/// next. `facts` must outlive it; its truths must stay as they are, ranges of variables that no question had may be added.
class Analyzer {
public:
    Analyzer(); // no facts
    explicit Analyzer(const Facts& facts);
    ~Analyzer();
    Analyzer(Analyzer&&) noexcept;
    Analyzer& operator=(Analyzer&&) noexcept;

    Expr simplify(const Expr& expr);
    Interval bounds(const Expr& expr);
    bool provablyTrue(const Expr& condition);
    bool provablyFalse(const Expr& condition);

private:
    const Facts* facts_;
    std::unique_ptr<Simplifier> simplifier_;

    Simplifier& simplifier();
};

/// expr = base + sum of coefficient * var over `vars`, base and coefficients free of vars; nothing if not affine.
struct Affine {
    Expr base;
    std::vector<Expr> coefficients;
};
std::optional<Affine> asAffine(const Expr& expr, std::span<const Var> vars);

/// The value under an assignment of all its Vars; nothing on overflow, division by zero, a load or an unknown Var.
std::optional<int64_t> evaluate(const Expr& expr, const std::unordered_map<const ExprNode*, int64_t>& values);

} // namespace lathe::arith
