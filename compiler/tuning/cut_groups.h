// SPDX-License-Identifier: Apache-2.0
//
// Fusion by measured costs. "fuse" goes by kinds of operators: that a group is faster than its parts is not known. The longest
// groups in which that is open are cut at one edge each, all of them in one compilation, the next edge in the next; a cut
// whose parts take less than the group did is kept.
#pragma once

#include "tuning/choose_by_costs.h"

namespace lathe::tuning {

/// A function that "fuse" made of several operators, and where it can be cut.
struct FusedGroup {
    std::vector<driver::ChoiceName> members;
    std::vector<driver::ApartDecision> cuts;
    double ms = 0;
};

/// Functions with several reductions or products, or with a value that several operators use, the longest first: `most` of them,
/// each with `mostCuts` pairs of operators, those whose producer has several users first.
std::vector<FusedGroup> groupsOf(const GraphRun& run, size_t most = 10, size_t mostCuts = 6);

/// What computes these operators in each of two runs. Operators that share a function with them in either belong to them in
/// both.
std::pair<Taken, Taken> takenBy(const std::vector<driver::ChoiceName>& members, const GraphRun& one,
                                const GraphRun& other);

struct CutGroups {
    driver::Decisions decisions; // base, or with cuts
    size_t groups = 0, cut = 0;
    size_t measured = 0, planned = 0;                    // compilations, as in ChosenByCosts
    double startMs = 0, predictedMs = 0, measuredMs = 0; // as in ChosenByCosts
    std::string message;
};

/// Fails if the start cannot be measured.
Result<CutGroups> cutGroups(GraphBench& bench, const driver::Decisions& base, const CostSearch& search);

} // namespace lathe::tuning
