// SPDX-License-Identifier: Apache-2.0
//
// An open model, as the workbench keeps it: from a file to an artifact that a runner can load. The model is imported once. A
// compilation with other Decisions, or with Options that import does not look at, starts from what was imported before, at
// the first pass; one of a file that has changed, or at other sizes, imports anew.
#pragma once

#include "driver/compile.h"

#include <memory>

namespace lathe::driver {

/// Not thread-safe: one piece of work at a time.
class Session {
public:
    explicit Session(std::filesystem::path model);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const std::filesystem::path& model() const { return model_; }

    /// Import alone: the Trace gets the graph, also where import refuses, the record of the import and its diagnostics.
    Result<void> open(const Options& options, Trace& trace, const Progress& progress = {});
    /// Writes the artifact to `out`, as compileFile does; the Trace is complete up to the failing pass.
    Result<Artifact> compile(const std::filesystem::path& out, const Decisions& decisions, const Options& options,
                             Trace& trace, const Progress& progress = {});

private:
    struct Kept;
    /// Imports, or gives what was imported for the like of these Options.
    ModelSource source(const Options& options);

    std::filesystem::path model_;
    std::unique_ptr<Kept> kept_; // null: nothing is
};

} // namespace lathe::driver
