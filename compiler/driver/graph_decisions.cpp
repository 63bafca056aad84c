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

nlohmann::json toJson(const ChoiceName& name) {
    nlohmann::json value{{"node", name.node}};
    if (!name.op.empty())
        value["op"] = name.op;
    if (name.ordinal >= 0)
        value["ordinal"] = name.ordinal;
    return value;
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

/// The index of the one record that is meant. what: "blocks of node 'Conv_3'", for errors.
template <class Record>
Result<size_t> find(const std::vector<Record>& records, const std::string& what, const auto& meant) {
    const auto found = std::ranges::find_if(records, meant);
    if (found == records.end())
        return failure(fmt::format("{} decided, but there is no such choice", what),
                       "lathe passes MODEL --choices lists the choices");
    if (std::find_if(found + 1, records.end(), meant) != records.end())
        return failure(fmt::format("{} decided, but there are several choices of that name", what),
                       "say \"op\" and \"ordinal\" too");
    return static_cast<size_t>(found - records.begin());
}

} // namespace

std::string_view toString(lower::StoredPart part) {
    return part == lower::StoredPart::Blocks ? "blocks" : "panels";
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

std::vector<VariantRecord> recordsOf(const std::vector<lower::VariantChoice>& choices, const model::ModelGraph& graph,
                                     const model::SpanTable& spans) {
    std::vector<VariantRecord> records;
    Namer namer(graph, spans);
    for (const lower::VariantChoice& choice : choices)
        records.push_back(
            {{namer.name(choice.span, choice.op), std::string(choice.name)}, choice.offered, choice.span});
    return records;
}

std::vector<LayoutRecord> recordsOf(const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                                    const model::SpanTable& spans) {
    std::vector<LayoutRecord> records;
    Namer namer(graph, spans);
    for (const lower::LayoutChoice& choice : choices)
        records.push_back(
            {{namer.name(choice.span, choice.op, static_cast<int>(choice.part)), choice.part, choice.width},
             choice.offered,
             choice.span});
    return records;
}

Result<std::map<uint32_t, std::string_view>> resolve(const std::vector<VariantDecision>& decisions,
                                                     const std::vector<lower::VariantChoice>& choices,
                                                     const model::ModelGraph& graph, const model::SpanTable& spans) {
    const std::vector<VariantRecord> records = recordsOf(choices, graph, spans);
    std::map<uint32_t, std::string_view> pins;
    for (const VariantDecision& pin : decisions) {
        const std::string what = fmt::format("the variant of node '{}'", pin.of.node);
        LATHE_TRY(const size_t at, find(records, what + " is",
                                        [&](const VariantRecord& record) { return names(pin.of, record.chosen.of); }));
        const std::vector<topi::VariantCost>& offered = choices[at].offered;
        const auto found = std::ranges::find(offered, pin.variant, &topi::VariantCost::name);
        if (found == offered.end()) {
            std::vector<std::string_view> all;
            for (const topi::VariantCost& each : offered)
                all.push_back(each.name);
            return failure(fmt::format("{} cannot be '{}'", what, pin.variant),
                           fmt::format("one of {}", fmt::join(all, ", ")));
        }
        if (!pins.emplace(choices[at].var, found->name).second)
            return failure(fmt::format("{} is decided twice", what));
    }
    return pins;
}

Result<void> resolve(const std::vector<LayoutDecision>& decisions, lower::StoredPart part,
                     const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                     const model::SpanTable& spans, lower::LayoutPins& pins) {
    const std::vector<LayoutRecord> records = recordsOf(choices, graph, spans);
    for (const LayoutDecision& pin : decisions) {
        if (pin.part != part)
            continue;
        const std::string what = fmt::format("{} of node '{}'", toString(pin.part), pin.of.node);
        LATHE_TRY(const size_t at, find(records, what + " are", [&](const LayoutRecord& record) {
                      return names(pin.of, record.chosen.of) && record.chosen.part == part;
                  }));
        const lower::LayoutChoice& choice = choices[at];
        if (std::ranges::find(choice.offered, pin.width) == choice.offered.end())
            return failure(fmt::format("{} cannot be {} wide", what, pin.width),
                           fmt::format("one of {}", fmt::join(choice.offered, ", ")));
        auto& widths = part == lower::StoredPart::Blocks ? pins.blocks : pins.panels;
        if (!widths.emplace(choice.var, pin.width).second)
            return failure(fmt::format("{} are decided twice", what));
    }
    return {};
}

} // namespace lathe::driver
