// SPDX-License-Identifier: Apache-2.0
//
// A Diagnostic about what a Span stands for: names the first of its model nodes.
#pragma once

#include "model/model_graph.h"

namespace lathe::lower {

Diagnostic refuse(model::Span span, const model::SpanTable& spans, const model::ModelGraph* graph, std::string what,
                  std::string hint = {});
/// "conv1, relu1" for people; "" without a graph.
std::string nodeNames(model::Span span, const model::SpanTable& spans, const model::ModelGraph* graph);

} // namespace lathe::lower
