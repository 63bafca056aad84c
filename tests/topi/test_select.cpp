// SPDX-License-Identifier: Apache-2.0
//
// Sorting and selecting operators, and random numbers: order among equals, NaN, sizes that depend on data.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

#include <cmath>
#include <limits>

namespace lathe::testing::test_select {

using relay::Op;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
} // namespace

class TestSelect : public QObject {
    Q_OBJECT
private slots:
    void topK() {
        relay::TopKAttrs attrs;
        attrs.k = 3;
        attrs.axis = 1;
        const Value x = f32({2, 5}, {3, 1, 3, 5, 3, 0, notANumber, 2, 2, -inf});
        for (Dims dims : {Dims::Constant, Dims::Symbolic}) {
            const Outcome y = run(Op::TopK, {x}, attrs, dims);
            EXPECT(y, ({2, 3}), {5, 3, 3, notANumber, 2, 2});
            QCOMPARE(y[1].data, (std::vector<double>{3, 0, 2, 1, 2, 3}));
        }
        attrs.largest = false;
        attrs.axis = 0;
        attrs.k = 1;
        const Outcome y = run(Op::TopK, {typed(types::Int32, {2, 2}, {4, 1, 2, 1})}, attrs);
        EXPECT(y, ({1, 2}), {2, 1});
        QCOMPARE(y[1].data, (std::vector<double>{1, 0}));
    }
    void topKOfManyIsASort() {
        std::vector<double> values, sorted;
        for (int i = 0; i < 1000; ++i)
            values.push_back(i * 617 % 1000);
        for (int i = 0; i < 1000; ++i)
            sorted.push_back(i);
        relay::TopKAttrs attrs;
        attrs.k = 1000;
        attrs.axis = 0;
        attrs.largest = false;
        EXPECT(run(Op::TopK, {f32({1000}, values)}, attrs), ({1000}), sorted);
    }
    void uniqueElements() {
        relay::UniqueAttrs attrs;
        const Value x = f32({2, 3}, {2, 1, 1, 3, 4, 3});
        Outcome y = run(Op::Unique, {x}, attrs);
        EXPECT(y, ({4}), {1, 2, 3, 4});
        QCOMPARE(y[1].data, (std::vector<double>{1, 0, 3, 4}));
        QCOMPARE(y[2].data, (std::vector<double>{1, 0, 0, 2, 3, 2}));
        QCOMPARE(y[3].data, (std::vector<double>{2, 1, 2, 1}));
        attrs.sorted = false;
        y = run(Op::Unique, {x}, attrs, Dims::Symbolic);
        EXPECT(y, ({4}), {2, 1, 3, 4});
        QCOMPARE(y[1].data, (std::vector<double>{0, 1, 3, 4}));
        QCOMPARE(y[2].data, (std::vector<double>{0, 1, 1, 2, 3, 2}));
        QCOMPARE(y[3].data, (std::vector<double>{1, 2, 2, 1}));
        EXPECT(run(Op::Unique, {f32({0}, {})}, attrs), ({0}), {});
    }
    void uniqueSlices() {
        relay::UniqueAttrs attrs;
        attrs.axis = 0;
        Outcome y = run(Op::Unique, {f32({4, 2}, {1, 1, 0, 1, 1, 1, 0, 0})}, attrs);
        EXPECT(y, ({3, 2}), {0, 0, 0, 1, 1, 1});
        QCOMPARE(y[1].data, (std::vector<double>{3, 1, 0}));
        QCOMPARE(y[2].data, (std::vector<double>{2, 1, 2, 0}));
        attrs.axis = 1;
        y = run(Op::Unique, {f32({2, 3}, {1, 0, 1, 2, 5, 2})}, attrs);
        EXPECT(y, ({2, 2}), {0, 1, 5, 2});
    }
    void nonZero() {
        EXPECT(run(Op::NonZero, {f32({2, 2}, {1, 0, notANumber, 2})}, nullptr, Dims::Symbolic), ({2, 3}),
               {0, 1, 1, 0, 0, 1});
        EXPECT(run(Op::NonZero, {typed(types::Bool, {3}, {0, 0, 0})}), ({1, 0}), {});
    }
    void indexOf() {
        const Value keys = i64({4}, {5, -1, 5, 0});
        for (const Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::IndexOf, {i64({2, 3}, {5, 7, 5, 9, -1, 0}), keys}, nullptr, dims), ({2, 3}),
                   {0, 4, 0, 4, 1, 3});
        EXPECT(run(Op::IndexOf, {f32({5}, {notANumber, 0, -0.0, 2, 3}), f32({3}, {2, notANumber, 0})}), ({5}),
               {1, 2, 2, 0, 3});
        EXPECT(run(Op::IndexOf, {i64({3}, {1, 2, 3}), i64({0}, {})}), ({3}), {0, 0, 0});
        EXPECT(run(Op::IndexOf, {typed(types::UInt8, {2}, {255, 1}), typed(types::UInt8, {2}, {1, 255})}), ({2}),
               {1, 0});
    }
    void compress() {
        relay::AxisAttrs attrs;
        attrs.axis = 1;
        EXPECT(run(Op::Compress, {counting({2, 3}), typed(types::Bool, {3}, {1, 0, 1})}, attrs, Dims::Symbolic),
               ({2, 2}), {0, 2, 3, 5});
        EXPECT(run(Op::Compress, {counting({2, 3}), typed(types::Bool, {2}, {0, 1})}, attrs), ({2, 1}), {1, 4});
        attrs.axis = -1;
        EXPECT(run(Op::Compress, {counting({2, 3}), typed(types::Bool, {5}, {0, 1, 0, 0, 1})}, attrs), ({2}), {1, 4});
    }
    void nonMaxSuppression() {
        // The boxes of the ONNX operator tests, here with two classes that share them.
        const Value boxes = f32(
            {1, 6, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101});
        const Value scores = f32({1, 2, 6}, {.9, .75, .6, .95, .5, .3, .9, .75, .6, .95, .5, .3});
        relay::NmsAttrs attrs;
        const Value most = i64({1}, {2}), overlap = f32({1}, {.5}), score = f32({1}, {0});
        EXPECT(run(Op::NonMaxSuppression, {boxes, scores, most, overlap, score}, attrs), ({4, 3}),
               {0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0});
        EXPECT(
            run(Op::NonMaxSuppression, {boxes, scores, i64({}, {30}), overlap, f32({}, {.4})}, attrs, Dims::Constant),
            ({4, 3}), {0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0});
        EXPECT(run(Op::NonMaxSuppression, {boxes, scores, i64({}, {9}), f32({}, {1}), f32({}, {.7})}, attrs), ({6, 3}),
               {0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 1, 3, 0, 1, 0, 0, 1, 1});
        EXPECT(run(Op::NonMaxSuppression, {boxes, scores, absent(), overlap, score}, attrs), ({0, 3}), {});
        attrs.centerBox = true;
        const Value centers = f32({1, 3, 4}, {.5, .5, 1, 1, .5, .6, 1, 1, .5, 10.5, 1, 1});
        EXPECT(run(Op::NonMaxSuppression, {centers, f32({1, 1, 3}, {.9, .8, .7}), most, overlap, score}, attrs),
               ({2, 3}), {0, 0, 0, 0, 0, 2});
    }
    void randomUniform() {
        relay::RandomAttrs attrs;
        attrs.shape = {20, 50};
        attrs.low = 2;
        attrs.high = 4;
        attrs.hasSeed = true;
        attrs.seed = 1;
        for (DataType dtype : {types::Float32, types::Float64, types::Float16}) {
            attrs.dtype = dtype;
            attrs.call = 0;
            const Outcome first = run(Op::RandomUniform, {}, attrs), again = run(Op::RandomUniform, {}, attrs);
            attrs.call = 1;
            const Outcome other = run(Op::RandomUniform, {}, attrs);
            QVERIFY2(first.error.empty(), first.error.c_str());
            QCOMPARE(first[0].data, again[0].data);
            QVERIFY(first[0].data != other[0].data);
            double sum = 0, squares = 0;
            for (double value : first[0].data) {
                QVERIFY(value >= 2 && value <= 4);
                sum += value;
                squares += (value - 3) * (value - 3);
            }
            // Mean 3 and variance 1/3, within four standard deviations of 1000 draws.
            QVERIFY(std::abs(sum / 1000 - 3) < 0.075);
            QVERIFY(std::abs(squares / 1000 - 1.0 / 3) < 0.04);
        }
    }
};

Test test() {
    return {makes<TestSelect>};
}

} // namespace lathe::testing::test_select

#include "test_select.moc"
