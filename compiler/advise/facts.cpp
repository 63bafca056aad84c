// SPDX-License-Identifier: Apache-2.0
#include "advise/facts.h"

#include "base/printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace lathe::advise {

Facts::Facts(const Known& known) : known(known), trace(*known.trace) {
    if (!known.profile)
        return;
    const inspect::Profile& profile = *known.profile;
    callsMs = profile.callsMs();
    std::unordered_map<std::string_view, const driver::KernelRecord*> kernels;
    for (const driver::KernelRecord& kernel : trace.kernels)
        kernels.emplace(kernel.name, &kernel);
    for (const inspect::ProfileRow& row : profile.rows) {
        const auto kernel = kernels.find(row.kernel);
        kernelOfRow.push_back(kernel == kernels.end() ? nullptr : kernel->second);
    }
    machineShareOfRow.resize(profile.rows.size());
    memory = inspect::memoryChart(trace, profile.shapes);
    if (!known.peaks)
        return;
    roofline = inspect::roofline(profile, *known.peaks);
    for (const inspect::RooflinePoint& point : roofline->points)
        machineShareOfRow[point.row] = point.share;
}

std::string inQuotes(std::string_view name) {
    constexpr size_t longest = 60;
    std::string text = printable(name);
    if (text.size() > longest) {
        size_t end = longest;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) // within a character
            --end;
        text.resize(end);
        text += "…";
    }
    return "'" + text + "'";
}

std::string percent(double share) {
    return fmt::format("{:.0f} %", share * 100);
}

std::string percentRange(double least, double most) {
    const std::string from = fmt::format("{:.0f}", least * 100), to = fmt::format("{:.0f}", most * 100);
    return from == to ? from + " %" : fmt::format("{} to {} %", from, to);
}

std::string milliseconds(double ms) {
    return ms < 0.1 ? fmt::format("{:.4f} ms", ms) : fmt::format("{:.2f} ms", ms);
}

std::string megabytes(int64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

} // namespace lathe::advise
