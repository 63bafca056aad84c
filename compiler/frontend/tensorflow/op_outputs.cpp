// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/op_outputs.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::tensorflow {
namespace {

struct Results {
    std::string_view op;
    std::array<std::string_view, 6> names;
};

constexpr auto resultTable = std::to_array<Results>({
    {"CombinedNonMaxSuppression", {"nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"}},
    {"DecodeWav", {"audio", "sample_rate"}},
    {"FusedBatchNorm", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
    {"FusedBatchNormV2", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
    {"FusedBatchNormV3",
     {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"}},
    {"ListDiff", {"out", "idx"}},
    {"LogMatrixDeterminant", {"sign", "log_abs_determinant"}},
    {"LookupTableExportV2", {"keys", "values"}},
    {"MaxPoolWithArgmax", {"output", "argmax"}},
    {"Merge", {"output", "value_index"}},
    {"NonMaxSuppressionV4", {"selected_indices", "valid_outputs"}},
    {"NonMaxSuppressionV5", {"selected_indices", "selected_scores", "valid_outputs"}},
    {"Qr", {"q", "r"}},
    {"QuantizeV2", {"output", "output_min", "output_max"}},
    {"SelfAdjointEigV2", {"e", "v"}},
    {"SoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
    {"SparseSoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
    {"StatelessRandomGetKeyCounter", {"key", "counter"}},
    {"StringSplit", {"indices", "values", "shape"}},
    {"StringSplitV2", {"indices", "values", "shape"}},
    {"Svd", {"s", "u", "v"}},
    {"Switch", {"output_false", "output_true"}},
    {"TensorArrayConcatV3", {"value", "lengths"}},
    {"TensorArrayV3", {"handle", "flow"}},
    {"TensorListConcatV2", {"tensor", "lengths"}},
    {"TensorListPopBack", {"output_handle", "tensor"}},
    {"TopK", {"values", "indices"}},
    {"TopKV2", {"values", "indices"}},
    {"Unique", {"y", "idx"}},
    {"UniqueV2", {"y", "idx"}},
    {"UniqueWithCounts", {"y", "idx", "count"}},
    {"UniqueWithCountsV2", {"y", "idx", "count"}},
});
static_assert(std::ranges::is_sorted(resultTable, {}, &Results::op));

} // namespace

std::span<const std::string_view> resultNames(std::string_view op) {
    const auto found = std::ranges::lower_bound(resultTable, op, {}, &Results::op);
    if (found == resultTable.end() || found->op != op)
        return {};
    const auto end = std::ranges::find(found->names, std::string_view());
    return {found->names.begin(), end};
}

} // namespace lathe::frontend::tensorflow
