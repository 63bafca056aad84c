// SPDX-License-Identifier: Apache-2.0
//
// The roofline of a profile (Williams, Waterman, Patterson: "Roofline", CACM 52, 2009): how fast each kernel call was, and how
// fast this machine could be at its ratio of operations to bytes.
#pragma once

#include "inspect/machine_peaks.h"
#include "inspect/profile.h"

namespace lathe::inspect {

/// What ends a call's speed.
enum class Bound : uint8_t {
    Compute, // multiply-adds
    Memory,  // what memory delivers
    Caches,  // it is faster than memory could feed it, so its data lie in caches; multiply-adds are its limit
};
std::string_view toString(Bound bound); // "compute", "memory", "caches"

struct RooflinePoint {
    size_t row = 0;       // in Profile::rows
    double intensity = 0; // FLOPs a byte; 0: it only moves bytes, and stands in no chart of FLOPs
    double gflops = 0;
    double limit = 0; // GFLOP/s that the machine could do at this intensity
    double share = 0; // of the limit; of a call without FLOPs, the bytes that memory could move. Estimates may exceed 1
    Bound bound = Bound::Memory;
};

struct Roofline {
    Peak peak;                         // of the threads that the profile ran on
    std::vector<RooflinePoint> points; // one a row, in the rows' order; calls that took no time have none
    /// Intensity from which on multiply-adds are the limit.
    double ridge() const { return peak.ridge(); }
    /// What a chart of it shows: all points, the ridge with a decade around it, and the roof.
    struct Extent {
        double leastIntensity, mostIntensity, leastGflops, mostGflops;
    };
    Extent extent() const;
};

Roofline roofline(const Profile& profile, const MachinePeaks& peaks);

} // namespace lathe::inspect
