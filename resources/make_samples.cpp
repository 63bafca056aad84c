// SPDX-License-Identifier: Apache-2.0
//
// make_samples FOLDER: writes the sample models small_cnn.onnx, small_cnn_2.onnx and small_transformer.onnx, so that Lathe can be
// tried from a bare clone and tests have models of known structure. Weights are random from fixed seeds: the same bytes at every
// build.
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

/// A graph under construction. Each call adds one node and gives the name of its first output, which is the node's name
/// with "_out"; node names are paths of scopes, as exporters write them.
class Network {
public:
    Network(const std::string& name, uint32_t seed) : random_(seed) {
        model_.set_ir_version(10);
        model_.set_producer_name("lathe-samples");
        auto* opset = model_.add_opset_import();
        opset->set_domain("");
        opset->set_version(21);
        model_.mutable_graph()->set_name(name);
    }

    onnx::NodeProto& node(const std::string& op, const std::string& name, const Names& inputs) {
        onnx::NodeProto* result = graph().add_node();
        result->set_op_type(op);
        result->set_name(name);
        for (const std::string& input : inputs)
            result->add_input(input);
        result->add_output(name + "_out");
        return *result;
    }
    std::string add(const std::string& op, const std::string& name, const Names& inputs) {
        return node(op, name, inputs).output(0);
    }

    /// Values uniform in ±bound around `mean`.
    std::string weights(const std::string& name, const Ints& dims, double bound, double mean = 0) {
        onnx::TensorProto* tensor = initializer(name, dims, onnx::TensorProto::FLOAT);
        int64_t count = 1;
        for (int64_t dim : dims)
            count *= dim;
        for (int64_t i = 0; i < count; ++i)
            tensor->add_float_data(float(mean + bound * (double(random_()) / 2147483647.5 - 1)));
        return name;
    }
    std::string scalar(const std::string& name, float value) {
        initializer(name, {}, onnx::TensorProto::FLOAT)->add_float_data(value);
        return name;
    }
    std::string integers(const std::string& name, const Ints& values) {
        onnx::TensorProto* tensor = initializer(name, {int64_t(values.size())}, onnx::TensorProto::INT64);
        for (int64_t value : values)
            tensor->add_int64_data(value);
        return name;
    }

    void input(const std::string& name, onnx::TensorProto::DataType type, const Names& dims) {
        value(*graph().add_input(), name, type, dims);
    }
    void output(const std::string& name, onnx::TensorProto::DataType type, const Names& dims) {
        value(*graph().add_output(), name, type, dims);
    }
    /// The last node's output under the name that the model's output has.
    void nameLast(const std::string& name) { graph().mutable_node(graph().node_size() - 1)->set_output(0, name); }

    void save(const std::filesystem::path& file) {
        onnx::checker::check_model(model_);
        onnx::shape_inference::InferShapes(model_);
        std::ofstream stream(file, std::ios::binary);
        if (!model_.SerializeToOstream(&stream) || !stream.flush())
            throw std::runtime_error("cannot write " + file.string());
    }

private:
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }
    onnx::TensorProto* initializer(const std::string& name, const Ints& dims, onnx::TensorProto::DataType type) {
        onnx::TensorProto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(type);
        for (int64_t dim : dims)
            tensor->add_dims(dim);
        return tensor;
    }
    /// A dim that is no number is a symbol.
    static void value(onnx::ValueInfoProto& info, const std::string& name, onnx::TensorProto::DataType type,
                      const Names& dims) {
        info.set_name(name);
        auto* tensor = info.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        for (const std::string& dim : dims)
            if (dim.find_first_not_of("0123456789") == std::string::npos)
                tensor->mutable_shape()->add_dim()->set_dim_value(std::stoll(dim));
            else
                tensor->mutable_shape()->add_dim()->set_dim_param(dim);
    }

    onnx::ModelProto model_;
    std::mt19937 random_;
};

void setInts(onnx::NodeProto& node, const std::string& name, const Ints& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values)
        attribute->add_ints(value);
}

void setInt(onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
}

void setFloat(onnx::NodeProto& node, const std::string& name, float value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::FLOAT);
    attribute->set_f(value);
}

// ---------------------------------------------------------------------------------------------------------------------
// A residual network for images of 64 × 64 pixels: plain, strided, depthwise and 1 × 1 convolutions, batch normalization.

struct Convolution {
    int64_t in, out, size = 3, stride = 1, groups = 1;
};

