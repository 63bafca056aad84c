// SPDX-License-Identifier: Apache-2.0
//
// Reductions, running sums, softmax and normalisations against their definitions (values from NumPy).
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

#include <limits>

namespace lathe::testing::test_reduce {

using relay::Op;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
} // namespace

namespace {

relay::ReduceAttrs reduction(const std::string& kind, std::vector<int64_t> axes, bool keepDims = false) {
    relay::ReduceAttrs attrs;
    attrs.kind = kind;
    attrs.axes = std::move(axes);
    attrs.keepDims = keepDims;
    return attrs;
}

} // namespace

class TestReduce : public QObject {
    Q_OBJECT
private slots:
    void kinds() {
        const Value x = f32({2, 3}, {1, 2, 3, 4, 5, -6});
        for (Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown}) {
            EXPECT(run(Op::Reduce, {x}, reduction("sum", {1}), dims), ({2}), {6, 3});
            EXPECT(run(Op::Reduce, {x}, reduction("prod", {0}, true), dims), ({1, 3}), {4, 10, -18});
            EXPECT(run(Op::Reduce, {x}, reduction("max", {0, 1}), dims), ({}), {5});
            EXPECT(run(Op::Reduce, {x}, reduction("min", {1}, true), dims), ({2, 1}), {1, -6});
            EXPECT(run(Op::Reduce, {x}, reduction("mean", {1}), dims), ({2}), {2, 1});
        }
        EXPECT(run(Op::Reduce, {x}, reduction("sum", {})), ({2, 3}), {1, 2, 3, 4, 5, -6});
    }
    void types() {
        EXPECT(run(Op::Reduce, {typed(types::Int32, {3}, {-1, -2, -2})}, reduction("mean", {0})), ({}), {-1});
        EXPECT(run(Op::Reduce, {typed(types::UInt8, {2}, {200, 100})}, reduction("sum", {0})), ({}), {44});
        EXPECT(run(Op::Reduce, {typed(types::Bool, {2, 2}, {1, 0, 1, 1})}, reduction("and", {1})), ({2}), {0, 1});
        EXPECT(run(Op::Reduce, {typed(types::Bool, {2, 2}, {1, 0, 0, 0})}, reduction("max", {1})), ({2}), {1, 0});
        // 4096 ones and one more do not get stuck at 2048 as a float16 sum would.
        EXPECT(run(Op::Reduce, {typed(types::Float16, {4096}, std::vector<double>(4096, 1))}, reduction("sum", {0})),
               ({}), {4096}, 0);
        EXPECT(run(Op::Reduce, {f32({3}, {1, notANumber, 3})}, reduction("max", {0})), ({}), {notANumber});
    }
    void emptyDomains() {
        for (Dims dims : {Dims::Constant, Dims::Unknown}) {
            EXPECT(run(Op::Reduce, {f32({2, 0}, {})}, reduction("sum", {1}), dims), ({2}), {0, 0});
            EXPECT(run(Op::Reduce, {f32({2, 0}, {})}, reduction("prod", {1}), dims), ({2}), {1, 1});
            EXPECT(run(Op::Reduce, {f32({2, 0}, {})}, reduction("max", {1}), dims), ({2}), {-inf, -inf});
            EXPECT(run(Op::Reduce, {f32({0, 2}, {})}, reduction("sum", {1}), dims), ({0}), {});
        }
    }
    void indices() {
        relay::ArgReduceAttrs attrs;
        attrs.axis = 1;
        const Value x = f32({3, 3}, {1, 3, 3, 2, 2, 1, 5, notANumber, 9});
        EXPECT(run(Op::ArgReduce, {x}, attrs, Dims::Symbolic), ({3}), {1, 0, 1});
        attrs.selectLast = true;
        attrs.keepDims = true;
        EXPECT(run(Op::ArgReduce, {x}, attrs), ({3, 1}), {2, 1, 1});
        attrs = {};
        attrs.max = false;
        EXPECT(run(Op::ArgReduce, {typed(types::Int32, {2, 2}, {4, 1, 3, 1})}, attrs), ({2}), {1, 0});
    }
    void runningSums() {
        relay::CumAttrs attrs;
        attrs.axis = 1;
        const Value x = counting({2, 3}, 1);
        EXPECT(run(Op::CumSum, {x}, attrs, Dims::Symbolic), ({2, 3}), {1, 3, 6, 4, 9, 15});
        attrs.exclusive = true;
        EXPECT(run(Op::CumSum, {x}, attrs), ({2, 3}), {0, 1, 3, 0, 4, 9});
        attrs.reverse = true;
        EXPECT(run(Op::CumSum, {x}, attrs), ({2, 3}), {5, 3, 0, 11, 6, 0});
        attrs = {};
        attrs.product = true;
        EXPECT(run(Op::CumSum, {typed(types::Int32, {3}, {2, 3, 4})}, attrs), ({3}), {2, 6, 24});
    }
    /// More rows than go together, and rows side by side that no vector divides: of ones, the sum is the place.
    void runningSumsOfManyRows() {
        relay::CumAttrs attrs;
        attrs.axis = 1;
        for (const int64_t rows : {1, 8, 11})
            for (const int64_t columns : {1, 16, 19}) {
                const auto count = static_cast<size_t>(rows * 3 * columns);
                std::vector<double> places;
                for (size_t i = 0; i < count; ++i)
                    places.push_back(static_cast<double>(i / static_cast<size_t>(columns) % 3 + 1));
                for (const Dims dims : {Dims::Constant, Dims::Symbolic})
                    EXPECT(run(Op::CumSum, {f32({rows, 3, columns}, std::vector<double>(count, 1))}, attrs, dims),
                           ({rows, 3, columns}), places);
            }
    }
    void softmax() {
        relay::AxisAttrs attrs;
        attrs.axis = 1;
        const Value x = f32({2, 3}, {1, 2, 3, 1000, 1000, 1001});
        for (Dims dims : {Dims::Constant, Dims::Symbolic}) {
            EXPECT(run(Op::Softmax, {x}, attrs, dims), ({2, 3}),
                   {0.090030573, 0.244728471, 0.665240956, 0.211941558, 0.211941558, 0.576116885});
            EXPECT(run(Op::LogSoftmax, {x}, attrs, dims), ({2, 3}),
                   {-2.40760596, -1.40760596, -0.40760596, -1.55144471, -1.55144471, -0.55144471});
        }
        attrs.axis = 0;
        EXPECT(run(Op::Softmax, {x}, attrs), ({2, 3}), {0, 0, 0, 1, 1, 1});
        EXPECT(run(Op::Softmax, {f32({0, 3}, {})}, attrs, Dims::Unknown), ({0, 3}), {});
    }
    void layerNorm() {
        relay::NormAttrs attrs;
        attrs.axis = 1;
        const Value x = f32({2, 3}, {1, 2, 4, 0, 0, 3}), scale = f32({3}, {1, 2, 3}), bias = f32({3}, {0.5, 0, -1});
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::LayerNorm, {x, scale, bias}, attrs, dims), ({2, 3}),
                   {-0.56904153, -0.53452077, 3.00890574, -0.20710501, -1.41421003, 3.24263008});
        // A large mean does not cancel the variance.
        EXPECT(run(Op::LayerNorm, {f32({1, 2}, {10000, 10001}), f32({2}, {1, 1}), absent()}, attrs), ({1, 2}),
               {-0.99998, 0.99998}, 1e-4);
    }
    void batchNorm() {
        relay::NormAttrs attrs;
        attrs.epsilon = 1e-3;
        EXPECT(run(Op::BatchNorm,
                   {counting({1, 2, 4}), f32({2}, {2, 0.5}), f32({2}, {1, -1}), f32({2}, {1, 5}), f32({2}, {4, 1})},
                   attrs),
               ({1, 2, 4}), {0.000124976, 1, 1.99987502, 2.99975005, -1.49975019, -1, -0.50024981, -0.00049963});
    }
};

Test test() {
    return {makes<TestReduce>};
}

} // namespace lathe::testing::test_reduce

#include "test_reduce.moc"
