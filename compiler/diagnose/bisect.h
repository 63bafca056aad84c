// SPDX-License-Identifier: Apache-2.0
//
// Which optional pass is to blame. A BisectQuestion says when a compilation is bad. If it is good without any optional
// pass and bad with all of them, there is a first one that makes it bad, and `optionalLimit` finds it by halving; it is then
// switched off alone to see whether that mends the whole. A pass over kernels is followed into them: `skipIn` finds the
// kernel. Required passes cannot be switched off, so what is bad without any optional pass is theirs, or the import's.
//
// What is compiled runs in a child with a limit: a kernel that faults or hangs is bad, and ends nothing else. The compiler
// itself works in this process.
#pragma once

#include "driver/session.h"
#include "inspect/data_set.h"
#include "inspect/input_choice.h"

namespace lathe::diagnose {

/// Outputs that are not those expected: of the data, or else of the compilation without optional passes on random inputs.
struct WrongValues {
    data::Tolerance tolerance = data::Tolerance::Model;
};
/// An internal error of the compiler, a kernel that faults or takes longer than the limit: bad whatever is asked.
struct Crashes {};
/// The fastest of several runs takes longer.
struct SlowerThan {
    double limit = 0;           // ms; or
    bool ofUnoptimized = false; // times what it takes without optional passes
};
/// After all passes over the graph: calls of an operator; or kernels.
struct MoreThan {
    std::string what; // an operator by its printed name, or "kernels"; another is refused
    int64_t limit = 0;
};
using Fault = std::variant<WrongValues, Crashes, SlowerThan, MoreThan>;

struct BisectQuestion {
    Fault fault;
    driver::Options options;
    driver::Decisions decisions;             // for all compilations; optional passes that are off here stay off
    std::vector<std::filesystem::path> data; // folders (inspect/data_set.h) to run with; none: the following
    inspect::InputChoice chosen;             // inputs; its seed is that of random operators too
    driver::Shapes shapes;                   // of the random inputs
    device::RunnerOptions runner;            // its timeout is the limit; seed and cancellation are set from the above
};

/// A compilation that was tried.
struct BisectStep {
    driver::Decisions decisions;
    std::string passes; // which optional passes ran: "none", "all", "up to 'fuse'", "all but 'fuse'"
    bool bad = false;
    bool endless = false; // bad, since a run took longer than the limit
    std::string reason;   // what was seen: "output 'y': 3 of 10 elements differ …", "4.31 ms"
    std::string caveat;   // of good ones: "output 'y': 3 of 10 values are not a number on both sides"
    double seconds = 0;
};

enum class BisectAnswer {
    Found,
    GoodWithAll, // there is nothing to look for
    BadWithout,  // a required pass, or the import
    Endless,     // without any optional pass it runs longer than the limit too: the model's own work
    Unsteady,    // compilations that are the same were judged differently
};

/// A kernel in which switching the pass off makes good what was bad.
struct GuiltyKernel {
    std::string kernel;
    bool ofConstants = false; // it computes constants while the model is compiled, and has no place in the model
    std::vector<std::string> functions; // the fused functions that it serves
    std::vector<int32_t> nodes;         // of the model, ascending
    bool alone = true;                  // false: others are guilty as well
};

struct Bisection {
    BisectAnswer answer = BisectAnswer::GoodWithAll;
    std::vector<BisectStep> steps;
    inspect::ChosenInputs inputs;               // that were drawn, if no folder was named and anything ran
    std::string pass;                           // Found
    driver::Stage stage = driver::Stage::Relay; // its
    bool mends = false; // all other passes without it are good; false: others have the fault too, or need it
    std::optional<GuiltyKernel> kernel; // of a pass over kernels
    driver::Trace trace;                // of a compilation in which the pass ran, and was bad: what it changed
};

/// Fails if a compilation is refused for another reason than a fault of the compiler, the data does not fit the model, the
/// runner cannot be started, or the work is cancelled. `step` may be empty; it is called after each step.
Result<Bisection> bisect(driver::Session& session, const BisectQuestion& question,
                         const std::function<void(const BisectStep&)>& step = {},
                         const driver::Progress& progress = {});

} // namespace lathe::diagnose
