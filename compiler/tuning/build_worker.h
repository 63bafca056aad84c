// SPDX-License-Identifier: Apache-2.0
//
// What a builder does: see tuning/kernel_builders.h.
#pragma once

namespace lathe::tuning {

/// Serves requests of tuning/build_protocol.h on the standard streams until they end; the exit code of the program. Runs within
/// the limits that each request sets. Where memory is short, the process ends at once with exitLacksMemory.
int serveBuilds();

} // namespace lathe::tuning
