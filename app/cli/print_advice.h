// SPDX-License-Identifier: Apache-2.0
//
// What `lathe profile --advice` says behind its table: what to do next, and why.
#pragma once

#include "app/cli/commands.h"
#include "inspect/profile.h"

namespace lathe::cli {

/// Of a model that was compiled by these arguments and ran. A line each, or of JSON: "advice", "what", "why", "step", "ms".
Result<void> printAdvice(const RunArgs& args, const Common& common, const driver::Trace& trace,
                         const inspect::Profile& profile);

} // namespace lathe::cli
