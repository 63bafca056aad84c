// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of run, profile, report, tune and bench name, made ready: a model or an artifact, compiled if need be,
// and input files.
#pragma once

#include "app/cli/commands.h"
#include "base/memory_file.h"
#include "device/runner_client.h"
#include "inspect/input_choice.h"
#include "records/file.h"

#include <optional>
#include <string>
#include <utility>

namespace lathe::cli {

/// Options to compile for a run on a device ("local": here): fails too for a target that it cannot run.
Result<driver::Options> makeRunOptions(const Common& common, const std::string& device = "local");
/// Adds schedules of kernels alike for those of the model's kernels that have none yet, if that is asked for: see
/// records/near.h. `options` are those that it will be compiled with.
Result<void> addNearRecords(driver::Decisions& decisions, const std::string& model, const driver::Options& options,
                            const Common& common);
/// Recorded schedules that did not fit are marked in the file, so that they are not tried again.
void markStale(const driver::Trace& trace, const Common& common);

/// Fails, with kind Usage, for a model from standard input: what the command does reads it more than once.
Result<void> needsFile(const std::string& model);

/// Fails, with kind Usage, if an option was given that only a compilation heeds.
Result<void> needsNoCompiling(const std::string& artifact, const Common& common);

void reportWarnings(const driver::Trace& trace, const Common& common);

/// One compilation serves all sizes: moves the shapes of the options to where they are fixed only at need, as those of the
/// files are, and returns what they were, for the run.
driver::Shapes leaveSizesToTheRun(driver::Options& options, const driver::InputFiles& files);

/// Compiles into `memory` for a run on the device with inputs from these files, and reports the warnings, unless the file is
/// an artifact already; what to load.
Result<driver::Artifact> artifactFor(const std::string& model, const driver::InputFiles& files,
                                     const MemoryFile& memory, const Common& common, driver::Trace& trace,
                                     const std::string& device = "local");

/// The file that is named, or for an empty name the default one. That it is of a later format is reported.
Result<records::File> openRecords(const std::string& named, records::File::Access access, const Common& common);

/// For the child that runs it. Fails for a device that cannot run it.
Result<device::RunnerOptions> runnerOptions(const RunArgs& args, const Common& common);

/// By which options a command takes files of inputs.
inline constexpr const char* inputOptions = "--input NAME=FILE or --data FOLDER";

/// Says on standard error which sizes of the inputs nothing gives: what is measured then is a model at size 1. `names` is empty
/// where all are given.
void noteOpenSizes(const std::vector<std::string>& names, const Common& common,
                   const std::string& options = inputOptions);

/// Says on standard error which inputs nothing gives: what is measured may depend on what is drawn for them. `names` is empty
/// where all are given.
void noteDrawnInputs(const std::vector<std::string>& names, const Common& common,
                     const std::string& options = inputOptions);

/// Waits until nobody else measures on the device where it runs, and says so on standard error.
Result<void> leaseDevice(device::RunnerClient& runner, const Common& common);

/// NAME=FILE: names and files may have an equals sign, so it is the first that a file stands behind; if none does, the first.
/// Nothing if there is no name, or no file.
std::optional<std::pair<std::string, std::string>> parseInput(const std::string& text);

/// The files that arguments name, which are read when the model is known. Fails for what is malformed, with kind Usage, and for
/// a file that is not there.
Result<driver::InputFiles> inputFiles(const InputArgs& args);

} // namespace lathe::cli
