// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/saved_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

constexpr const char* saveByTorch = "save the tensors again by PyTorch, as plain tensors";

struct StorageType {
    std::string_view name;
    DataType dtype;
    bool isComplex = false;
};
constexpr auto storageTypes = std::to_array<StorageType>({
    {"torch BFloat16Storage", types::BFloat16},
    {"torch BoolStorage", types::Bool},
    {"torch ByteStorage", types::UInt8},
    {"torch CharStorage", types::Int8},
    {"torch ComplexDoubleStorage", types::Float64, true},
    {"torch ComplexFloatStorage", types::Float32, true},
    {"torch DoubleStorage", types::Float64},
    {"torch FloatStorage", types::Float32},
    {"torch HalfStorage", types::Float16},
    {"torch IntStorage", types::Int32},
    {"torch LongStorage", types::Int64},
    {"torch QInt32Storage", types::Int32},
    {"torch QInt8Storage", types::Int8},
    {"torch QUInt8Storage", types::UInt8},
    {"torch ShortStorage", types::Int16},
});

constexpr std::string_view plainTensor = "torch._utils _rebuild_tensor_v2",
                           parameter = "torch._utils _rebuild_parameter",
                           quantizedTensor = "torch._utils _rebuild_qtensor";

std::optional<std::vector<ProgramSize>> sizesOf(const PickleValue& tuple) {
    std::vector<ProgramSize> sizes;
    if (tuple.kind != PickleValue::Kind::Tuple || tuple.items.size() > limits::tensorRank)
        return std::nullopt;
    for (const PickleValue* item : tuple.items) {
        if (item->kind != PickleValue::Kind::Int)
            return std::nullopt;
        sizes.emplace_back(item->whole);
    }
    return sizes;
}

} // namespace

bool isSavedTensor(const PickleValue& value) {
    return value.isMadeBy(plainTensor, 4) || value.isMadeBy(parameter, 1) || value.isMadeBy(quantizedTensor, 5);
}

Result<SavedTensor> savedTensor(const PickleValue& value, const std::string& folder) {
    const PickleValue* tensor = &value;
    if (tensor->isMadeBy(parameter, 1))
        tensor = &tensor->argument(0);
    if (!tensor->isMadeBy(plainTensor, 4) && !tensor->isMadeBy(quantizedTensor, 5))
        return failure(ErrorKind::Unsupported, "a tensor is saved in a form that is not supported", saveByTorch);
    const PickleValue &persistent = tensor->argument(0), &offset = tensor->argument(1);
    // ('storage', type, key, device, elements)
    const PickleValue* id = persistent.kind == PickleValue::Kind::Persistent ? persistent.items[0] : nullptr;
    if (!id || id->kind != PickleValue::Kind::Tuple || id->items.size() < 3 ||
        id->items[1]->kind != PickleValue::Kind::Global || id->items[2]->kind != PickleValue::Kind::Text ||
        offset.kind != PickleValue::Kind::Int)
        return failure("a saved tensor has no storage", saveByTorch);
    const auto* type = std::ranges::find(storageTypes, id->items[1]->text, &StorageType::name);
    if (type == storageTypes.end())
        return failure(ErrorKind::Unsupported,
                       fmt::format("a tensor is saved in a storage of type '{}', which is not supported",
                                   id->items[1]->text.substr(0, 80)),
                       saveByTorch);
    std::optional<std::vector<ProgramSize>> sizes = sizesOf(tensor->argument(2)),
                                            strides = sizesOf(tensor->argument(3));
    if (!sizes || !strides || sizes->size() != strides->size())
        return failure("a saved tensor has no sizes, or not as many strides", saveByTorch);
    return SavedTensor{folder + id->items[2]->text,
                       {type->dtype, type->isComplex, *std::move(sizes), *std::move(strides), offset.whole}};
}

Result<std::map<std::string, SavedTensor>> savedTensors(const Members& archive) {
    constexpr std::string_view pickleFile = "data.pkl", orderFile = "byteorder";
    LATHE_TRY(const std::vector<std::string> names, archive.names());
    const auto pickleName = std::ranges::find_if(names, [&](const std::string& name) {
        return name == pickleFile || name.ends_with(fmt::format("/{}", pickleFile));
    });
    if (pickleName == names.end())
        return failure("the tensors are not saved as torch.save does: there is no data.pkl", saveByTorch);
    const std::string root = pickleName->substr(0, pickleName->size() - pickleFile.size());
    if (const std::string order = root + std::string(orderFile); std::ranges::binary_search(names, order)) {
        LATHE_TRY(const model::Bytes bytes, archive.read(order));
        if (std::string_view(reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()) != "little")
            return failure(ErrorKind::Unsupported, "the tensors are saved with the highest byte first",
                           "save them on a machine with the lowest byte first");
    }
    LATHE_TRY(const model::Bytes bytes, archive.read(*pickleName));
    LATHE_TRY(const Pickle pickle, readPickle(bytes.view));
    std::map<std::string, SavedTensor> tensors;
    for (const auto& [key, value] : pickle.root->entries) {
        if (key->kind != PickleValue::Kind::Text || !isSavedTensor(*value) || value->isMadeBy(quantizedTensor, 5))
            continue;
        LATHE_TRY(SavedTensor tensor, savedTensor(*value, root + "data/"));
        tensors.insert_or_assign(key->text, std::move(tensor));
    }
    return tensors;
}

} // namespace lathe::frontend::torch
