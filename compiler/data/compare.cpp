// SPDX-License-Identifier: Apache-2.0
//
// Integers and bools compare by bytes; floats by the rule, in double.
#include "data/compare.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::data {

std::string indexText(const std::vector<int64_t>& shape, int64_t place) {
    std::vector<int64_t> index(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
        index[i] = place % shape[i];
        place /= shape[i];
    }
    return fmt::format("[{}]", fmt::join(index, ","));
}

std::string notFiniteText(const Comparison& comparison) {
    std::vector<std::string> parts;
    const auto add = [&](int64_t count, const char* what) {
        if (count > 0)
            parts.push_back(fmt::format("{} of {} values {} {} on both sides", count, comparison.elements,
                                        count == 1 ? "is" : "are", what));
    };
    add(comparison.nan, "not a number");
    add(comparison.infinite, "infinite");
    return fmt::format("{}", fmt::join(parts, ", "));
}

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
    const std::vector<double> g = toDoubles(got), w = toDoubles(expected);
    result.elements = static_cast<int64_t>(w.size());
    constexpr double infinite = std::numeric_limits<double>::infinity();
    double atWorst = 0;
    const auto differs = [&](size_t place, double difference, double limit) {
        const double share = limit > 0 ? difference / limit : infinite;
        result.beyond += difference > limit;
        result.largest = std::max(result.largest, difference);
        if (result.worst >= 0 && std::pair(share, difference) <= std::pair(result.ofLimit, atWorst))
            return;
        atWorst = difference;
        result.worst = static_cast<int64_t>(place);
        result.ofLimit = share;
        result.got = g[place];
        result.expected = w[place];
    };
    if (!expected.dtype.isFloat()) {
        const auto size = static_cast<size_t>(expected.dtype.bytes());
        for (size_t i = 0; i < w.size(); ++i)
            if (std::memcmp(got.bytes.data() + i * size, expected.bytes.data() + i * size, size) != 0)
                differs(i, std::max(std::abs(g[i] - w[i]), 1.0), 0); // doubles may not tell large ones apart
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
                const double d = std::abs(g[i] - w[i]);
                largest = std::max(largest, d);
                differenceSquares += d * d;
                if (d > 0)
                    differs(i, d,
                            rules.tolerance == Tolerance::Onnx ? absolute + relative * std::abs(w[i]) : modelLimit);
            } else if (std::isnan(w[i]) && std::isnan(g[i])) {
                ++result.nan;
            } else if (g[i] == w[i]) {
                ++result.infinite;
            } else {
                differs(i, infinite, 0);
            }
        }
        result.ofRange = range > 0 ? largest / range : largest;
        result.normRatio = squares > 0 ? std::sqrt(differenceSquares / squares) : std::sqrt(differenceSquares);
        if (rules.tolerance == Tolerance::Model && rules.network == NetworkKind::Quantized && squares > 0 &&
            result.normRatio > 0.15 && result.beyond == 0)
            return wrong(fmt::format("2-norm of the difference is {:.3g} of the expected one's (0.15 allowed)",
                                     result.normRatio));
    }
    if (result.beyond > 0)
        return wrong(fmt::format("{} of {} elements differ; worst at {}: got {}, expected {}", result.beyond, w.size(),
                                 indexText(expected.shape, result.worst), result.got, result.expected));
    return result;
}

} // namespace lathe::data
