// SPDX-License-Identifier: Apache-2.0
//
// Scalar math that generated code calls where it has no vector code of its own: lathe_math over libm.
#pragma once

#include <cstdint>

namespace lathe::runtime {

/// `function` is a lathe_math; operands beyond its own are ignored. NaN for an unknown function.
float math32(int32_t function, float a, float b, float c);
double math64(int32_t function, double a, double b, double c);

} // namespace lathe::runtime
