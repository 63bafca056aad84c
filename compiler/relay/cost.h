// SPDX-License-Identifier: Apache-2.0
//
// What one run of a graph costs, estimated from its types alone: so two forms of one graph can be compared before anything is
// lowered. Operations are counted by operator as `lower/estimate.cpp` counts them in loops: those on floats, a multiply-add is
// two. Memory is what values take from where they are made to where they are read last; what a fused function has within it
// takes none, and constants, inputs and results are not counted, as in the memory plan.
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

/// A figure is absent where it depends on sizes that are not constant, or on data (turns of a loop).
struct Cost {
    std::optional<double> flops;
    std::optional<double> bytes;     // read and written by operators and fused functions, each operand once
    std::optional<double> peakBytes; // most that is alive at once
};

/// Of a call of the main function. Of branches the dearer one counts.
Cost costOf(const Module& module);

/// Floating-point operations of one call, by the operator's column (relay/operator_flops.h); absent where a size is not constant.
std::optional<double> flopsOf(const OpCall& call, std::span<const Type> args, const Type& result);

} // namespace lathe::relay
