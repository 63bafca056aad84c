// SPDX-License-Identifier: Apache-2.0
//
// How fast the machine is just now: a fixed piece of work, so short that it can be done around everything that is timed.
#pragma once

namespace lathe::runtime::runner {

struct ProbeTimes {
    double computeNs = 0; // some 60 us of multiply-adds that wait for each other: the clock's rate
    double readNs = 0;    // a sweep over 1 MiB, which lies in a cache unless others push it out
};

/// The least of a few times of each.
ProbeTimes probe();

} // namespace lathe::runtime::runner
