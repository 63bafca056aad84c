// SPDX-License-Identifier: Apache-2.0
//
// What is tuned: one kernel of a model. And how far it has come.
#pragma once

#include "tune/judge.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lathe::tune {

/// What the user wants of a task.
enum class Wish : uint8_t {
    Go,
    Paused,   // no batches until it goes on
    Closed,   // no more; what was found is taken
    Excluded, // nor is that
};

/// What is known of a task before a study begins.
struct Known {
    std::vector<Trial> trials;         // of the study that goes on, in its order; their candidates have no questions
    double seconds = 0;                // that were spent on it in that study
    std::vector<Judgement> judgements; // of rounds 1, 2, … by the trials' numbers
    std::vector<schedule::Answers>
        seeds;            // that were best before, here or for tasks alike: the first few are tried first
    double priority = 1;  // of the user's, as long as the same tuning goes on
    Wish wish = Wish::Go; // likewise
};

struct Task {
    std::string workload;         // lower/workload.h: what Decisions name it by
    std::string kernel;           // its name in the model
    tir::PrimFuncPtr computation; // unscheduled
    std::vector<int64_t> sizes;   // values of its scalars; where it has to be fast at several, the largest
    /// The further ones. Each counts as much as the largest: times are geometric means over all of them.
    std::vector<std::vector<int64_t>> otherSizes;
    double calls = 1;            // in one run of the model
    double flops = 0, bytes = 0; // of one call
    double us = 0;               // of one call by default, in the model; 0: not known
    double floorUs = 0.2;        // of one call: nothing can be faster on this machine
    Known known;

    /// All that it has to be fast at, the largest first.
    std::vector<std::vector<int64_t>> allSizes() const;
};

/// Why a task gets no more batches.
enum class Done : uint8_t { No, Exhausted, Settled };
const char* toString(Done done); // "", "all tried", "no more gains"

/// What the default of these trials takes, the median over their batches: of each by what was timed beside what was best then.
/// One time alone is that of a busy moment, or of a quiet one. 0: it was not measured.
double defaultUsOf(std::span<const Trial> trials);

/// A task and what is known of it. The first trial is the default's; `best` is the fastest that a paired test accepted. A task
/// without trials has not begun.
struct TaskState {
    Task task;
    std::vector<Trial> trials;
    size_t known = 0;     // of the trials: those of before, which this study went on from
    size_t best = 0;      // in trials
    double bestRatio = 1; // of its time to the default's: the product of what the paired tests found
    double typicalUs = 0; // of the default, defaultUsOf the trials; 0: not known yet
    int rounds = 0;
    double seconds = 0;                     // that were spent on it
    int sinceGain = 0;                      // rounds without one
    bool isUntimed = false;                 // the machine was too busy for its first batch, at least once
    std::vector<double> gains;              // of each round: microseconds of a call
    std::map<std::string, int64_t> refused; // what was not worth building, by reason
    std::vector<Judgement> judgements;      // of each round: how good the predictions of its candidates were
    double priority = 1;                    // of the user's
    Wish wish = Wish::Go;                   // likewise
    Done done = Done::No;

    double defaultUs() const { return trials.empty() ? task.us : typicalUs > 0 ? typicalUs : trials.front().us; }
    double bestUs() const { return defaultUs() * bestRatio; }
    /// Whether what it found is to be used.
    bool isTaken() const { return best > 0 && wish != Wish::Excluded; }
};

/// Microseconds of the model that a second of tuning is expected to save; as if it had a batch already, and no priority.
double expectedGain(const TaskState& state);

/// Which task is worth the next batch: microseconds of the model saved for a second of tuning, expected from what the last
/// three batches gained and from what is left above the floor, at a pace that falls as time goes by. Tasks without a batch
/// come first, the most expensive of them before the others, unless the machine was too busy for that batch before. None: all
/// are done. The form is that of Ansor's scheduler (Zheng et al., OSDI 2020, section 6), in seconds instead of rounds.
std::optional<size_t> nextTask(const std::vector<TaskState>& tasks);

} // namespace lathe::tune
