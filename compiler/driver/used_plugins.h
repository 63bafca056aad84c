// SPDX-License-Identifier: Apache-2.0
//
// Which plugins a compilation goes back to: who wants the same once more needs these, and no others that happened to be there.
#pragma once

#include "driver/extensions.h"
#include "driver/trace.h"

namespace lathe::driver {

/// Those whose operators the model has, whose passes changed something, or whose variants were taken; by id. `extensions` is
/// what the compilation was handed.
std::vector<PluginId> usedPlugins(const Trace& trace, const Extensions* extensions);

} // namespace lathe::driver
