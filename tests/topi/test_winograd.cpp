// SPDX-License-Identifier: Apache-2.0
//
// Winograd's convolution, as it is defined and interpreted, against the sum that it stands for, in float64. What it may be off by,
// of the largest result: docs/performance.md has the errors that were measured.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>
#include <cmath>
#include <random>

namespace lathe::testing::test_winograd {

using relay::Op;

namespace {

Value random(std::vector<int64_t> shape, uint64_t seed, bool whole) {
    std::mt19937_64 bits(seed);
    int64_t count = 1;
    for (const int64_t dim : shape)
        count *= dim;
    std::vector<double> data;
    for (int64_t i = 0; i < count; ++i) {
        const auto number = static_cast<double>(bits() % 2001) / 1000 - 1;
        data.push_back(static_cast<float>(whole ? std::round(4 * number) : number));
    }
    return f32(std::move(shape), std::move(data));
}

/// The 3×3 convolution of x, put into zeros, by its definition.
std::vector<double> convolved(const Value& x, const Value& w, std::vector<int64_t> before,
                              const std::vector<int64_t>& shape) {
    std::vector<double> result;
    for (int64_t n = 0; n < shape[0]; ++n)
        for (int64_t o = 0; o < shape[1]; ++o)
            for (int64_t h = 0; h < shape[2]; ++h)
                for (int64_t v = 0; v < shape[3]; ++v) {
                    double sum = 0;
                    for (int64_t c = 0; c < x.shape[1]; ++c)
                        for (int64_t k = 0; k < 9; ++k) {
                            const int64_t row = h + k / 3 - before[0], column = v + k % 3 - before[1];
                            if (row < 0 || row >= x.shape[2] || column < 0 || column >= x.shape[3])
                                continue;
                            const int64_t at = ((n * x.shape[1] + c) * x.shape[2] + row) * x.shape[3] + column;
                            sum += x.data[static_cast<size_t>(at)] *
                                   w.data[static_cast<size_t>((o * x.shape[1] + c) * 9 + k)];
                        }
                    result.push_back(sum);
                }
    return result;
}

} // namespace

class TestWinograd : public QObject {
    Q_OBJECT

    static void check(int64_t tile, const Value& x, int64_t results, std::vector<int64_t> before,
                      std::vector<int64_t> after, double bound) {
        const Value w = random({results, x.shape[1], 3, 3}, 7, bound == 0);
        relay::WinogradAttrs attrs;
        attrs.tile = tile;
        const Outcome weights = run(Op::WinogradWeights, {w}, attrs);
        QVERIFY2(weights.error.empty(), weights.error.c_str());
        QCOMPARE(weights[0].shape, (std::vector<int64_t>{(tile + 2) * (tile + 2), x.shape[1], results}));
        attrs.before = {before[0], before[1]};
        attrs.after = {after[0], after[1]};
        const Outcome outcome = run(Op::WinogradConv, {x, weights[0]}, attrs);
        QVERIFY2(outcome.error.empty(), outcome.error.c_str());
        const std::vector<int64_t> shape = {x.shape[0], results, x.shape[2] + before[0] + after[0] - 2,
                                            x.shape[3] + before[1] + after[1] - 2};
        QCOMPARE(outcome[0].shape, shape);
        const std::vector<double> expected = convolved(x, w, before, shape);
        double largest = 0, error = 0;
        for (size_t i = 0; i < expected.size(); ++i) {
            largest = std::max(largest, std::abs(expected[i]));
            error = std::max(error, std::abs(expected[i] - outcome[0].data[i]));
        }
        QVERIFY2(error <= bound * largest, qPrintable(QString("%1 of %2").arg(error).arg(largest)));
    }

private slots:
    /// Tiles of 2 × 2 only halve and add: whole numbers are computed exactly.
    void wholeNumbers() { check(2, random({2, 5, 7, 6}, 3, true), 4, {1, 1}, {1, 1}, 0); }

    void againstFloat64_data() {
        QTest::addColumn<int>("tile");
        QTest::addColumn<double>("bound");
        QTest::newRow("2") << 2 << 2e-6;
        QTest::newRow("4") << 4 << 6e-6;
    }
    void againstFloat64() {
        QFETCH(int, tile);
        QFETCH(double, bound);
        // Sides that tiles divide and do not, down to one result; padding of one side, none, more than the window.
        check(tile, random({1, 16, 8, 8}, 1, false), 8, {1, 1}, {1, 1}, bound);
        check(tile, random({2, 3, 5, 9}, 2, false), 2, {0, 2}, {1, 0}, bound);
        check(tile, random({1, 4, 3, 3}, 3, false), 3, {0, 0}, {0, 0}, bound);
        check(tile, random({3, 2, 1, 6}, 4, false), 1, {3, 1}, {2, 4}, bound);
    }

    void wrongOperands() {
        relay::WinogradAttrs attrs;
        attrs.tile = 3;
        QVERIFY(!run(Op::WinogradWeights, {random({1, 1, 3, 3}, 1, false)}, attrs).error.empty());
        attrs.tile = 4;
        QVERIFY(!run(Op::WinogradWeights, {random({1, 1, 5, 5}, 1, false)}, attrs).error.empty());
        attrs.before = attrs.after = {1, 1};
        // Weights of another tile, of other channels.
        QVERIFY(!run(Op::WinogradConv, {random({1, 2, 4, 4}, 1, false), random({16, 2, 1}, 1, false)}, attrs)
                     .error.empty());
        QVERIFY(!run(Op::WinogradConv, {random({1, 2, 4, 4}, 1, false), random({36, 3, 1}, 1, false)}, attrs)
                     .error.empty());
    }
};

Test test() {
    return {makes<TestWinograd>};
}

} // namespace lathe::testing::test_winograd

#include "test_winograd.moc"
