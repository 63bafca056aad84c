// SPDX-License-Identifier: Apache-2.0
//
// The one list of all passes. compile() reads from top to bottom and calls them in this order; the list says what else is
// to know before any of them runs: the records of the Trace are made from it, `optionalPasses()` is its optional part, and
// a pass that compile() calls out of this order is a bug that every compilation finds.
#pragma once

#include "driver/compile.h"
#include "lower/pipeline.h"

namespace lathe::driver {

struct Pass {
    std::string_view name;
    Stage stage = Stage::Relay;
    bool required = true;
    bool exactOverReals = false; // changes floats otherwise: off under strict numerics
};

/// What the kernels of a compilation become.
lower::CodeKind codeKindOf(const Options& options);

/// All passes in the order in which they run. Kernels of C source go through some of them: the others are off there.
std::span<const Pass> pipeline();

/// Whether a pass runs under these decisions and options.
bool isEnabled(const Pass& pass, const Decisions& decisions, const Options& options);

/// A record for each pass of the pipeline, in order, none of which ran yet.
std::vector<PassRecord> plannedPasses(const Decisions& decisions, const Options& options);

} // namespace lathe::driver
