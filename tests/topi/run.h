// SPDX-License-Identifier: Apache-2.0
//
// Runs one operator call as its definition says: type by the type rules, computation by topi, unscheduled, interpreted.
#pragma once

#include "relay/attrs.h"
#include "relay/ir.h"
#include "topi/topi.h"

#include <concepts>
#include <vector>

namespace lathe::testing {

/// A tensor with its elements as numbers (exact for all types that the tests use).
struct Value {
    DataType dtype;
    std::vector<int64_t> shape;
    std::vector<double> data;
};

Value f32(std::vector<int64_t> shape, std::vector<double> data);
Value i64(std::vector<int64_t> shape, std::vector<double> data);
Value typed(DataType dtype, std::vector<int64_t> shape, std::vector<double> data);
/// start, start + 1, … in float32.
Value counting(std::vector<int64_t> shape, double start = 0);
/// An absent operand.
Value absent();

enum class Dims {
    Constant,
    Symbolic, // each size above 1 is a symbol, the same for equal sizes
    Unknown,  // every dim, also of 1 and 0, is a symbol of its own
};

struct Outcome {
    std::vector<Value> results;
    std::string error; // of the type rule or of the run; empty: good
    const Value& operator[](size_t i) const { return results.at(i); }
};

Outcome run(relay::Op op, const std::vector<Value>& args, relay::AttrsPtr attrs = nullptr, Dims dims = Dims::Constant);

template <class A>
    requires std::derived_from<A, relay::Attrs>
Outcome run(relay::Op op, const std::vector<Value>& args, const A& attrs, Dims dims = Dims::Constant) {
    return run(op, args, relay::AttrsPtr(std::make_shared<A>(attrs)), dims);
}

/// Empty if equal in shape, and within tolerance * (1 + |expected|) in value (NaN equals NaN); else what differs.
std::string difference(const Value& actual, const std::vector<int64_t>& shape, const std::vector<double>& expected,
                       double tolerance = 1e-5);

} // namespace lathe::testing

/// Fails the test with the difference, or the error.
#define EXPECT(outcome, shape, ...)                                                                                    \
    do {                                                                                                               \
        const auto& expectOutcome = (outcome);                                                                         \
        QVERIFY2(expectOutcome.error.empty(), expectOutcome.error.c_str());                                            \
        const std::string expectDifference =                                                                           \
            lathe::testing::difference(expectOutcome[0], std::vector<int64_t> shape, __VA_ARGS__);                     \
        QVERIFY2(expectDifference.empty(), expectDifference.c_str());                                                  \
    } while (false)
