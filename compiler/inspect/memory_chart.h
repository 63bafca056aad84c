// SPDX-License-Identifier: Apache-2.0
//
// The memory plan at given sizes: which buffers live when and where, how much is alive at each kernel call, and which of them
// make the peak. What the Trace has as expressions, in numbers.
#pragma once

#include "driver/options.h"
#include "driver/trace.h"

namespace lathe::inspect {

struct MemoryChart {
    struct Buffer {
        size_t index = 0; // in Trace::buffers: its name, its nodes, its life
        int64_t bytes = 0;
        std::optional<int64_t> offset; // from the bottom of the run's memory, where it is known
    };
    std::vector<Buffer> buffers;  // that have a size, in the Trace's order
    size_t unknown = 0;           // how many have a size that only a run tells
    std::vector<int64_t> alive;   // bytes, by kernel call
    int peakCall = 0;             // the first at which most bytes are alive
    std::vector<size_t> culprits; // in `buffers`: those alive at it, the largest first
    std::optional<int64_t>
        reserved; // what the plan takes of the arena: Trace::peakBytes. More than ever lives: places do not fit

    int64_t peak() const { return alive.empty() ? 0 : alive[static_cast<size_t>(peakCall)]; }
};

/// At these dims of inputs; where they leave a size open, the buffer counts as unknown.
MemoryChart memoryChart(const driver::Trace& trace, const driver::Shapes& shapes);

/// "Relu_3_out", "workspace of fused_conv_0": what people call a buffer.
std::string nameOf(const lower::PlacedBuffer& buffer);
/// The fused function of a kernel call; "outputs" for what is behind the last one, where these live on.
std::string_view functionAt(const driver::Trace& trace, int call);

} // namespace lathe::inspect
