// SPDX-License-Identifier: Apache-2.0
//
// The whole pipeline: from a model to an artifact and a Trace.
#pragma once

#include "driver/decisions.h"
#include "driver/options.h"
#include "driver/trace.h"
#include "frontend/frontend.h"

#include <filesystem>
#include <functional>

namespace lathe::driver {

/// A compiled model.
struct Artifact {
    std::filesystem::path path;
    double seconds = 0;
};

/// A model to be compiled: its name, for diagnostics, and what imports it.
struct ModelSource {
    std::string name;
    std::function<frontend::Imported(relay::Evaluator*, const frontend::Options&)> import;
};

/// Imports the model, compiles it and writes the artifact to `out` (whole or not at all; stops before, if `out` is empty).
/// Fails with the first error; all of them are in trace.diagnostics. Exceptions become Diagnostics (base/guarded.h).
Result<Artifact> compile(const ModelSource& model, const std::filesystem::path& out, const Decisions& decisions,
                         const Options& options, Trace& trace, const Progress& progress = {});
Result<Artifact> compileFile(const std::filesystem::path& model, const std::filesystem::path& out,
                             const Decisions& decisions, const Options& options, Trace& trace,
                             const Progress& progress = {});
/// The same for a model in memory (fuzzing, tests).
Result<Artifact> compileBytes(std::span<const std::byte> bytes, const std::string& name,
                              const std::filesystem::path& out, const Decisions& decisions, const Options& options,
                              Trace& trace, const Progress& progress = {});

/// Import alone: fills trace.graph, the import record and diagnostics.
Result<std::shared_ptr<relay::Module>> importModel(const ModelSource& model, const Options& options, Trace& trace,
                                                   const Progress& progress = {});
Result<std::shared_ptr<relay::Module>> importFile(const std::filesystem::path& model, const Options& options,
                                                  Trace& trace, const Progress& progress = {});

} // namespace lathe::driver
