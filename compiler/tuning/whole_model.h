// SPDX-License-Identifier: Apache-2.0
//
// A compilation of a whole model that is there to be timed: its artifact has no name in any folder, a child has it loaded.
#pragma once

#include "base/memory_file.h"
#include "driver/session.h"
#include "inspect/input_choice.h"
#include "inspect/profile.h"

namespace lathe::tuning {

/// What a whole model is timed with: the same for all compilations that are held against each other.
struct TimedInputs {
    inspect::InputChoice chosen = {};                   // what it says comes from files is read once
    std::shared_ptr<const inspect::Tensors> given = {}; // what was read; null: nothing yet
    driver::Shapes shapes = {};                         // of all inputs; empty: as inputShapes says
};

struct WholeModel {
    MemoryFile file{"lathe-model"};
    driver::Trace trace;
    std::unique_ptr<device::RunnerClient> runner;
    device::RunnerModel loaded;
    TimedInputs inputs;

    /// In a new child, with its inputs: what no file gives is drawn at random.
    Result<void> load(const driver::Options& options, const device::RunnerOptions& runner);
    inspect::Measured measured() const { return {runner.get(), &loaded, &trace, inputs.shapes, {}}; }
};

/// Compiled and loaded.
Result<std::unique_ptr<WholeModel>> wholeModel(driver::Session& session, const driver::Decisions& decisions,
                                               const driver::Options& options, const device::RunnerOptions& runner,
                                               const driver::Progress& progress = {}, TimedInputs inputs = {});

} // namespace lathe::tuning
