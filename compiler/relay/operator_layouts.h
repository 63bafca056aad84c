// SPDX-License-Identifier: Apache-2.0
//
// Rules of the operator table's layout columns (relay/layout_columns.h), which rows name.
#pragma once

#include "relay/op.h"

namespace lathe::relay::layouts {

// ---- wants
PanelRequest matMulPanels(const TypedCall& call);
PanelRequest convPanels(const TypedCall& call);
PanelRequest winogradPanels(const TypedCall& call);

// ---- makes
MadeBlocks convBlocks(const TypedCall& call);
MadeBlocks winogradBlocks(const TypedCall& call);

// ---- carries
CarriedBlocks elements(const TypedCall& call, int operand, int dim);
CarriedBlocks batchNorm(const TypedCall& call, int operand, int dim);
CarriedBlocks depthwise(const TypedCall& call, int operand, int dim);
CarriedBlocks pool(const TypedCall& call, int operand, int dim);
CarriedBlocks reduce(const TypedCall& call, int operand, int dim);
CarriedBlocks resize(const TypedCall& call, int operand, int dim);
CarriedBlocks concat(const TypedCall& call, int operand, int dim);

} // namespace lathe::relay::layouts
