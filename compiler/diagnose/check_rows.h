// SPDX-License-Identifier: Apache-2.0
//
// What can be said of a model's values without running it: which there are, what computes them, why some are not there, and
// which of those that diverge come first.
#pragma once

#include "diagnose/check.h"

namespace lathe::diagnose {

/// A row for each value that a node of the outermost graph gives, but for constants.
std::vector<CheckRow> checkRows(const model::ModelGraph& graph);
/// Values within branches and loops.
size_t countNested(const model::ModelGraph& graph);

/// Says of rows that stand for no output of the compiled model why, and of the others what is computed with them.
void explainRows(std::vector<CheckRow>& rows, const std::shared_ptr<const driver::Trace>& trace);

/// Marks what diverges although nothing that it is computed from does. What was not compared hands on what it is made of.
void markFirst(std::vector<CheckRow>& rows, const model::Graph& graph);

} // namespace lathe::diagnose
