// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/views.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lathe::frontend::torch {
namespace {

/// Operators that give a view where one has the wanted shape, else a copy.
constexpr auto reshapeNames = std::to_array<std::string_view>({
    "aten.flatten.using_ints",
    "aten.ravel.default",
    "aten.reshape.default",
    "aten.reshape_as.default",
});
/// Operators that give the tensor itself where it is as wanted, else a copy.
constexpr auto conversionNames = std::to_array<std::string_view>({
    "aten.contiguous.default",
    "aten.to.device",
    "aten.to.dtype",
    "aten.to.dtype_layout",
    "aten.to.other",
    "aten.to.prim_Device",
    "aten.type_as.default",
});

bool isListed(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::optional<Ints> knownSizes(const std::vector<ProgramSize>& sizes) {
    Ints known;
    for (const ProgramSize& size : sizes) {
        const int64_t* number = std::get_if<int64_t>(&size);
        if (!number || *number < 0 || *number > limits::tensorElements)
            return std::nullopt;
        known.push_back(*number);
    }
    return known;
}

const TensorMeta* metaOf(const ProgramGraph& graph, const ProgramArgument* argument) {
    const auto* name = argument ? argument->as<ProgramArgument::Name>() : nullptr;
    const auto found = name ? graph.tensors.find(name->text) : graph.tensors.end();
    return found == graph.tensors.end() ? nullptr : &found->second;
}

/// Nothing if the operator has no such argument, or its value is not known.
std::optional<bool> flagAt(const ProgramNode& node, const Schema& schema, std::string_view name) {
    const std::optional<size_t> at = schema.find(name);
    const ProgramArgument* argument = at ? inputAt(node, schema, *at) : nullptr;
    const TorchValue* value = argument ? argument->as<TorchValue>() : at ? &schema.arguments[*at].otherwise : nullptr;
    return value && value->as<bool>() ? std::optional(*value->as<bool>()) : std::nullopt;
}

/// Normalizations write running moments only where they take moments of what they are passed.
bool writesArguments(const ProgramNode& node, const Schema& schema) {
    return flagAt(node, schema, "training").value_or(true) && flagAt(node, schema, "use_input_stats").value_or(true);
}

Sharing sharingOf(const Operator& op, const ProgramNode& node, const TensorMeta* from, const TensorMeta* to) {
    const bool converts = isConversion(op.schema);
    if (!converts && !isReshape(op.schema))
        return Sharing::Always;
    if (flagAt(node, op.schema, "copy").value_or(false))
        return Sharing::Never;
    if (!from || !to)
        return Sharing::Perhaps;
    if (converts)
        return from->dtype == to->dtype && from->isComplex == to->isComplex && from->strides == to->strides
                   ? Sharing::Always
                   : Sharing::Never;
    const std::optional<Ints> sizes = knownSizes(from->sizes), strides = knownSizes(from->strides),
                              wanted = knownSizes(to->sizes);
    if (!sizes || !strides || !wanted)
        return Sharing::Perhaps;
    return hasView(*sizes, *strides, *wanted) ? Sharing::Always : Sharing::Never;
}

/// Adds the names of tensors in an argument.
void addNames(const ProgramArgument& argument, std::vector<std::string>& names) {
    if (const auto* name = argument.as<ProgramArgument::Name>(); name && name->isTensor)
        names.push_back(name->text);
    if (const auto* list = argument.as<std::vector<ProgramArgument>>())
        for (const ProgramArgument& one : *list)
            addNames(one, names);
}

} // namespace

std::optional<size_t> viewedArgument(const Schema& schema) {
    const auto isView = [](const auto& one) { return one.isView; };
    const auto self = std::ranges::find_if(schema.arguments, isView, &SchemaArgument::type);
    if (self == schema.arguments.end() || !std::ranges::any_of(schema.results, isView))
        return std::nullopt;
    return static_cast<size_t>(self - schema.arguments.begin());
}

bool isReshape(const Schema& schema) {
    return isListed(reshapeNames, schema.name);
}

bool isConversion(const Schema& schema) {
    return isListed(conversionNames, schema.name);
}

/// Each run of dims that lie one behind the other has to be cut into new dims by itself.
bool hasView(const Ints& sizes, const Ints& strides, const Ints& wanted) {
    if (std::ranges::find(sizes, 0) != sizes.end())
        return true;
    size_t left = wanted.size();
    int64_t run = 1, step = strides.empty() ? 1 : strides.back();
    for (size_t d = sizes.size(); d > 0; --d) {
        int64_t next = 0; // stride of the dim before, if that is of the run
        if (__builtin_mul_overflow(run, sizes[d - 1], &run) || __builtin_mul_overflow(run, step, &next))
            return false;
        if (d > 1 && (sizes[d - 2] == 1 || strides[d - 2] == next))
            continue;
        int64_t taken = 1;
        while (left > 0 && (taken < run || wanted[left - 1] == 1))
            if (__builtin_mul_overflow(taken, wanted[--left], &taken))
                return false;
        if (taken != run)
            return false;
        if (d > 1)
            step = strides[d - 2];
        run = 1;
    }
    return std::ranges::all_of(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(left),
                               [](int64_t size) { return size == 1; });
}

CalledOperator calledOperator(const ProgramNode& node) {
    if (const Operator* op = findOperator(node.target))
        return {op, false};
    return {findAssigned(node.target), true};
}

const ProgramArgument* inputAt(const ProgramNode& node, const Schema& schema, size_t at) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i].name.empty() ? i == at : node.inputs[i].name == schema.arguments[at].name)
            return &node.inputs[i].value;
    return nullptr;
}

