// SPDX-License-Identifier: Apache-2.0
//
// Relay has one order of axes, batch, channels, then what is slid over. Formats whose operators put channels last are read
// through these; the pass that sinks transposes takes out those that cancel.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend {

/// [N, …, C] as [N, C, …]. A fault if x has fewer than two dims.
Var channelsFirst(Builder& b, Var x);
/// [N, C, …] as [N, …, C].
Var channelsLast(Builder& b, Var x);

} // namespace lathe::frontend
