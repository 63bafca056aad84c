// SPDX-License-Identifier: Apache-2.0
#include "driver/profile.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::driver {
namespace {

using SymbolValues = std::unordered_map<const arith::ExprNode*, int64_t>;

/// A node that is defined by a body stands once for each origin in that body.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names)
        if (std::ranges::find(result, name) == result.end())
            result.push_back(name);
    return result;
}

} // namespace

std::vector<ProfileRow> profileRows(const RunnerModel& loaded, const RunnerProfile& measured, int runs,
                                    const Trace& trace, const Shapes& shapes) {
    SymbolValues symbols;
    if (!trace.passes.empty() && trace.passes.front().after)
        symbols = symbolValues(trace.passes.front().after->main(), shapes);
    std::vector<ProfileRow> rows;
    double total = 0;
    for (size_t i = 0; i < loaded.calls.size() && i < measured.calls.size(); ++i) {
        const RunnerCall& call = loaded.calls[i];
        const RunnerProfile::Entry& times = measured.calls[i];
        if (times.count == 0)
            continue;
        ProfileRow row;
        row.call = static_cast<int>(i);
        row.function = call.function;
        row.kernel = call.kernel;
        row.origins = distinct(call.nodes);
        row.ms = static_cast<double>(times.totalNs) / 1e6 / std::max(1, runs);
        // A call in a loop runs several times in a run, one in a branch perhaps in some runs only.
        const double callsPerRun = static_cast<double>(times.count) / std::max(1, runs);
        const CallRecord* record = i < trace.calls.size() ? &trace.calls[i] : nullptr;
        const auto estimate = [&](const arith::Expr CallRecord::* field, double constant) {
            const auto value = record ? arith::evaluate(record->*field, symbols) : std::nullopt;
            return (value ? static_cast<double>(*value) : constant) * callsPerRun;
        };
        row.flops = estimate(&CallRecord::flops, call.flops);
        row.bytes = estimate(&CallRecord::bytes, call.bytes);
        if (record && trace.graph)
            row.nodes = trace.graph->spans->ids(record->span);
        total += row.ms;
        rows.push_back(std::move(row));
    }
    for (ProfileRow& row : rows)
        row.share = total > 0 ? row.ms / total : 0;
    std::ranges::stable_sort(rows, std::ranges::greater(), &ProfileRow::ms);
    return rows;
}

Result<Profile> profile(RunnerClient& runner, const RunnerModel& loaded, const Trace& trace, const Shapes& shapes,
                        const Measuring& measuring, const Progress& progress) {
    LATHE_CHECKED(runner.run(measuring.warmUp));
    LATHE_CHECKED(runner.startProfile());
    std::vector<int64_t> ns;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < measuring.mostRuns; ++i) {
        const auto spent = std::chrono::steady_clock::now() - start;
        if (i >= measuring.leastRuns && spent >= measuring.atLeast)
            break;
        if (progress.cancelled && progress.cancelled())
            return failure(ErrorKind::Cancelled, "cancelled");
        if (progress.report) {
            const double ofTime =
                measuring.atLeast.count() > 0 ? std::chrono::duration<double>(spent) / measuring.atLeast : 0;
            progress.report("run", std::min(1.0, std::max(ofTime, static_cast<double>(i) / measuring.mostRuns)));
        }
        LATHE_TRY(const RunnerTimes times, runner.run(1));
        ns.insert(ns.end(), times.ns.begin(), times.ns.end());
    }
    LATHE_CHECKED(runner.stopProfile());
    LATHE_TRY(const RunnerProfile measured, runner.readProfile());
    Profile result;
    result.runs = static_cast<int>(ns.size());
    result.threads = runner.options().threads;
    std::ranges::sort(ns);
    result.medianMs = ns.empty() ? 0 : static_cast<double>(ns[ns.size() / 2]) / 1e6;
    result.shapes = shapes;
    result.rows = profileRows(loaded, measured, result.runs, trace, shapes);
    return result;
}

} // namespace lathe::driver
