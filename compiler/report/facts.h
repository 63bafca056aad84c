// SPDX-License-Identifier: Apache-2.0
//
// What several sections of a report look up: which kernel serves what, how much time it takes, where it is described.
#pragma once

#include "inspect/flame.h"
#include "inspect/memory_chart.h"
#include "inspect/roofline.h"
#include "report/report.h"

#include <map>

namespace lathe::report {

struct KernelFacts {
    std::vector<int> calls; // in Trace::calls
    double ms = 0;          // of one run, all calls; 0 without a profile
    double share = 0;       // of the run, or of the estimated FLOPs
    bool detailed = false;  // it has a section of its own
};

/// How many kernels are described in detail.
inline constexpr size_t detailedKernels = 8;
/// How many rows of the profile, and how many fused functions, are listed.
inline constexpr size_t listedRows = 2000, listedFunctions = 1000;

struct Facts {
    explicit Facts(const Report& report);

    /// In Trace::kernels, of a kernel or of the function that a call is for; -1: none.
    int kernelNamed(std::string_view name) const;
    int kernelOfFunction(std::string_view function) const;
    /// In Profile::rows; null: the call did not run.
    const inspect::ProfileRow* rowOf(int call) const;
    /// "#kernel-fused_conv_relu"; empty for -1.
    std::string linkTo(int kernel) const;
    /// "#call-12", to the row of the profile; empty if it has none that is listed.
    std::string linkToCall(int call) const;
    /// Its display name, within bounds.
    std::string nameOf(int node) const;

    const Report& report;
    const driver::Trace& trace;
    std::vector<KernelFacts> kernels;    // as in the Trace
    std::vector<size_t> hottest;         // all of them; the order of the estimated FLOPs without a profile
    std::vector<int> kernelOfNode;       // by node id; -1: no code
    std::vector<double> shareOfNode;     // of the calls that compute it; as KernelFacts::share
    std::optional<inspect::Flame> flame; // of the profile
    std::optional<inspect::Roofline> roofline;
    inspect::MemoryChart memory;
    std::vector<Diagnostic> problems; // of the compilation and the run, each once

private:
    std::map<std::string, int, std::less<>> kernelsByName_, kernelsByFunction_;
    std::vector<int> rows_; // by call
};

/// "12.3 MB".
std::string bytesText(double bytes);
/// "1.23 G", without a unit.
std::string countText(double count);
std::string msText(double ms);
std::string percentText(double share);

} // namespace lathe::report
