// SPDX-License-Identifier: Apache-2.0
//
// Products, convolutions, pooling, einsum, determinants and Fourier transforms against values from NumPy.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

namespace lathe::testing::test_linear {

using relay::Op;

class TestLinear : public QObject {
    Q_OBJECT
private slots:
    void matMul() {
        relay::MatMulAttrs attrs;
        const Value a = counting({2, 3}), b = counting({3, 4});
        for (Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown})
            EXPECT(run(Op::MatMul, {a, b}, attrs, dims), ({2, 4}), {20, 23, 26, 29, 56, 68, 80, 92});
        attrs.transposeA = true;
        attrs.transposeB = true;
        EXPECT(run(Op::MatMul, {counting({2, 1}), counting({2, 2})}, attrs, Dims::Symbolic), ({1, 2}), {1, 3});
        attrs = {};
        // Batch dims broadcast.
        EXPECT(run(Op::MatMul, {counting({2, 1, 1, 2}), counting({2, 2, 1})}, attrs), ({2, 2, 1, 1}), {1, 3, 3, 13});
        EXPECT(run(Op::MatMul, {f32({2, 0}, {}), f32({0, 2}, {})}, attrs, Dims::Unknown), ({2, 2}), {0, 0, 0, 0});
        attrs.outDtype = types::Int32;
        EXPECT(
            run(Op::MatMul, {typed(types::UInt8, {1, 2}, {200, 100}), typed(types::UInt8, {2, 1}, {200, 100})}, attrs),
            ({1, 1}), {50000});
    }
    void conv() {
        relay::ConvAttrs attrs;
        attrs.strides = {2, 2};
        attrs.dilations = {1, 1};
        attrs.before = {1, 1};
        attrs.after = {1, 1};
        attrs.groups = 2;
        EXPECT(run(Op::Conv, {counting({1, 2, 4, 4}), counting({2, 1, 3, 3}, -4)}, attrs), ({1, 2, 2, 2}),
               {33, 58, 75, 78, 827, 1282, 1446, 2184});
        attrs = {};
        attrs.strides = {1, 1};
        attrs.dilations = {2, 2};
        attrs.before = {0, 0};
        attrs.after = {0, 0};
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::Conv, {counting({1, 2, 4, 4}), counting({2, 2, 2, 2})}, attrs, dims), ({1, 2, 2, 2}),
                   {528, 556, 640, 668, 1360, 1452, 1728, 1820});
        attrs.dilations = {1, 1};
        attrs.before = {1, 0};
        attrs.after = {0, 1};
        EXPECT(run(Op::Conv, {counting({1, 1, 4, 4}), f32({1, 1, 2, 2}, {1, 2, 3, 4})}, attrs), ({1, 1, 4, 4}),
               {4, 11, 18, 9, 34, 44, 54, 24, 74, 84, 94, 40, 114, 124, 134, 56});
    }
    void convOfOneDim() {
        relay::ConvAttrs attrs;
        attrs.strides = {1};
        attrs.dilations = {1};
        attrs.before = {1};
        attrs.after = {1};
        EXPECT(run(Op::Conv, {f32({1, 1, 3}, {1, 2, 3}), f32({1, 1, 3}, {1, 0, -1})}, attrs), ({1, 1, 3}), {-2, -2, 2});
    }
    void maxPool() {
        relay::PoolAttrs attrs = pool({3, 3}, {2, 2});
        attrs.ceilMode = true;
        const Value x = counting({1, 1, 4, 4}, 1);
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::MaxPool, {x}, attrs, dims), ({1, 1, 2, 2}), {11, 12, 15, 16});
        attrs.before = {1, 1};
        attrs.after = {1, 1};
        EXPECT(run(Op::MaxPool, {x}, attrs), ({1, 1, 3, 3}), {6, 8, 8, 14, 16, 16, 14, 16, 16});
        attrs = pool({2, 2}, {1, 1});
        attrs.dilations = {2, 2};
        attrs.before = {1, 0};
        attrs.after = {0, 1};
        EXPECT(run(Op::MaxPool, {x}, attrs), ({1, 1, 3, 3}), {7, 8, 7, 11, 12, 11, 15, 16, 15});
        EXPECT(run(Op::MaxPool, {typed(types::Int8, {1, 1, 1, 2}, {-128, -5})}, pool({1, 2}, {1, 1})), ({1, 1, 1, 1}),
               {-5});
    }
    void maxPoolWithIndex() {
        relay::PoolAttrs attrs = pool({2, 2}, {2, 2});
        const Value x = f32({1, 1, 2, 4}, {1, 5, 2, 2, 5, 0, 2, 1});
        Outcome y = run(Op::MaxPoolWithIndex, {x}, attrs);
        EXPECT(y, ({1, 1, 1, 2}), {5, 2});
        QCOMPARE(y[1].data, (std::vector<double>{1, 2}));
        attrs.columnMajor = true;
        y = run(Op::MaxPoolWithIndex, {x}, attrs);
        QCOMPARE(y[1].data, (std::vector<double>{2, 4}));
    }
    void averagePool() {
        relay::PoolAttrs attrs = pool({3, 3}, {2, 2});
        attrs.ceilMode = true;
        const Value x = counting({1, 1, 4, 4}, 1);
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::AvgPool, {x}, attrs, dims), ({1, 1, 2, 2}), {6, 7.5, 12, 13.5});
        attrs.before = {1, 1};
        attrs.after = {1, 1};
        EXPECT(run(Op::AvgPool, {x}, attrs), ({1, 1, 3, 3}), {3.5, 5, 6, 9.5, 11, 12, 13.5, 15, 16});
        attrs.countPadding = true;
        EXPECT(run(Op::AvgPool, {x}, attrs), ({1, 1, 3, 3}), {1.5555556, 3.3333333, 2, 6.3333333, 11, 6, 4.5, 7.5, 4});
        attrs = pool({2, 2}, {1, 1});
        attrs.dilations = {2, 2};
        attrs.before = {1, 0};
        attrs.after = {0, 1};
        EXPECT(run(Op::AvgPool, {x}, attrs), ({1, 1, 3, 3}), {6, 7, 7, 6, 7, 7, 10, 11, 11});
        attrs.countPadding = true;
        EXPECT(run(Op::AvgPool, {x}, attrs), ({1, 1, 3, 3}), {3, 3.5, 1.75, 6, 7, 3.5, 10, 11, 5.5});
    }
    void einsum() {
        const auto equation = [](const char* text) {
            relay::EinsumAttrs attrs;
            attrs.equation = text;
            return attrs;
        };
        EXPECT(run(Op::Einsum, {counting({2, 3}), counting({3, 4})}, equation("ij, jk -> ik"), Dims::Symbolic),
               ({2, 4}), {20, 23, 26, 29, 56, 68, 80, 92});
        EXPECT(run(Op::Einsum, {counting({3, 3})}, equation("ii")), ({}), {12});
        EXPECT(run(Op::Einsum, {counting({3, 3})}, equation("ii->i")), ({3}), {0, 4, 8});
        EXPECT(run(Op::Einsum, {counting({2, 2, 3}), counting({3, 2})}, equation("...ij,...jk->...ik")), ({2, 2, 2}),
               {10, 13, 28, 40, 46, 67, 64, 94});
        EXPECT(run(Op::Einsum, {counting({3}, 1), counting({2}, 4)}, equation("i,j")), ({3, 2}), {4, 5, 8, 10, 12, 15});
        EXPECT(run(Op::Einsum, {counting({2, 2, 3})}, equation("bij->bj")), ({2, 3}), {3, 5, 7, 15, 17, 19});
    }
    void det() {
        EXPECT(run(Op::Det, {f32({3, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0, 2, 4, 1, 2})}), ({3}), {-2, -1, 0});
        EXPECT(run(Op::Det, {f32({4, 4}, {2, -1, 0, 3, 1, 0, 5, 2, 0, 4, 1, 1, 3, 1, 2, 0})}), ({}), {204});
        EXPECT(run(Op::Det, {f32({1, 1}, {-3})}, nullptr, Dims::Unknown), ({}), {-3});
    }
    void dft() {
        relay::DftAttrs attrs;
        const Value x = f32({1, 5, 1}, {1, 2, 0, -1, 3});
        EXPECT(
            run(Op::Dft, {x}, attrs, Dims::Symbolic), ({1, 5, 2}),
            {5, 0, 3.35410197, 0.36327126, -3.35410197, 1.53884177, -3.35410197, -1.53884177, 3.35410197, -0.36327126});
        attrs.onesided = true;
        EXPECT(run(Op::Dft, {x}, attrs), ({1, 3, 2}), {5, 0, 3.35410197, 0.36327126, -3.35410197, 1.53884177});
        attrs = {};
        attrs.length = 4;
        EXPECT(run(Op::Dft, {f32({1, 3, 1}, {1, 2, 3})}, attrs), ({1, 4, 2}), {6, 0, -2, -2, 2, 0, -2, 2});
        attrs = {};
        attrs.inverse = true;
        EXPECT(run(Op::Dft, {f32({1, 3, 2}, {1, 2, 0, -1, 3, 0})}, attrs), ({1, 3, 2}),
               {1.33333333, 0.33333333, 0.12200847, -0.03269207, -0.45534180, 1.69935874});
        attrs.onesided = true;
        attrs.length = 4;
        EXPECT(run(Op::Dft, {f32({1, 3, 2}, {6, 0, -2, 2, -2, 0})}, attrs), ({1, 4, 1}), {0, 1, 2, 3});
        attrs.length = 5;
        EXPECT(run(Op::Dft, {f32({1, 3, 2}, {5, 0, 3.35410197, 0.36327126, -3.35410197, 1.53884177})}, attrs),
               ({1, 5, 1}), {1, 2, 0, -1, 3});
    }

private:
    static relay::PoolAttrs pool(std::vector<int64_t> kernel, std::vector<int64_t> strides) {
        relay::PoolAttrs attrs;
        attrs.dilations = std::vector<int64_t>(kernel.size(), 1);
        attrs.before = std::vector<arith::Expr>(kernel.size(), 0);
        attrs.after = attrs.before;
        attrs.kernel = std::move(kernel);
        attrs.strides = std::move(strides);
        return attrs;
    }
};

Test test() {
    return {makes<TestLinear>};
}

} // namespace lathe::testing::test_linear

#include "test_linear.moc"
