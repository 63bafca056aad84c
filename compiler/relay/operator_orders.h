// SPDX-License-Identifier: Apache-2.0
//
// Rules of the operator table's column `orders`, which rows name: how a call is written if one of its operands, or
// its result, stands in another order of axes (relay/axis_order.h).
#pragma once

#include "relay/axis_order.h"

namespace lathe::relay::orders {

/// Element by element, operands broadcast.
std::optional<OrderedCall> elements(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> broadcastTo(const TypedCall& call, int at, const AxisOrder& order);

// ---- movement
std::optional<OrderedCall> concat(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> slice(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> pad(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> tile(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> reverse(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> reshape(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> resize(const TypedCall& call, int at, const AxisOrder& order);

// ---- along an axis
std::optional<OrderedCall> reduce(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> argReduce(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> softmax(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> cumSum(const TypedCall& call, int at, const AxisOrder& order);
std::optional<OrderedCall> batchNorm(const TypedCall& call, int at, const AxisOrder& order);

std::optional<OrderedCall> matMul(const TypedCall& call, int at, const AxisOrder& order);

} // namespace lathe::relay::orders
