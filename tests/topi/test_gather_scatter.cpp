// SPDX-License-Identifier: Apache-2.0
//
// Gathers and scatters: negative indices, indices out of range, reductions in a fixed order.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

namespace lathe::testing::test_gather_scatter {

using relay::Op;

class TestGatherScatter : public QObject {
    Q_OBJECT
private slots:
    void gather() {
        relay::AxisAttrs attrs;
        attrs.axis = 1;
        for (Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown})
            EXPECT(run(Op::Gather, {counting({2, 3}), i64({1, 2}, {2, -3})}, attrs, dims), ({2, 1, 2}), {2, 0, 5, 3});
        EXPECT(run(Op::Gather, {counting({2, 3}), typed(types::Int32, {}, {-1})}, attrs), ({2}), {2, 5});
        EXPECT(run(Op::Gather, {counting({2, 3}), i64({0}, {})}, attrs), ({2, 0}), {});
        QVERIFY(run(Op::Gather, {counting({2, 3}), i64({1}, {3})}, attrs).error.find("out of range") !=
                std::string::npos);
        QVERIFY(run(Op::Gather, {counting({2, 3}), i64({1}, {-4})}, attrs).error.find("out of range") !=
                std::string::npos);
    }
    void gatherElements() {
        relay::AxisAttrs attrs;
        attrs.axis = 0;
        EXPECT(run(Op::GatherElements, {counting({3, 2}), i64({2, 2}, {2, 0, -1, 1})}, attrs, Dims::Symbolic), ({2, 2}),
               {4, 1, 4, 3});
        QVERIFY(!run(Op::GatherElements, {counting({3, 2}), i64({1, 2}, {0, 3})}, attrs).error.empty());
    }
    void gatherNd() {
        relay::GatherNdAttrs attrs;
        EXPECT(run(Op::GatherNd, {counting({2, 2, 2}), i64({2, 2}, {0, 1, 1, -2})}, attrs), ({2, 2}), {2, 3, 4, 5});
        attrs.batchDims = 1;
        EXPECT(run(Op::GatherNd, {counting({2, 2, 2}), i64({2, 1}, {1, 0})}, attrs), ({2, 2}), {2, 3, 4, 5});
        QVERIFY(!run(Op::GatherNd, {counting({2, 2, 2}), i64({2, 1}, {2, 0})}, attrs).error.empty());
    }
    void scatterElements() {
        relay::ScatterAttrs attrs;
        attrs.axis = 1;
        const Value x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
        const Value indices = i64({2, 2}, {1, 1, -1, 0}), updates = f32({2, 2}, {10, 20, 30, 40});
        EXPECT(run(Op::ScatterElements, {x, indices, updates}, attrs), ({2, 3}), {1, 20, 3, 40, 5, 30});
        attrs.reduction = "add";
        EXPECT(run(Op::ScatterElements, {x, indices, updates}, attrs, Dims::Symbolic), ({2, 3}), {1, 32, 3, 44, 5, 36});
        attrs.reduction = "mul";
        EXPECT(run(Op::ScatterElements, {x, indices, updates}, attrs), ({2, 3}), {1, 400, 3, 160, 5, 180});
        attrs.reduction = "max";
        EXPECT(run(Op::ScatterElements, {x, indices, updates}, attrs), ({2, 3}), {1, 20, 3, 40, 5, 30});
        attrs.reduction = "min";
        EXPECT(run(Op::ScatterElements, {x, indices, updates}, attrs), ({2, 3}), {1, 2, 3, 4, 5, 6});
        QVERIFY(!run(Op::ScatterElements, {x, i64({1, 1}, {3}), f32({1, 1}, {0})}, attrs).error.empty());
        attrs.reduction = "none";
        attrs.axis = 0;
        EXPECT(run(Op::ScatterElements, {x, i64({2, 1}, {1, 0}), f32({2, 1}, {7, 8})}, attrs), ({2, 3}),
               {8, 2, 3, 7, 5, 6});
    }
    /// The kernel of a value that is given twice has one parameter for it, as the function around it.
    void oneValueTwice() {
        const relay::Type vector = relay::tensorType(types::Int64, {3});
        const te::TensorPtr ones = te::placeholder("ones", types::Int64, {3});
        const relay::TensorType* type = relay::asTensor(vector);
        const topi::CallContext call{relay::Op::ScatterElements,
                                     std::make_shared<relay::ScatterAttrs>(),
                                     {ones, te::placeholder("places", types::Int64, {3}), ones},
                                     {type, type, type},
                                     vector,
                                     0};
        const tir::PrimFuncPtr kernel = topi::buildKernel("scatter", call);
        QCOMPARE(kernel->params.size(), size_t(3));
        QCOMPARE(kernel->outputs, 1);
    }

    void scatterNd() {
        relay::ScatterAttrs attrs;
        const Value x = counting({3, 2});
        EXPECT(run(Op::ScatterNd, {x, i64({2, 1}, {2, 0}), f32({2, 2}, {10, 11, 20, 21})}, attrs, Dims::Constant),
               ({3, 2}), {20, 21, 2, 3, 10, 11});
        attrs.reduction = "add";
        EXPECT(run(Op::ScatterNd, {x, i64({3, 2}, {0, 0, -1, 1, 0, 0}), f32({3}, {1, 2, 4})}, attrs), ({3, 2}),
               {5, 1, 2, 3, 4, 7});
        QVERIFY(!run(Op::ScatterNd, {x, i64({1, 1}, {3}), f32({1, 2}, {0, 0})}, attrs).error.empty());
    }
};

Test test() {
    return {makes<TestGatherScatter>};
}

} // namespace lathe::testing::test_gather_scatter

#include "test_gather_scatter.moc"
