// SPDX-License-Identifier: Apache-2.0
//
// Transformers of any length as a ModelGraph, without a file: 53 operators a layer, and a mask that every layer reads. With
// names like an exporter's, whose parts are scopes, or with none.
#pragma once

#include "model/model_graph.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe::testing {

inline constexpr int layerOperators = 53, operatorsBefore = 13, operatorsBehind = 2;

class TransformerGraph {
public:
    static std::shared_ptr<model::ModelGraph> make(int layers, bool named) {
        return TransformerGraph(named).model(layers);
    }

private:
    explicit TransformerGraph(bool named) : named_(named) {}

    using Names = std::vector<std::string>;

    std::shared_ptr<model::ModelGraph> model(int layers) {
        graph_->name = "transformer";
        graph_->inputs = {value("ids", {1, 128}), value("padding", {1, 128})};
        graph_->outputs = {value("result", {1, 768})};
        graph_->nodes.reserve(size_t(layers) * layerOperators + operatorsBefore + operatorsBehind);
        std::string mask = add("Unsqueeze", "/", {"padding"});
        mask = add("Mul", "/", {add("Sub", "/", {weight({1}), mask}), weight({1})});
        std::string stream = add("Gather", "/embeddings/", {weight({30522, 768}), "ids"});
        stream = normalized("/embeddings/norm/", stream);
        for (int layer = 0; layer < layers; ++layer)
            stream = addLayer("/encoder/layer." + std::to_string(layer) + "/", stream, mask);
        add("Tanh", "/pooler/", {add("MatMul", "/pooler/", {stream, weight({768, 768})})}, "result");

        auto result = std::make_shared<model::ModelGraph>();
        result->file = "transformer.onnx";
        result->format = "ONNX";
        result->graph = graph_;
        result->nodeCount = int32_t(graph_->nodes.size());
        model::indexNodes(*result);
        using enum model::Family;
        const std::map<std::string, model::Family> families = {
            {"MatMul", Product},      {"Add", Arithmetic},  {"Sub", Arithmetic},   {"Mul", Arithmetic},
            {"Div", Arithmetic},      {"Pow", Arithmetic},  {"Sqrt", Arithmetic},  {"Softmax", Activation},
            {"Erf", Activation},      {"Tanh", Activation}, {"Reshape", Movement}, {"Transpose", Movement},
            {"ReduceMean", Reduction}};
        for (const model::Node* node : result->nodes) {
            const auto family = families.find(node->op);
            result->roles.push_back({family == families.end() ? Other : family->second, {}});
        }
        return result;
    }

    std::string addLayer(const std::string& scope, const std::string& stream, const std::string& mask) {
        const std::string self = scope + "attention/self/";
        auto heads = [&](const std::string& part) {
            const std::string of = self + part + "/";
            const std::string product = linear(of, stream);
            return add("Transpose", of, {add("Reshape", of, {product, weight({4})})});
        };
        const std::string query = heads("query"), key = heads("key"), values = heads("value");
        std::string scores = add("Mul", self, {add("MatMul", self, {query, key}), weight({1})});
        scores = add("Identity", self, {add("Softmax", self, {add("Add", self, {scores, mask})})});
        std::string mixed = add("Transpose", self, {add("MatMul", self, {scores, values})});
        mixed = add("Reshape", self, {mixed, weight({3})});
        const std::string output = scope + "attention/output/";
        mixed = add("Add", output, {add("Identity", output, {linear(output, mixed)}), stream});
        const std::string middle = normalized(output + "norm/", mixed);
        const std::string wide = scope + "intermediate/";
        const std::string hidden = linear(wide, middle);
        std::string gelu = add("Erf", wide, {add("Div", wide, {hidden, weight({1})})});
        gelu = add("Mul", wide, {add("Mul", wide, {hidden, add("Add", wide, {gelu, weight({1})})}), weight({1})});
        const std::string last = scope + "output/";
        const std::string back = add("Identity", last, {linear(last, gelu)});
        return normalized(last + "norm/", add("Add", last, {back, middle}));
    }

    std::string linear(const std::string& scope, const std::string& x) {
        return add("Add", scope, {add("MatMul", scope, {x, weight({768, 768})}), weight({768})});
    }

    /// In nine operators.
    std::string normalized(const std::string& scope, const std::string& x) {
        const std::string centred = add("Sub", scope, {x, add("ReduceMean", scope, {x})});
        std::string deviation = add("ReduceMean", scope, {add("Pow", scope, {centred, weight({1})})});
        deviation = add("Sqrt", scope, {add("Add", scope, {deviation, weight({1})})});
        const std::string scaled = add("Mul", scope, {add("Div", scope, {centred, deviation}), weight({768})});
        return add("Add", scope, {scaled, weight({768})});
    }

    std::string add(const std::string& op, const std::string& scope, Names inputs, std::string output = {}) {
        model::Node node;
        node.id = int32_t(graph_->nodes.size());
        node.op = op;
        node.version = 13;
        if (named_)
            node.name = scope + op + "_" + std::to_string(node.id);
        if (output.empty())
            output = "value_" + std::to_string(node.id);
        node.inputs = std::move(inputs);
        node.outputs = {output};
        graph_->nodes.push_back(std::move(node));
        return output;
    }

    std::string weight(std::vector<int64_t> shape) {
        auto tensor = std::make_shared<model::TensorData>();
        tensor->dtype = types::Float32;
        tensor->shape = std::move(shape);
        graph_->initializers.push_back({"weight_" + std::to_string(graph_->initializers.size()), tensor});
        return graph_->initializers.back().name;
    }

    static model::Value value(std::string name, const std::vector<int64_t>& dims) {
        model::Value result{std::move(name), {}};
        result.type.kind = model::ValueType::Kind::Tensor;
        result.type.dtype = types::Float32;
        result.type.hasShape = true;
        for (const int64_t dim : dims)
            result.type.shape.push_back({dim, {}});
        return result;
    }

    bool named_;
    std::shared_ptr<model::Graph> graph_ = std::make_shared<model::Graph>();
};

/// With as many layers as needed for so many nodes.
inline std::shared_ptr<model::ModelGraph> transformerGraph(int nodes, bool named) {
    return TransformerGraph::make((nodes - operatorsBefore - operatorsBehind + layerOperators - 1) / layerOperators,
                                  named);
}

} // namespace lathe::testing
