// SPDX-License-Identifier: Apache-2.0
//
// Tuning a model: its kernels become tasks, a study tunes them, and what it found is held against the untuned model as a
// whole before it is given out as Decisions. What is not faster in place than it was goes back to its default.
#pragma once

#include "driver/compile.h"
#include "tuning/study_device.h"
#include "tuning/tune_graph.h"
#include "tuning/tuning_tasks.h"

#include <span>

namespace lathe::tuning {

/// The default schedule's own questions (topi/default_schedule.h).
tune::Space templateSpace(const Target& target);

struct Tuned {
    double untunedMs = 0;           // a run of the whole model before the search, as its profile has it
    std::vector<std::string> drawn; // inputs that came from no file
    tune::Study study;
    driver::Decisions decisions;      // those that tuning began with, and what was found
    std::vector<std::string> leftOut; // kernels over open sizes
    bool isHeld = false;              // what is new in them was held against the whole model
    std::optional<RunByTurns> whole;  // the model without it and with it; nothing: there is nothing new, or no time,
    std::string notTimed;             // for this reason
    std::string learned;              // by the cost model: tune::StudyResult
    std::optional<TunedGraph> graph;  // if it was asked for
    /// The machine failed, or nothing could be measured. What was found until then stands beside it.
    std::optional<Diagnostic> failed;

    /// The trial of the task whose schedule is in `decisions`; null: none is. It is not the fastest where that one was found
    /// after the schedules were held against the model, and is not taken.
    const tune::Trial* applied(const tune::TaskState& state) const;
};

struct TuneOptions {
    driver::Options compile;
    /// Its cancelled ends the study, and what was found until then is given; if nothing was measured, it ends all.
    device::RunnerOptions runner;
    std::optional<StudyDevice> device; // where the runner is one over ssh; nothing: this machine
    tune::Plan plan;
    driver::Decisions decisions;
    inspect::InputChoice inputs;    // that the whole model is timed with, at the sizes of its files
    std::string space = "template"; // tune::spaceNames(), with those of compile.extensions
    std::string kernel;             // only kernels whose names have this in them; empty: all
    /// What the model's open kernels are to be fast at: values of one of its sizes, at most mostSamples, the largest first.
    /// None: they are left out.
    std::optional<inspect::SweepQuestion> sizes;
    std::function<bool(const tune::Task&)> chosen;       // likewise those that are to be tuned; empty: all
    std::function<tune::Known(const tune::Task&)> known; // what there is of a task before; may be empty
    /// Null: nobody wishes anything. Stopping ends the study as runner.cancelled does, aborting all of it by a Failure of kind
    /// Cancelled. While it is held, the model is neither compiled nor measured.
    std::shared_ptr<tune::Control> control;
    bool graph = true; // variants, layouts and fusion too
    /// By workload, also of other models: schedules that other variants and layouts have.
    std::map<std::string, schedule::ScheduleTrace> recorded;
    /// Which inputs nothing gives, before anything is tried; may be empty.
    std::function<void(const std::vector<std::string>&)> drew;
    std::function<void()> begins; // the study does: the model was read, and has something to tune; may be empty
    std::function<void(const GraphEvent&)> toldGraph; // may be empty
};

/// What the machine that it measures on can do; of a device its processor and cores alone. Throws Cancelled if `cancelled`, which may be
/// empty, says so.
inspect::MachinePeaks peaksFor(const TuneOptions& options, const std::function<bool()>& cancelled = {});

/// How to run what is still done for whoever stops: it goes on until all is aborted.
device::RunnerOptions runnerOfRest(const TuneOptions& options);

/// Whether a study went on that had nothing left to try: all of each task was tried, or it gains no more, or nobody wants it.
bool hadNothingLeft(const tune::Study& study);
/// Why nothing was measured, by what happened most often, and what to do; nothing if something was, or nothing was left to try.
std::optional<Diagnostic> nothingMeasured(const tune::Study& study, const std::filesystem::path& model);

/// Fails where the model cannot be compiled or run, nothing is there to tune, or it was cancelled before anything was measured.
Result<Tuned> tuneModel(const std::filesystem::path& model, const TuneOptions& options,
                        const std::function<void(const tune::Study&, const tune::Event&)>& told = {},
                        const driver::Progress& progress = {});

} // namespace lathe::tuning
