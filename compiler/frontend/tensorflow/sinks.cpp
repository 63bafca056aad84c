// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/sinks.h"

#include "frontend/tensorflow/op_outputs.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::tensorflow {
namespace {

constexpr auto withoutResults = std::to_array<std::string_view>({"Abort",
                                                                 "Assert",
                                                                 "Assign",
                                                                 "AssignAdd",
                                                                 "AssignAddVariableOp",
                                                                 "AssignSub",
                                                                 "AssignSubVariableOp",
                                                                 "AssignVariableOp",
                                                                 "ControlTrigger",
                                                                 "DestroyResourceOp",
                                                                 "DisableCopyOnRead",
                                                                 "Enter",
                                                                 "Exit",
                                                                 "InitializeTable",
                                                                 "InitializeTableFromTextFile",
                                                                 "InitializeTableFromTextFileV2",
                                                                 "InitializeTableV2",
                                                                 "LookupTableImport",
                                                                 "LookupTableImportV2",
                                                                 "MergeV2Checkpoints",
                                                                 "NextIteration",
                                                                 "NoOp",
                                                                 "Placeholder",
                                                                 "Print",
                                                                 "PrintV2",
                                                                 "Save",
                                                                 "SaveSlices",
                                                                 "SaveV2",
                                                                 "ScatterUpdate",
                                                                 "Switch",
                                                                 "TensorArrayCloseV3",
                                                                 "VarHandleOp",
                                                                 "VarIsInitializedOp",
                                                                 "Variable",
                                                                 "VariableV2"});
static_assert(std::ranges::is_sorted(withoutResults));

/// Operators whose results but the first are for training, or say how the first came about.
constexpr auto firstAlone =
    std::to_array<std::string_view>({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "Merge",
                                     "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"});
/// Attributes that say how many results there are: their value, or how many entries they have.
constexpr auto counts = std::to_array<std::pair<std::string_view, const char*>>({{"DynamicPartition", "num_partitions"},
                                                                                 {"IdentityN", "T"},
                                                                                 {"PartitionedCall", "Tout"},
                                                                                 {"ShapeN", "N"},
                                                                                 {"Split", "num_split"},
                                                                                 {"SplitV", "num_split"},
                                                                                 {"StatefulPartitionedCall", "Tout"},
                                                                                 {"StatelessCase", "Tout"},
                                                                                 {"StatelessIf", "Tout"},
                                                                                 {"StatelessWhile", "T"},
                                                                                 {"Unpack", "num"},
                                                                                 {"While", "T"}});

int resultsOf(const BodyNode& node) {
    constexpr int64_t most = 10'000;
    if (std::ranges::find(firstAlone, node.op) != firstAlone.end())
        return 1;
    if (const auto names = resultNames(node.op); !names.empty())
        return static_cast<int>(names.size());
    const auto count = std::ranges::find(counts, node.op, &std::pair<std::string_view, const char*>::first);
    if (count == counts.end() || !node.proto)
        return 1;
    const auto attribute = node.proto->attr().find(count->second);
    if (attribute == node.proto->attr().end())
        return 1;
    const auto& value = attribute->second;
    const bool isList = value.value_case() == ::tensorflow::AttrValue::kList;
    return static_cast<int>(std::clamp<int64_t>(isList ? value.list().type_size() : value.i(), 0, most));
}

/// Whether the node hands on a result of a Switch or a loop: exporters make one of each, wanted or not.
bool followsControlFlow(const Body& graph, const BodyNode& node) {
    if (node.op != "Identity" || node.inputs.size() != 1 || node.inputs[0].node == Endpoint::none)
        return false;
    const std::string_view from = graph.nodes[static_cast<size_t>(node.inputs[0].node)].op;
    return from.ends_with("Switch") || from == "While" || from == "StatelessWhile";
}

} // namespace

std::vector<Endpoint> sinksOf(const Body& graph) {
    std::vector<bool> isRead(graph.nodes.size(), false), isAwaited = isRead;
    for (const BodyNode& node : graph.nodes) {
        for (const Endpoint& input : node.inputs)
            if (input.node != Endpoint::none)
                isRead[static_cast<size_t>(input.node)] = true;
        for (const int before : node.controls)
            if (node.op != "NoOp") // which stands for a group of outputs
                isAwaited[static_cast<size_t>(before)] = true;
    }
    std::vector<Endpoint> sinks, doubtful; // these only if there are no others
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const BodyNode& node = graph.nodes[i];
        const bool trains = node.op.starts_with("Apply") || node.op.starts_with("ResourceApply");
        if (isRead[i] || trains || std::ranges::binary_search(withoutResults, std::string_view(node.op)))
            continue;
        auto& ends = isAwaited[i] || followsControlFlow(graph, node) ? doubtful : sinks;
        for (int output = 0; output < resultsOf(node); ++output)
            ends.push_back({.node = static_cast<int>(i), .output = output, .argument = Endpoint::none});
    }
    return sinks.empty() ? doubtful : sinks;
}

} // namespace lathe::frontend::tensorflow
