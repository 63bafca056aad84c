// SPDX-License-Identifier: Apache-2.0
//
// Decides in which orders the calls of a Block read and write, so that fewer bytes are moved.
//
// Where a value is moved, its order is let flow on through calls that could take it, and up where those need it of
// others. Which of the calls that it reaches really change is a minimum cut. What is decided counts only if the whole
// then moves less than before, so a Block whose Transposes stand well stays as it is.
#pragma once

#include "relay/transform/order_graph.h"

namespace lathe::relay::transform {

/// Looks that are taken for one Module: about two seconds. Then what there is stays.
inline constexpr int64_t orderSteps = 200'000'000;

/// Whether a call is written in another way now.
bool chooseOrders(OrderGraph& graph, int64_t& steps);

} // namespace lathe::relay::transform
