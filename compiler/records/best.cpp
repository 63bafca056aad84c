// SPDX-License-Identifier: Apache-2.0
#include "records/best.h"

#include "codegen/target.h"
#include "lower/schedule_kernel.h"
#include "tir/text.h"

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
    const auto made = lower::scheduleKernel(*computation, *target, {.answers = {}, .trace = *steps, .recorded = true});
    if (!made)
        return made.error().what;
    return made->schedule.warnings.empty() ? std::string() : made->schedule.warnings.front().what;
}

} // namespace

Result<Offered> offeredFor(const File& file, const Setting& setting) {
    LATHE_TRY(const std::vector<Best> all, file.best(&setting));
    Offered offered;
    for (const Best& best : all) {
        auto trace = schedule::parseTrace(best.trial.trace);
        if (trace) {
            offered.schedules[best.workload.key] = std::move(*trace);
            continue;
        }
        Diagnostic& unread = offered.warnings.emplace_back(trace.error());
        unread.severity = Severity::Warning;
        unread.file = file.path().string();
        unread.what =
            fmt::format("the recorded schedule of workload {} cannot be read: {}", best.workload.key, unread.what);
        unread.hint = "the kernel has the default schedule";
    }
    return offered;
}

Result<Verified> verify(const File& file) {
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
        if (wrong.empty())
            ++verified.good;
        else
            verified.bad.push_back(fmt::format("{} ({}): {}", best.workload.key, best.workload.kernel, wrong));
    }
    return verified;
}

} // namespace lathe::records
