// SPDX-License-Identifier: Apache-2.0
//
// What a file says that the stored integers of a tensor stand for.
#include "base/limits.h"
#include "frontend/tflite/schema_generated.h"
#include "frontend/tflite/tensors.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace lathe::frontend::tflite {
namespace {

constexpr const char* quantizeAgain = "convert and quantize the model again";

/// Files name no alignment for vectors of wide numbers.
int64_t wideElement(const flatbuffers::Vector<int64_t>& vector, size_t index) {
    int64_t value = 0;
    std::memcpy(&value, vector.Data() + index * sizeof value, sizeof value);
    return value;
}

/// Whether a stored integer may have this value.
bool canHold(DataType dtype, int64_t value) {
    if (dtype.bits >= 63)
        return dtype.isSigned() || value >= 0;
    const int64_t codes = int64_t{1} << dtype.bits;
    return dtype.isSigned() ? value >= -codes / 2 && value < codes / 2 : value >= 0 && value < codes;
}

/// Along which axis several scales stand.
Result<int64_t> axisOfScales(const ::tflite::Tensor& tensor, int64_t count, std::vector<Diagnostic>& warnings) {
    const int64_t rank = tensor.shape() ? tensor.shape()->size() : 0;
    int64_t axis = tensor.quantization()->quantized_dimension();
    // Old converters gave the biases of convolutions the axis of the weights.
    if (rank == 1 && axis > 0 && tensor.shape()->Get(0) == count) {
        Diagnostic warning = error(
            fmt::format("it is quantized along dimension {} of 1; taken as along its only one", axis), quantizeAgain);
        warning.severity = Severity::Warning;
        warnings.push_back(std::move(warning));
        axis = 0;
    }
    if (axis < 0 || axis >= rank)
        return failure(fmt::format("it is quantized along dimension {} of {}", axis, rank), quantizeAgain);
    const int64_t size = tensor.shape()->Get(static_cast<flatbuffers::uoffset_t>(axis));
    if (size != count)
        return failure(fmt::format("it has {} scales along a dimension of {}", count, size), quantizeAgain);
    return axis;
}

} // namespace

Result<std::shared_ptr<const model::Quantization>>
TensorReader::quantizationOf(const ::tflite::Tensor& tensor, DataType dtype, std::vector<Diagnostic>& warnings) {
    const ::tflite::QuantizationParameters* proto = tensor.quantization();
    // Tensors of floats keep what they had before they were made floats.
    if (!proto || !dtype.isInt())
        return nullptr;
    if (proto->details_type() != ::tflite::QuantizationDetails_NONE)
        return failure(ErrorKind::Unsupported,
                       "it is quantized in blocks or along several dimensions, or by a rule of its own",
                       "quantize the model with one scale for a tensor or a channel");
    const auto* scale = proto->scale();
    const auto* zeroPoint = proto->zero_point();
    const size_t count = scale ? scale->size() : 0;
    const size_t zeros = zeroPoint ? zeroPoint->size() : 0;
    // One scale of 0 is how old files say that there is none.
    if (count == 0 || (count == 1 && scale->Get(0) == 0))
        return nullptr;
    if (zeros != 0 && zeros != 1 && zeros != count)
        return failure(fmt::format("it has {} scales and {} zero points", count, zeros), quantizeAgain);
    // Tensors may share the list that they name.
    if (count > 1 && !budget_->takeBytes(static_cast<int64_t>(count * (sizeof(double) + sizeof(int64_t)))))
        return failure(ErrorKind::Unsupported, "the scales of the model's tensors take more memory than it may ask for",
                       quantizeAgain);
    auto found = std::make_shared<model::Quantization>();
    if (count > 1) {
        LATHE_TRY(found->axis, axisOfScales(tensor, static_cast<int64_t>(count), warnings));
    }
    for (size_t i = 0; i < count; ++i) {
        const double one = scale->Get(static_cast<flatbuffers::uoffset_t>(i));
        const int64_t zero = zeros == 0 ? 0 : wideElement(*zeroPoint, zeros == 1 ? 0 : i);
        if (!std::isfinite(one) || one < 0)
            return failure(fmt::format("it has the scale {}", one), quantizeAgain);
        if (!canHold(dtype, zero))
            return failure(fmt::format("it has the zero point {}, which {} cannot hold", zero, toString(dtype)),
                           quantizeAgain);
        found->scale.push_back(one);
        found->zeroPoint.push_back(zero);
    }
    return found;
}

} // namespace lathe::frontend::tflite
