// SPDX-License-Identifier: Apache-2.0
//
// A study: the loop that tunes. Batch by batch: the task that is worth most, candidates of a search, what the Bench finds of
// them; the fastest of a batch meets the incumbent in a paired test, and takes its place only if it wins that. Whoever wants
// to watch gets events, on the thread that runs the study.
#pragma once

#include "tune/budget.h"
#include "tune/search.h"
#include "tune/task.h"

#include <chrono>
#include <functional>
#include <optional>

namespace lathe::tune {

struct Plan {
    std::chrono::duration<double> time{300};
    int64_t trials = 0; // at most so many candidates beside the defaults; 0: as many as fit into the time
    size_t batch = 16;
    uint64_t seed = 0;
    double leastGain = 0.01; // below that a candidate is not worth taking
    std::string search = "evolution";
    MachineModel machine; // that candidates run on
    std::string learned;  // by a model before, as CostModel::save gives it; empty: nothing
};

/// Why a candidate that was timed may not be taken after all.
struct Fault {
    Verdict verdict = Verdict::Wrong;
    std::string message = {};
};

/// What a paired test of a candidate against the incumbent found.
struct PairedTimes {
    std::optional<Fault> fault = {};    // the candidate does not run any more
    std::vector<double> logRatios = {}; // of times, candidate to incumbent, of blocks that ran side by side
    size_t disturbed = 0;               // of these, in how many at least something else used the machine
    std::string loses = {};             // of a faster one, of several sizes: at which it is much slower; empty: at none
};

/// Rounds that were timed, and those of them in which something else used the machine.
struct Timings {
    int64_t all = 0, disturbed = 0;
    Timings operator+(const Timings& other) const { return {all + other.all, disturbed + other.disturbed}; }
};
/// So many of them that small gains could not be told.
bool wasBusy(const Timings& timings);

/// Builds and times. A Failure is of the machine, not of a candidate (no runner, no room): it ends the study.
class Bench {
public:
    virtual ~Bench() = default;
    /// Told what the bench waits for, or does otherwise than one may think; the study sets it.
    std::function<void(const std::string&)> noted;
    /// Seconds of the study until now, and until its end; the study sets it. Empty: there is no end.
    struct Time {
        double passed = 0, left = 0;
    };
    std::function<Time()> clock;
    /// A trial for each candidate, in order, each timed beside the incumbent and its ratio said to that; what cannot be
    /// built or run has another verdict. With no incumbent the first candidate, the default, is what the others are timed
    /// beside; if it cannot be measured, its trial is the only one.
    virtual Result<std::vector<Trial>> screen(const Task& task, const Candidate* incumbent,
                                              std::vector<Candidate> candidates) = 0;
    /// Times both by turns until they are told apart or there are enough blocks.
    virtual Result<PairedTimes> compare(const Task& task, const Candidate& incumbent, const Candidate& candidate,
                                        double leastGain) = 0;
    /// Whether the candidate computes what the unscheduled kernel does, where that takes too long what the task's default
    /// does, on several sets of values. Nothing: it does.
    virtual Result<std::optional<Fault>> check(const Task& task, const Candidate& byDefault,
                                               const Candidate& candidate) = 0;
    /// Of the time until now, what went into building.
    virtual double buildSeconds() const { return 0; }
    /// How often it has timed a batch or a pair until now, and in how many of these something else used the machine.
    virtual Timings timings() const { return {}; }
};

struct Event {
    /// TaskBegun: its default was measured, or it goes on from trials that are known. TaskChanged: its priority, or what is
    /// wanted of it. Waits, GoesOn: all of it, no task in particular. Note: the bench has something to say.
    enum class Kind { TaskBegun, Trials, Accepted, Rejected, TaskDone, TaskChanged, Waits, GoesOn, Note } kind;
    size_t task = 0;
    size_t firstTrial = 0; // Trials: those from here on are new. Accepted, Rejected: which
    std::string note = {}; // Note
};

struct Study {
    std::vector<TaskState> tasks;
    /// Of its budget, as it stands: with what was spent on studies before.
    Spent spent;
    Timings timings; // of this bench, not of those before
    double seconds = 0;
    int64_t trials = 0;
    std::vector<double> importance; // of features to the model, in the order of featureNames(); empty: none has learned

    /// Microseconds of the model in these tasks, as they began and as they stand; of a task that has not begun those of the
    /// model's profile.
    double defaultUs() const;
    double bestUs() const;
};

/// Runs until the time or the trials are used up, all tasks are done, or `cancelled`. The study holds what was found either
/// way, also where the Bench failed: `failed` says why. `told` is called after each change of the study. `control`, which
/// may be null, says what is wished meanwhile; its limits go before the plan's.
struct StudyResult {
    Study study;
    std::optional<Diagnostic> failed;
    std::string learned; // by the model, and before; empty: nothing from this study
};
StudyResult runStudy(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench,
                     const std::function<void(const Study&, const Event&)>& told = {},
                     const std::function<bool()>& cancelled = {}, Control* control = nullptr);
/// As a step of a tuning that has others: it spends of `budget`, up to that share of it, instead of the plan's time and trials;
/// the budget's control says what is wished.
StudyResult runStudy(std::vector<Task> tasks, const Space& space, const Plan& plan, Bench& bench, TuningBudget& budget,
                     Share upTo, const std::function<void(const Study&, const Event&)>& told,
                     const std::function<bool()>& cancelled);

} // namespace lathe::tune
