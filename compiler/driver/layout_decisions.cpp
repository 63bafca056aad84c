// SPDX-License-Identifier: Apache-2.0
#include "driver/layout_decisions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

namespace lathe::driver {
namespace {

const char* const listed = "lathe passes MODEL --choices lists the choices";

bool names(const LayoutDecision& pin, const LayoutDecision& choice) {
    return pin.node == choice.node && pin.part == choice.part && (pin.op.empty() || pin.op == choice.op) &&
           (pin.ordinal < 0 || pin.ordinal == choice.ordinal);
}

} // namespace

std::string_view toString(lower::StoredPart part) {
    return part == lower::StoredPart::Blocks ? "blocks" : "panels";
}

nlohmann::json toJson(const LayoutDecision& decision) {
    nlohmann::json value{{"node", decision.node}, {toString(decision.part), decision.width}};
    if (!decision.op.empty())
        value["op"] = decision.op;
    if (decision.ordinal >= 0)
        value["ordinal"] = decision.ordinal;
    return value;
}

std::vector<LayoutRecord> recordsOf(const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                                    const model::SpanTable& spans) {
    std::vector<LayoutRecord> records;
    std::map<std::tuple<std::string, std::string, lower::StoredPart>, int> seen;
    for (const lower::LayoutChoice& choice : choices) {
        std::string node;
        for (const int32_t id : spans.ids(choice.span))
            if (const auto at = static_cast<size_t>(id); node.empty() && at < graph.nodes.size() && graph.nodes[at])
                node = model::displayName(*graph.nodes[at]);
        const std::string op(relay::info(choice.op).name);
        const int ordinal = seen[{node, op, choice.part}]++;
        records.push_back({{std::move(node), op, ordinal, choice.part, choice.width}, choice.offered, choice.span});
    }
    return records;
}

Result<void> resolve(const std::vector<LayoutDecision>& decisions, lower::StoredPart part,
                     const std::vector<lower::LayoutChoice>& choices, const model::ModelGraph& graph,
                     const model::SpanTable& spans, lower::LayoutPins& pins) {
    const std::vector<LayoutRecord> records = recordsOf(choices, graph, spans);
    for (const LayoutDecision& pin : decisions) {
        if (pin.part != part)
            continue;
        const auto meant = [&](const LayoutRecord& record) { return names(pin, record.chosen); };
        const auto found = std::ranges::find_if(records, meant);
        const std::string what = fmt::format("{} of node '{}'", toString(pin.part), pin.node);
        if (found == records.end())
            return failure(fmt::format("{} are decided, but there is no such choice", what), listed);
        if (std::find_if(found + 1, records.end(), meant) != records.end())
            return failure(fmt::format("{} are decided, but there are several choices of that name", what),
                           "say \"op\" and \"ordinal\" too");
        const lower::LayoutChoice& choice = choices[static_cast<size_t>(found - records.begin())];
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
