// SPDX-License-Identifier: Apache-2.0
//
// Models for tests, from ONNX's own textual form, and files of them.
#pragma once

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lathe::testing {

/// The model of a text like `<ir_version: 10, opset_import: ["" : 21]> g (float[2] x) => (float[2] y) { y = Relu(x) }`.
inline ::onnx::ModelProto parseModel(const std::string& text) {
    ::onnx::ModelProto model;
    ::onnx::OnnxParser parser(text);
    if (const auto status = parser.Parse(model); !status.IsOK())
        throw std::runtime_error("the test's own model is malformed: " + status.ErrorMessage());
    return model;
}

inline std::string modelBytes(const std::string& text) {
    return parseModel(text).SerializeAsString();
}

/// The same with the usual header: IR 10, opset 21.
inline std::string graphBytes(const std::string& graph) {
    return modelBytes("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph);
}

/// A float32 initializer; value(i) is its i-th element.
inline void addWeights(::onnx::ModelProto& model, const std::string& name, const std::vector<int64_t>& dims,
                       const std::function<float(int64_t)>& value) {
    ::onnx::TensorProto* weights = model.mutable_graph()->add_initializer();
    weights->set_name(name);
    weights->set_data_type(::onnx::TensorProto::FLOAT);
    int64_t count = 1;
    for (const int64_t dim : dims) {
        weights->add_dims(dim);
        count *= dim;
    }
    for (int64_t i = 0; i < count; ++i)
        weights->add_float_data(value(i));
}

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush())
        throw std::runtime_error("cannot write " + path.string());
}

} // namespace lathe::testing
