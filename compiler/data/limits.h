// SPDX-License-Identifier: Apache-2.0
//
// What a model may take where it runs, and whether it keeps to that. The limits stand in a bundle's manifest; whatever checks
// the bundle measures, and holds them by this alone.
#pragma once

#include "data/step_report.h"

#include <cstdint>
#include <optional>

namespace lathe::data {

/// What whoever exports asks of a run on the device; 0: nothing.
struct Limits {
    double p50Ms = 0, p99Ms = 0, loadMs = 0;
    int64_t residentBytes = 0, sizeBytes = 0;
    bool operator==(const Limits&) const = default;
};

/// What was found; nothing: it was not measured, which keeps no limit.
struct Measured {
    std::optional<double> p50Ms = {}, p99Ms = {}, loadMs = {}, residentBytes = {}, sizeBytes = {};
};

/// The step "limits": a fault for each that is not kept. Without limits it says nothing.
void holdLimits(const Limits& limits, const Measured& measured, StepReport& report);

} // namespace lathe::data
