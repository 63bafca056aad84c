// SPDX-License-Identifier: Apache-2.0
#include "driver/graph_decisions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

namespace lathe::driver {
namespace {

bool names(const ChoiceName& pin, const ChoiceName& choice) {
    return pin.node == choice.node && (pin.op.empty() || pin.op == choice.op) &&
           (pin.ordinal < 0 || pin.ordinal == choice.ordinal);
}

/// Names choices of one kind in their order.
class Namer {
public:
    Namer(const model::ModelGraph& graph, const model::SpanTable& spans) : graph_(graph), spans_(spans) {}

    ChoiceName name(model::Span span, relay::Op op, int kind = 0) {
        std::string node;
        for (const int32_t id : spans_.ids(span))
            if (const auto at = static_cast<size_t>(id); node.empty() && at < graph_.nodes.size() && graph_.nodes[at])
                node = model::displayName(*graph_.nodes[at]);
        const std::string called(relay::info(op).name);
        const int ordinal = seen_[{node, called, kind}]++;
        return {std::move(node), called, ordinal};
    }

private:
    const model::ModelGraph& graph_;
    const model::SpanTable& spans_;
    std::map<std::tuple<std::string, std::string, int>, int> seen_;
};

/// Takes what is not offered where that is no error; else the Failure.
Result<void> leaveOut(NotOffered* notOffered, const std::string& what, Failure problem) {
    if (!notOffered)
        return problem;
    notOffered->push_back(what);
    return {};
}

/// The index of the one record that is meant; nothing: there is none, and `notOffered` has it. For errors, what: "blocks of
/// node 'Conv_3'", verb: "are"; list: the option of `lathe passes` that lists them.
template <class Record>
Result<std::optional<size_t>> find(const std::vector<Record>& records, const std::string& what, std::string_view verb,
                                   const auto& meant, NotOffered* notOffered, std::string_view list = "choices") {
    const auto found = std::ranges::find_if(records, meant);
    if (found == records.end()) {
        LATHE_CHECKED(leaveOut(notOffered, what,
                               failure(fmt::format("{} {} decided, but there is no such choice", what, verb),
                                       fmt::format("lathe passes MODEL --{} lists the choices", list))));
        return std::nullopt;
    }
    if (std::find_if(found + 1, records.end(), meant) != records.end())
        return failure(fmt::format("{} {} decided, but there are several choices of that name", what, verb),
                       "say \"op\" and \"ordinal\" too");
    return static_cast<size_t>(found - records.begin());
}

} // namespace

std::string_view toString(relay::choose::StoredPart part) {
    return part == relay::choose::StoredPart::Blocks ? "blocks" : "panels";
}

nlohmann::json toJson(const ChoiceName& name) {
    nlohmann::json value{{"node", name.node}};
    if (!name.op.empty())
        value["op"] = name.op;
    if (name.ordinal >= 0)
        value["ordinal"] = name.ordinal;
    return value;
}

std::string display(const ChoiceName& name) {
    return name.ordinal <= 0 ? name.node : fmt::format("{} ({})", name.node, name.ordinal);
}

nlohmann::json toJson(const VariantDecision& decision) {
    nlohmann::json value = toJson(decision.of);
    value["variant"] = decision.variant;
    return value;
}

nlohmann::json toJson(const LayoutDecision& decision) {
    nlohmann::json value = toJson(decision.of);
    value[toString(decision.part)] = decision.width;
    return value;
}

nlohmann::json toJson(const ApartDecision& decision) {
    return {{"producer", toJson(decision.producer)}, {"consumer", toJson(decision.consumer)}};
}

std::vector<VariantRecord> recordsOf(const std::vector<relay::choose::VariantChoice>& choices,
                                     const model::ModelGraph& graph, const model::SpanTable& spans) {
    std::vector<VariantRecord> records;
    Namer namer(graph, spans);
    for (const relay::choose::VariantChoice& choice : choices)
        records.push_back(
            {{namer.name(choice.span, choice.op), std::string(choice.name)}, choice.offered, choice.span});
    return records;
}

std::vector<LayoutRecord> recordsOf(const std::vector<relay::choose::LayoutChoice>& choices,
                                    const model::ModelGraph& graph, const model::SpanTable& spans) {
    std::vector<LayoutRecord> records;
    Namer namer(graph, spans);
    for (const relay::choose::LayoutChoice& choice : choices)
        records.push_back(
            {{namer.name(choice.span, choice.op, static_cast<int>(choice.part)), choice.part, choice.width},
             choice.offered,
             choice.span});
    return records;
}

FusionRecord recordOf(const relay::transform::Fused& fused, const model::ModelGraph& graph,
                      const model::SpanTable& spans) {
    FusionRecord record;
    Namer namer(graph, spans);
    for (const relay::transform::FusedOperator& each : fused.operators)
        record.operators.push_back({namer.name(each.span, each.op), each.function, each.span});
    record.edges = fused.edges;
    return record;
}

std::vector<FusedFunction> functionsOf(const FusionRecord& record) {
    std::vector<FusedFunction> functions;
    std::map<std::string_view, size_t> places;
    const auto of = [&](size_t at) -> FusedFunction& {
        const std::string& name = record.operators[at].function;
        const auto [place, added] = places.emplace(name, functions.size());
        if (added)
            functions.push_back({name, {}, {}});
        return functions[place->second];
    };
    for (size_t i = 0; i < record.operators.size(); ++i)
        of(i).members.push_back(i);
    for (size_t i = 0; i < record.edges.size(); ++i) {
        const relay::transform::FusionEdge& edge = record.edges[i];
        of(edge.producer).edges.push_back(i);
        if (edge.outcome != relay::transform::FusionOutcome::Joined)
            of(edge.consumer).edges.push_back(i);
    }
    return functions;
}

Result<std::map<uint32_t, std::string_view>> resolve(const std::vector<VariantDecision>& decisions,
                                                     const std::vector<relay::choose::VariantChoice>& choices,
                                                     const model::ModelGraph& graph, const model::SpanTable& spans,
                                                     NotOffered* notOffered) {
    const std::vector<VariantRecord> records = recordsOf(choices, graph, spans);
    std::map<uint32_t, std::string_view> pins;
    for (const VariantDecision& pin : decisions) {
        const std::string what = fmt::format("the variant of node '{}'", pin.of.node);
        const auto meant = [&](const VariantRecord& record) { return names(pin.of, record.chosen.of); };
        LATHE_TRY(const std::optional<size_t> at, find(records, what, "is", meant, notOffered));
        if (!at)
            continue;
        const std::vector<relay::choose::VariantCost>& offered = choices[*at].offered;
        const auto found = std::ranges::find(offered, pin.variant, &relay::choose::VariantCost::name);
        if (found == offered.end()) {
            std::vector<std::string_view> all;
            for (const relay::choose::VariantCost& each : offered)
                all.push_back(each.name);
            LATHE_CHECKED(leaveOut(notOffered, what,
                                   failure(fmt::format("{} cannot be '{}'", what, pin.variant),
                                           fmt::format("one of {}", fmt::join(all, ", ")))));
            continue;
        }
        if (!pins.emplace(choices[*at].var, found->name).second)
            return failure(fmt::format("{} is decided twice", what));
    }
    return pins;
}

Result<void> resolve(const std::vector<LayoutDecision>& decisions, relay::choose::StoredPart part,
                     const std::vector<relay::choose::LayoutChoice>& choices, const model::ModelGraph& graph,
                     const model::SpanTable& spans, relay::choose::LayoutPins& pins, NotOffered* notOffered) {
    const std::vector<LayoutRecord> records = recordsOf(choices, graph, spans);
    for (const LayoutDecision& pin : decisions) {
        if (pin.part != part)
            continue;
        const std::string what = fmt::format("{} of node '{}'", toString(pin.part), pin.of.node);
        const auto meant = [&](const LayoutRecord& record) {
            return names(pin.of, record.chosen.of) && record.chosen.part == part;
        };
        LATHE_TRY(const std::optional<size_t> at, find(records, what, "are", meant, notOffered));
        if (!at)
            continue;
        const relay::choose::LayoutChoice& choice = choices[*at];
        if (std::ranges::find(choice.offered, pin.width) == choice.offered.end()) {
            LATHE_CHECKED(leaveOut(notOffered, what,
                                   failure(fmt::format("{} cannot be {} wide", what, pin.width),
                                           fmt::format("one of {}", fmt::join(choice.offered, ", ")))));
            continue;
        }
        auto& widths = part == relay::choose::StoredPart::Blocks ? pins.blocks : pins.panels;
        if (!widths.emplace(choice.var, pin.width).second)
            return failure(fmt::format("{} are decided twice", what));
    }
    return {};
}

Result<std::set<std::pair<relay::Var, relay::Var>>> resolve(const std::vector<ApartDecision>& decisions,
                                                            const relay::transform::Fused& fused,
                                                            const model::ModelGraph& graph,
                                                            const model::SpanTable& spans, NotOffered* notOffered) {
    const FusionRecord record = recordOf(fused, graph, spans);
    std::set<std::pair<relay::Var, relay::Var>> apart;
    for (const ApartDecision& pin : decisions) {
        const std::string what =
            fmt::format("that nodes '{}' and '{}' are kept apart", pin.producer.node, pin.consumer.node);
        const auto meant = [&](const relay::transform::FusionEdge& edge) {
            return names(pin.producer, record.operators[edge.producer].name) &&
                   names(pin.consumer, record.operators[edge.consumer].name);
        };
        LATHE_TRY(const std::optional<size_t> at, find(record.edges, what, "is", meant, notOffered, "fusion"));
        if (!at)
            continue;
        const relay::transform::FusionEdge& edge = record.edges[*at];
        if (!apart.emplace(fused.operators[edge.producer].var, fused.operators[edge.consumer].var).second)
            return failure(fmt::format("{} is decided twice", what));
    }
    return apart;
}

} // namespace lathe::driver
