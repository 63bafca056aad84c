// SPDX-License-Identifier: Apache-2.0
//
// A study that was ended goes on: how far a task has come follows from its trials, and its candidates are made again from
// their answers. What cannot be made any more, or has become another program, is left out: it says nothing about what is now.
#pragma once

#include "tune/explorer.h"
#include "tune/task.h"

namespace lathe::tune {

/// A task is settled after so many batches in a row without a gain: others may gain more in the time.
inline constexpr int settledAfter = 6;

/// The state of the task after its known trials, whose programs `explorer` then knows; their rounds are counted from 1 without
/// gaps. Without trials if there are none, or the first one is not what the default is now.
TaskState resumed(Task task, Explorer& explorer);

/// Notes what a round came to, in microseconds of a call: one after the other makes the state what it is.
void noteRound(TaskState& state, double gain);

} // namespace lathe::tune
