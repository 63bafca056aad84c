// SPDX-License-Identifier: Apache-2.0
//
// The part of tuning that is about the graph, after the schedules of the model as it is: variants and layouts by what was
// measured, schedules of the kernels that are new then (of all again if none are), fusion of the longest groups, and the
// whole held against what the schedules alone are. What is not faster goes back.
#pragma once

#include "tune/budget.h"
#include "tuning/choose_by_costs.h"
#include "tuning/cut_groups.h"
#include "tuning/in_place.h"

#include <set>

namespace lathe::tuning {

struct TuneOptions;
struct Tuned;

/// Up to where schedules go: of the model as it is, and of kernels that are new.
inline constexpr tune::Share schedulesShare{.time = 0.6, .trials = 0.6}, newSchedulesShare{.time = 0.9, .trials = 1};
/// Of the time, once they begin; at most as much as is left.
inline constexpr double layoutsShare = 0.2, fusionShare = 0.1;

/// A compilation was measured.
struct GraphEvent {
    enum class Step : uint8_t { Layouts, Fusion } step;
    size_t measured = 0, of = 0; // compilations
    double startMs = 0, ms = 0;  // sums of calls: of the step's start, and of this one
};
std::string_view toString(GraphEvent::Step step); // "layouts", "fusion"

struct TunedGraph {
    ChosenByCosts layouts;
    std::string noNewSchedules; // why the kernels of these layouts could not be tuned; empty: nothing was in the way
    CutGroups fusion;
    bool isTaken = false; // what changed is in the decisions
    double schedulesMs = 0,
           wholeMs = 0; // of the model, by turns: with schedules alone, with all; 0: nothing changed, or was timed
    std::set<std::string> workloadsBefore, workloads; // of the kernels, as they were and with all; only if it is taken
};

/// What came of it, for people: a sentence each, without a stop.
std::vector<std::string> sentencesOf(const TunedGraph& graph);

/// Goes on with what `tuned` has: the study and the decisions of the schedules. `before` is the untuned model, `budget` that of
/// all of the tuning.
Result<void> tuneGraph(driver::Session& session, WholeModel& before, const TuneOptions& options,
                       tune::TuningBudget& budget,
                       const std::function<void(const tune::Study&, const tune::Event&)>& told, Tuned& tuned);

} // namespace lathe::tuning
