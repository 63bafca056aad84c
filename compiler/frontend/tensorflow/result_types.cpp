// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/result_types.h"

#include "frontend/tensorflow/types.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace lathe::frontend::tensorflow {
namespace {

/// A result whose type no attribute says, and what is known of its shape.
struct Known {
    std::string_view op;
    size_t result;
    DataType dtype;                          // where the attribute "dtype" says none
    int rank;                                // -1: unknown
    std::array<std::string_view, 3> sizes{}; // attributes that say sizes, by dim; those that are not positive say none
};

constexpr auto knownResults = std::to_array<Known>({
    {"AsString", 0, types::String, -1},
    {"DecodeBmp", 0, types::UInt8, 3, {"", "", "channels"}},
    {"DecodeGif", 0, types::UInt8, 4},
    {"DecodeImage", 0, types::UInt8, -1},
    {"DecodeJpeg", 0, types::UInt8, 3, {"", "", "channels"}},
    {"DecodePng", 0, types::UInt8, 3, {"", "", "channels"}},
    {"DecodeWav", 0, types::Float32, 2, {"desired_samples", "desired_channels"}},
    {"DecodeWav", 1, types::Int32, 0},
    {"StringLength", 0, types::Int32, -1},
    {"StringSplit", 0, types::Int64, 2},
    {"StringSplitV2", 0, types::Int64, 2},
    {"StringToHashBucketFast", 0, types::Int64, -1},
    {"StringToHashBucketStrong", 0, types::Int64, -1},
});

/// Attributes that say the element type of the first result, of which a node has one; "T" is of operands too.
constexpr auto named = std::to_array<const char*>({"out_type", "Tout", "output_type", "dtype", "DstT", "T"});
/// Operators whose "T" is of operands alone.
constexpr auto ofOperands = std::to_array<std::string_view>(
    {"Equal", "Greater", "GreaterEqual", "IsFinite", "IsInf", "IsNan", "Less", "LessEqual", "NotEqual", "Where"});
static_assert(std::ranges::is_sorted(ofOperands));

const model::AttributeValue* find(const model::Node& node, std::string_view name) {
    const auto found = std::ranges::find(node.attributes, name, &model::Attribute::name);
    return found == node.attributes.end() ? nullptr : &found->value;
}

std::optional<DataType> typeNamed(const model::Node& node, std::string_view name) {
    const model::AttributeValue* value = find(node, name);
    const auto* text = value ? std::get_if<std::string>(value) : nullptr;
    return text ? fromTypeName(*text) : std::nullopt;
}

} // namespace

model::ValueType typeOfResult(const model::Node& node, size_t result) {
    model::ValueType type;
    const auto give = [&](DataType dtype) {
        type.kind = model::ValueType::Kind::Tensor;
        type.dtype = dtype;
    };
    for (const Known& known : knownResults) {
        if (known.op != node.op || known.result != result)
            continue;
        give(typeNamed(node, "dtype").value_or(known.dtype));
        type.hasShape = known.rank >= 0;
        for (int i = 0; i < known.rank; ++i) {
            const auto at = static_cast<size_t>(i);
            const auto* value = at < known.sizes.size() ? find(node, known.sizes[at]) : nullptr;
            const auto* size = value ? std::get_if<int64_t>(value) : nullptr;
            type.shape.push_back({size && *size > 0 ? *size : -1, {}});
        }
        return type;
    }
    if (result > 0)
        return type;
    if (std::ranges::binary_search(ofOperands, std::string_view(node.op))) {
        give(node.op == "Where" ? types::Int64 : types::Bool);
        return type;
    }
    for (const char* name : named)
        if (const auto dtype = typeNamed(node, name)) {
            give(*dtype);
            return type;
        }
    return type;
}

} // namespace lathe::frontend::tensorflow
