// SPDX-License-Identifier: Apache-2.0
//
// The one list of all passes. compile() reads from top to bottom and calls them in this order; the list says what else is
// to know before any of them runs: the records of the Trace are made from it, `optionalPasses()` is its optional part, and
// a pass that compile() calls out of this order is a bug that every compilation finds.
#pragma once

#include "driver/compile.h"
#include "driver/extensions.h"
#include "lower/pipeline.h"

namespace lathe::driver {

struct Pass {
    std::string_view name;
    Stage stage = Stage::Relay;
    bool required = true;
    bool exactOverReals = false;  // changes floats otherwise: off under strict numerics
    std::string_view plugin = {}; // that adds it; empty: none
};

/// What the kernels of a compilation become.
lower::CodeKind codeKindOf(const Options& options);

/// All passes in the order in which they run. Kernels of C source go through some of them: the others are off there.
std::span<const Pass> pipeline();
/// The same with the passes that plugins add, each at its place. The names are those of the rows.
std::vector<Pass> pipelineWith(const Extensions* extensions);

/// The place by which optionalLimit counts: the optional passes in order, then those that plugins add, so that a limit means
/// the same with and without plugins.
int ordinalOf(std::string_view pass, const Extensions* extensions);

/// Fails if a pass of a plugin is decided to be off, or a variant of one to be taken, that none of the extensions is.
Result<void> requirePlugins(const Decisions& decisions, const Extensions* extensions);

/// Whether a pass runs under these decisions and options.
bool isEnabled(const Pass& pass, const Decisions& decisions, const Options& options);

/// A record for each pass of the pipeline, in order, none of which ran yet.
std::vector<PassRecord> plannedPasses(const Decisions& decisions, const Options& options);

} // namespace lathe::driver
