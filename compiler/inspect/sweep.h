// SPDX-License-Identifier: Apache-2.0
//
// How long a model takes over one of the sizes that it leaves open: compiled once, measured at each size.
#pragma once

#include "inspect/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::inspect {

/// A size of the model and the values that it takes. The name is that of a symbol (model::sizeMeant), or a dim of an input
/// ("input_ids[1]").
struct SweepQuestion {
    std::string name;
    std::vector<int64_t> sizes;
};

/// "NAME=FROM:TO", "NAME=FROM:TO:STEP" or "NAME=1,2,4"; sizes are at least 1, and at most 1000 of them.
Result<SweepQuestion> parseSweep(std::string_view text);
/// "NAME=1,2,4"
std::string toString(const SweepQuestion& question);

/// Dims of all inputs where that size of the loaded model, named as in a question, is this; the others are those of `given`
/// and `asked`, as inputShapes has them. Fails where the model has no such size.
Result<driver::Shapes> shapesAt(const device::RunnerModel& loaded, const std::string& name, int64_t size,
                                const Tensors& given, const driver::Shapes& asked);

/// Names of the symbols that neither the sweep over `name` nor anything else gives, as of inputs.h.
Result<std::vector<std::string>> sizesTakenAsOne(const device::RunnerModel& loaded, const std::string& name,
                                                 const Tensors& given, const driver::Shapes& asked);

struct SweepPoint {
    int64_t size = 0;
    double leastMs = 0, medianMs = 0; // of whole runs
    double lowMs = 0, highMs = 0;     // half of the runs took between these
    int runs = 0;
};

/// Half a second at each size, or a few runs of a slow model.
inline constexpr Measuring measuringOfSize{.warmUp = 2,
                                           .leastRuns = 5,
                                           .mostRuns = 200,
                                           .atLeast = std::chrono::milliseconds(500),
                                           .timeline = false,
                                           .counters = false};

struct Sweep {
    std::string name;
    std::vector<SweepPoint> points;      // in the order that was asked for
    int threads = 0;                     // 0: all
    std::vector<std::string> drawn = {}; // inputs that nothing gives, or that have the size
};

/// Runs a loaded model at each of the sizes, as Measuring says, with inputs as shapesAt has them: the given ones, but where
/// an input has the size itself; these and the others are drawn from the seed. Fails where the model has no such size, or
/// one of them cannot be run. Throws Cancelled (base/guarded.h) where drawing inputs is cancelled.
Result<Sweep> sweep(device::RunnerClient& runner, const device::RunnerModel& loaded, const SweepQuestion& question,
                    const Tensors& given, const driver::Shapes& asked, uint64_t seed, const Measuring& measuring,
                    const driver::Progress& progress = {});

} // namespace lathe::inspect
