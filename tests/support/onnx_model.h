// SPDX-License-Identifier: Apache-2.0
//
// Models for tests, from ONNX's own textual form, and files of them.
#pragma once

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

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

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush())
        throw std::runtime_error("cannot write " + path.string());
}

} // namespace lathe::testing
