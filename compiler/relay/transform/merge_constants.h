// SPDX-License-Identifier: Apache-2.0
//
// Two constant summands or factors in a row are one: (x op c1) op c2 = x op (c1 op c2). Of floats it holds over the
// reals only; who calls it knows whether that is enough.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

/// What stands in place of an Add or a Multiply; the binding itself where there is nothing to merge.
std::vector<BindingPtr> withMergedConstants(const BindingPtr& binding, const OpCall& call, const Index& index,
                                            Module& module);

} // namespace lathe::relay::transform
