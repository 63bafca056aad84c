// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/saved_variables.h"

#include "frontend/tensorflow/origins.h"

#include <fmt/format.h>

#include <unordered_set>

namespace lathe::frontend::tensorflow {
namespace {

/// Strings of a constant.
const ::tensorflow::TensorProto* constantAt(const Body& body, const Endpoint& endpoint) {
    return constantOf(producerAt(body, originOf(body, endpoint)));
}

bool restores(const ::tensorflow::FunctionDef& function) {
    for (const auto& node : function.node_def())
        if (node.op() == "RestoreV2")
            return true;
    return false;
}

} // namespace

SavedVariables::SavedVariables(const Body& graph, const Library& library, Functions& functions,
                               std::shared_ptr<const Members> members, std::string prefix,
                               std::shared_ptr<Budget> budget)
    : members_(std::move(members)), prefix_(std::move(prefix)), budget_(std::move(budget)) {
    std::unordered_set<std::string> restoring;
    for (const auto& function : library)
        if (restores(function))
            restoring.insert(function.signature().name());
    int traced = 0;
    for (const BodyNode& node : graph.nodes) {
        if (!node.proto)
            continue;
        const auto& attributes = node.proto->attr();
        if (const auto name = attributes.find("shared_name"); name != attributes.end() && !name->second.s().empty())
            names_.emplace(node.name, name->second.s());
        const auto called = attributes.find("f");
        if (called != attributes.end() && restoring.contains(called->second.func().name()) && ++traced <= mostTraced)
            trace(*functions.body(*functions.find(called->second.func().name())), graph, &node.inputs);
    }
    trace(graph, graph, nullptr);
}

void SavedVariables::trace(const Body& body, const Body& graph, const std::vector<Endpoint>* arguments) {
    for (const BodyNode& node : body.nodes) {
        if ((node.op != "AssignVariableOp" && node.op != "Assign") || node.inputs.size() < 2)
            continue;
        Endpoint handle = originOf(body, node.inputs[0]);
        const Endpoint value = originOf(body, node.inputs[1]);
        const BodyNode* read = producerAt(body, value);
        if (!read || read->op != "RestoreV2" || read->inputs.size() != 3)
            continue;
        const auto* keys = constantAt(body, read->inputs[1]);
        const auto* slices = constantAt(body, read->inputs[2]);
        if (arguments) {
            const auto place = static_cast<size_t>(handle.argument);
            if (handle.argument == Endpoint::none || place >= arguments->size())
                continue;
            handle = originOf(graph, (*arguments)[place]);
        }
        const BodyNode* variable = producerAt(graph, handle);
        if (!variable || !keys || value.output >= keys->string_val_size())
            continue;
        const bool hasSlice = slices && value.output < slices->string_val_size();
        sources_.emplace(variable->name, Source{keys->string_val(value.output),
                                                hasSlice ? slices->string_val(value.output) : std::string()});
    }
}

Result<model::TensorPtr> SavedVariables::initial(const std::string& node) {
    if (!checkpoint_)
        checkpoint_ = Checkpoint::open(members_, prefix_, budget_);
    if (!*checkpoint_)
        return std::unexpected(checkpoint_->error());
    if (const auto source = sources_.find(node); source != sources_.end())
        return (*checkpoint_)->read(source->second.key, source->second.slice);
    const auto name = names_.find(node);
    return (*checkpoint_)->read(name == names_.end() ? node : name->second, "");
}

} // namespace lathe::frontend::tensorflow
