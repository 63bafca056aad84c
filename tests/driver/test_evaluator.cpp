// SPDX-License-Identifier: Apache-2.0
//
// The Evaluator's two ways, interpreting and compiling, give the same bits; over its budget it declines.
#include "arith/analysis.h"
#include "driver/evaluator.h"
#include "relay/element.h"
#include "relay/text.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstring>
#include <random>

namespace lathe::testing::test_evaluator {

namespace {

relay::ConstantPtr randomConstant(const relay::TensorType& type, std::mt19937& random) {
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const arith::Expr& dim : type.shape) {
        shape.push_back(arith::asInt(dim).value());
        count *= shape.back();
    }
    const auto size = static_cast<size_t>(type.dtype.bytes());
    auto bytes = std::make_shared<std::vector<std::byte>>(size * static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        const float real = static_cast<float>(random() % 2000) / 100.0F - 10.0F;
        const int64_t integer = static_cast<int64_t>(random() % 100) - 50;
        const void* from = type.dtype.isFloat() ? static_cast<const void*>(&real) : &integer;
        std::memcpy(bytes->data() + static_cast<size_t>(i) * size, from, size);
    }
    return relay::makeConstant(type.dtype, shape, {bytes, std::span<const std::byte>(*bytes)});
}

} // namespace

class TestEvaluator : public QObject {
    Q_OBJECT

private slots:
    void interpretedIsCompiled_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("elementwise") << R"(module next %9

fn main(%1 "a": float32[3, 5], %2 "b": float32[5]) -> float32[3, 5] {
  %3 = add(%1, %2) : float32[3, 5] @{0}
  %4 = multiply(%3, %1) : float32[3, 5] @{1}
  -> %4
}
)";
        QTest::newRow("integers wrap") << R"(module next %9

fn main(%1 "a": int32[17], %2 "b": int32[17]) -> int32[17] {
  %3 = multiply(%1, %2) : int32[17] @{0}
  %4 = subtract(%3, %1) : int32[17] @{1}
  -> %4
}
)";
        QTest::newRow("movement") << R"(module next %9

fn main(%1 "a": int64[2, 3, 4]) -> int64[4, 6] {
  %2 = transpose(%1) {axes=[2, 0, 1]} : int64[4, 2, 3] @{0}
  %3 = reshape(%2) {shape=[4, 6]} : int64[4, 6] @{1}
  -> %3
}
)";
        QTest::newRow("no elements") << R"(module next %9

fn main(%1 "a": int64[0, 3], %2 "b": int64[3]) -> int64[3] {
  %3 = reduce(%1) {kind="sum", axes=[0]} : int64[3] @{0}
  %4 = add(%3, %2) : int64[3] @{1}
  -> %4
}
)";
        QTest::newRow("reduction") << R"(module next %9

fn main(%1 "a": int64[4, 7]) -> int64[4] {
  %2 = reduce(%1) {kind="sum", axes=[1]} : int64[4] @{0}
  -> %2
}
)";
    }
    void interpretedIsCompiled() {
        QFETCH(QString, text);
        const auto module = relay::parse(text.toStdString(), {});
        QVERIFY2(module, module ? "" : toString(module.error()).c_str());
        for (uint32_t seed = 0; seed < 5; ++seed) {
            std::mt19937 random(seed);
            std::vector<relay::ConstantPtr> args;
            for (const relay::Param& param : module->main().params)
                args.push_back(randomConstant(*relay::asTensor(param.type), random));
            driver::EvaluatorOptions interpreting, compiling;
            interpreting.interpretedSteps = int64_t{1} << 40;
            compiling.interpretedSteps = 0;
            const auto a = driver::DriverEvaluator(interpreting).evaluate(*module, module->main(), args);
            const auto b = driver::DriverEvaluator(compiling).evaluate(*module, module->main(), args);
            QVERIFY2(a, a ? "" : toString(a.error()).c_str());
            QVERIFY2(b, b ? "" : toString(b.error()).c_str());
            QCOMPARE(a->size(), size_t{1});
            QVERIFY((*a)[0]->hash == (*b)[0]->hash);
        }
    }

    void splatsAreViewed() {
        const auto module = relay::parse(R"(module next %9

fn main(%1 "a": float32[4, 3], %2 "b": float32[2, 6]) -> float32[2, 6] {
  %3 = reshape(%1) {shape=[2, 6]} : float32[2, 6] @{0}
  %4 = add(%3, %2) : float32[2, 6] @{1}
  -> %4
}
)",
                                         {});
        QVERIFY2(module, module ? "" : toString(module.error()).c_str());
        const auto sum = driver::DriverEvaluator({}).evaluate(
            *module, module->main(),
            {relay::makeSplat(types::Float32, {4, 3}, 1.5), relay::makeSplat(types::Float32, {2, 6}, 2)});
        QVERIFY2(sum, sum ? "" : toString(sum.error()).c_str());
        const auto elements = relay::elementsOf(*sum->at(0), 12);
        QVERIFY(elements && elements->size() == 12);
        for (const arith::Expr& element : *elements)
            QCOMPARE(arith::asFloat(element).value(), 3.5);
    }

    void overBudgetItDeclines() {
        const auto module = relay::parse(R"(module next %9

fn main(%1 "a": float32[1]) -> float32[1000, 1000] {
  %2 = broadcast_to(%1) {shape=[1000, 1000]} : float32[1000, 1000] @{0}
  -> %2
}
)",
                                         {});
        QVERIFY2(module, module ? "" : toString(module.error()).c_str());
        driver::EvaluatorOptions options;
        options.limitBytes = 1000;
        std::mt19937 random(1);
        const auto result = driver::DriverEvaluator(options).evaluate(
            *module, module->main(), {randomConstant(*relay::asTensor(module->main().params[0].type), random)});
        QVERIFY(!result);
    }
};

Test test() {
    return {makes<TestEvaluator>};
}

} // namespace lathe::testing::test_evaluator

#include "test_evaluator.moc"
