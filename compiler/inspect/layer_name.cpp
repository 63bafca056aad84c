// SPDX-License-Identifier: Apache-2.0
#include "inspect/layer_name.h"

#include <fmt/ranges.h>

namespace lathe::inspect {

std::string layerName(const driver::Trace& trace, int call) {
    const driver::CallRecord& record = trace.calls.at(static_cast<size_t>(call));
    std::vector<std::string_view> operators;
    for (const driver::FusionRecord::Operator& each : trace.fusion.operators)
        if (each.function == record.function && (operators.empty() || operators.back() != each.name.op))
            operators.push_back(each.name.op);
    constexpr size_t most = 6;
    const size_t more = operators.size() > most ? operators.size() - most : 0;
    operators.resize(operators.size() - more);
    std::string text = operators.empty() ? record.function : fmt::format("{}", fmt::join(operators, " + "));
    if (more > 0)
        text += fmt::format(" + {} more", more);
    const int32_t home = trace.graph ? driver::homeOf(record, *trace.graph->spans) : -1;
    const model::Node* node = home < 0 ? nullptr : trace.graph->nodes.at(static_cast<size_t>(home));
    return node ? fmt::format("{} · {}", model::displayName(*node), text) : text;
}

} // namespace lathe::inspect
