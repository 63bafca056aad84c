// SPDX-License-Identifier: Apache-2.0
//
// Legalize data types (required): floats that the machine cannot compute with become float32.
//
// float16, bfloat16, float8 and float4 are formats to store. A load widens exactly; arithmetic is float32, without
// rounding in between; a store rounds half to even. A Cast to a narrow type in the middle of an expression rounds, as
// the model asks for it. Buffers that live only inside the kernel become float32 if this pass sees their allocation
// (Local always; Workspace if it runs before "flatten buffers").
//
// float16 converts by the machine's instructions where it has them (F16C); all else by integer arithmetic on the bits, so
// nothing becomes a call. From float64 and wide integers the value passes through float32 rounded to odd, which a second
// rounding to at most 11 bits cannot tell from the exact value. int4 and int2 are code generation's: it has such integers.
#pragma once

#include "base/target.h"
#include "tir/ir.h"

namespace lathe::tir {

PrimFuncPtr legalizeDataTypes(const PrimFuncPtr& function, const Target& target);

} // namespace lathe::tir
