// SPDX-License-Identifier: Apache-2.0
//
// What the passes of a Trace did, in figures: how much there is to compute after each, and what that is against before it.
// Made of the modules and loops that the Trace keeps, when it is asked for: a compilation does not pay for it.
#pragma once

#include "driver/trace.h"

namespace lathe::inspect {

/// What is not known, or does not exist at that stage, is absent.
struct Figures {
    std::optional<double> bindings;                // of the module
    std::optional<double> statements;              // of all kernels
    std::optional<double> flops, bytes, peakBytes; // of one run, estimated: see relay/cost.h
};

struct PassFigures {
    Figures after, delta; // delta of a pass that changed nothing, or stands alone: absent
};

/// For each pass of the Trace, in order; empty: cancelled.
std::vector<PassFigures> passFigures(const driver::Trace& trace, const std::function<bool()>& cancelled = {});

/// "+1.23 M", "-512", in three figures or fewer; empty for what is absent.
std::string deltaText(const std::optional<double>& delta);

} // namespace lathe::inspect
