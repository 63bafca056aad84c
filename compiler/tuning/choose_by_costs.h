// SPDX-License-Identifier: Apache-2.0
//
// Variants and layouts by measured costs. The rules of "choose variants" and "choose layouts" go by estimates and choose for
// each convolution by itself; here the whole model is compiled a few times with each choice set to one thing everywhere, run by
// turns with the model as it is, and what each site takes under each option becomes a problem of costs (tune/pbqp.h), whose
// best solution is compiled and measured in turn. What that shows of pairs of options that had only been estimated goes into
// the problem, which is solved again, until the solution is one that was measured. The rules' choice is the start, and what
// stays where nothing is faster.
#pragma once

#include "tune/pbqp.h"
#include "tuning/graph_run.h"

#include <span>

namespace lathe::tuning {

/// What another option than the start's must gain: a share of its time, and so many times the noise.
struct Caution {
    double leastGain = 0.01;
    double noises = 1;
    bool estimates = true; // false: pairs of options that no run showed cannot be chosen
};

struct GraphProblem {
    std::vector<std::string> sites;               // a node of the problem each
    std::vector<std::vector<SiteOption>> options; // of each; the first is the start's
    tune::Pbqp costs;                             // ms of one run
    double restMs = 0;                            // of calls that are no site's
};

/// The start is the first of `runs`. An option costs what its site took in the first run that had it; infinity where that is
/// no time. An edge stands where a site reads the result of another. If that lies otherwise than it did when the reader was
/// measured, it costs what a run showed of it; else a relayout: twice its bytes over `gbs`, 10^9 bytes a second.
GraphProblem problemOf(std::span<const GraphRun> runs, double gbs, const Caution& caution);

/// `base` with the chosen options, one a site: those that are others than the start's, and of the start's those that the rules
/// would not choose beside them. Fails if they cannot be had together.
Result<driver::Decisions> withOptions(GraphBench& bench, const driver::Decisions& base, const GraphProblem& problem,
                                      std::span<const size_t> chosen);

/// Decisions that set all choices of one kind to the same, as far as it is offered and `base` does not decide it: each variant,
/// each width of blocks, each width of panels without blocks. Those that choose what others do are left out.
Result<std::vector<driver::Decisions>> sweepsOf(GraphBench& bench, const driver::Decisions& base);

struct ChosenByCosts {
    driver::Decisions decisions; // base, or with other options where that is faster
    size_t sites = 0;            // with several options
    size_t changed = 0;          // of them
    size_t measured = 0;         // compilations
    size_t planned = 0;          // of them, before any solution: fewer are measured where time is up
    bool optimal = true;         // the problem's solution is proved to be the best
    double startMs = 0;          // sums of calls
    double predictedMs = 0;      // of the decisions, before they were measured; both 0 if nothing changed
    double measuredMs = 0;
    std::string message; // why something could not be measured; empty if all could
};

struct CostSearch {
    Caution caution;
    double gbs = 10;       // of memory
    int mostSolutions = 4; // that are measured
    /// Either may be empty. Where time is up, what was measured so far is still solved; whoever cancels waits for nothing.
    std::function<bool()> isOver, cancelled;
    std::function<void(size_t measured, size_t of, const GraphRun& run)>
        told; // after each run; `of`: as far as is known
};

/// Fails if the start cannot be measured. What cannot be compiled or run otherwise is left out.
Result<ChosenByCosts> chooseByCosts(GraphBench& bench, const driver::Decisions& base, const CostSearch& search);

} // namespace lathe::tuning
