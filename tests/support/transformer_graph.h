// SPDX-License-Identifier: Apache-2.0
//
// Transformers of any length and width as a ModelGraph, without a file: 53 operators a layer, and a mask that every layer
// reads. With names like an exporter's, whose parts are scopes, or with none. Weights have shapes and no values; what a
// shape or a formula depends on has its values, so that model_file.h can make a model of it that runs.
#pragma once

#include "model/model_graph.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe::testing {

inline constexpr int layerOperators = 53, operatorsBefore = 13, operatorsBehind = 2;

/// Of each layer: what stands for one of its tokens, in so many heads.
struct TransformerSizes {
    int64_t tokens = 128, width = 768, heads = 12, words = 30522;
};

class TransformerGraph {
public:
    static std::shared_ptr<model::ModelGraph> make(int layers, bool named, const TransformerSizes& sizes = {}) {
        return TransformerGraph(named, sizes).model(layers);
    }

private:
    TransformerGraph(bool named, const TransformerSizes& sizes) : named_(named), sizes_(sizes) {}

    using Names = std::vector<std::string>;

    std::shared_ptr<model::ModelGraph> model(int layers) {
        graph_->name = "transformer";
        graph_->inputs = {value("ids", types::Int64, {1, sizes_.tokens}),
                          value("padding", types::Float32, {1, sizes_.tokens})};
        graph_->outputs = {value("result", types::Float32, {1, sizes_.tokens, sizes_.width})};
        graph_->nodes.reserve(size_t(layers) * layerOperators + operatorsBefore + operatorsBehind);
        std::string mask = add("Unsqueeze", "/", {"padding", integers({1, 2})});
        mask = add("Mul", "/", {add("Sub", "/", {number(1), mask}), number(-10000)});
        std::string stream = add("Gather", "/embeddings/", {weight({sizes_.words, sizes_.width}), "ids"});
        stream = normalized("/embeddings/norm/", stream);
        for (int layer = 0; layer < layers; ++layer)
            stream = addLayer("/encoder/layer." + std::to_string(layer) + "/", stream, mask);
        add("Tanh", "/pooler/", {add("MatMul", "/pooler/", {stream, weight({sizes_.width, sizes_.width})})}, {},
            "result");

        auto result = std::make_shared<model::ModelGraph>();
        result->file = "transformer.onnx";
        result->format = "ONNX";
        result->versions = {{"", 13}};
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
        const int64_t width = sizes_.width, wider = 4 * width, perHead = width / sizes_.heads;
        auto heads = [&](const std::string& part, const std::vector<int64_t>& order) {
            const std::string of = self + part + "/";
            const std::string product = linear(of, stream, width, width);
            const std::string shape = integers({1, sizes_.tokens, sizes_.heads, perHead});
            return add("Transpose", of, {add("Reshape", of, {product, shape})}, {{"perm", order}});
        };
        const std::string query = heads("query", {0, 2, 1, 3}), key = heads("key", {0, 2, 3, 1});
        const std::string values = heads("value", {0, 2, 1, 3});
        std::string scores = add("Mul", self, {add("MatMul", self, {query, key}), number(0.125F)});
        scores = add("Identity", self, {add("Softmax", self, {add("Add", self, {scores, mask})})});
        const std::vector<int64_t> back{0, 2, 1, 3};
        std::string mixed = add("Transpose", self, {add("MatMul", self, {scores, values})}, {{"perm", back}});
        mixed = add("Reshape", self, {mixed, integers({1, sizes_.tokens, width})});
        const std::string output = scope + "attention/output/";
        mixed = add("Add", output, {add("Identity", output, {linear(output, mixed, width, width)}), stream});
        const std::string middle = normalized(output + "norm/", mixed);
        const std::string wide = scope + "intermediate/";
        const std::string hidden = linear(wide, middle, width, wider);
        std::string gelu = add("Erf", wide, {add("Div", wide, {hidden, number(1.41421356F)})});
        gelu = add("Mul", wide, {add("Mul", wide, {hidden, add("Add", wide, {gelu, number(1)})}), number(0.5F)});
        const std::string last = scope + "output/";
        const std::string narrow = add("Identity", last, {linear(last, gelu, wider, width)});
        return normalized(last + "norm/", add("Add", last, {narrow, middle}));
    }

    std::string linear(const std::string& scope, const std::string& x, int64_t from, int64_t to) {
        return add("Add", scope, {add("MatMul", scope, {x, weight({from, to})}), weight({to})});
    }

    /// In nine operators.
    std::string normalized(const std::string& scope, const std::string& x) {
        const std::vector<model::Attribute> last{{"axes", std::vector<int64_t>{-1}}};
        const std::string centred = add("Sub", scope, {x, add("ReduceMean", scope, {x}, last)});
        std::string deviation = add("ReduceMean", scope, {add("Pow", scope, {centred, number(2)})}, last);
        deviation = add("Sqrt", scope, {add("Add", scope, {deviation, number(1e-5F)})});
        const std::string scaled = add("Mul", scope, {add("Div", scope, {centred, deviation}), weight({sizes_.width})});
        return add("Add", scope, {scaled, weight({sizes_.width})});
    }

    std::string add(const std::string& op, const std::string& scope, Names inputs,
                    std::vector<model::Attribute> attributes = {}, std::string output = {}) {
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
        node.attributes = std::move(attributes);
        graph_->nodes.push_back(std::move(node));
        return output;
    }

    std::string weight(std::vector<int64_t> shape) { return initializer(types::Float32, std::move(shape), {}); }
    std::string number(float value) { return initializer(types::Float32, {1}, bytesOf(&value, 1)); }
    std::string integers(const std::vector<int64_t>& values) {
        return initializer(types::Int64, {int64_t(values.size())}, bytesOf(values.data(), values.size()));
    }

    std::string initializer(DataType dtype, std::vector<int64_t> shape, model::Bytes bytes) {
        auto tensor = std::make_shared<model::TensorData>();
        tensor->dtype = dtype;
        tensor->shape = std::move(shape);
        tensor->bytes = std::move(bytes);
        graph_->initializers.push_back({"weight_" + std::to_string(graph_->initializers.size()), tensor});
        return graph_->initializers.back().name;
    }

    template <class T>
    static model::Bytes bytesOf(const T* values, size_t count) {
        auto owner = std::make_shared<std::vector<std::byte>>(count * sizeof(T));
        std::memcpy(owner->data(), values, owner->size());
        return {owner, *owner};
    }

    static model::Value value(std::string name, DataType dtype, const std::vector<int64_t>& dims) {
        model::Value result{std::move(name), {}};
        result.type.kind = model::ValueType::Kind::Tensor;
        result.type.dtype = dtype;
        result.type.hasShape = true;
        for (const int64_t dim : dims)
            result.type.shape.push_back({dim, {}});
        return result;
    }

    bool named_;
    TransformerSizes sizes_;
    std::shared_ptr<model::Graph> graph_ = std::make_shared<model::Graph>();
};

/// With as many layers as needed for so many nodes.
inline std::shared_ptr<model::ModelGraph> transformerGraph(int nodes, bool named, const TransformerSizes& sizes = {}) {
    return TransformerGraph::make((nodes - operatorsBefore - operatorsBehind + layerOperators - 1) / layerOperators,
                                  named, sizes);
}

} // namespace lathe::testing
