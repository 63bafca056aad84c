// SPDX-License-Identifier: Apache-2.0
//
// Choices of layouts by names that people read: the model's node, the operator, what is stored in parts. The Trace has
// one for each choice of "choose layouts"; Decisions pin some of them by the same names. Blocks are decided first: panels
// of weights are a choice only where the result has no blocks.
#pragma once

#include "lower/choose_layouts.h"
#include "model/model_graph.h"

#include <nlohmann/json_fwd.hpp>

namespace lathe::driver {

/// A choice, or a pin of one. As JSON, in Decisions and from `lathe passes --choices --json`:
///   {"node": "Conv_3", "op": "conv", "ordinal": 0, "blocks": 16}        or "panels"; "op" and "ordinal" of a pin may be
/// left out where they leave one choice.
struct LayoutDecision {
    std::string node; // its display name; of several that became one call, the first
    std::string op;   // "conv", "matmul"; empty: any
    int ordinal = -1; // among those of the node with the operator and the part; -1: the only one
    lower::StoredPart part = lower::StoredPart::Blocks;
    int64_t width = 0; // in elements; 0: as the model has it
};

std::string_view toString(lower::StoredPart part); // "blocks", "panels"

nlohmann::json toJson(const LayoutDecision& decision);

/// A choice as it was made, and what it was made among.
struct LayoutRecord {
    LayoutDecision chosen;
    std::vector<int64_t> offered;
    model::Span span;
};

/// The choices under their names, in the same order.
std::vector<LayoutRecord> recordsOf(const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                                    const model::SpanTable& spans);

/// Adds what is decided of `part`, by the calls of the module that `choices` are of. Fails if a decision names no choice or
/// several, or a width that is not offered.
Result<void> resolve(const std::vector<LayoutDecision>& decisions, lower::StoredPart part,
                     const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                     const model::SpanTable& spans, lower::LayoutPins& pins);

} // namespace lathe::driver
