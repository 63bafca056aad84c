// SPDX-License-Identifier: Apache-2.0
//
// How what a tile reads and writes lies in memory: accumulators in the order of vectors, an operand packed for them.
#pragma once

#include "base/target.h"
#include "schedule/schedule.h"

#include <optional>

namespace lathe::moves {

/// Elements along the dim become neighbours in the buffer that the block writes; with `panel` so many of them, panels one behind
/// the other: [.., d / panel, .., d % panel].
void innermostInStorage(schedule::Schedule& schedule, const schedule::BlockRef& block, size_t dim, int64_t panel = 0);
/// The same of the one dim whose index is the block's variable; nothing if there is none: accumulators are whole vectors.
void innermostInStorage(schedule::Schedule& schedule, const schedule::BlockRef& block, const arith::Var& var);

/// Has the block read a copy of the operand, elements along its dim innermost, or in panels: so they lie as vectors go. Gives the
/// block that makes the copy. The scope is that of its memory, which is a task's if it goes there (Schedule::computeAt).
schedule::BlockRef packOperand(schedule::Schedule& schedule, const schedule::BlockRef& block,
                               const tir::BufferPtr& operand, size_t dim, tir::Scope scope, int64_t panel = 0);

/// The copy in vectors along its innermost loop, if that is long enough for one. `columns`: its loop over what lies innermost
/// in the copy, which goes within the vectors' loop: a line of the operand is read once, what is written stays near. Without:
/// vectors as they lie in both.
void vectorizePacking(schedule::Schedule& schedule, const schedule::BlockRef& copy,
                      std::optional<schedule::LoopRef> columns, const Target& target);

} // namespace lathe::moves
