// SPDX-License-Identifier: Apache-2.0
//
// A compilation of a whole model that is there to be timed: its artifact has no name in any folder, a child has it loaded.
#pragma once

#include "base/memory_file.h"
#include "driver/profile.h"
#include "driver/session.h"

namespace lathe::driver {

struct WholeModel {
    MemoryFile file{"lathe-model"};
    Trace trace;
    std::unique_ptr<RunnerClient> runner;
    RunnerModel loaded;
    Shapes shapes; // of its inputs

    /// In a new child, its inputs drawn at random; of its shapes, or where it has none yet as inputShapes says.
    Result<void> load(const Options& options, const RunnerOptions& runner);
    Measured measured() const { return {runner.get(), &loaded, &trace, shapes, {}}; }
};

/// Compiled and loaded.
Result<std::unique_ptr<WholeModel>> wholeModel(Session& session, const Decisions& decisions, const Options& options,
                                               const RunnerOptions& runner, const Progress& progress = {},
                                               Shapes shapes = {});

} // namespace lathe::driver