std::string convolution(Network& net, const std::string& scope, const std::string& x, const Convolution& c) {
    const double bound = std::sqrt(6.0 / double(c.in / c.groups * c.size * c.size));
    auto& node = net.node("Conv", scope + "/Conv",
                          {x, net.weights(scope + ".weight", {c.out, c.in / c.groups, c.size, c.size}, bound)});
    const int64_t pad = c.size / 2;
    setInts(node, "kernel_shape", {c.size, c.size});
    setInts(node, "pads", {pad, pad, pad, pad});
    setInts(node, "strides", {c.stride, c.stride});
    setInt(node, "group", c.groups);
    const std::string norm = scope + "/norm";
    return net.add("BatchNormalization", scope + "/BatchNormalization",
                   {node.output(0), net.weights(norm + ".scale", {c.out}, 0.2, 1),
                    net.weights(norm + ".bias", {c.out}, 0.1), net.weights(norm + ".mean", {c.out}, 0.1),
                    net.weights(norm + ".var", {c.out}, 0.3, 1)});
}

std::string residual(Network& net, const std::string& scope, const std::string& x, int64_t in, int64_t out,
                     int64_t stride) {
    std::string main = convolution(net, scope + "/a", x, {.in = in, .out = out, .stride = stride});
    main = net.add("Relu", scope + "/a/Relu", {main});
    main = convolution(net, scope + "/b", main, {.in = out, .out = out});
    const std::string side =
        in == out && stride == 1
            ? x
            : convolution(net, scope + "/side", x, {.in = in, .out = out, .size = 1, .stride = stride});
    return net.add("Relu", scope + "/Relu", {net.add("Add", scope + "/Add", {main, side})});
}

/// `later`: the same network as a newer export of it could be, for comparing the two. Its second block is called otherwise, the
/// pool of the stem has a larger window, an activation is written as two operators, and what gives probabilities is left out.
/// Weights are the same.
void writeCnn(const std::filesystem::path& file, bool later) {
    Network net("small_cnn", 1);
    net.input("image", onnx::TensorProto::FLOAT, {"1", "3", "64", "64"});
    std::string x = convolution(net, "/stem", "image", {.in = 3, .out = 16});
    x = net.add("Relu", "/stem/Relu", {x});
    auto& pool = net.node("MaxPool", "/stem/MaxPool", {x});
    const int64_t window = later ? 3 : 2;
    setInts(pool, "kernel_shape", {window, window});
    setInts(pool, "strides", {2, 2});
    if (later)
        setInts(pool, "pads", {1, 1, 1, 1});
    x = pool.output(0);
    x = residual(net, "/block1", x, 16, 16, 1);
    x = residual(net, later ? "/stage2" : "/block2", x, 16, 32, 2);
    x = convolution(net, "/separable/depthwise", x, {.in = 32, .out = 32, .groups = 32});
    x = net.add("HardSwish", "/separable/depthwise/HardSwish", {x});
    x = convolution(net, "/separable/pointwise", x, {.in = 32, .out = 64, .size = 1});
    if (later) {
        auto& gate = net.node("HardSigmoid", "/separable/pointwise/HardSigmoid", {x});
        setFloat(gate, "alpha", 1.F / 6);
        x = net.add("Mul", "/separable/pointwise/Mul", {x, gate.output(0)});
    } else {
        x = net.add("HardSwish", "/separable/pointwise/HardSwish", {x});
    }
    x = residual(net, "/block3", x, 64, 64, 2);
    x = net.add("GlobalAveragePool", "/head/GlobalAveragePool", {x});
    x = net.add("Flatten", "/head/Flatten", {x});
    auto& dense = net.node("Gemm", "/head/Gemm",
                           {x, net.weights("/head.weight", {10, 64}, 0.3), net.weights("/head.bias", {10}, 0.1)});
    setInt(dense, "transB", 1);
    const std::string result = later ? "scores" : "probabilities";
    if (!later)
        net.add("Softmax", "/head/Softmax", {dense.output(0)});
    net.nameLast(result);
    net.output(result, onnx::TensorProto::FLOAT, {"1", "10"});
    net.save(file);
}

// ---------------------------------------------------------------------------------------------------------------------
// A transformer encoder on token numbers, with symbolic batch and sequence: attention written out, GELU, layer normalization.

constexpr int64_t vocabulary = 200, width = 64, heads = 4, hidden = 256, layers = 2;

