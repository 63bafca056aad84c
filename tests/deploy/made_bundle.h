// SPDX-License-Identifier: Apache-2.0
//
// Bundles for tests, made by the program itself of small models, and their files.
#pragma once

#include "support/onnx_model.h"
#include "support/program.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace lathe::testing {

/// A model with a symbol, and names that no file, shell or C program takes as they are.
inline std::string oddModel() {
    ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                          "g (float[n,4] x) => (float[n,4] y, float[n] z) "
                                          "{ y = Relu (x) z = ReduceSum <keepdims = 0> (x, axis) }");
    auto* axis = model.mutable_graph()->add_initializer();
    axis->set_name("axis");
    axis->set_data_type(::onnx::TensorProto::INT64);
    axis->add_dims(1);
    axis->add_int64_data(1);
    const std::map<std::string, std::string> names = {
        {"x", "../in \"quoted\" */ \\ $(touch evil) `x`"}, {"y", "Ausgabe \xc3\xa4\n%s"}, {"z", "Y\xc3\xa4"}};
    const auto rename = [&](std::string* name) {
        if (const auto at = names.find(*name); at != names.end())
            *name = at->second;
    };
    for (auto* values : {model.mutable_graph()->mutable_input(), model.mutable_graph()->mutable_output()})
        for (auto& value : *values)
            rename(value.mutable_name());
    for (auto& node : *model.mutable_graph()->mutable_node()) {
        for (auto& input : *node.mutable_input())
            rename(&input);
        for (auto& output : *node.mutable_output())
            rename(&output);
    }
    return model.SerializeAsString();
}

inline std::string readAll(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Content of each plain file below the folder, by its path there.
inline std::map<std::string, std::string> filesBelow(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& at : std::filesystem::recursive_directory_iterator(folder))
        if (at.is_regular_file() && !at.is_symlink())
            files[at.path().lexically_relative(folder).generic_string()] = readAll(at.path());
    return files;
}

} // namespace lathe::testing
