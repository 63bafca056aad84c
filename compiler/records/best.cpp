// SPDX-License-Identifier: Apache-2.0
#include "records/best.h"

#include "codegen/target.h"
#include "lower/schedule_kernel.h"
#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::records {
namespace {

/// Why the trace does not fit the workload any more; empty if it does.
std::string objection(const Workload& workload, const std::string& trace) {
    const auto target = codegen::parseTarget(workload.target);
    const auto computation = tir::parsePrimFunc(workload.text);
    if (!target || !computation)
        return (target ? computation.error() : target.error()).what;
    if (workloadOf(**computation, *target).key != workload.key)
        return "its text is not that of its hash";
    const auto steps = schedule::parseTrace(trace);
    if (!steps)
        return steps.error().what;
    const auto made = lower::scheduleKernel(*computation, *target,
                                            {.answers = {}, .trace = *steps, .from = lower::ScheduleFrom::Records});
    if (!made)
        return made.error().what;
    return made->schedule.warnings.empty() ? std::string() : made->schedule.warnings.front().what;
}

} // namespace

Result<Offered> offeredFor(const File& file, const Setting& setting) {
    LATHE_TRY(const std::vector<Best> all, file.best(&setting));
    Offered offered;
    int64_t stale = 0;
    for (const Best& best : all) {
        if (best.stale) {
            ++stale;
            continue;
        }
        auto trace = schedule::parseTrace(best.trial.trace);
        if (trace) {
            offered.schedules[best.workload.key].trace = std::move(*trace);
            continue;
        }
        Diagnostic& unread = offered.warnings.emplace_back(trace.error());
        unread.severity = Severity::Warning;
        unread.file = file.path().string();
        unread.what =
            fmt::format("the recorded schedule of workload {} cannot be read: {}", best.workload.key, unread.what);
        unread.hint = "the kernel has the default schedule";
    }
    if (stale > 0) {
        Diagnostic& left = offered.warnings.emplace_back(
            error(fmt::format("{} recorded schedules do not fit this version of the program any more", stale),
                  "the kernels have the default schedule; tune them again"));
        left.severity = Severity::Note;
        left.file = file.path().string();
    }
    return offered;
}

Result<Verified> verify(File& file) {
    LATHE_TRY(const std::vector<Workload> workloads, file.workloads());
    LATHE_TRY(const std::vector<Best> all, file.best());
    std::map<std::string, const Workload*> byKey;
    for (const Workload& workload : workloads)
        byKey[workload.key] = &workload;
    Verified verified;
    for (const Best& best : all) {
        const auto workload = byKey.find(best.workload.key);
        if (workload == byKey.end()) // another program has written it meanwhile
            continue;
        const std::string wrong = objection(*workload->second, best.trial.trace);
        if (best.stale == wrong.empty())
            (void)file.markStale(best.trial, !wrong.empty()); // that it may not be written changes nothing
        if (wrong.empty())
            ++verified.good;
        else
            verified.bad.push_back(fmt::format("{} ({}): {}", best.workload.key, best.workload.kernel, wrong));
    }
    return verified;
}

Result<void> markStale(File& file, const Setting& setting, const std::vector<std::string>& workloads) {
    LATHE_TRY(const std::vector<Best> all, file.best(&setting));
    for (const Best& best : all)
        if (std::ranges::find(workloads, best.workload.key) != workloads.end())
            LATHE_CHECKED(file.markStale(best.trial, true));
    return {};
}

Result<Rehashed> rehash(File& file) {
    LATHE_TRY(const std::vector<Workload> workloads, file.workloads());
    Rehashed done;
    std::vector<std::pair<std::string, Workload>> renamed;
    for (const Workload& before : workloads) {
        const auto target = codegen::parseTarget(before.target);
        const auto computation = tir::parsePrimFunc(before.text);
        if (!target || !computation) {
            done.unread.push_back(fmt::format("{} ({}): {}", before.key, before.kernel,
                                              (target ? computation.error() : target.error()).what));
            continue;
        }
        Workload now = workloadOf(**computation, *target);
        now.kernel = before.kernel;
        now.flops = before.flops;
        now.bytes = before.bytes;
        if (now == before)
            ++done.same;
        else
            renamed.emplace_back(before.key, std::move(now));
    }
    done.renamed = std::ssize(renamed);
    LATHE_CHECKED(file.rename(renamed));
    return done;
}

} // namespace lathe::records
