// SPDX-License-Identifier: Apache-2.0
//
// Integers and bools compare by bytes, unless steps are allowed; floats by the rule, in double.
#include "data/compare.h"

#include "base/printable.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::data {

std::string_view toString(Tolerance tolerance) {
    return tolerance == Tolerance::Onnx ? "onnx" : "model";
}

Result<Tolerance> parseTolerance(std::string_view text) {
    for (const Tolerance tolerance : {Tolerance::Onnx, Tolerance::Model})
        if (toString(tolerance) == text)
            return tolerance;
    return failure(ErrorKind::Usage, fmt::format("unknown tolerance '{}'", text), "use onnx or model");
}

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

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two tensors of one type and shape, while they are compared.
struct Compared {
    const model::HostTensor& got;
    const model::HostTensor& expected;
    std::vector<double> gotValues, expectedValues;
    Comparison result;
    double atWorst = 0; // the difference there
    double sum = 0;     // of all differences that are finite

    void differs(size_t place, double difference, double limit) {
        const double share = limit > 0 ? difference / limit : infinity;
        result.beyond += difference > limit;
        result.largest = std::max(result.largest, difference);
        if (std::isfinite(difference))
            sum += difference;
        if (result.worst >= 0 && std::pair(share, difference) <= std::pair(result.ofLimit, atWorst))
            return;
        atWorst = difference;
        result.worst = static_cast<int64_t>(place);
        result.ofLimit = share;
        result.got = gotValues[place];
        result.expected = expectedValues[place];
    }
    void wrong(std::string message) {
        result.right = false;
        result.message = std::move(message);
    }
};

/// What floats may differ by, from the rules and what is expected.
struct Allowed {
    double range = 0, squares = 0;     // of the finite values: the largest magnitude, and the sum
    double relative = 0, absolute = 0; // absolute + relative * |expected|
};

/// The scale of floats that were integers, as far as they show it: no less than it is. 0: they are all equal.
double smallestDistance(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::ranges::sort(values);
    double smallest = infinity;
    for (size_t i = 1; i < values.size(); ++i)
        if (values[i] > values[i - 1])
            smallest = std::min(smallest, values[i] - values[i - 1]);
    return std::isfinite(smallest) ? smallest : 0;
}

/// The share of a number that one rounding to a narrow type may take; 0 of types that tolerances are stated for.
double roundingOf(DataType dtype) {
    return dtype == types::BFloat16 ? 0x1p-7 : dtype == types::Float16 ? 0x1p-10 : 0;
}

/// So many steps: each element may differ by them, or the mean.
double stepsOf(const StatedTolerance& stated, DataType dtype, const std::vector<double>& expected) {
    if (!dtype.isFloat())
        return stated.steps;
    constexpr double slack = 1 + 1e-6; // a float near k * scale
    return stated.steps * slack * (stated.step > 0 ? stated.step : smallestDistance(expected));
}

double statedLimit(const StatedTolerance& stated, DataType dtype, const std::vector<double>& expected, double range) {
    if (stated.steps > 0)
        return stated.isMean ? infinity : stepsOf(stated, dtype, expected);
    return stated.ofLargest > 0 ? std::max(stated.ofLargest, roundingOf(dtype)) * range : 0;
}

Allowed allowedOf(const std::vector<double>& expected, DataType dtype, const CompareRules& rules) {
    Allowed limits;
    for (double value : expected)
        if (std::isfinite(value)) {
            limits.range = std::max(limits.range, std::abs(value));
            limits.squares += value * value;
        }
    if (rules.stated) {
        limits.absolute = statedLimit(*rules.stated, dtype, expected, limits.range);
    } else if (rules.tolerance == Tolerance::Onnx) {
        limits.relative = dtype == types::BFloat16 ? 0x1p-6 : rules.relative;
        limits.absolute = std::max(rules.absolute, rules.absoluteOfRange * limits.range);
    } else {
        limits.absolute = 1e-6 + (rules.network == NetworkKind::Float  ? 1e-3
                                  : rules.network == NetworkKind::Half ? 1e-2
                                                                       : 0.15) *
                                     limits.range;
    }
    return limits;
}

void compareStrings(Compared& both) {
    const std::vector<std::string>& got = both.got.strings;
    const std::vector<std::string>& expected = both.expected.strings;
    Comparison& result = both.result;
    result.elements = std::ssize(expected);
    for (size_t i = 0; i < expected.size(); ++i)
        if (got.at(i) != expected[i] && result.beyond++ == 0)
            result.worst = static_cast<int64_t>(i);
    if (result.beyond == 0)
        return;
    result.ofRange = result.normRatio = result.largest = result.ofLimit = infinity;
    const auto first = static_cast<size_t>(result.worst);
    const auto shown = [](const std::string& text) {
        constexpr size_t most = 80;
        return printable(text.substr(0, most)) + (text.size() > most ? "…" : "");
    };
    both.wrong(fmt::format("{} of {} strings differ; the first at {}: got \"{}\", expected \"{}\"", result.beyond,
                           result.elements, indexText(both.expected.shape, result.worst), shown(got[first]),
                           shown(expected[first])));
}