std::string linear(Network& net, const std::string& scope, const std::string& x, int64_t in, int64_t out) {
    const double bound = std::sqrt(3.0 / double(in));
    const std::string product =
        net.add("MatMul", scope + "/MatMul", {x, net.weights(scope + ".weight", {in, out}, bound)});
    return net.add("Add", scope + "/Add", {product, net.weights(scope + ".bias", {out}, 0.05)});
}

std::string layerNorm(Network& net, const std::string& scope, const std::string& x) {
    auto& node =
        net.node("LayerNormalization", scope + "/LayerNormalization",
                 {x, net.weights(scope + ".scale", {width}, 0.1, 1), net.weights(scope + ".bias", {width}, 0.05)});
    setInt(node, "axis", -1);
    return node.output(0);
}

/// [batch, sequence, width] to [batch, heads, sequence, width / heads], or with `keys` to [batch, heads, width / heads, sequence].
std::string splitHeads(Network& net, const std::string& scope, const std::string& x, bool keys = false) {
    const std::string parts =
        net.add("Reshape", scope + "/Reshape", {x, net.integers(scope + ".shape", {0, 0, heads, width / heads})});
    auto& node = net.node("Transpose", scope + "/Transpose", {parts});
    setInts(node, "perm", keys ? Ints{0, 2, 3, 1} : Ints{0, 2, 1, 3});
    return node.output(0);
}

std::string attention(Network& net, const std::string& scope, const std::string& x) {
    const std::string query = splitHeads(net, scope + "/query", linear(net, scope + "/query", x, width, width));
    const std::string key = splitHeads(net, scope + "/key", linear(net, scope + "/key", x, width, width), true);
    const std::string value = splitHeads(net, scope + "/value", linear(net, scope + "/value", x, width, width));
    std::string scores = net.add("MatMul", scope + "/scores/MatMul", {query, key});
    scores = net.add("Div", scope + "/scores/Div",
                     {scores, net.scalar(scope + "/scores.scale", float(std::sqrt(double(width / heads))))});
    auto& softmax = net.node("Softmax", scope + "/Softmax", {scores});
    setInt(softmax, "axis", -1);
    const std::string mixed = net.add("MatMul", scope + "/mix/MatMul", {softmax.output(0), value});
    auto& merged = net.node("Transpose", scope + "/merge/Transpose", {mixed});
    setInts(merged, "perm", {0, 2, 1, 3});
    const std::string flat = net.add("Reshape", scope + "/merge/Reshape",
                                     {merged.output(0), net.integers(scope + "/merge.shape", {0, 0, width})});
    return linear(net, scope + "/out", flat, width, width);
}

void writeTransformer(const std::filesystem::path& file) {
    Network net("small_transformer", 2);
    net.input("tokens", onnx::TensorProto::INT64, {"batch", "sequence"});
    std::string x = net.add("Gather", "/embed/Gather", {net.weights("/embed.table", {vocabulary, width}, 1), "tokens"});
    x = layerNorm(net, "/embed/norm", x);
    for (int64_t i = 0; i < layers; ++i) {
        const std::string scope = "/layer" + std::to_string(i);
        x = net.add("Add", scope + "/attention/Add", {x, attention(net, scope + "/attention", x)});
        x = layerNorm(net, scope + "/attention/norm", x);
        std::string inner = linear(net, scope + "/feed/up", x, width, hidden);
        inner = net.add("Gelu", scope + "/feed/Gelu", {inner});
        inner = linear(net, scope + "/feed/down", inner, hidden, width);
        x = net.add("Add", scope + "/feed/Add", {x, inner});
        x = layerNorm(net, scope + "/feed/norm", x);
    }
    linear(net, "/head", x, width, vocabulary);
    net.nameLast("logits");
    net.output("logits", onnx::TensorProto::FLOAT, {"batch", "sequence", std::to_string(vocabulary)});
    net.save(file);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_samples FOLDER\n";
        return 2;
    }
    try {
        const std::filesystem::path folder = argv[1];
        std::filesystem::create_directories(folder);
        writeCnn(folder / "small_cnn.onnx", false);
        writeCnn(folder / "small_cnn_2.onnx", true);
        writeTransformer(folder / "small_transformer.onnx");
    } catch (const std::exception& problem) {
        std::cerr << "make_samples: " << problem.what() << '\n';
        return 1;
    }
    return 0;
}
