// SPDX-License-Identifier: Apache-2.0
//
// Optional: takes out what only training needs.
//
// Dropout and Copy are the identity at inference: their users take the operand. A BatchNorm whose scale, bias, mean and
// variance are constants is y = x * s + t with s = scale / sqrt(variance + epsilon), t = bias - mean * s: a multiply and an
// add per channel, which later fold into the weights before it (fold_scale) or fuse. Narrow floats are computed with in float32
// and rounded once.
//
// Early, so that everything after sees through the identities.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module simplifyInference(const Module& module);

} // namespace lathe::relay::transform
