// SPDX-License-Identifier: Apache-2.0
//
// First the tightest dead place that provably holds the buffer; else the largest dead place grows, which costs no more
// than a new one; else a new place. Constant sizes decide by number, symbolic ones by bounds of the difference.
#include "lower/memory_plan.h"

#include <fmt/format.h>

namespace lathe::lower {

Expr MemoryPlan::allocate(const Expr& bytes) {
    // A size that turns out negative is refused at its node. Here it must not make room that others do not have.
    const Expr least = known_.bounds(bytes).lower >= 0 ? bytes : arith::max(bytes, Expr(0));
    Expr rounded = known_.simplify(arith::ceilDiv(least, 64) * 64);
    Place* best = nullptr;
    Place* largest = nullptr;
    const auto difference = [&](const Expr& a, const Expr& b) { return known_.bounds(a - b); };
    for (Place& place : places_) {
        if (!place.free)
            continue;
        if (difference(place.bytes, rounded).lower >= 0) {
            if (!best || difference(best->bytes, place.bytes).lower >= 0)
                best = &place;
        }
        if (!largest || difference(place.bytes, largest->bytes).lower >= 0)
            largest = &place;
    }
    if (!best && largest) {
        best = largest;
        best->bytes = known_.simplify(arith::max(best->bytes, rounded));
    }
    if (best) {
        best->free = false;
        return best->offset;
    }
    places_.push_back({arith::symbol(fmt::format("offset{}", places_.size())), rounded, false});
    return places_.back().offset;
}

void MemoryPlan::release(const Expr& offset) {
    for (Place& place : places_)
        if (place.offset.same(offset))
            place.free = true;
}

Expr MemoryPlan::finish(arith::VarMap& offsets) {
    Expr end = 0;
    for (const Place& place : places_) {
        offsets[place.offset.get()] = end;
        end = known_.simplify(end + place.bytes);
    }
    return end;
}

std::vector<std::pair<arith::Var, Expr>> MemoryPlan::steps(const arith::Var& size) const {
    std::vector<std::pair<arith::Var, Expr>> result;
    Expr end = 0;
    for (const Place& place : places_) {
        result.emplace_back(place.offset, arith::simplify(end));
        end = Expr(place.offset) + place.bytes;
    }
    result.emplace_back(size, arith::simplify(end));
    return result;
}

} // namespace lathe::lower
