// SPDX-License-Identifier: Apache-2.0
//
// Applies layouts to a DAG of tensor expressions: topi writes logical indices; here tensors with a layout get their stored
// axes, and what reads them the stored indices. An axis that runs along a split dim is split with it, so that schedules
// see one plain axis for the panels and one within a panel.
//
// Where a split does not divide, the last panel is part padding. It is computed like the rest, without a test: operands that
// are padded alike are read as stored; in any other an index stays at the last element that there is. So padding holds
// anything, and nothing else ever reads it: logical indices do not lead there, and reductions stop at the dim's end.
#pragma once

#include "relay/ir.h"
#include "te/collapse.h"

#include <unordered_map>

namespace lathe::lower {

/// By tensor; null: stays logical. A tensor that is not named takes the layout of one that it reads along its own axes
/// (a padded copy, a sum before its division).
using TensorLayouts = std::unordered_map<const te::Tensor*, relay::LayoutPtr>;

/// The DAG with the layouts applied.
te::Dag applyLayouts(const te::Dag& dag, const TensorLayouts& layouts);

} // namespace lathe::lower
