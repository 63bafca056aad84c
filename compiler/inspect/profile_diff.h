// SPDX-License-Identifier: Apache-2.0
//
// Two profiles of one model, compiled in two ways: where the time went up or down. Functions differ in name and number, so
// rows are paired by the model nodes that they compute: all that share one become one change. A node that several functions
// of one profile compute, such as an LSTM, does not say which of them; there it takes the same kernel.
#pragma once

#include "inspect/profile.h"

namespace lathe::inspect {

struct ProfileChange {
    std::vector<int> before, after; // places among the rows of the two profiles, ascending; either may be empty
    std::vector<int32_t> nodes;     // of all of them, ascending
    double beforeMs = 0, afterMs = 0;
    double noiseMs = 0; // a smaller difference says nothing: half of the sum of all spreads

    double differenceMs() const { return afterMs - beforeMs; }
    bool beyondNoise() const;
};

/// The largest differences first. Each row of both stands in one change.
std::vector<ProfileChange> changesOf(const Profile& before, const Profile& after);

/// The middle halves of their runs do not overlap.
bool differs(const Profile& before, const Profile& after);

} // namespace lathe::inspect
