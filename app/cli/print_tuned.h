// SPDX-License-Identifier: Apache-2.0
//
// What `lathe tune` says in the end: of each task what was tried, what it gained, and what became of that.
#pragma once

#include "tuning/tune_model.h"

#include <map>

namespace lathe::cli {

/// A table and the model's times; `leastGain` in per cent.
void printTuned(const tuning::Tuned& tuned, double leastGain);
/// A line of JSON a task, and one for the model.
void printTunedJson(const tuning::Tuned& tuned);

/// Of the candidates that this study tried, how many came to what.
std::map<tune::Verdict, int64_t> verdictsOf(const tune::TaskState& state);
std::map<tune::Verdict, int64_t> verdictsOf(const tune::Study& study);

} // namespace lathe::cli
