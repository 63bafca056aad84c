// SPDX-License-Identifier: Apache-2.0
#include "data/tensor_statistics.h"

#include "model/host_tensor.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lathe::data {

namespace {

constexpr int64_t blockElements = 4096;

/// Blocks of the elements as doubles. False: it was cancelled.
bool forBlocks(const model::TensorData& tensor, const std::function<bool()>& cancelled,
               const std::function<void(std::span<const double>)>& each) {
    std::vector<double> block;
    const int64_t count = tensor.elements();
    for (int64_t first = 0; first < count; first += blockElements) {
        if (cancelled && cancelled())
            return false;
        block.resize(size_t(std::min(blockElements, count - first)));
        for (size_t i = 0; i < block.size(); ++i)
            block[i] = model::elementAsDouble(tensor.dtype, tensor.bytes.view, size_t(first) + i);
        each(block);
    }
    return true;
}

/// Mean and squared distances from it. Blocks are joined as Chan, Golub and LeVeque do: no difference of large sums.
struct Moments {
    int64_t count = 0;
    long double mean = 0, squares = 0;

    void join(const Moments& other) {
        if (other.count == 0)
            return;
        const long double away = other.mean - mean;
        const auto all = static_cast<long double>(count + other.count);
        const long double share = static_cast<long double>(other.count) / all;
        squares += other.squares + away * away * static_cast<long double>(count) * share;
        mean += away * share;
        count += other.count;
    }
};

Moments momentsOf(std::span<const double> block) {
    Moments moments;
    for (const double value : block)
        if (std::isfinite(value)) {
            ++moments.count;
            moments.mean += value;
        }
    if (moments.count == 0)
        return moments;
    moments.mean /= static_cast<long double>(moments.count);
    for (const double value : block)
        if (std::isfinite(value)) {
            const long double away = value - moments.mean;
            moments.squares += away * away;
        }
    return moments;
}

/// Bars over the range, all empty: of floats no more than the square root of how many there are.
TensorStatistics::Histogram emptyHistogram(DataType dtype, int64_t elements, double minimum, double maximum) {
    const double bars =
        dtype.isFloat() ? std::min(std::ceil(std::sqrt(double(elements))), double(histogramBars)) : histogramBars;
    if (!dtype.isFloat()) {
        const double values = maximum - minimum + 1, width = std::ceil(values / bars);
        return {minimum - 0.5, width, std::vector<int64_t>(size_t(std::ceil(values / width)))};
    }
    const double width = maximum / bars - minimum / bars; // the range itself may be beyond all floats
    if (width > 0)
        return {minimum, width, std::vector<int64_t>(size_t(bars))};
    return {minimum - 0.5, 1, {0}};
}

} // namespace

bool hasNumbers(const model::TensorData& tensor) {
    const auto bytes = model::byteSize(tensor.dtype, tensor.shape);
    return tensor.dtype != types::String && bytes && tensor.bytes.view.size() >= size_t(*bytes);
}

std::optional<TensorStatistics> statisticsOf(const model::TensorData& tensor, const std::function<bool()>& cancelled) {
    if (!hasNumbers(tensor))
        return std::nullopt;
    TensorStatistics result;
    Moments moments;
    const bool whole = forBlocks(tensor, cancelled, [&](std::span<const double> block) {
        for (const double value : block) {
            result.zeros += value == 0;
            result.notNumbers += std::isnan(value);
            result.infinities += std::isinf(value);
            if (!std::isfinite(value))
                continue;
            const bool first = result.finite++ == 0;
            result.minimum = first ? value : std::min(result.minimum, value);
            result.maximum = first ? value : std::max(result.maximum, value);
        }
        moments.join(momentsOf(block));
    });
    if (!whole)
        return std::nullopt;
    result.elements = tensor.elements();
    if (result.finite == 0)
        return result;
    result.mean = static_cast<double>(moments.mean);
    result.deviation = static_cast<double>(std::sqrt(moments.squares / static_cast<long double>(moments.count)));
    auto& [from, width, counts] = result.histogram;
    result.histogram = emptyHistogram(tensor.dtype, result.finite, result.minimum, result.maximum);
    const auto last = static_cast<long double>(counts.size() - 1);
    const bool counted = forBlocks(tensor, cancelled, [&](std::span<const double> block) {
        for (const double value : block)
            if (std::isfinite(value)) {
                const long double bar = (static_cast<long double>(value) - from) / width;
                ++counts[size_t(std::clamp(bar, 0.0L, last))];
            }
    });
    return counted ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace lathe::data
