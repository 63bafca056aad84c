// SPDX-License-Identifier: Apache-2.0
//
// When tensors are equal enough, by both rules, and what is said of the element that is furthest off.
#include "data/compare.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_compare {

using data::Comparison;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity(), noNumber = std::numeric_limits<float>::quiet_NaN();

Comparison compareFloats(const std::vector<float>& got, const std::vector<float>& expected, data::Tolerance tolerance) {
    const auto tensor = [](const std::vector<float>& values) {
        return tensorOf<float>(types::Float32, {static_cast<int64_t>(values.size())}, values);
    };
    data::CompareRules rules;
    rules.tolerance = tolerance;
    return data::compare(tensor(got), tensor(expected), rules);
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private slots:
    void equalOnesHaveNoError() {
        const Comparison same =
            compareFloats({1, infinite, noNumber, -0.0F}, {1, infinite, noNumber, 0.0F}, data::Tolerance::Onnx);
        QVERIFY(same.right && same.message.empty());
        QCOMPARE(same.largest, 0.0);
        QCOMPARE(same.beyond, int64_t(0));
        QCOMPARE(same.worst, int64_t(-1));
    }

    void whatIsNoNumberInBothIsCounted() {
        const Comparison odd = compareFloats({1, infinite, noNumber, noNumber, -infinite, noNumber},
                                             {1, infinite, noNumber, noNumber, infinite, 2}, data::Tolerance::Model);
        QCOMPARE(odd.elements, int64_t(6));
        QCOMPARE(odd.nan, int64_t(2));
        QCOMPARE(odd.infinite, int64_t(1));
        QCOMPARE(odd.beyond, int64_t(2));
        QCOMPARE(data::notFiniteText(odd), std::string("2 of 6 values are not a number on both sides, 1 of 6 values "
                                                       "is infinite on both sides"));
        QVERIFY(data::notFiniteText(compareFloats({1}, {noNumber}, data::Tolerance::Onnx)).empty());
    }

    /// Element by element the small one is worse; of the range it is the large one.
    void theWorstIsThatFurthestBeyondItsLimit() {
        const Comparison strict = compareFloats({101, 0.5F, 3}, {100, 0.25F, 3}, data::Tolerance::Onnx);
        QVERIFY(!strict.right);
        QCOMPARE(strict.beyond, int64_t(2));
        QCOMPARE(strict.worst, int64_t(1));
        QCOMPARE(strict.got, 0.5);
        QCOMPARE(strict.expected, 0.25);
        QCOMPARE(strict.largest, 1.0);
        QVERIFY(std::abs(strict.ofLimit - 0.25 / (1e-7 + 1e-3 * 0.25)) < 1e-6);
        const Comparison model = compareFloats({100.05F, 0.3F, 3}, {100, 0.25F, 3}, data::Tolerance::Model);
        QVERIFY(model.right);
        QCOMPARE(model.beyond, int64_t(0));
        QVERIFY(model.ofLimit > 0.49 && model.ofLimit < 0.51);
        QVERIFY(!compareFloats({100.2F, 0.3F, 3}, {100, 0.25F, 3}, data::Tolerance::Model).right);
    }

    void whatIsNoNumberIsInfinitelyWrong() {
        for (const float odd : {noNumber, infinite}) {
            const Comparison comparison = compareFloats({1, odd, 5}, {1, 2, 3}, data::Tolerance::Model);
            QVERIFY(!comparison.right);
            QCOMPARE(comparison.beyond, int64_t(2));
            QCOMPARE(comparison.worst, int64_t(1));
            QVERIFY(std::isinf(comparison.largest) && std::isinf(comparison.ofLimit));
        }
    }

    void integersAreExact() {
        const int64_t large = (int64_t{1} << 60) + 1; // no double
        const auto tensor = [](std::vector<int64_t> values) {
            return tensorOf<int64_t>(types::Int64, {1, static_cast<int64_t>(values.size())}, values);
        };
        const Comparison comparison = data::compare(tensor({3, large, 9}), tensor({3, large - 1, 5}), {});
        QVERIFY(!comparison.right);
        QCOMPARE(comparison.beyond, int64_t(2));
        QCOMPARE(comparison.worst, int64_t(2));
        QCOMPARE(comparison.largest, 4.0);
        QVERIFY(comparison.message.find("worst at [0,2]: got 9, expected 5") != std::string::npos);
    }

    void typesAndShapesMustBeEqual() {
        const auto one = tensorOf<float>(types::Float32, {2, 1}, {1, 2});
        QVERIFY(data::compare(one, tensorOf<float>(types::Float32, {1, 2}, {1, 2}), {}).message.starts_with("shape"));
        QVERIFY(data::compare(one, tensorOf<int32_t>(types::Int32, {2, 1}, {1, 2}), {}).message.starts_with("type"));
    }
};

Test test() {
    return {makes<TestCompare>};
}

} // namespace lathe::testing::test_compare

#include "test_compare.moc"
