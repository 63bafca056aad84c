// SPDX-License-Identifier: Apache-2.0
//
// TorchScript archives that a test writes: one class, "Net", whose text it gives, and what an object of it holds, as pickles.
#pragma once

#include "support/zip_file.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::testing {

inline std::string littleEndian(uint64_t value, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

// ---- values of a pickle
inline std::string pickledInt(int64_t value) {
    return "J" + littleEndian(static_cast<uint32_t>(value), 4);
}
inline std::string pickledText(std::string_view text) {
    return "X" + littleEndian(text.size(), 4) + std::string(text);
}
inline std::string pickledBool(bool value) {
    return value ? "\x88" : "\x89";
}
inline std::string pickledTuple(const std::vector<std::string>& items) {
    std::string tuple = "(";
    for (const std::string& item : items)
        tuple += item;
    return tuple + "t";
}
inline std::string pickledInts(const std::vector<int64_t>& values) {
    std::vector<std::string> items;
    for (const int64_t value : values)
        items.push_back(pickledInt(value));
    return pickledTuple(items);
}
/// Of float32, in the file data/KEY.
inline std::string pickledTensor(const std::string& key, const std::vector<int64_t>& sizes,
                                 const std::vector<int64_t>& strides, int64_t offset = 0) {
    const std::string storage = pickledTuple(
        {pickledText("storage"), "ctorch\nFloatStorage\n", pickledText(key), pickledText("cpu"), pickledInt(1)});
    return "ctorch._utils\n_rebuild_tensor_v2\n" +
           pickledTuple({storage + "Q", pickledInt(offset), pickledInts(sizes), pickledInts(strides),
                         pickledBool(false), "ccollections\nOrderedDict\n)R"}) +
           "R";
}
/// An object of a class of the program: "c__torch__\nNet\n".
inline std::string pickledObject(const std::string& global,
                                 const std::vector<std::pair<std::string, std::string>>& attributes) {
    std::string object = global + ")\x81}(";
    for (const auto& [name, value] : attributes)
        object += pickledText(name) + value;
    return object + "ub";
}
inline std::string pickle(const std::string& value) {
    return "\x80\x02" + value + ".";
}

inline std::string storageOf(const std::vector<float>& values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    if (!values.empty())
        std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

struct ScriptFile {
    std::string body; // of class Net: its attributes and functions, each line indented by two spaces
    std::vector<std::pair<std::string, std::string>> attributes = {}; // pickled
    std::vector<std::pair<std::string, std::vector<float>>> storages = {};
    int version = 10;
};

inline ZipFiles scriptFiles(const ScriptFile& script) {
    std::vector<std::pair<std::string, std::string>> attributes = {{"training", pickledBool(false)}};
    attributes.insert(attributes.end(), script.attributes.begin(), script.attributes.end());
    ZipFiles files = {{"net/data.pkl", pickle(pickledObject("c__torch__\nNet\n", attributes))},
                      {"net/constants.pkl", pickle(")")},
                      {"net/code/__torch__.py", "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n" +
                                                    ("  training : bool\n" + script.body)},
                      {"net/version", std::to_string(script.version) + "\n"}};
    for (const auto& [key, values] : script.storages)
        files.emplace_back("net/data/" + key, storageOf(values));
    return files;
}

} // namespace lathe::testing