void compareIntegers(Compared& both, const CompareRules& rules) {
    const bool haveSteps = rules.stated && rules.stated->steps > 0 && both.expected.dtype != types::Bool;
    const double limit = !haveSteps ? 0 : rules.stated->isMean ? infinity : rules.stated->steps;
    const auto size = static_cast<size_t>(both.expected.dtype.bytes());
    for (size_t i = 0; i < both.expectedValues.size(); ++i)
        if (std::memcmp(both.got.bytes.data() + i * size, both.expected.bytes.data() + i * size, size) != 0)
            both.differs(i, std::max(std::abs(both.gotValues[i] - both.expectedValues[i]), 1.0),
                         limit); // doubles may not tell large ones apart
}

void compareFloats(Compared& both, const CompareRules& rules) {
    Comparison& result = both.result;
    const std::vector<double>& g = both.gotValues;
    const std::vector<double>& w = both.expectedValues;
    const Allowed limits = allowedOf(w, both.expected.dtype, rules);
    double differenceSquares = 0, largest = 0;
    for (size_t i = 0; i < w.size(); ++i) {
        if (std::isfinite(w[i]) && std::isfinite(g[i])) {
            const double d = std::abs(g[i] - w[i]);
            largest = std::max(largest, d);
            differenceSquares += d * d;
            if (d > 0)
                both.differs(i, d, limits.absolute + limits.relative * std::abs(w[i]));
        } else if (std::isnan(w[i]) && std::isnan(g[i])) {
            ++result.nan;
        } else if (g[i] == w[i]) {
            ++result.infinite;
        } else {
            both.differs(i, infinity, 0);
        }
    }
    result.ofRange = limits.range > 0 ? largest / limits.range : largest;
    result.normRatio =
        limits.squares > 0 ? std::sqrt(differenceSquares / limits.squares) : std::sqrt(differenceSquares);
    if (!rules.stated && rules.tolerance == Tolerance::Model && rules.network == NetworkKind::Quantized &&
        limits.squares > 0 && result.normRatio > 0.15 && result.beyond == 0)
        both.wrong(
            fmt::format("2-norm of the difference is {:.3g} of the expected one's (0.15 allowed)", result.normRatio));
}

void compareMean(Compared& both, const StatedTolerance& stated) {
    const double allowed = stepsOf(stated, both.expected.dtype, both.expectedValues);
    const double mean = both.sum / static_cast<double>(std::max<size_t>(both.expectedValues.size(), 1));
    if (mean > allowed && both.result.beyond == 0)
        both.wrong(fmt::format("the mean difference is {:.3g} ({:.3g} allowed); worst at {}: got {}, expected {}", mean,
                               allowed, indexText(both.expected.shape, both.result.worst), both.result.got,
                               both.result.expected));
}

} // namespace

namespace {

/// Of lists and optionals: the first part that differs, else what all come to.
Comparison compareParts(const model::HostTensor& got, const model::HostTensor& expected, const CompareRules& rules) {
    Comparison all;
    if (got.form != expected.form || got.parts.size() != expected.parts.size()) {
        all.right = false;
        all.message = fmt::format("is {}, expected {}", model::formText(got), model::formText(expected));
        return all;
    }
    for (size_t i = 0; i < expected.parts.size(); ++i) {
        Comparison part = compare(got.parts[i], expected.parts[i], rules);
        if (!part.right) {
            part.message = fmt::format("part {}: {}", i, part.message);
            return part;
        }
        all.ofRange = std::max(all.ofRange, part.ofRange);
        all.normRatio = std::max(all.normRatio, part.normRatio);
        all.largest = std::max(all.largest, part.largest);
        all.ofLimit = std::max(all.ofLimit, part.ofLimit);
        all.elements += part.elements;
        all.nan += part.nan;
        all.infinite += part.infinite;
    }
    all.elements += expected.parts.empty() ? 1 : 0; // that there is none is what was compared
    return all;
}

} // namespace

Comparison compare(const model::HostTensor& got, const model::HostTensor& expected, const CompareRules& rules) {
    if (got.isComposed() || expected.isComposed())
        return compareParts(got, expected, rules);
    Compared both{got, expected, {}, {}, {}};
    Comparison& result = both.result;
    if (got.dtype != expected.dtype) {
        both.wrong(fmt::format("type is {}, expected {}", toString(got.dtype), toString(expected.dtype)));
    } else if (got.shape != expected.shape) {
        both.wrong(
            fmt::format("shape is [{}], expected [{}]", fmt::join(got.shape, ","), fmt::join(expected.shape, ",")));
    } else if (rules.stated && rules.stated->shapeOnly) {
        return result;
    } else if (expected.dtype == types::String) {
        compareStrings(both);
    } else if (got.bytes.size() != expected.bytes.size()) {
        both.wrong(fmt::format("has {} bytes, expected {}", got.bytes.size(), expected.bytes.size()));
    } else {
        both.gotValues = toDoubles(got);
        both.expectedValues = toDoubles(expected);
        result.elements = std::ssize(both.expectedValues);
        if (expected.dtype.isFloat())
            compareFloats(both, rules);
        else
            compareIntegers(both, rules);
        if (rules.stated && rules.stated->isMean)
            compareMean(both, *rules.stated);
        if (result.beyond > 0)
            both.wrong(fmt::format("{} of {} elements differ; worst at {}: got {}, expected {}", result.beyond,
                                   result.elements, indexText(expected.shape, result.worst), result.got,
                                   result.expected));
    }
    return std::move(result);
}

} // namespace lathe::data
