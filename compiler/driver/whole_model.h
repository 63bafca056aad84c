// SPDX-License-Identifier: Apache-2.0
//
// A compilation of a whole model that is there to be timed: its artifact has no name in any folder, a child has it loaded.
#pragma once

#include "base/memory_file.h"
#include "driver/input_choice.h"
#include "driver/profile.h"
#include "driver/session.h"

namespace lathe::driver {

/// What a whole model is timed with: the same for all compilations that are held against each other.
struct TimedInputs {
    InputChoice chosen = {};                   // what it says comes from files is read once
    std::shared_ptr<const Tensors> given = {}; // what was read; null: nothing yet
    Shapes shapes = {};                        // of all inputs; empty: as inputShapes says
};

struct WholeModel {
    MemoryFile file{"lathe-model"};
    Trace trace;
    std::unique_ptr<RunnerClient> runner;
    RunnerModel loaded;
    TimedInputs inputs;

    /// In a new child, with its inputs: what no file gives is drawn at random.
    Result<void> load(const Options& options, const RunnerOptions& runner);
    Measured measured() const { return {runner.get(), &loaded, &trace, inputs.shapes, {}}; }
};

/// Compiled and loaded.
Result<std::unique_ptr<WholeModel>> wholeModel(Session& session, const Decisions& decisions, const Options& options,
                                               const RunnerOptions& runner, const Progress& progress = {},
                                               TimedInputs inputs = {});

} // namespace lathe::driver
