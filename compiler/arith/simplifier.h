// SPDX-License-Identifier: Apache-2.0
//
// The engine behind analysis.h, alive for one Analyzer. Each expression is simplified once (memory by node) into an
// interned canonical one, so that equal structure is equal identity; index expressions have a Poly beside them.
#pragma once

#include "arith/poly.h"

#include <functional>

namespace lathe::arith {

class Simplifier {
public:
    explicit Simplifier(const Facts& facts);

    Expr simplify(const Expr& expr) { return atoms_[simplified(expr)]; }
    /// The number of the canonical form.
    AtomId simplified(const Expr& expr);
    /// How many canonical forms it remembers.
    size_t size() const { return atoms_.size(); }
    const Expr& exprOf(AtomId atom) const { return atoms_[atom]; }
    /// Of a canonical expression of scalar index type.
    const Poly& polyOf(AtomId canonical);
    AtomId fromPoly(Poly poly);

    Interval boundsOf(AtomId canonical);
    Interval boundsOf(const Poly& poly, int depth = 0);
    Congruence congruenceOf(AtomId canonical);
    Congruence congruenceOf(const Poly& poly);
    bool nonNegative(const Poly& poly, int depth = 0);
    /// Whether 0 <= poly < divisor.
    bool isBelow(const Poly& poly, const Poly& divisor);

    /// The common form of products that share an atom with `atom`.
    AtomId intern(const Expr& expr);

private:
    void remember(const Expr& expr, AtomId id);
    static constexpr int maximumSplits = 3; // of min, max, select while bounding

    // simplify.cpp
    AtomId simplifyNode(const Expr& expr);
    AtomId simplifyIndexNode(const Expr& node);
    AtomId simplifyDataNode(const Expr& node);
    AtomId simplifySelect(const Expr& node);
    AtomId simplifyCast(const Expr& node);
    AtomId minMax(const Expr& node);
    AtomId constant(int64_t value) { return intern(intImm(value)); }
    AtomId argOf(AtomId atom, size_t index) { return intern(atoms_[atom]->args[index]); }
    Expr rebuild(const Poly& poly);
    int compare(const Expr& a, const Expr& b) const;
    bool before(const Term& a, const Term& b) const;

    // simplify_index.cpp
    std::optional<Poly> sumOrProduct(ExprKind kind, const Poly& a, const Poly& b);
    Poly mergeDivMod(Poly poly);
    std::optional<Poly> mergeOnce(const Poly& poly);
    std::optional<Poly> mergeMod(const Poly& poly, const Term& term, size_t place);
    std::optional<Poly> mergeDiv(const Poly& poly, const Term& term, size_t place);
    AtomId floorDivMod(ExprKind kind, AtomId a, AtomId b);
    std::optional<Poly> floorDivBy(const Poly& poly, int64_t divisor);
    std::optional<Poly> floorModBy(const Poly& poly, int64_t divisor);
    std::optional<Poly> floorDivAtom(const Poly& rest, int64_t divisor);
    std::optional<Poly> unwrapMods(const Poly& poly, int64_t divisor);
    bool splitBySmallPart(const Poly& rest, int64_t divisor, int64_t& scale, Poly& multiples, Poly& small);
    bool dividesOut(Poly& poly, const Poly& divisor, Poly& quotient);
    AtomId plain(ExprKind kind, AtomId a, AtomId b);

    // simplify_logic.cpp
    AtomId compareIndex(ExprKind kind, AtomId a, AtomId b);
    AtomId lessThan(const Poly& difference);
    AtomId equalOrNot(ExprKind kind, const Poly& difference);
    AtomId compareData(const Expr& node);
    AtomId simplifyNot(const Expr& node);
    AtomId andOr(const Expr& node);
    /// For a canonical index comparison "a < b": the poly that is non-negative exactly where it holds.
    std::optional<Poly> slackOf(AtomId condition);
    void learn(AtomId condition, bool holds);
    AtomId known(AtomId condition);

    // bounds.cpp
    Interval boundsOfNode(const Expr& node);
    Interval refineByDivisions(const Poly& poly, Interval interval, int depth);
    Interval refineBySplits(const Poly& poly, Interval interval, int depth);

    const Facts& facts_;
    std::vector<Expr> atoms_;
    std::unordered_map<const ExprNode*, AtomId> idOfNode_;
    std::unordered_multimap<size_t, AtomId> interned_;
    std::unordered_map<const ExprNode*, AtomId> memory_;
    std::vector<Expr> alive_; // keys of memory_ and idOfNode_
    std::unordered_map<AtomId, Poly> polys_;
    std::unordered_map<AtomId, Interval> bounds_;
    std::unordered_map<AtomId, Congruence> congruences_;
    std::vector<Poly> slacks_; // non-negative by the truths
    std::unordered_map<AtomId, bool> knownConditions_;
};

} // namespace lathe::arith
