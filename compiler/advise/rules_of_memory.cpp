// SPDX-License-Identifier: Apache-2.0
#include "advise/rules.h"
#include "inspect/layer_name.h"

namespace lathe::advise {

std::optional<Advice> oneBufferMakesThePeak(const Facts& facts) {
    constexpr int64_t small = int64_t{16} << 20; // peaks that no machine minds
    constexpr double most = 0.5;                 // of it
    if (!facts.memory)
        return std::nullopt;
    const inspect::MemoryChart& chart = *facts.memory;
    if (chart.peak() < small || chart.culprits.empty())
        return std::nullopt;
    const inspect::MemoryChart::Buffer& largest = chart.buffers[chart.culprits.front()];
    if (static_cast<double>(largest.bytes) < most * static_cast<double>(chart.peak()))
        return std::nullopt;
    const lower::PlacedBuffer& buffer = facts.trace.buffers[largest.index];
    return Advice{.what = "See what makes the peak of memory",
                  .why =
                      fmt::format("{} is {} of the {} that are alive at once, while {} runs.",
                                  inQuotes(inspect::nameOf(buffer)), megabytes(largest.bytes), megabytes(chart.peak()),
                                  inQuotes(inspect::layerName(facts.trace, chart.peakCall))),
                  .step = Step::Memory,
                  .call = chart.peakCall};
}

} // namespace lathe::advise
