// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/map_files.h"

#include "frontend/onnx/read.h"
#include "frontend/onnx/tensors.h"
#include "model/host_tensor.h"

#include <algorithm>

namespace lathe::frontend::onnx {
namespace {

/// Whether they are as ONNX Runtime writes them; so two maps with the same keys have them in the same order.
bool areAscending(const ::onnx::MapProto& map) {
    return std::ranges::is_sorted(map.keys()) && std::ranges::is_sorted(map.string_keys());
}

bool haveSameKeys(const ::onnx::MapProto& a, const ::onnx::MapProto& b) {
    return std::ranges::equal(a.keys(), b.keys()) && std::ranges::equal(a.string_keys(), b.string_keys());
}

} // namespace

model::TensorPtr rowsOfMaps(const Source& source) {
    const auto proto = readSequenceProto(source.bytes.view);
    if (!proto || (*proto)->map_values().empty() || !areAscending((*proto)->map_values(0)))
        return nullptr;
    const ::onnx::MapProto& first = (*proto)->map_values(0);
    const int columns = first.keys_size() + first.string_keys_size();
    TensorReader reader(*proto, source.folders, std::make_shared<Budget>());
    auto elements = std::make_shared<std::vector<float>>();
    for (const ::onnx::MapProto& map : (*proto)->map_values()) {
        if (!haveSameKeys(map, first) || map.values().tensor_values_size() != columns)
            return nullptr;
        for (const ::onnx::TensorProto& value : map.values().tensor_values()) {
            const Result<model::TensorPtr> tensor = reader.read(value);
            if (!tensor || (*tensor)->dtype != types::Float32 || (*tensor)->bytes.view.size() != sizeof(float))
                return nullptr;
            elements->push_back(static_cast<float>(model::elementAsDouble(types::Float32, (*tensor)->bytes.view, 0)));
        }
    }
    auto rows = std::make_shared<model::TensorData>();
    rows->dtype = types::Float32;
    rows->shape = {(*proto)->map_values_size(), columns};
    rows->bytes = {elements, std::as_bytes(std::span(*elements))};
    return rows;
}

} // namespace lathe::frontend::onnx
