// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is decided otherwise than by default, one by one: in words, where it comes from, and how it is taken back.
#pragma once

#include "views/models/window/what_if.h"

#include <vector>

namespace lathe::views::models {

struct DecisionRow {
    QString what; // "Conv_0 and Relu_1 are kept apart"
    QString from; // "by hand"
    WhatIf drop;  // takes it back, and nothing else
};

/// A row a decision; schedules of kernels, of which there are many, have one together.
std::vector<DecisionRow> decisionRows(const driver::Decisions& decisions);

} // namespace lathe::views::models
