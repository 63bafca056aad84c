// SPDX-License-Identifier: Apache-2.0
//
// Text of the graph IR as a model of the driver's: for what no format has, or has only together with much else.
#pragma once

#include "driver/compile.h"
#include "relay/text.h"

#include <QtGlobal>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace lathe::testing {

/// Its inputs and outputs are those of main, its nodes are called node0 … node3; node 0 gives `firstOutputs`, for who observes
/// these.
inline driver::ModelSource relaySource(const std::string& name, const std::string& text,
                                       const std::vector<std::string>& firstOutputs = {}) {
    return {name, [=](relay::Evaluator*, const frontend::Options&) {
                frontend::Imported imported;
                Result<relay::Module> module = relay::parse(text, {});
                if (!module)
                    qFatal("%s", toString(module.error()).c_str());
                auto inner = std::make_shared<model::Graph>();
                for (const relay::Param& param : relay::inputParams(module->main()))
                    inner->inputs.push_back({param.name, {}});
                for (const std::string& output : module->main().outputNames)
                    inner->outputs.push_back({output, {}});
                for (int32_t id = 0; id < 4; ++id) {
                    model::Node& node = inner->nodes.emplace_back();
                    node.id = id;
                    node.name = fmt::format("node{}", id);
                    node.op = "Call";
                }
                inner->nodes.front().outputs = firstOutputs;
                imported.graph = std::make_shared<model::ModelGraph>();
                imported.graph->file = name;
                imported.graph->graph = inner;
                imported.graph->nodeCount = 4;
                imported.graph->spans = module->spans;
                model::indexNodes(*imported.graph);
                imported.module = std::make_shared<relay::Module>(*std::move(module));
                return imported;
            }};
}

} // namespace lathe::testing