View viewOf(const Operator& op, const ProgramNode& node, const ProgramGraph& graph) {
    const std::optional<size_t> at = viewedArgument(op.schema);
    if (!at)
        return {};
    const TensorMeta* to = node.outputs.empty() ? nullptr : metaOf(graph, &node.outputs[0]);
    return {sharingOf(op, node, metaOf(graph, inputAt(node, op.schema, *at)), to), *at};
}

std::set<std::string> assignedInputs(const Program& program) {
    const ProgramGraph& graph = *program.graph;
    std::unordered_map<std::string, std::string> inputOf; // by tensor, if it is a view of one
    std::vector<std::string> inputs;
    for (const ProgramArgument& input : graph.inputs)
        addNames(input, inputs);
    for (const std::string& input : inputs)
        inputOf.emplace(input, input);
    std::set<std::string> assigned;
    const auto inputBehind = [&](const ProgramArgument* argument) {
        const auto* name = argument ? argument->as<ProgramArgument::Name>() : nullptr;
        const auto found = name ? inputOf.find(name->text) : inputOf.end();
        return found == inputOf.end() ? std::string() : found->second;
    };
    for (const ProgramNode& node : graph.nodes) {
        const auto [op, isAssigned] = calledOperator(node);
        if (!op)
            continue;
        const bool writes = writesArguments(node, op->schema);
        for (size_t i = 0; i < op->schema.arguments.size(); ++i)
            if ((op->schema.arguments[i].type.isWritten && writes) || (isAssigned && i == 0))
                assigned.insert(inputBehind(inputAt(node, op->schema, i)));
        const View view = isAssigned ? View{Sharing::Always, 0} : viewOf(*op, node, graph);
        if (view.sharing == Sharing::Never || op->schema.arguments.empty())
            continue;
        const std::string input = inputBehind(inputAt(node, op->schema, view.self));
        if (input.empty())
            continue;
        std::vector<std::string> results;
        for (const ProgramArgument& output : node.outputs)
            addNames(output, results);
        for (const std::string& result : results)
            inputOf.emplace(result, input);
    }
    assigned.erase(std::string());
    return assigned;
}

} // namespace lathe::frontend::torch
