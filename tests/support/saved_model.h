// SPDX-License-Identifier: Apache-2.0
//
// A SavedModel for tests: a folder with its text form. Of x [2, 3] the signature `serving_default` gives y = x + x, and `square`
// gives z = x * x; their nodes stand in name scopes.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace lathe::testing {

inline std::string savedModelText(const std::string& doubled = "AddV2") {
    const std::string size = "{ dim { size: 2 } dim { size: 3 } }";
    const auto node = [](const std::string& name, const std::string& op) {
        return "node { name: 'block/" + name + "' op: '" + op +
               "' input: 'x' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }\n";
    };
    const auto value = [&](const char* kind, const char* word, const std::string& tensor) {
        return std::string(kind) + " { key: '" + word + "' value { name: '" + tensor +
               "' dtype: DT_FLOAT tensor_shape " + size + " } }";
    };
    const auto signature = [&](const char* key, const char* word, const std::string& tensor) {
        return "signature_def { key: '" + std::string(key) + "' value { " + value("inputs", "x", "x:0") + " " +
               value("outputs", word, tensor) + " method_name: 'tensorflow/serving/predict' } }\n";
    };
    return "saved_model_schema_version: 1\nmeta_graphs { meta_info_def { tags: 'serve' tensorflow_version: '2.21.0' }\n"
           "graph_def {\nnode { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
           "attr { key: 'shape' value { shape " +
           size + " } } }\n" + node("double", doubled) + node("square", "Mul") + "versions { producer: 1987 } }\n" +
           signature("serving_default", "y", "block/double:0") + signature("square", "z", "block/square:0") + "}\n";
}

/// Makes the folder.
inline void writeSavedModel(const std::filesystem::path& folder, const std::string& text = savedModelText()) {
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / "saved_model.pbtxt", std::ios::binary);
    file << text;
    if (!file.flush())
        throw std::runtime_error("cannot write " + folder.string());
}

} // namespace lathe::testing
