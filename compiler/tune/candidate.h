// SPDX-License-Identifier: Apache-2.0
//
// What the tuner compares. A candidate is one way to schedule a kernel: the answers that lead to it, the questions that
// were asked on the way, and the trace that came out, which compiles without what made it. A trial is a candidate and what
// became of it; every candidate that was taken up has a verdict.
#pragma once

#include "base/hash.h"
#include "schedule/trace.h"
#include "tir/ir.h"

#include <optional>
#include <string_view>
#include <vector>

namespace lathe::tune {

/// Where a candidate came from.
enum class Made : uint8_t {
    Default,    // all answers preferred
    Random,     // all answers drawn
    Changed,    // a parent with one answer changed
    Crossed,    // answers of two parents
    Enumerated, // the next of all
    Recorded,   // found before, for this task or one alike
};
const char* toString(Made made); // "default", "random", …
std::optional<Made> madeOf(std::string_view text);

struct Candidate {
    Hash128 program; // of the scheduled function: other answers with the same program are the same candidate
    schedule::Answers answers;
    std::vector<schedule::Question> questions; // all that were asked, in order
    schedule::ScheduleTrace trace;
    Made made = Made::Default;
    std::optional<Hash128> parent; // the program that it was made from

    tir::PrimFuncPtr scheduled;      // until its features are known
    std::vector<float> features;     // tune/features.h; empty: not known
    double prior = 0;                // microseconds by the analytic estimate; 0: not known
    std::optional<double> predicted; // by the model as it was then: higher for what is faster
};

enum class Verdict : uint8_t {
    BuildError,   // no code could be made of it
    BuildTimeout, // that took too long
    BuildMemory,  // that took too much memory
    Crashed,      // the process that ran it died, or it touched memory outside its buffers
    RunTimeout,   // it ran for too long
    RunMemory,    // it asked for too much memory
    RunError,     // it gave an error status, or its artifact did not load
    Wrong,        // it computes something else, or writes into its inputs
    Disturbed,    // the machine was too busy to tell
    Slow,         // so much slower than the incumbent, or than others of its batch, that a glance was enough
    Measured,
};
const char* toString(Verdict verdict); // "build error", "crashed", …
std::optional<Verdict> verdictOf(std::string_view text);

/// An interval that holds the median with about 96 %.
struct Interval {
    double low = 0, middle = 0, high = 0;
};

/// What came of a schedule that was held against the default in the whole model.
enum class InPlace : uint8_t {
    Unknown,
    Kept,
    TakenBack, // it is not faster there
};
const char* toString(InPlace inPlace); // "unknown", "kept", "taken back"

struct Trial {
    Candidate candidate;
    Verdict verdict = Verdict::Measured;
    std::string message; // why, where it was not measured
    double us = 0;       // a call, median; Slow: the least that was seen; of other verdicts 0
    Interval ratio; // of its time to the default's, by what was timed side by side: Measured; by the paired test if
                    // that accepted it; Slow: at a glance, without an interval; 0: not known
    bool accepted = false; // a paired test found it faster than what was best before
    int round = 0;
    double seconds = 0; // into the study, when it had been timed; 0: not known
    InPlace inPlace = InPlace::Unknown;
};

} // namespace lathe::tune
