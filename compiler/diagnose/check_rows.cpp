// SPDX-License-Identifier: Apache-2.0
#include "diagnose/check_rows.h"

#include "inspect/provenance.h"
#include "model/names_read.h"
#include "relay/visit.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace lathe::diagnose {
namespace {

/// What main gives, by the outputs' names.
std::unordered_map<std::string, relay::Var> outputsOf(const relay::Function& main) {
    std::vector<relay::Var> vars{main.body->result};
    for (const relay::BindingPtr& binding : main.body->bindings)
        if (const auto* tuple = binding->as<relay::MakeTuple>(); tuple && binding->var == main.body->result)
            vars = tuple->fields;
    std::unordered_map<std::string, relay::Var> outputs;
    for (size_t i = 0; i < std::min(vars.size(), main.outputNames.size()); ++i)
        outputs.emplace(main.outputNames[i], vars[i]);
    return outputs;
}

/// Goes from a value up to those that are compared themselves.
class Makers {
public:
    Makers(const relay::Module& module, const std::unordered_map<std::string, relay::Var>& outputs)
        : module_(module), outputs_(outputs) {
        for (const relay::BindingPtr& binding : module.main().body->bindings)
            bindings_.emplace(binding->var.id, binding.get());
    }

    std::vector<int32_t> of(const std::string& value, relay::Var var) const {
        std::set<int32_t> nodes;
        std::unordered_set<uint32_t> seen{var.id};
        for (std::vector<relay::Var> open{var}; !open.empty();) {
            const auto at = bindings_.find(open.back().id);
            open.pop_back();
            if (at == bindings_.end()) // a parameter
                continue;
            const relay::Binding& binding = *at->second;
            const bool isOther = binding.modelValue != value && outputs_.contains(binding.modelValue);
            if (isOther || (binding.as<relay::ConstantRef>() && binding.var != var))
                continue;
            const std::vector<int32_t>& ids = module_.spans->ids(binding.span);
            nodes.insert(ids.begin(), ids.end());
            for (const relay::Var operand : relay::operands(binding.rhs))
                if (operand && seen.insert(operand.id).second)
                    open.push_back(operand);
        }
        return {nodes.begin(), nodes.end()};
    }

private:
    const relay::Module& module_;
    const std::unordered_map<std::string, relay::Var>& outputs_;
    std::unordered_map<uint32_t, const relay::Binding*> bindings_;
};

/// The fused function that computes each node, or "main". Constants are left out: one may be of nodes in many functions.
std::unordered_map<int32_t, std::string_view> functionsByNode(const relay::Module& module) {
    std::unordered_map<int32_t, std::string_view> functions;
    for (const auto& [name, function] : module.functions)
        relay::visitBindings(*function, [&](const relay::Binding& binding) {
            if (binding.as<relay::ConstantRef>() || binding.as<relay::FunctionCall>() || binding.as<relay::MakeTuple>())
                return;
            for (const int32_t node : module.spans->ids(binding.span))
                functions.emplace(node, name);
        });
    return functions;
}

std::string whyAbsent(const CheckRow& row, const inspect::Provenance& provenance,
                      const std::unordered_map<int32_t, std::string_view>& functions) {
    if (const std::string_view pass = provenance.removedBy(row.node); !pass.empty())
        return fmt::format("removed by '{}'", pass);
    const auto function = functions.find(row.node);
    if (function == functions.end())
        return "folded into a constant";
    if (function->second == "main")
        return "no tensor of numbers";
    return fmt::format("fused into '{}'", function->second);
}

} // namespace

std::vector<CheckRow> checkRows(const model::ModelGraph& graph) {
    std::vector<CheckRow> rows;
    for (const model::Node& node : graph.graph->nodes)
        for (const std::string& output : node.outputs)
            if (!output.empty() && model::roleOf(graph, node).family != model::Family::Constant) {
                rows.emplace_back().value = output;
                rows.back().node = node.id;
            }
    return rows;
}

size_t countNested(const model::ModelGraph& graph) {
    size_t all = 0, outermost = 0;
    for (const model::Node* node : graph.nodes)
        all += node ? node->outputs.size() : 0;
    for (const model::Node& node : graph.graph->nodes)
        outermost += node.outputs.size();
    return all - outermost;
}

void explainRows(std::vector<CheckRow>& rows, const std::shared_ptr<const driver::Trace>& trace) {
    const driver::ModulePtr module = inspect::lastModule(*trace);
    const inspect::Provenance provenance(trace);
    const auto outputs = outputsOf(module->main());
    const Makers makers(*module, outputs);
    const auto functions = functionsByNode(*module);
    for (CheckRow& row : rows) {
        if (const auto output = outputs.find(row.value); output != outputs.end())
            row.nodes = makers.of(row.value, output->second);
        else
            row.why = whyAbsent(row, provenance, functions);
        if (!std::ranges::binary_search(row.nodes, row.node))
            row.nodes.insert(std::ranges::lower_bound(row.nodes, row.node), row.node);
    }
}

void markFirst(std::vector<CheckRow>& rows, const model::Graph& graph) {
    std::unordered_map<std::string_view, CheckRow*> rowOf;
    for (CheckRow& row : rows)
        rowOf.emplace(row.value, &row);
    std::unordered_set<std::string_view> tainted;
    for (const model::Node& node : graph.nodes) {
        const bool fromTainted = std::ranges::any_of(model::namesRead(node),
                                                     [&](const std::string* name) { return tainted.contains(*name); });
        for (const std::string& output : node.outputs) {
            const auto row = rowOf.find(output);
            const bool isCompared = row != rowOf.end() && row->second->state != CheckState::NotCompared;
            const bool diverges = isCompared && row->second->state == CheckState::Diverges;
            if (diverges)
                row->second->first = !fromTainted;
            if (diverges || (!isCompared && fromTainted))
                tainted.insert(output);
        }
    }
}

} // namespace lathe::diagnose
