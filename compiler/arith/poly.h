// SPDX-License-Identifier: Apache-2.0
//
// Sums of products with integer coefficients: the canonical form of index expressions inside the simplifier. Factors
// are numbers of interned expressions ("atoms"), so that like terms merge by comparing integers. Every operation
// checks for overflow and for size; "nothing" then means that the caller keeps the expression as it is.
#pragma once

#include "arith/analysis.h"

#include <optional>
#include <vector>

namespace lathe::arith {

using AtomId = uint32_t;

struct Term {
    std::vector<AtomId> factors; // ascending, repeated for powers; never empty
    int64_t coefficient = 0;     // never 0
    bool operator==(const Term&) const = default;
};

struct Poly {
    std::vector<Term> terms; // ascending by factors
    int64_t constant = 0;

    bool isConstant() const { return terms.empty(); }
    bool operator==(const Poly&) const = default;
    /// The term of these factors, or null.
    const Term* find(const std::vector<AtomId>& factors) const;
    static Poly of(int64_t value) { return {{}, value}; }
    static Poly ofAtom(AtomId atom) { return {{{{atom}, 1}}, 0}; }
};

inline constexpr size_t maximumTerms = 256;
/// Products that would have more are not multiplied out: three sums of seven dims would have 343 terms.
inline constexpr size_t maximumProductTerms = 32;

/// a + scale * b
std::optional<Poly> addScaled(const Poly& a, const Poly& b, int64_t scale);
std::optional<Poly> scaled(const Poly& a, int64_t scale);
std::optional<Poly> product(const Poly& a, const Poly& b);
/// coefficient * factors (any order) as a polynomial.
Poly monomial(std::vector<AtomId> factors, int64_t coefficient);
/// `factors` without those of `divisor`; nothing if they are not all there.
std::optional<std::vector<AtomId>> withoutFactors(const std::vector<AtomId>& factors,
                                                  const std::vector<AtomId>& divisor);

// Intervals. Sums and products saturate towards "unbounded".
inline constexpr int64_t unboundedLower = std::numeric_limits<int64_t>::min();
inline constexpr int64_t unboundedUpper = std::numeric_limits<int64_t>::max();
Interval intervalSum(Interval a, Interval b);
Interval intervalProduct(Interval a, Interval b);
Interval intervalHull(Interval a, Interval b);
/// What both allow; if they contradict each other, a.
Interval intervalIntersection(Interval a, Interval b);
Interval intervalMin(Interval a, Interval b);
Interval intervalMax(Interval a, Interval b);
Interval intervalFloorDiv(Interval a, Interval b);
Interval intervalFloorMod(Interval a, Interval b);
/// All values of an integer type; unbounded for index and uint64.
Interval rangeOfType(DataType type);

} // namespace lathe::arith
