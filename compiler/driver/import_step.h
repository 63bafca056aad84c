// SPDX-License-Identifier: Apache-2.0
//
// The first step of every compilation, and the only one of what imports alone.
#pragma once

#include "driver/pass_hook.h"
#include "relay/evaluator.h"

namespace lathe::driver {

/// Fills the record of import, trace.graph and diagnostics. Fails with the first error.
Result<std::shared_ptr<relay::Module>> runImport(const ModelSource& source, relay::Evaluator& evaluator,
                                                 const std::shared_ptr<Budget>& budget, const Options& options,
                                                 PassHook& hook, Trace& trace);

} // namespace lathe::driver
