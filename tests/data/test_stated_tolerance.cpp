// SPDX-License-Identifier: Apache-2.0
//
// Tolerances in words: what each spelling allows, by outputs that just are within it and that just are not.
#include "data/stated_tolerance.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_stated_tolerance {

using model::HostTensor;

class TestStatedTolerance : public QObject {
    Q_OBJECT

    template <class T>
    static HostTensor vectorOf(DataType dtype, const std::vector<T>& values) {
        return tensorOf<T>(dtype, {static_cast<int64_t>(values.size())}, values);
    }
    static HostTensor floats(const std::vector<float>& values) { return vectorOf<float>(types::Float32, values); }

    static data::Comparison compared(const HostTensor& got, const HostTensor& expected, std::string_view words) {
        const auto stated = data::parseStated(words);
        if (!stated)
            throw std::runtime_error(stated.error().what);
        data::CompareRules rules;
        rules.stated = *stated;
        return data::compare(got, expected, rules);
    }

private slots:
    void ofTheLargest_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<double>("share");
        const auto row = [](const char* words, double share) { QTest::newRow(words) << words << share; };
        row("1e-5", 1e-5);
        row("1e-5 relative", 1e-5);
        row("1e-6 relative (dtype and shape exact)", 1e-6);
        row("1e-5 relative to the largest output", 1e-5);
        row("3e-2 (hybrid)", 3e-2);
        row("1e-3 relative (weights are float16)", 1e-3);
        row("2e-3 (half), 2e-2 (bfloat16)", 2e-2);
        row("1e-2 relative (float compute) or 1e-5 (same scheme)", 1e-2);
        row("2e-5 of the largest value (log: 1e-4)", 1e-4);
        row("exact or 1e-6", 1e-6);
        row("3e-2 relative against an engine (activations quantized at run time); 5e-1 in another case", 3e-2);
    }
    /// The largest is 100: the small value may be as far off as that one.
    void ofTheLargest() {
        QFETCH(QString, words);
        QFETCH(double, share);
        const HostTensor expected = vectorOf<double>(types::Float64, {-100, 1});
        const auto off = [&](double difference) {
            return compared(vectorOf<double>(types::Float64, {-100, 1 + difference}), expected, words.toStdString());
        };
        QVERIFY(off(99 * share).right);
        QVERIFY(!off(101 * share).right);
        QVERIFY(!off(std::numeric_limits<double>::quiet_NaN()).right);
        // Integers have no share.
        const HostTensor integers = vectorOf<int32_t>(types::Int32, {1'000'000, 1});
        QVERIFY(compared(integers, integers, words.toStdString()).right);
        QVERIFY(!compared(vectorOf<int32_t>(types::Int32, {1'000'001, 1}), integers, words.toStdString()).right);
    }

    void aRoundingOfANarrowTypeIsAllowed() {
        // 1 and the next number of float16.
        const HostTensor one = vectorOf<uint16_t>(types::Float16, {0x3c00});
        QVERIFY(compared(vectorOf<uint16_t>(types::Float16, {0x3c01}), one, "1e-6 relative").right);
        QVERIFY(!compared(vectorOf<uint16_t>(types::Float16, {0x3c02}), one, "1e-6 relative").right);
        QVERIFY(!compared(vectorOf<uint16_t>(types::Float16, {0x3c01}), one, "exact").right);
    }

    void exact() {
        const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
        const HostTensor expected = floats({1, nan, infinite});
        QVERIFY(compared(expected, expected, "exact").right);
        QVERIFY(!compared(floats({1 + 0x1p-23F, nan, infinite}), expected, "exact").right);
        QVERIFY(!compared(floats({1, nan, -infinite}), expected, "exact").right);
        QVERIFY(!compared(floats({1, 0, infinite}), expected, "exact").right);
    }

    void steps() {
        const HostTensor expected = vectorOf<int8_t>(types::Int8, {-128, 0, 127});
        const HostTensor one = vectorOf<int8_t>(types::Int8, {-127, -1, 127});
        const HostTensor two = vectorOf<int8_t>(types::Int8, {-128, 2, 127});
        for (const char* words : {"1 step", "1 step (movement: exact)", "1 step (ties)"}) {
            QVERIFY(compared(one, expected, words).right);
            QVERIFY(!compared(two, expected, words).right);
        }
        QVERIFY(compared(two, expected, "2 steps of the output scale; node by node 1 step").right);
        QVERIFY(!compared(one, expected, "exact").right);
        const HostTensor yes = vectorOf<uint8_t>(types::Bool, {1});
        QVERIFY(!compared(vectorOf<uint8_t>(types::Bool, {0}), yes, "1 step").right);
    }

    void stepsOfFloats() {
        const HostTensor expected = floats({0, 0.5F, 2});
        QVERIFY(compared(floats({0, 0.6F, 2}), expected, "1 step of 0.1").right);
        QVERIFY(!compared(floats({0, 0.7F, 2}), expected, "1 step of 0.1").right);
        QVERIFY(compared(floats({0, 0, 2}), expected, "1 step").right); // 0.5 lies between two of them
        QVERIFY(!compared(floats({0, 1.1F, 2}), expected, "1 step").right);
        QVERIFY(!compared(floats({3, 4}), floats({3, 3}), "1 step").right); // nothing shows the scale
    }

    /// What is stated of single operators adds up over a network: there the mean counts.
    void nodeByNode() {
        const HostTensor expected = vectorOf<uint8_t>(types::UInt8, {10, 20, 30, 40});
        const HostTensor near = vectorOf<uint8_t>(types::UInt8, {14, 20, 30, 40});
        const HostTensor far = vectorOf<uint8_t>(types::UInt8, {14, 21, 30, 40});
        for (const char* words : {"node by node 1 step", "node by node 1 step; whole: mean step"}) {
            QVERIFY(compared(near, expected, words).right);
            const data::Comparison wrong = compared(far, expected, words);
            QVERIFY(!wrong.right);
            QVERIFY2(wrong.message.contains("mean difference is 1.25 (1 allowed)"), wrong.message.c_str());
        }
        QVERIFY(compared(far, expected, "node by node: 1 step, LSTM: 2 steps").right);
        QVERIFY(!compared(floats({std::numeric_limits<float>::infinity(), 1}), floats({0, 1}), "node by node 1 step")
                     .right);
    }

    void shapeOnly() {
        QVERIFY(compared(floats({1, 2}), floats({3, 4}), "shape only").right);
        QVERIFY(!compared(floats({1}), floats({3, 4}), "shape only").right);
        QVERIFY(!compared(vectorOf<int32_t>(types::Int32, {1, 2}), floats({3, 4}), "shape only").right);
    }

    void saysNothing() {
        for (const char* words : {"", "-", "as float16 has it", "-1", "inf", "close"})
            QVERIFY2(!data::parseStated(words), words);
    }
};

Test test() {
    return {makes<TestStatedTolerance>};
}

} // namespace lathe::testing::test_stated_tolerance

#include "test_stated_tolerance.moc"
