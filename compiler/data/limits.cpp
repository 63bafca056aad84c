// SPDX-License-Identifier: Apache-2.0
#include "data/limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lathe::data {

void holdLimits(const Limits& limits, const Measured& measured, StepReport& report) {
    report.begin("limits");
    struct Row {
        const char* name;
        double most;
        std::optional<double> found;
    };
    const Row rows[] = {
        {"p50 in ms", limits.p50Ms, measured.p50Ms},
        {"p99 in ms", limits.p99Ms, measured.p99Ms},
        {"load time in ms", limits.loadMs, measured.loadMs},
        {"peak resident memory in bytes", static_cast<double>(limits.residentBytes), measured.residentBytes},
        {"size in bytes", static_cast<double>(limits.sizeBytes), measured.sizeBytes}};
    bool any = false, kept = true;
    const auto over = [&](std::string what) {
        kept = false;
        report.bad(error(std::move(what), "tune the model for this machine, or export it with other limits"));
    };
    for (const Row& row : rows) {
        any |= row.most > 0;
        if (row.most > 0 && !row.found)
            over(fmt::format("{} was not measured, the limit is {:.10g}", row.name, row.most));
        else if (row.most > 0 && *row.found > row.most)
            over(fmt::format("{} is {:.10g}, the limit {:.10g}", row.name, *row.found, row.most));
    }
    if (any && kept)
        report.good("all kept", nlohmann::json::object());
}

} // namespace lathe::data
