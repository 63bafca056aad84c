// SPDX-License-Identifier: Apache-2.0
//
// What a builder does: see driver/kernel_builders.h.
#pragma once

namespace lathe::driver {

/// Serves requests of driver/build_protocol.h on the standard streams until they end; the exit code of the program. Runs within
/// the limits that each request sets. Where memory is short, the process ends at once with exitLacksMemory.
int serveBuilds();

} // namespace lathe::driver
