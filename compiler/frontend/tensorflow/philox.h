// SPDX-License-Identifier: Apache-2.0
//
// The generator behind TensorFlow's stateless random operators, Philox 4×32 with ten rounds (Salmon et al., Parallel
// Random Numbers: As Easy as 1, 2, 3, 2011): a block of four words for each value of a counter of 128 bits, under a key
// of 64. It is composed of operators on integers, so that numbers are those that TensorFlow gives for the same seed.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tensorflow {

struct PhiloxState {
    Var key;     // uint64[1]
    Var counter; // uint64[2], the low half first
};

/// What a seed, two integers of any kind, begins with.
PhiloxState seeded(Builder& b, Var seed);

/// As many words of 32 bits, uint64[count].
Var words(Builder& b, const PhiloxState& state, const Expr& count);

} // namespace lathe::frontend::tensorflow
