// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/input_types.h"

#include "base/limits.h"
#include "frontend/keras/attributes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr const char* buildModel = "build the model with an Input layer and save it again";

const Json& shapeOf(const Json& config) {
    for (const char* name : {"batch_shape", "batch_input_shape"})
        if (const Json& shape = memberOf(config, name); shape.is_array())
            return shape;
    return memberOf(config, "");
}

} // namespace

std::optional<DataType> dtypeNamed(std::string_view name) {
    static const auto dtypes = std::to_array<std::pair<std::string_view, DataType>>({
        {"float32", types::Float32},
        {"float16", types::Float16},
        {"bfloat16", types::BFloat16},
        {"float64", types::Float64},
        {"int8", types::Int8},
        {"int16", types::Int16},
        {"int32", types::Int32},
        {"int64", types::Int64},
        {"uint8", types::UInt8},
        {"uint16", types::UInt16},
        {"uint32", types::UInt32},
        {"uint64", types::UInt64},
        {"bool", types::Bool},
    });
    const auto found = std::ranges::find(dtypes, name, &std::pair<std::string_view, DataType>::first);
    return found == dtypes.end() ? std::nullopt : std::optional(found->second);
}

Result<model::ValueType> inputType(const Json& config) {
    if (flagOf(config, "sparse", false) || flagOf(config, "ragged", false))
        return failure(ErrorKind::Unsupported, "an input is a sparse or ragged tensor, which is not supported",
                       "let the model take dense tensors");
    const Json& shape = shapeOf(config);
    if (!shape.is_array() || shape.size() > static_cast<size_t>(limits::tensorRank))
        return failure("an input has no shape", buildModel);
    model::ValueType type;
    type.kind = model::ValueType::Kind::Tensor;
    type.hasShape = true;
    const std::string name = dtypeOf(config);
    const auto dtype = name.empty() ? std::optional(types::Float32) : dtypeNamed(name);
    if (!dtype)
        return failure(ErrorKind::Unsupported, fmt::format("an input is of type '{}', which is not supported", name),
                       "let the model take numbers");
    type.dtype = *dtype;
    for (size_t i = 0; i < shape.size(); ++i) {
        const auto size = integer<int64_t>(shape[i]);
        if (!shape[i].is_null() && (!size || *size < 0))
            return failure(fmt::format("dim {} of an input is {}", i, dump(shape[i])), buildModel);
        type.shape.push_back(size ? model::Dim{*size, {}} : model::Dim{-1, i == 0 ? "batch" : ""});
    }
    return type;
}

Result<model::Value> sequentialInput(const Json& config) {
    const Json& layers = layersOf(config);
    if (layers.empty())
        return failure("the model has no layers: there is nothing to compile", "save the whole model");
    const Json& first = layers.front();
    const bool isInput = classOf(first) == "InputLayer";
    Json declared = configOf(first);
    if (!shapeOf(declared).is_array()) {
        const Json& built = memberOf(config, "build_input_shape");
        declared =
            Json{{"batch_shape", built.is_array() ? built : memberOf(memberOf(first, "build_config"), "input_shape")}};
    } else if (!isInput && !dtypeNamed(dtypeOf(declared))) {
        declared["dtype"] = "float32"; // a policy of two
    }
    LATHE_TRY(model::ValueType type, inputType(declared));
    return model::Value{isInput ? nameOf(first) : nameOf(first) + "_input", std::move(type)};
}

} // namespace lathe::frontend::keras
