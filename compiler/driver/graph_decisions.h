// SPDX-License-Identifier: Apache-2.0
//
// Choices in the graph by names that people read: the model's node, the operator, what is chosen. "choose variants" chooses how
// an operator is computed, "choose layouts" how values and weights are stored, "fuse" which operators stand in one function.
// The Trace has a record for each choice; Decisions pin some of them by the same names. Variants are decided first, then
// blocks: panels of weights are a choice only where the result has no blocks. Then operators: those that are there to be
// fused are what variants and layouts left.
#pragma once

#include "model/model_graph.h"
#include "relay/choose/choose_layouts.h"
#include "relay/choose/choose_variants.h"
#include "relay/transform/fuse.h"

#include <nlohmann/json_fwd.hpp>

namespace lathe::driver {

/// Whose choice it is. Of a pin, operator and ordinal may be left out where they leave one choice.
struct ChoiceName {
    std::string node; // its display name; of several that became one call, the first
    std::string op;   // "conv", "matmul"; empty: any
    int ordinal = -1; // among those of the node with the operator and the kind; -1: the only one
    bool operator==(const ChoiceName&) const = default;
};

/// As JSON, in Decisions and from `lathe passes --choices --json`:
///   {"node": "Conv_3", "op": "conv", "ordinal": 0, "variant": "winograd4"}
struct VariantDecision {
    ChoiceName of;
    std::string variant;
    bool operator==(const VariantDecision&) const = default;
};
///   {"node": "Conv_3", "op": "conv", "ordinal": 0, "blocks": 16}        or "panels"
struct LayoutDecision {
    ChoiceName of;
    relay::choose::StoredPart part = relay::choose::StoredPart::Blocks;
    int64_t width = 0; // in elements; 0: as the model has it
    bool operator==(const LayoutDecision&) const = default;
};

///   {"producer": {"node": "Conv_3", "op": "conv", "ordinal": 0}, "consumer": {"node": "Relu_4", "op": "relu", "ordinal": 0}}
/// An operator and one that uses its value, which may not stand in one function.
struct ApartDecision {
    ChoiceName producer, consumer;
    bool operator==(const ApartDecision&) const = default;
};

std::string_view toString(relay::choose::StoredPart part); // "blocks", "panels"

nlohmann::json toJson(const VariantDecision& decision);
nlohmann::json toJson(const LayoutDecision& decision);
nlohmann::json toJson(const ApartDecision& decision);
nlohmann::json toJson(const ChoiceName& name);
/// For people, beside the operator: "Conv_3", or "Conv_3 (1)" for the second of a node.
std::string display(const ChoiceName& name);

/// A choice as it was made, and what it was made among.
struct VariantRecord {
    VariantDecision chosen;
    std::vector<relay::choose::VariantCost> offered;
    model::Span span;
};
struct LayoutRecord {
    LayoutDecision chosen;
    std::vector<int64_t> offered;
    model::Span span;
};

/// What "fuse" made: the operators in their functions, and what became of each and those that use its value. Empty if the
/// pass is off.
struct FusionRecord {
    struct Operator {
        ChoiceName name;
        std::string function;
        model::Span span;
    };
    std::vector<Operator> operators;
    std::vector<relay::transform::FusionEdge> edges; // of these
};

/// A function of a FusionRecord: its operators, and the edges from, to and between them, by their places there.
struct FusedFunction {
    std::string name;
    std::vector<size_t> members, edges;
};
/// By their first operators.
std::vector<FusedFunction> functionsOf(const FusionRecord& record);

/// The choices under their names, in the same order.
std::vector<VariantRecord> recordsOf(const std::vector<relay::choose::VariantChoice>& choices,
                                     const model::ModelGraph& graph, const model::SpanTable& spans);
std::vector<LayoutRecord> recordsOf(const std::vector<relay::choose::LayoutChoice>& choices,
                                    const model::ModelGraph& graph, const model::SpanTable& spans);
FusionRecord recordOf(const relay::transform::Fused& fused, const model::ModelGraph& graph,
                      const model::SpanTable& spans);

/// What is decided and not offered: "blocks of node 'Conv_3'".
using NotOffered = std::vector<std::string>;

/// What is decided, by the calls of the module that `choices` are of. Fails if a decision names several choices; and, unless
/// `notOffered` is there to take it, if one names none, or what is not offered.
Result<std::map<uint32_t, std::string_view>> resolve(const std::vector<VariantDecision>& decisions,
                                                     const std::vector<relay::choose::VariantChoice>& choices,
                                                     const model::ModelGraph& graph, const model::SpanTable& spans,
                                                     NotOffered* notOffered);
/// Of `part` alone, added to the pins.
Result<void> resolve(const std::vector<LayoutDecision>& decisions, relay::choose::StoredPart part,
                     const std::vector<relay::choose::LayoutChoice>& choices, const model::ModelGraph& graph,
                     const model::SpanTable& spans, relay::choose::LayoutPins& pins, NotOffered* notOffered);
/// Pairs of the module that `fused` was made of.
Result<std::set<std::pair<relay::Var, relay::Var>>> resolve(const std::vector<ApartDecision>& decisions,
                                                            const relay::transform::Fused& fused,
                                                            const model::ModelGraph& graph,
                                                            const model::SpanTable& spans, NotOffered* notOffered);

} // namespace lathe::driver
