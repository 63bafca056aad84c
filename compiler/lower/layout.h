// SPDX-License-Identifier: Apache-2.0
//
// Applies layouts to a DAG of tensor expressions: topi writes logical indices; here tensors with a layout get their stored
// axes, and what reads them the stored indices. An axis that runs along a split dim is split with it, so that schedules
// see one plain axis for the panels and one within a panel.
#pragma once

#include "relay/ir.h"
#include "te/collapse.h"

#include <unordered_map>

namespace lathe::lower {

/// By tensor; null: stays logical. A tensor that is not named takes the layout of one that it reads along its own axes
/// (a padded copy, a sum before its division).
using TensorLayouts = std::unordered_map<const te::Tensor*, relay::LayoutPtr>;

/// The DAG with the layouts applied. Splits must divide their dims: a stored tensor has no padding.
te::Dag applyLayouts(const te::Dag& dag, const TensorLayouts& layouts);

} // namespace lathe::lower
