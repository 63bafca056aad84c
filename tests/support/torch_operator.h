// SPDX-License-Identifier: Apache-2.0
//
// What an operator of PyTorch computes of given tensors: its converter's call, compiled and run as constants are.
#pragma once

#include "driver/evaluator.h"
#include "frontend/torch/invoke.h"
#include "relay/element.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <variant>
#include <vector>

namespace lathe::testing {

/// A tensor with its elements as numbers.
struct Numbers {
    DataType dtype = types::Float64;
    std::vector<int64_t> shape;
    std::vector<double> values;
};

inline Numbers f64(std::vector<int64_t> shape, std::vector<double> values) {
    return {types::Float64, std::move(shape), std::move(values)};
}
inline Numbers f64(std::vector<double> values) {
    const auto size = static_cast<int64_t>(values.size());
    return f64({size}, std::move(values));
}
inline Numbers i64(std::vector<int64_t> shape, std::vector<double> values) {
    return {types::Int64, std::move(shape), std::move(values)};
}

/// An argument: a tensor, or a value that a program writes down.
using TorchArgument = std::variant<Numbers, frontend::torch::TorchValue>;
struct NamedTorchArgument {
    std::string name;
    TorchArgument value;
};

/// All results, or why there are none. name: as torch.export has it.
struct TorchResults {
    std::vector<Numbers> values;
    std::string error;
    const Numbers& operator[](size_t i) const { return values.at(i); }
};

inline relay::ConstantPtr constantOf(const Numbers& numbers) {
    const auto size = static_cast<size_t>(numbers.dtype.bytes());
    auto bytes = std::make_shared<std::vector<std::byte>>(size * numbers.values.size());
    for (size_t i = 0; i < numbers.values.size(); ++i) {
        std::byte* to = bytes->data() + i * size;
        if (numbers.dtype.isFloat())
            relay::writeFloat(to, numbers.dtype, numbers.values[i]);
        else
            relay::writeInt(to, numbers.dtype, static_cast<int64_t>(numbers.values[i]));
    }
    return relay::makeConstant(numbers.dtype, numbers.shape, {bytes, std::span<const std::byte>(*bytes)});
}

inline Numbers numbersOf(const relay::Constant& constant) {
    const relay::TensorType& type = *relay::asTensor(constant.type);
    Numbers numbers{type.dtype, relay::constantShape(type.shape).value(), {}};
    const std::vector<std::byte> bytes = relay::copyElements(constant);
    const auto size = static_cast<size_t>(type.dtype.bytes());
    for (size_t at = 0; at < bytes.size(); at += size)
        numbers.values.push_back(type.dtype.isFloat()
                                     ? relay::readFloat(bytes.data() + at, type.dtype)
                                     : static_cast<double>(relay::readInt(bytes.data() + at, type.dtype)));
    return numbers;
}

inline TorchResults ranTorch(const std::string& name, const std::vector<NamedTorchArgument>& arguments) {
    namespace torch = frontend::torch;
    const torch::Operator* op = torch::findOperator(name);
    if (!op)
        return {{}, "there is no operator " + name};
    relay::Module module;
    module.spans = std::make_shared<model::SpanTable>();
    relay::Builder b(module, nullptr);
    b.setSpan(module.spans->of(0));
    std::vector<relay::ConstantPtr> constants;
    std::vector<torch::GivenArgument> given;
    for (const NamedTorchArgument& argument : arguments) {
        if (const auto* value = std::get_if<torch::TorchValue>(&argument.value)) {
            given.push_back({argument.name, *value});
            continue;
        }
        constants.push_back(constantOf(std::get<Numbers>(argument.value)));
        given.push_back({argument.name, b.param(fmt::format("x{}", constants.size()), constants.back()->type)});
    }
    int64_t randomCalls = 0;
    const torch::List results =
        torch::invoke(*op, torch::filledArguments(op->schema, std::move(given), b), randomCalls, b);
    std::vector<relay::Var> fields;
    for (const torch::TorchValue& result : results)
        if (const relay::Var* field = result.as<relay::Var>())
            fields.push_back(*field);
    const relay::FunctionPtr main = b.failed() ? nullptr : b.finish(fields.size() == 1 ? fields[0] : b.tuple(fields));
    if (!main)
        return {{}, toString(b.error())};
    module.functions["main"] = main;
    driver::EvaluatorOptions options;
    options.interpretedSteps = -1; // loops are compiled
    const auto evaluated = driver::DriverEvaluator(options).evaluate(module, *main, constants);
    if (!evaluated)
        return {{}, toString(evaluated.error())};
    TorchResults all;
    for (const relay::ConstantPtr& constant : *evaluated)
        all.values.push_back(numbersOf(*constant));
    return all;
}

/// Empty if equal in shape, and within tolerance * (1 + |expected|); NaN equals NaN. Else what differs.
inline std::string differenceOf(const Numbers& actual, const Numbers& expected, double tolerance) {
    if (actual.dtype != expected.dtype || actual.shape != expected.shape ||
        actual.values.size() != expected.values.size())
        return fmt::format("{} with {} elements and {} dims, not {} with {} and {}", toString(actual.dtype),
                           actual.values.size(), actual.shape.size(), toString(expected.dtype), expected.values.size(),
                           expected.shape.size());
    for (size_t i = 0; i < actual.values.size(); ++i) {
        const double a = actual.values[i], e = expected.values[i];
        const bool same =
            a == e || (std::isnan(a) && std::isnan(e)) || std::abs(a - e) <= tolerance * (1 + std::abs(e));
        if (!same)
            return fmt::format("element {} is {}, not {}", i, a, e);
    }
    return {};
}

} // namespace lathe::testing

/// Fails the test with the error, or the difference of result `at`.
#define EXPECT_TORCH(results, at, expected, tolerance)                                                                 \
    do {                                                                                                               \
        const auto& torchResults = (results);                                                                          \
        QVERIFY2(torchResults.error.empty(), torchResults.error.c_str());                                              \
        QVERIFY(torchResults.values.size() > (at));                                                                    \
        const std::string torchDifference = lathe::testing::differenceOf(torchResults[at], expected, tolerance);       \
        QVERIFY2(torchDifference.empty(), torchDifference.c_str());                                                    \
    } while (false)
