// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/attributes.h"

#include "frontend/onnx/tensors.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>
#include <unordered_set>

namespace lathe::frontend::onnx {
namespace {

using ::onnx::OpSchema;

struct AttributeRow {
    std::string_view attribute, op; // op empty: of every operator that has no row of its own for it
    int from, to;                   // versions of the operator
    std::string_view values;        // as knownValues gives them
};

constexpr int onwards = 1000;
constexpr std::string_view flag = "0 1", type = "type";
constexpr std::string_view halfPixels = "half_pixel pytorch_half_pixel align_corners asymmetric tf_crop_and_resize";

// Sorted by attribute; the row for every operator comes last.
constexpr auto attributeTable = std::to_array<AttributeRow>({
    {"activation", "CausalConvWithState", 1, onwards, "none silu swish"},
    {"aggregate_function", "TreeEnsemble", 1, onwards, "0 1 2 3"},
    {"aggregate_function", "TreeEnsembleRegressor", 1, onwards, "AVERAGE SUM MIN MAX"},
    {"align_corners", "", 1, onwards, flag},
    {"allowzero", "", 1, onwards, flag},
    {"antialias", "", 1, onwards, flag},
    {"approximate", "Gelu", 1, onwards, "none tanh"},
    {"auto_pad", "", 1, onwards, "NOTSET SAME_UPPER SAME_LOWER VALID"},
    {"batch_axis", "ReverseSequence", 1, onwards, "0 1"},
    {"batch_dims", "", 1, onwards, "0.."},
    {"block_size", "", 1, onwards, "0.."},
    {"blocksize", "", 1, onwards, "1.."},
    {"broadcast", "", 1, onwards, flag},
    {"case_change_action", "", 1, onwards, "LOWER UPPER NONE"},
    {"ceil_mode", "", 1, onwards, flag},
    {"center_point_box", "", 1, onwards, flag},
    // Version 13 dropped tf_half_pixel_for_nn from its text, but ONNX's tests of that version still have it.
    {"coordinate_transformation_mode", "Resize", 11, 13,
     "half_pixel pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn tf_crop_and_resize"},
    {"coordinate_transformation_mode", "Resize", 14, 18, halfPixels},
    {"coordinate_transformation_mode", "Resize", 19, onwards,
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_crop_and_resize"},
    {"coordinate_transformation_mode", "RoiAlign", 1, onwards, "half_pixel output_half_pixel"},
    {"count_include_pad", "", 1, onwards, flag},
    {"detect_negative", "", 1, onwards, flag},
    {"detect_positive", "", 1, onwards, flag},
    {"direction", "BitShift", 1, onwards, "LEFT RIGHT"},
    {"direction", "", 1, onwards, "forward reverse bidirectional"},
    {"dtype", "", 1, onwards, type},
    {"exclude_outside", "", 1, onwards, flag},
    {"exclusive", "", 1, onwards, flag},
    {"fmod", "", 1, onwards, flag},
    {"group", "", 1, onwards, "1.."},
    {"hidden_size", "", 1, onwards, "1.."},
    {"input_forget", "", 1, onwards, flag},
    {"interleaved", "", 1, onwards, flag},
    {"inverse", "", 1, onwards, flag},
    {"is_case_sensitive", "", 1, onwards, flag},
    {"is_causal", "", 1, onwards, flag},
    {"keep_aspect_ratio_policy", "", 1, onwards, "stretch not_larger not_smaller"},
    {"keepdims", "", 1, onwards, flag},
    {"kernel_type", "", 1, onwards, "LINEAR POLY RBF SIGMOID"},
    {"kv_num_heads", "", 1, onwards, "1.."},
    {"largest", "", 1, onwards, flag},
    {"layout", "", 1, onwards, flag},
    {"linear_before_reset", "", 1, onwards, flag},
    {"max_gram_length", "", 1, onwards, "1.."},
    {"max_skip_count", "", 1, onwards, "0.."},
    {"min_gram_length", "", 1, onwards, "1.."},
    {"mode", "DepthToSpace", 1, onwards, "DCR CRD"},
    {"mode", "GridSample", 1, 19, "bilinear nearest bicubic"},
    {"mode", "GridSample", 20, onwards, "linear nearest cubic"},
    {"mode", "Momentum", 1, onwards, "standard nesterov"},
    {"mode", "Pad", 1, 18, "constant reflect edge"},
    {"mode", "Pad", 19, onwards, "constant reflect edge wrap"},
    {"mode", "Resize", 1, 10, "nearest linear"},
    {"mode", "Resize", 11, onwards, "nearest linear cubic"},
    {"mode", "RoiAlign", 1, onwards, "avg max"},
    {"mode", "SpaceToDepth", 1, onwards, "DCR CRD"},
    {"mode", "TfIdfVectorizer", 1, onwards, "TF IDF TFIDF"},
    {"mode", "TensorScatter", 1, onwards, "linear circular"},
    {"mode", "Upsample", 1, onwards,
     "nearest linear bilinear"}, // bilinear: in version 1; later texts count it as linear
    {"multi_class", "", 1, onwards, flag},
    {"n_supports", "", 1, onwards, "0.."},
    {"n_targets", "", 1, onwards, "1.."},
    {"nearest_mode", "", 1, onwards, "round_prefer_floor round_prefer_ceil floor ceil"},
    {"new_axis", "", 1, onwards, flag},
    {"noop_with_empty_axes", "", 1, onwards, flag},
    {"norm", "Normalizer", 1, onwards, "MAX L1 L2"},
    {"num_groups", "", 1, onwards, "1.."},
    {"num_outputs", "", 1, onwards, "1.."},
    {"num_scan_inputs", "", 1, onwards, "1.."},
    {"offset_group", "", 1, onwards, "1.."},
    {"one_class", "", 1, onwards, flag},
    {"onesided", "", 1, onwards, flag},
    {"output_datatype", "", 1, onwards, type},
    {"output_dtype", "", 1, onwards, "0 type"}, // 0: that of another operand
    {"output_height", "", 1, onwards, "1.."},
    {"output_width", "", 1, onwards, "1.."},
    {"p", "LpNormalization", 1, onwards, "1 2"},
    {"p", "", 1, onwards, "1.."},
    {"padding_mode", "", 1, onwards, "zeros border reflection"},
    {"periodic", "", 1, onwards, flag},
    {"pixel_format", "", 1, onwards, "RGB BGR Grayscale"},
    {"post_transform", "TreeEnsemble", 1, onwards, "0 1 2 3 4"},
    {"post_transform", "", 1, onwards, "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT"},
    {"precision", "QuantizeLinear", 1, onwards, "0 1 10 11 16"}, // 0: that of the scale
    {"q_num_heads", "", 1, onwards, "1.."},
    {"qk_matmul_output_mode", "", 1, onwards, "0 1 2 3"},
    {"reduction", "ScatterElements", 1, 17, "none add mul"},
    {"reduction", "ScatterElements", 18, onwards, "none add mul max min"},
    {"reduction", "ScatterND", 1, 17, "none add mul"},
    {"reduction", "ScatterND", 18, onwards, "none add mul max min"},
    {"reduction", "", 1, onwards, "none mean sum"},
    {"reverse", "", 1, onwards, flag},
    {"round_mode", "", 1, onwards, "up down nearest"},
    {"sample_size", "", 1, onwards, "1.."},
    {"sampling_ratio", "", 1, onwards, "0.."},
    {"saturate", "", 1, onwards, flag},
    {"select_last_index", "", 1, onwards, flag},
    {"size", "LRN", 1, onwards, "1.."},
    {"softmax_precision", "", 1, onwards, "1 10 11 16"},
    {"sorted", "", 1, onwards, flag},
    {"spatial", "", 1, onwards, flag},
    {"stash_type", "GroupNormalization", 1, onwards, "1 10 11 16"},
    {"stash_type", "LayerNormalization", 1, onwards, "1 11"}, // statistics in half precision are not supported
    {"stash_type", "RMSNormalization", 1, onwards, "1 10 11 16"},
    {"stash_type", "Range", 1, onwards, "1"},
    {"storage_order", "", 1, onwards, flag},
    {"targets", "", 1, onwards, "1.."},
    {"time_axis", "ReverseSequence", 1, onwards, "0 1"},
    {"to", "Cast", 1, 5,
     "FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128"},
    {"to", "", 1, onwards, type},
    {"training_mode", "", 1, onwards, flag},
    {"transA", "", 1, onwards, flag},
    {"transB", "", 1, onwards, flag},
    {"update_rule", "LinearAttention", 1, onwards, "linear gated delta gated_delta"},
    {"upper", "", 1, onwards, flag},
    {"zeros", "OneHotEncoder", 1, onwards, flag},
});
static_assert(std::ranges::is_sorted(attributeTable, {}, &AttributeRow::attribute));

auto wordsOf(std::string_view values) {
    return values | std::views::split(' ') |
           std::views::transform([](auto word) { return std::string_view(word.begin(), word.end()); });
}

bool knows(std::string_view values, std::string_view value) {
    return std::ranges::any_of(wordsOf(values), [&](std::string_view word) { return word == value; });
}

bool knows(std::string_view values, int64_t value) {
    return std::ranges::any_of(wordsOf(values), [&](std::string_view word) {
        if (word == type)
            return fromProto(value).has_value();
        int64_t number = 0;
        const auto [rest, status] = std::from_chars(word.begin(), word.end(), number);
        return status == std::errc() &&
               (value == number || (value > number && std::string_view(rest, word.end()) == ".."));
    });
}

/// "nearest, linear", "1 and more", "0, the number of an element type that Lathe has".
std::string listed(std::string_view values) {
    std::vector<std::string> texts;
    for (const std::string_view word : wordsOf(values))
        texts.push_back(word == type           ? "the number of an element type that Lathe has"
                        : word.ends_with("..") ? fmt::format("{} and more", word.substr(0, word.size() - 2))
                                               : std::string(word));
    return fmt::format("{}", fmt::join(texts, ", "));
}

bool fits(const model::AttributeValue& value, ::onnx::AttributeProto::AttributeType wanted) {
    using Proto = ::onnx::AttributeProto;
    // An empty list of an old file has no type.
    const auto* ints = std::get_if<std::vector<int64_t>>(&value);
    const bool emptyList = ints && ints->empty();
    switch (wanted) {
    case Proto::FLOAT:
        return std::holds_alternative<double>(value);
    case Proto::INT:
        return std::holds_alternative<int64_t>(value);
    case Proto::STRING:
    case Proto::TYPE_PROTO: // is read as its text
        return std::holds_alternative<std::string>(value);
    case Proto::TENSOR:
    case Proto::SPARSE_TENSOR:
        return std::holds_alternative<model::TensorPtr>(value);
    case Proto::GRAPH:
        return std::holds_alternative<std::shared_ptr<const model::Graph>>(value);
    case Proto::GRAPHS:
        return emptyList || std::holds_alternative<std::vector<std::shared_ptr<const model::Graph>>>(value);
    case Proto::FLOATS:
        return emptyList || std::holds_alternative<std::vector<double>>(value);
    case Proto::INTS:
        return std::holds_alternative<std::vector<int64_t>>(value);
    case Proto::STRINGS:
        return emptyList || std::holds_alternative<std::vector<std::string>>(value);
    default:
        return false;
    }
}

std::string namesOf(const OpSchema& schema) {
    std::vector<std::string> names;
    for (const auto& [name, attribute] : schema.attributes())
        names.push_back(name);
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

bool mayBeUnknown(std::string_view attribute) {
    return attribute.starts_with("__");
}

std::string_view knownValues(std::string_view op, int version, std::string_view attribute) {
    for (const AttributeRow& row : std::ranges::equal_range(attributeTable, attribute, {}, &AttributeRow::attribute))
        if ((row.op.empty() || row.op == op) && row.from <= version && version <= row.to)
            return row.values;
    return {};
}

std::vector<Diagnostic> faultsOfAttributes(const model::Node& node, const OpSchema& schema) {
    constexpr const char* malformed = "the model is malformed; export it again";
    std::vector<Diagnostic> faults;
    std::unordered_set<std::string_view> given;
    for (const auto& [name, value] : node.attributes) {
        if (!given.insert(name).second) {
            faults.push_back(error(fmt::format("attribute '{}' is given twice", name), malformed));
            continue;
        }
        const auto known = schema.attributes().find(name);
        if (known == schema.attributes().end()) {
            if (!mayBeUnknown(name))
                faults.push_back(error(fmt::format("attribute '{}' = {} is unknown to the operator; it takes {}", name,
                                                   toString(value), namesOf(schema)),
                                       "remove the attribute, or export the model for the opset that has it"));
            continue;
        }
        if (!fits(value, known->second.type)) {
            faults.push_back(error(fmt::format("attribute '{}' has the wrong type; the operator takes {}", name,
                                               ::onnx::AttributeProto::AttributeType_Name(known->second.type)),
                                   malformed));
            continue;
        }
        const std::string_view values = knownValues(node.op, node.version, name);
        const auto* text = std::get_if<std::string>(&value);
        const auto* number = std::get_if<int64_t>(&value);
        if (!values.empty() && ((text && !knows(values, *text)) || (number && !knows(values, *number))))
            faults.push_back(error(fmt::format("attribute '{}' = {} is unknown; version {} of the operator knows {}",
                                               name, toString(value), node.version, listed(values)),
                                   "correct the attribute, or export the model for the opset that has it"));
    }
    for (const auto& [name, attribute] : schema.attributes())
        if (attribute.required && !given.contains(name))
            faults.push_back(
                error(fmt::format("the required attribute '{}' is missing", name), "set it when exporting the model"));
    return faults;
}

} // namespace lathe::frontend::onnx
