// SPDX-License-Identifier: Apache-2.0
//
// Names of nodes for diagnostics of lowering and for the tables of the artifact.
#include "lower/diagnose.h"

namespace lathe::lower {

Diagnostic refuse(model::Span span, const model::SpanTable& spans, const model::ModelGraph* graph, std::string what,
                  std::string hint) {
    if (hint.empty())
        hint = "replace the node when exporting the model";
    Diagnostic result = error(ErrorKind::Unsupported, std::move(what), std::move(hint));
    const auto& ids = spans.ids(span);
    if (ids.empty() || !graph)
        return result;
    result.file = graph->file;
    result.nodeId = ids.front();
    if (const model::Node* node = static_cast<size_t>(ids.front()) < graph->nodes.size()
                                      ? graph->nodes[static_cast<size_t>(ids.front())]
                                      : nullptr) {
        result.node = model::displayName(*node);
        result.op = model::operatorName(*node);
    }
    return result;
}

std::string nodeNames(model::Span span, const model::SpanTable& spans, const model::ModelGraph* graph) {
    static constexpr size_t most = 6;
    std::string text;
    size_t count = 0;
    if (!graph)
        return text;
    const auto& ids = spans.ids(span);
    for (int32_t id : ids) {
        if (static_cast<size_t>(id) >= graph->nodes.size() || !graph->nodes[static_cast<size_t>(id)])
            continue;
        if (count == most) {
            text += ", …";
            break;
        }
        text += (count++ ? ", " : "") + model::displayName(*graph->nodes[static_cast<size_t>(id)]);
    }
    return text;
}

} // namespace lathe::lower
