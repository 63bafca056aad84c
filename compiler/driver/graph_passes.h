// SPDX-License-Identifier: Apache-2.0
//
// The passes over the graph: from what import gives to primitive functions, of which kernels are made.
#pragma once

#include "driver/pass_hook.h"
#include "relay/evaluator.h"

namespace lathe::driver {

/// The module after every pass that is on, with those that plugins add. Records of choices, and of the nodes that a
/// pass took away, go to the trace. Fails if a decision names no choice, several, or one of a pass that is off.
Result<ModulePtr> runGraphPasses(ModulePtr module, const Decisions& decisions, const Options& options,
                                 relay::Evaluator& evaluator, Budget& budget, PassHook& hook, Trace& trace);

} // namespace lathe::driver
