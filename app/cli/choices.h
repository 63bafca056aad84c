// SPDX-License-Identifier: Apache-2.0
//
// What was chosen in the graph, as lines: how operators are computed, how values and weights are stored, and among what.
#pragma once

#include "driver/trace.h"

#include <nlohmann/json.hpp>

namespace lathe::cli {

struct ChoiceLine {
    std::string text;    // for people
    nlohmann::json json; // as Decisions have it, and what was offered
    model::Span span;    // the nodes that it was made for
};

/// Variants first, then layouts, each in the order of the graph.
std::vector<ChoiceLine> choiceLines(const driver::Trace& trace);

} // namespace lathe::cli
