// SPDX-License-Identifier: Apache-2.0
//
// Types that were computed as models declare types.
#pragma once

#include "model/model_graph.h"
#include "relay/ir.h"

namespace lathe::frontend {

/// Sizes that are no numbers stay open, by what they are as text.
model::ValueType valueType(const relay::TensorType& tensor);

} // namespace lathe::frontend
