// SPDX-License-Identifier: Apache-2.0
//
// Integers and bools compare by bytes; floats by the rule, in double.
#include "driver/compare.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::driver {
namespace {

std::string indexText(const std::vector<int64_t>& shape, int64_t flat) {
    std::vector<int64_t> index(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
        index[i] = flat % shape[i];
        flat /= shape[i];
    }
    return fmt::format("[{}]", fmt::join(index, ","));
}

struct Differences {
    int64_t count = 0, worst = -1;
    double excess = -1;
    void add(int64_t index, double by) {
        ++count;
        if (by > excess || worst < 0) {
            excess = by;
            worst = index;
        }
    }
};

} // namespace

std::vector<double> toDoubles(const model::HostTensor& tensor) {
    std::vector<double> values(static_cast<size_t>(tensor.elements()));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = model::elementAsDouble(tensor.dtype, tensor.bytes, i);
    return values;
}

Comparison compare(const model::HostTensor& got, const model::HostTensor& expected, const CompareRules& rules) {
    Comparison result;
    auto wrong = [&](std::string message) {
        result.right = false;
        result.message = std::move(message);
        return result;
    };
    if (got.dtype != expected.dtype)
        return wrong(fmt::format("type is {}, expected {}", toString(got.dtype), toString(expected.dtype)));
    if (got.shape != expected.shape)
        return wrong(
            fmt::format("shape is [{}], expected [{}]", fmt::join(got.shape, ","), fmt::join(expected.shape, ",")));
    if (expected.dtype == types::String) {
        for (size_t i = 0; i < expected.strings.size(); ++i)
            if (got.strings.at(i) != expected.strings[i])
                return wrong(fmt::format("element {} is \"{}\", expected \"{}\"",
                                         indexText(expected.shape, static_cast<int64_t>(i)), got.strings[i],
                                         expected.strings[i]));
        return result;
    }
    if (got.bytes.size() != expected.bytes.size())
        return wrong(fmt::format("has {} bytes, expected {}", got.bytes.size(), expected.bytes.size()));
    std::vector<double> g = toDoubles(got), w = toDoubles(expected);
    Differences differences;
    if (!expected.dtype.isFloat()) {
        size_t size = static_cast<size_t>(expected.dtype.bytes());
        for (size_t i = 0; i < w.size(); ++i)
            if (std::memcmp(got.bytes.data() + i * size, expected.bytes.data() + i * size, size) != 0)
                differences.add(static_cast<int64_t>(i), std::abs(g[i] - w[i]));
    } else {
        double range = 0, squares = 0, differenceSquares = 0, largest = 0;
        for (double value : w)
            if (std::isfinite(value)) {
                range = std::max(range, std::abs(value));
                squares += value * value;
            }
        double relative = rules.relative;
        if (expected.dtype == types::BFloat16)
            relative = 0x1p-6;
        double absolute = std::max(rules.absolute, rules.absoluteOfRange * range);
        double modelLimit = 1e-6 + (rules.network == NetworkKind::Float  ? 1e-3
                                    : rules.network == NetworkKind::Half ? 1e-2
                                                                         : 0.15) *
                                       range;
        for (size_t i = 0; i < w.size(); ++i) {
            if (std::isfinite(w[i]) && std::isfinite(g[i])) {
                double d = std::abs(g[i] - w[i]);
                largest = std::max(largest, d);
                differenceSquares += d * d;
                double limit = rules.tolerance == Tolerance::Onnx ? absolute + relative * std::abs(w[i]) : modelLimit;
                if (d > limit)
                    differences.add(static_cast<int64_t>(i), d);
            } else if (!(std::isnan(w[i]) && std::isnan(g[i])) && !(std::isinf(w[i]) && g[i] == w[i])) {
                differences.add(static_cast<int64_t>(i), std::numeric_limits<double>::infinity());
            }
        }
        result.ofRange = range > 0 ? largest / range : largest;
        result.normRatio = squares > 0 ? std::sqrt(differenceSquares / squares) : std::sqrt(differenceSquares);
        if (rules.tolerance == Tolerance::Model && rules.network == NetworkKind::Quantized && squares > 0 &&
            result.normRatio > 0.15 && differences.count == 0)
            return wrong(fmt::format("2-norm of the difference is {:.3g} of the expected one's (0.15 allowed)",
                                     result.normRatio));
    }
    if (differences.count > 0) {
        size_t at = static_cast<size_t>(differences.worst);
        return wrong(fmt::format("{} of {} elements differ; worst at {}: got {}, expected {}", differences.count,
                                 w.size(), indexText(expected.shape, differences.worst), g[at], w[at]));
    }
    return result;
}

} // namespace lathe::driver
