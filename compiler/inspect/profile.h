// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a model goes: a row for each call of a kernel, with its share, its rates and the model nodes it serves.
#pragma once

#include "driver/trace.h"
#include "inspect/inputs.h"
#include "inspect/timeline.h"

#include <chrono>
#include <functional>

namespace lathe::inspect {

struct ProfileRow {
    int call = 0; // in the Trace's calls
    std::string function, kernel;
    std::vector<std::string> origins; // names of model nodes, a text for each origin ("a, b"), equal ones once
    std::vector<int32_t> nodes;       // those it works for, by id in the Trace's ModelGraph; empty without a Trace
    int32_t home = -1;                // the first of them in the order of computing; see homeOf
    double ms = 0;                    // of one run: the mean of the middle half of the runs, by how long they took
    double spread = 0;                // ms between the means of the fastest and the slowest round of runs
    double flops = 0, bytes = 0;      // of one run, at the sizes that ran
    double share = 0;                 // of Profile::callsMs, 0 … 1

    double gflops() const { return ms > 0 ? flops / ms / 1e6 : 0; } // GFLOP/s
    double gbs() const { return ms > 0 ? bytes / ms / 1e6 : 0; }    // GB/s
};

struct Profile {
    std::vector<ProfileRow> rows;     // of calls that ran, the slowest first
    double leastMs = 0, medianMs = 0; // of the whole run
    double lowMs = 0, highMs = 0;     // the middle half of the runs took from the one to the other
    int runs = 0;

    /// What the kernel calls of a run take, by the rows: the whole run without what stands between the calls.
    double callsMs() const;
    int threads = 0;                               // 0: all
    driver::Shapes shapes;                         // of the inputs that it ran on
    std::vector<std::string> given = {};           // inputs that came from files; the others were drawn at random
    device::RunnerCounters counters;               // of one run more, if it was asked for
    std::shared_ptr<const Timeline> timeline = {}; // of one of up to five more runs, if asked for
};

/// How often to run: `warmUp` unmeasured times; then at least `leastRuns` times and until `atLeast` has passed, but no more
/// than `mostRuns` times. Progress is told the share that is done; cancelling it ends the measuring by a Diagnostic.
struct Measuring {
    int warmUp = 1;
    int leastRuns = 3, mostRuns = 3;
    std::chrono::milliseconds atLeast{0};
    bool timeline = false, counters = false; // of up to five runs more (recordUsualRun), and of one
};

/// The share of the measuring that is done after so many runs and so long: 0 … 1.
double shareDone(const Measuring& measuring, size_t runs, std::chrono::duration<double> spent);

/// Two seconds of runs, or a few of a slow model: for whoever looks at a profile.
inline constexpr Measuring measuringOfRun{.warmUp = 2,
                                          .leastRuns = 5,
                                          .mostRuns = 200,
                                          .atLeast = std::chrono::seconds(2),
                                          .timeline = true,
                                          .counters = true};

/// A model loaded in a runner, with its inputs set: what profile() takes, for several that are to be compared.
struct Measured {
    device::RunnerClient* runner = nullptr;
    const device::RunnerModel* loaded = nullptr;
    const driver::Trace* trace = nullptr;
    driver::Shapes shapes;
    std::vector<std::string> given = {}; // inputs that came from files
};

/// Measures all of them, in rounds by turns: what disturbs the machine meanwhile disturbs all alike. Each of them runs as
/// Measuring says. Profiles in their order.
Result<std::vector<Profile>> profileByTurns(const std::vector<Measured>& models, const Measuring& measuring,
                                            const driver::Progress& progress = {});

/// Runs a loaded model with its inputs set, and says where the time went. `trace` is that of its compilation, or empty for
/// an artifact, which knows only estimates without symbols; `shapes` are the dims of its inputs.
Result<Profile> profile(device::RunnerClient& runner, const device::RunnerModel& loaded, const driver::Trace& trace,
                        const driver::Shapes& shapes, const Measuring& measuring,
                        const driver::Progress& progress = {});

/// The rows of what was measured over `runs` runs: the pure part of profile().
std::vector<ProfileRow> profileRows(const device::RunnerModel& loaded, const device::RunnerProfile& measured, int runs,
                                    const driver::Trace& trace, const driver::Shapes& shapes);

} // namespace lathe::inspect
