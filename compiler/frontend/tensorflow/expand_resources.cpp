// SPDX-License-Identifier: Apache-2.0
//
// Variables and tables, which are no values: what reads one stands for what it holds.
#include "frontend/tensorflow/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* malformedModel = "the model is malformed; export it again";

constexpr auto assigning = std::to_array<std::string_view>(
    {"Assign", "AssignAdd", "AssignAddVariableOp", "AssignSub", "AssignSubVariableOp", "AssignVariableOp"});
/// Give the handle of a variable, or in old files the variable itself.
constexpr auto variables = std::to_array<std::string_view>({"VarHandleOp", "Variable", "VariableV2"});
/// Give the handle of a table whose content does not change.
constexpr auto tableMakers = std::to_array<std::string_view>({"HashTable", "HashTableV2"});
/// Hand their one operand on, so that a handle stays known.
constexpr auto handingOn = std::to_array<std::string_view>({"Identity", "IdentityN"});

bool isOneOf(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

bool assigns(std::string_view op) {
    return isOneOf(assigning, op);
}

bool Expander::emitVariable(Frame& frame, int index, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (isOneOf(variables, node.op)) {
        give(frame, index, 0, {Meaning::Kind::Variable, frame.prefix + node.name});
        return true;
    }
    const bool ofVariable = !inputs.empty() && inputs[0].kind == Meaning::Kind::Variable;
    if (!ofVariable)
        return false;
    const std::string& variable = inputs[0].name;
    if (isOneOf(handingOn, node.op) && inputs.size() == 1) {
        // Of an old variable this is a read: later assignments do not change what was read.
        const auto* dtype = node.proto ? Attributes{&node.proto->attr(), frame.call}.find("T") : nullptr;
        if (dtype && dtype->type() == ::tensorflow::DT_RESOURCE)
            give(frame, index, 0, inputs[0]);
        else
            give(frame, index, 0, {Meaning::Kind::Value, readVariable(frame, node, variable)});
        return true;
    }
    if (node.op == "ReadVariableOp") {
        give(frame, index, 0, {Meaning::Kind::Value, readVariable(frame, node, variable)});
        return true;
    }
    if (!assigns(node.op))
        return false;
    assigned_.insert(variable);
    if (inputs.size() < 2) {
        report(&frame, &node, error("the node assigns nothing", malformedModel));
        return true;
    }
    const std::string value = valueOf(frame, node, inputs[1]);
    const bool isReplaced = node.op == "Assign" || node.op == "AssignVariableOp";
    const std::string before = isReplaced ? std::string() : initialOf(frame, node, variable);
    model::Node& added = addNode(frame, node, node.op);
    added.inputs = isReplaced ? std::vector<std::string>{value} : std::vector<std::string>{value, before};
    added.attributes.push_back({"variable", variable});
    give(frame, index, 0, inputs[0]);
    return true;
}

/// A table is no value: who looks up in it has its keys and values for operands.
bool Expander::emitTable(Frame& frame, int index, const Meanings& inputs) {
    const BodyNode& node = frame.body.nodes[static_cast<size_t>(index)];
    if (isOneOf(tableMakers, node.op)) {
        give(frame, index, 0, {Meaning::Kind::Table, frame.prefix + node.name});
        return true;
    }
    if (inputs.empty() || inputs[0].kind != Meaning::Kind::Table)
        return false;
    if (isOneOf(handingOn, node.op) && inputs.size() == 1) {
        give(frame, index, 0, inputs[0]);
        return true;
    }
    if (!node.op.starts_with("LookupTableFind") || inputs.size() != 3) {
        report(&frame, &node,
               error(ErrorKind::Unsupported,
                     fmt::format("a table is given to operator {}, which is not supported", node.op),
                     "look up in tables that do not change"));
        return true;
    }
    const std::string& table = inputs[0].name;
    const auto content =
        stored_.table ? stored_.table(table)
                      : Result<SavedTable>(failure(fmt::format("the file does not say what table '{}' holds", table),
                                                   "name the folder of the SavedModel"));
    if (!content) {
        report(&frame, &node, content.error());
        give(frame, index, 0, {Meaning::Kind::Value, unique(frame.prefix + node.name)});
        return true;
    }
    const auto stored = [&](const char* part, const model::TensorPtr& tensor) {
        const auto [found, isNew] = initials_.try_emplace(table + part);
        if (isNew) {
            found->second = unique(table + part);
            main_->initializers.push_back({found->second, tensor});
        }
        return found->second;
    };
    model::Node& added = addNode(frame, node, "LookupTableFindV2");
    added.inputs = {valueOf(frame, node, inputs[1]), valueOf(frame, node, inputs[2])};
    added.inputs.push_back(stored("/keys", content->keys));
    added.inputs.push_back(stored("/values", content->values));
    added.outputs = {giveValue(frame, index, 0, added)};
    return true;
}

std::string Expander::initialOf(Frame& frame, const BodyNode& node, const std::string& variable) {
    const auto [found, isNew] = initials_.try_emplace(variable);
    if (!isNew)
        return found->second;
    const auto tensor =
        stored_.variable
            ? stored_.variable(variable)
            : Result<model::TensorPtr>(failure(fmt::format("the file does not say what variable '{}' holds", variable),
                                               "freeze the graph, or name the folder of the SavedModel"));
    if (!tensor) {
        report(&frame, &node, tensor.error());
        return found->second;
    }
    found->second = unique(variable);
    main_->initializers.push_back({found->second, *tensor});
    return found->second;
}

std::string Expander::readVariable(Frame& frame, const BodyNode& node, const std::string& variable) {
    const std::string initial = initialOf(frame, node, variable);
    if (!assigned_.contains(variable))
        return initial;
    model::Node& added = addNode(frame, node, "ReadVariableOp");
    added.inputs = {initial};
    added.attributes.push_back({"variable", variable});
    added.outputs = {unique(frame.prefix + node.name)};
    return added.outputs[0];
}

std::string Expander::valueOf(Frame& frame, const BodyNode& node, const Meaning& meaning) {
    return meaning.kind == Meaning::Kind::Variable ? readVariable(frame, node, meaning.name) : meaning.name;
}

} // namespace lathe::frontend::tensorflow
