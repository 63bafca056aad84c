// SPDX-License-Identifier: Apache-2.0
//
// Optional, not under strict numerics (it is exact over the reals, not in floats): a constant factor per output channel behind a
// convolution or a product with constant weights goes into the weights, and what is added before the factor is scaled with it:
//
//   (conv(x, w) + b) * s + t  =  conv(x, w * s) + (b * s + t)
//
// So a convolution with batch normalisation is a convolution with a bias. The weights become recipes: nothing is copied here. Only
// where nothing else uses the values in between. Of narrow floats the factor and the sum are float32, with casts around: the
// factor goes through these, and what they would have rounded or made infinite is not.
//
// After simplify_inference, which makes the factors, and fold_constants, which shows them as constants; before fuse.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

Module foldScale(const Module& module);

} // namespace lathe::relay::transform
