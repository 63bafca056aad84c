// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/sample_graph.h"

#include <map>

namespace lathe::testing {

namespace {

model::Value value(std::string name, std::vector<int64_t> dims) {
    model::Value result{std::move(name), {}};
    result.type.kind = model::ValueType::Kind::Tensor;
    result.type.dtype = types::Float32;
    result.type.hasShape = true;
    for (int64_t dim : dims)
        result.type.shape.push_back({dim, {}});
    return result;
}

model::Initializer weights(std::string name, std::vector<int64_t> shape) {
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = types::Float32;
    tensor->shape = std::move(shape);
    return {std::move(name), tensor};
}

} // namespace

model::Node node(std::string op, std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs) {
    model::Node result;
    result.op = std::move(op);
    result.name = std::move(name);
    result.inputs = std::move(inputs);
    result.outputs = std::move(outputs);
    result.version = 13;
    return result;
}

std::shared_ptr<model::ModelGraph> modelOf(std::shared_ptr<model::Graph> graph) {
    auto result = std::make_shared<model::ModelGraph>();
    result->file = "sample.onnx";
    result->format = "ONNX";
    result->graph = graph;
    std::vector<std::shared_ptr<const model::Graph>> todo{graph};
    for (size_t i = 0; i < todo.size(); ++i)
        for (const model::Node& each : todo[i]->nodes) {
            const_cast<model::Node&>(each).id = result->nodeCount++;
            for (const model::Attribute& attribute : each.attributes)
                if (auto nested = std::get_if<std::shared_ptr<const model::Graph>>(&attribute.value))
                    todo.push_back(*nested);
        }
    model::indexNodes(*result);
    const std::map<std::string, model::Family> families = {{"Conv", model::Family::Product},
                                                           {"Relu", model::Family::Activation},
                                                           {"Add", model::Family::Arithmetic},
                                                           {"Constant", model::Family::Constant}};
    for (const model::Node* each : result->nodes) {
        const auto family = families.find(each->op);
        result->roles.push_back({family == families.end() ? model::Family::Other : family->second, {}});
    }
    return result;
}

std::shared_ptr<model::ModelGraph> residualBlock() {
    auto graph = std::make_shared<model::Graph>();
    graph->name = "block";
    graph->inputs = {value("x", {1, 8, 4, 4})};
    graph->outputs = {value("y", {1, 8, 4, 4})};
    graph->initializers = {weights("W", {8, 8, 3, 3})};
    graph->nodes = {node("Conv", "conv1", {"x", "W"}, {"c"}), node("Relu", "relu1", {"c"}, {"r"}),
                    node("Add", "add1", {"r", "c"}, {"y"})};
    graph->nodes[0].attributes.push_back({"pads", std::vector<int64_t>{1, 1, 1, 1}});
    return modelOf(graph);
}

std::shared_ptr<model::ModelGraph> chainWithMask(int length) {
    auto graph = std::make_shared<model::Graph>();
    graph->inputs = {value("v0", {4}), value("mask", {4})};
    for (int i = 0; i < length; ++i) {
        std::vector<std::string> inputs{"v" + std::to_string(i), "mask"};
        if (i >= 3 && i % 4 == 3)
            inputs.push_back("v" + std::to_string(i - 2));
        graph->nodes.push_back(node("Sum", "sum" + std::to_string(i), inputs, {"v" + std::to_string(i + 1)}));
    }
    graph->outputs = {value("v" + std::to_string(length), {4})};
    return modelOf(graph);
}

std::shared_ptr<model::ModelGraph> refusedInBranch() {
    auto branch = [](const std::string& op) {
        auto graph = std::make_shared<model::Graph>();
        graph->name = "branch";
        graph->nodes = {node(op, op + "_inside", {"x"}, {op + "_out"})};
        graph->outputs = {value(op + "_out", {2})};
        return std::shared_ptr<const model::Graph>(graph);
    };
    auto graph = std::make_shared<model::Graph>();
    graph->name = "outer";
    graph->inputs = {value("x0", {2}), value("c", {})};
    graph->nodes = {node("Relu", "relu", {"x0"}, {"x"}), node("If", "choice", {"c"}, {"y"})};
    graph->nodes[1].attributes = {{"then_branch", branch("Relu")}, {"else_branch", branch("Frobnicate")}};
    graph->outputs = {value("y", {2})};
    auto result = modelOf(graph);
    Diagnostic refusal = error("the operator is unknown", "export with standard operators");
    refusal.node = "Frobnicate_inside";
    refusal.op = "ai.onnx.Frobnicate-13";
    refusal.nodeId = 3;
    result->diagnostics.push_back(refusal);
    return result;
}

} // namespace lathe::testing
