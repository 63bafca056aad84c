// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/import.h"

#include "frontend/common/convert_graph.h"
#include "frontend/torch/archive.h"
#include "frontend/torch/graph_model.h"
#include "frontend/torch/program_walk.h"
#include "frontend/torch/views.h"

namespace lathe::frontend::torch {
namespace {

Result<ProgramModel> readModel(const Source& source, Budget& budget) {
    LATHE_TRY(Archive archive, Archive::open(source.members, source.bytes.view.size()));
    LATHE_TRY(const model::Bytes text, archive.program());
    LATHE_TRY(Program program,
              readProgram({reinterpret_cast<const char*>(text.view.data()), text.view.size()}, budget));
    return makeModel(std::move(program), archive, source.name, budget);
}

/// Those that no row of the table has: they are the walk's own.
model::Family familyOf(const std::string& target) {
    if (target.starts_with("higher_order."))
        return model::Family::Control;
    return target == "output" ? model::Family::Movement : model::Family::Other;
}

} // namespace

bool probe(const Source& source) {
    if (!source.members)
        return false;
    const Result<std::vector<std::string>> names = source.members->names();
    return names && Archive::isOne(*names);
}

Imported importModel(const Source& source, relay::Evaluator* evaluator, const Options& options) {
    Result<ProgramModel> read = readModel(source, *options.budget);
    if (!read)
        return unreadable(std::move(read).error(), source.name);
    const BeginConversion walk = [&](model::ModelGraph& graph, relay::Module& module, Builder& builder) {
        return std::make_unique<ProgramWalk>(*read, graph, module, builder);
    };
    return convertGraph(read->graph, walk, evaluator, options);
}

model::Role roleOf(const model::Node& node) {
    ProgramNode asked;
    asked.target = node.op;
    const CalledOperator called = calledOperator(asked);
    return {.family = called.op ? called.op->family : familyOf(node.op), .named = types::Void};
}

bool hasOperator(const std::string& domain, const std::string& name) {
    return domain.empty() && findOperator(name) != nullptr;
}

} // namespace lathe::frontend::torch
