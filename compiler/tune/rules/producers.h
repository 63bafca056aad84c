// SPDX-License-Identifier: Apache-2.0
//
// The rules for what is computed for others alone: into its readers, with the tiles of its reader, or stored.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// Answers to bN.place.
inline constexpr int64_t stored = 0, inlined = 1, withTiles = 2;

/// Of each such block, the last first. What is cheap and read by what computes each element once is inlined without a question;
/// else it is asked, as far as there is a choice.
void placeProducers(Sketch& sketch);

} // namespace lathe::tune
