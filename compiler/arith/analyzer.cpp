// SPDX-License-Identifier: Apache-2.0
//
// The questions of analysis.h that need no more than a canonical form, for one question or for many.
#include "arith/simplifier.h"
#include "arith/structure.h"

namespace lathe::arith {
namespace {

/// Expressions remembered; beyond that it is cheaper to forget them.
constexpr size_t largestMemory = 1 << 14;

const Facts noFacts;

} // namespace

Analyzer::Analyzer() : Analyzer(noFacts) {}
Analyzer::Analyzer(const Facts& facts) : facts_(&facts) {}
Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;

Simplifier& Analyzer::simplifier() {
    if (!simplifier_ || simplifier_->size() > largestMemory)
        simplifier_ = std::make_unique<Simplifier>(*facts_);
    return *simplifier_;
}

Expr Analyzer::simplify(const Expr& expr) {
    if (!expr || isConst(expr))
        return expr;
    Expr result = simplifier().simplify(expr);
    return structurallyEqual(result, expr) ? expr : result;
}

Interval Analyzer::bounds(const Expr& expr) {
    if (const std::optional<int64_t> value = asInt(expr); value && expr.dtype().isIndex())
        return {*value, *value};
    Simplifier& memory = simplifier();
    return memory.boundsOf(memory.simplified(expr));
}

bool Analyzer::provablyTrue(const Expr& condition) {
    return isConst(simplifier().simplify(condition), 1);
}

bool Analyzer::provablyFalse(const Expr& condition) {
    return isConst(simplifier().simplify(condition), 0);
}

Expr simplify(const Expr& expr, const Facts& facts) {
    return Analyzer(facts).simplify(expr);
}

Interval bounds(const Expr& expr, const Facts& facts) {
    return Analyzer(facts).bounds(expr);
}

bool provablyTrue(const Expr& condition, const Facts& facts) {
    return Analyzer(facts).provablyTrue(condition);
}

bool provablyFalse(const Expr& condition, const Facts& facts) {
    return Analyzer(facts).provablyFalse(condition);
}

} // namespace lathe::arith
