// SPDX-License-Identifier: Apache-2.0
//
// The rule for stages that share leading axes (softmax, normalisations): all of them for a few rows, what lies between them
// near.
#pragma once

#include "tune/rules/sketch.h"

namespace lathe::tune {

/// Asks whether to, if the blocks are such stages; gives whether they have a schedule now.
bool scheduleTogether(Sketch& sketch);

} // namespace lathe::tune
