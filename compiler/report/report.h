// SPDX-License-Identifier: Apache-2.0
//
// A report: what is known of a model, its compilation and its run, in one HTML page that needs nothing else. For an issue, a
// colleague, or a later day.
#pragma once

#include "driver/compile.h"
#include "inspect/machine_peaks.h"
#include "inspect/profile.h"

namespace lathe::report {

/// What goes into it. What is missing is said on the page, with the reason where there is a problem.
struct Report {
    std::shared_ptr<const driver::Trace> trace; // perhaps of a compilation that failed
    std::filesystem::path model;
    driver::Options options;
    driver::Decisions decisions;
    driver::Shapes shapes = {}; // of inputs, as far as they are given: what is shown without a profile is at these
    double compileSeconds = 0;  // 0: it failed
    std::optional<inspect::Profile> profile;
    std::optional<inspect::MachinePeaks> peaks; // of the profile's machine
    std::vector<Diagnostic> problems;           // beside those of the Trace: of the run
};

/// The page. Compiles the hottest kernels once more for their machine code, so it may take seconds; throws Cancelled
/// (base/guarded.h) if `progress` says so.
std::string toHtml(const Report& report, const driver::Progress& progress = {});

/// The page in a file, which is written whole or not at all.
Result<void> writeReport(const Report& report, const std::filesystem::path& file,
                         const driver::Progress& progress = {});

} // namespace lathe::report
