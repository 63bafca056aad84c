// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print_advice.h"

#include "advise/facts.h"
#include "app/cli/choices.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "device/device.h"
#include "records/tried.h"

namespace lathe::cli {

Result<void> printAdvice(const RunArgs& args, const Common& common, const driver::Trace& trace,
                         const inspect::Profile& profile) {
    LATHE_TRY(const driver::Options options, makeRunOptions(common, args.device));
    LATHE_TRY(const driver::Decisions decisions, makeDecisions(common));
    LATHE_TRY(const device::Device device, device::parseDevice(args.device));
    std::optional<inspect::MachinePeaks> peaks; // of another device nobody knows them
    if (device.isLocal())
        peaks = inspect::machinePeaks(common.threads, !common.noCache);
    const advise::Known known{.trace = &trace,
                              .options = &options,
                              .decisions = &decisions,
                              .profile = &profile,
                              .peaks = peaks ? &*peaks : nullptr,
                              .machine = device.isLocal() ? std::optional(codegen::nativeTarget()) : std::nullopt,
                              .tried = device.isLocal() ? records::triedWorkloads() : std::set<std::string>()};
    for (const advise::Advice& advice : advise::adviseOn(advise::Facts(known)))
        if (common.json) {
            fmt::print("{}\n", dump({{"advice", advice.rule},
                                     {"what", advice.what},
                                     {"why", advice.why},
                                     {"step", toString(advice.step)},
                                     {"ms", advice.ms}}));
        } else {
            printLine("{}. [{}]", advice.what, advice.rule);
            printLine("    {}", advice.why);
        }
    return {};
}

} // namespace lathe::cli
