// SPDX-License-Identifier: Apache-2.0
#include "inspect/memory_chart.h"

#include "arith/analysis.h"
#include "inspect/inputs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::inspect {

MemoryChart memoryChart(const driver::Trace& trace, const driver::Shapes& shapes) {
    MemoryChart chart;
    const auto symbols = !trace.passes.empty() && trace.passes.front().after
                             ? symbolValues(trace.passes.front().after->main(), shapes)
                             : std::unordered_map<const arith::ExprNode*, int64_t>();
    const auto known = [&](const arith::Expr& expr) -> std::optional<int64_t> {
        return expr ? arith::evaluate(expr, symbols) : std::nullopt;
    };
    chart.alive.assign(trace.calls.size(), 0);
    const int last = static_cast<int>(trace.calls.size()) - 1;
    for (size_t i = 0; i < trace.buffers.size(); ++i) {
        const lower::PlacedBuffer& buffer = trace.buffers[i];
        const std::optional<int64_t> bytes = known(buffer.bytes);
        if (!bytes) {
            ++chart.unknown;
            continue;
        }
        if (*bytes <= 0)
            continue;
        chart.buffers.push_back({i, *bytes, known(buffer.offset)});
        for (int call = buffer.firstCall; call <= std::min(last, buffer.lastCall); ++call)
            chart.alive[static_cast<size_t>(call)] += *bytes;
    }
    if (!chart.alive.empty())
        chart.peakCall = static_cast<int>(std::ranges::max_element(chart.alive) - chart.alive.begin());
    for (size_t i = 0; i < chart.buffers.size(); ++i) {
        const lower::PlacedBuffer& buffer = trace.buffers[chart.buffers[i].index];
        if (buffer.firstCall <= chart.peakCall && chart.peakCall <= buffer.lastCall)
            chart.culprits.push_back(i);
    }
    std::ranges::stable_sort(chart.culprits, std::ranges::greater(), [&](size_t i) { return chart.buffers[i].bytes; });
    chart.reserved = known(trace.peakBytes);
    return chart;
}

std::string nameOf(const lower::PlacedBuffer& buffer) {
    const std::string_view kind = toString(buffer.use.kind);
    if (buffer.use.name.empty())
        return std::string(kind);
    return buffer.use.kind == lower::BufferUse::Kind::Value ? buffer.use.name
                                                            : fmt::format("{} of {}", kind, buffer.use.name);
}

std::string_view functionAt(const driver::Trace& trace, int call) {
    const auto at = static_cast<size_t>(call);
    return at < trace.calls.size() ? std::string_view(trace.calls[at].function) : "outputs";
}

} // namespace lathe::inspect
