// SPDX-License-Identifier: Apache-2.0
//
// The operator table: each row's columns answer for operands and dims that there are, and what they say of small calls is what
// is counted by hand.
#include "arith/analysis.h"
#include "relay/attrs.h"
#include "relay/axis_order.h"
#include "relay/cost.h"
#include "relay/folding.h"
#include "relay/transform/make.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_operator_table {

using namespace lathe::relay;

namespace {

Type floats(std::vector<Expr> shape) {
    return tensorType(types::Float32, std::move(shape));
}

/// A call that its operator's type rule takes.
struct Sample {
    OpCall call;
    std::vector<Type> args;
    Type result;

    template <class A>
    Sample(Op op, A attrs, std::vector<Type> args)
        : call{op, {}, std::make_shared<A>(std::move(attrs))}, args(std::move(args)),
          result(transform::staticType(op, this->args, call.attrs)) {
        if (!result)
            qFatal("%s: a sample does not fit", std::string(info(op).name).c_str());
    }

    const LayoutColumns& layouts() const { return info(call.op).layouts; }
    PanelRequest panels() const { return layouts().panels ? layouts().panels({call, args, result}) : PanelRequest{}; }
    MadeBlocks makes() const { return layouts().makes ? layouts().makes({call, args, result}) : MadeBlocks{}; }
    CarriedBlocks carries(int operand, int dim) const {
        return layouts().carries ? layouts().carries({call, args, result}, operand, dim) : CarriedBlocks{};
    }
};

ConvAttrs convolution(int64_t groups) {
    ConvAttrs attrs;
    attrs.strides = attrs.dilations = {1, 1};
    attrs.before = attrs.after = {Expr(0), Expr(0)};
    attrs.groups = groups;
    return attrs;
}

/// What wants or makes something is here at least once.
std::vector<Sample> samplesOfLayouts() {
    MatMulAttrs transposed;
    transposed.transposeB = true;
    WinogradAttrs tiles;
    tiles.before = tiles.after = {Expr(0), Expr(0)};
    return {
        {Op::MatMul, MatMulAttrs{}, {floats({2, 3}), floats({3, 4})}},
        {Op::MatMul, transposed, {floats({2, 3}), floats({4, 3})}},
        {Op::MatMul, MatMulAttrs{}, {floats({5, 2, 3}), floats({5, 3, 4})}},
        {Op::Conv, convolution(1), {floats({1, 8, 6, 6}), floats({16, 8, 3, 3})}},
        {Op::Conv, convolution(2), {floats({1, 8, 6, 6}), floats({16, 4, 3, 3})}},
        {Op::Conv, convolution(8), {floats({1, 8, 6, 6}), floats({8, 1, 3, 3})}},
        {Op::WinogradConv, tiles, {floats({1, 8, 6, 6}), floats({16, 8, 24})}},
    };
}

/// Calls of operators with a rule of their own for orders of axes; of dims that are all different.
std::vector<Sample> samplesOfOrders() {
    const Type x = floats({2, 3, 4, 5});
    const std::vector<Expr> some{1, 0, 2, 1};
    const auto set = []<class A>(A, auto fields) { return attrsWith<A>(fields); };
    return {
        {Op::Reshape, set(ReshapeAttrs(), [](auto& a) { a.shape = {2, 3, 20}; }), {x}},
        {Op::BroadcastTo, set(BroadcastAttrs(), [](auto& a) { a.shape = {2, 3, 4, 5}; }), {floats({3, 1, 5})}},
        {Op::Concat, set(AxisAttrs(), [](auto& a) { a.axis = 1; }), {x, floats({2, 7, 4, 5})}},
        {Op::Slice,
         set(SliceAttrs(),
             [&](auto& a) {
                 a.begin = some;
                 a.size = {1, 2, 2, 3};
                 a.step = {1, 1, 1, 1};
             }),
         {x}},
        {Op::Pad, set(PadAttrs(), [&](auto& a) { a.before = a.after = some; }), {x}},
        {Op::Tile, set(TileAttrs(), [](auto& a) { a.repeats = {1, 2, 3, 1}; }), {x}},
        {Op::Reverse, set(AxesAttrs(), [](auto& a) { a.axes = {1, 3}; }), {x}},
        {Op::Resize, set(ResizeAttrs(), [](auto& a) { a.sizes = {2, 3, 8, 9}; }), {x}},
        {Op::Reduce, set(ReduceAttrs(), [](auto& a) { a.axes = {1, 2}; }), {x}},
        {Op::Reduce,
         set(ReduceAttrs(),
             [](auto& a) {
                 a.axes = {1, 2};
                 a.keepDims = true;
             }),
         {x}},
        {Op::ArgReduce, set(ArgReduceAttrs(), [](auto& a) { a.axis = 1; }), {x}},
        {Op::CumSum, set(CumAttrs(), [](auto& a) { a.axis = 2; }), {x}},
        {Op::Softmax, set(AxisAttrs(), [](auto& a) { a.axis = 3; }), {x}},
        {Op::LogSoftmax, set(AxisAttrs(), [](auto& a) { a.axis = 3; }), {x}},
        {Op::BatchNorm,
         set(NormAttrs(), [](auto& a) { a.axis = 1; }),
         {x, floats({3}), floats({3}), floats({3}), floats({3})}},
        {Op::MatMul, MatMulAttrs{}, {floats({2, 3, 4}), floats({2, 4, 5})}},
    };
}

int rankOf(const Type& type) {
    return static_cast<int>(asTensor(type)->shape.size());
}
Expr extentOf(const Type& type, int dim) {
    return asTensor(type)->shape[static_cast<size_t>(dim)];
}

} // namespace

class TestOperatorTable : public QObject {
    Q_OBJECT

private slots:
    void rowsAreWhole() {
        for (size_t i = 0; i < static_cast<size_t>(Op::Count_); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            QVERIFY2(row.flops && row.steps, std::string(row.name).c_str());
            QCOMPARE(findOp(row.name), &row);
            QVERIFY2(row.maxArgs == -1 || row.minArgs <= row.maxArgs, std::string(row.name).c_str());
        }
    }

    void operationsAndSteps() {
        const auto flops = [](const OpCall& call, const std::vector<Type>& args, const Type& result) {
            return flopsOf(call, args, result).value_or(-1);
        };
        // 8 elements of 3 products and sums; read are 6 and 12.
        const OpCall product{Op::MatMul, {}, std::make_shared<MatMulAttrs>()};
        const std::vector<Type> factors = {floats({2, 3}), floats({3, 4})};
        QCOMPARE(flops(product, factors, floats({2, 4})), 2.0 * 3 * 8);
        QCOMPARE(stepsOf(product, factors, floats({2, 4})), int64_t{8 * 3 + 6 + 12});
        // A window of 3 by 3 over each of 4 elements; read are 16.
        PoolAttrs window;
        window.kernel = {3, 3};
        const OpCall pool{Op::MaxPool, {}, std::make_shared<PoolAttrs>(window)};
        QCOMPARE(flops(pool, {floats({1, 1, 4, 4})}, floats({1, 1, 2, 2})), 9.0 * 4);
        QCOMPARE(stepsOf(pool, std::vector<Type>{floats({1, 1, 4, 4})}, floats({1, 1, 2, 2})), int64_t{9 * 4 + 16});
        // One operation an element, four (negation, exponential, sum, quotient), none.
        QCOMPARE(flops({Op::Exp, {}, nullptr}, {floats({5})}, floats({5})), 5.0);
        QCOMPARE(flops({Op::Sigmoid, {}, nullptr}, {floats({5})}, floats({5})), 20.0);
        QCOMPARE(flops({Op::Copy, {}, nullptr}, {floats({5})}, floats({5})), 0.0);
        QCOMPARE(stepsOf({Op::Exp, {}, nullptr}, std::vector<Type>{floats({5})}, floats({5})), int64_t{10});
        // No operations on floats, and a size that is not known.
        QCOMPARE(flops({Op::Add, {}, nullptr}, {tensorType(types::Int32, {5})}, tensorType(types::Int32, {5})), 0.0);
        QCOMPARE(
            flops({Op::Exp, {}, nullptr}, {floats({arith::symbol("n", 1, 8)})}, floats({arith::symbol("n", 1, 8)})),
            -1.0);
    }

    /// Panels go along a dim whose elements are those of a dim of the result.
    void wantedOperandsAndDimsExist() {
        std::set<Op> seen;
        for (const Sample& sample : samplesOfLayouts()) {
            const std::string name(info(sample.call.op).name);
            seen.insert(sample.call.op);
            const auto operands = static_cast<int>(sample.args.size());
            if (const PanelRequest panels = sample.panels(); panels.operand != -1) {
                QVERIFY2(panels.operand >= 0 && panels.operand < operands, name.c_str());
                const Type& operand = sample.args[static_cast<size_t>(panels.operand)];
                QVERIFY2(panels.dim >= 0 && panels.dim < rankOf(operand), name.c_str());
                QVERIFY2(panels.inner < rankOf(operand) && panels.inner != panels.dim, name.c_str());
                const auto& shape = asTensor(sample.result)->shape;
                QVERIFY2(std::ranges::any_of(
                             shape,
                             [&](const Expr& dim) { return arith::provablyEqual(dim, extentOf(operand, panels.dim)); }),
                         name.c_str());
            }
            if (const BlockRequest blocks = sample.layouts().blocks; blocks.operand != -1) {
                QVERIFY2(blocks.operand >= 0 && blocks.operand < operands, name.c_str());
                const Type& operand = sample.args[static_cast<size_t>(blocks.operand)];
                QVERIFY2(blocks.dim >= 0 && blocks.dim < rankOf(operand), name.c_str());
            }
            const MadeBlocks made = sample.makes();
            QVERIFY2(made.dim >= -1 && made.dim < rankOf(sample.result), name.c_str());
            QVERIFY2(made.constant >= -1 && made.constant < operands, name.c_str());
        }
        for (size_t i = 0; i < static_cast<size_t>(Op::Count_); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            const bool asks = row.layouts.panels || row.layouts.makes || row.layouts.blocks.operand != -1;
            QVERIFY2(!asks || seen.contains(row.op), std::string(row.name).c_str());
        }
    }

    /// Of operands and results of any rank, one shape, attributes as they are by default.
    void carriedDimsExist() {
        for (size_t i = 0; i < static_cast<size_t>(Op::Count_); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            const OpCall call{row.op, {}, row.makeAttrs ? row.makeAttrs() : nullptr};
            for (int rank = 1; row.layouts.carries && rank <= 5; ++rank) {
                const Type type = floats(std::vector<Expr>(static_cast<size_t>(rank), Expr(8)));
                const std::vector<Type> args(static_cast<size_t>(row.minArgs), type);
                for (int operand = 0; operand < row.minArgs; ++operand)
                    for (int dim = 0; dim < rank; ++dim) {
                        const CarriedBlocks carried = row.layouts.carries({call, args, type}, operand, dim);
                        const std::string name(row.name);
                        QVERIFY2(carried.dim >= -1 && carried.dim < rank, name.c_str());
                        QVERIFY2((carried.way == Carriage::None) == (carried.dim == -1), name.c_str());
                        QVERIFY2(carried.constant >= -1 && carried.constant < row.minArgs, name.c_str());
                        QVERIFY2(carried.way != Carriage::None || !carried.gains, name.c_str());
                    }
            }
        }
    }

    /// However an operand or the result stands: the call that is told takes the operands that are told, and gives
    /// that result.
    void callsInOtherOrdersFit() {
        std::set<Op> seen;
        for (const Sample& sample : samplesOfOrders()) {
            const std::string name(info(sample.call.op).name);
            int written = 0;
            for (int at = resultOrder; at < static_cast<int>(sample.args.size()); ++at) {
                const Type& asked = at == resultOrder ? sample.result : sample.args[static_cast<size_t>(at)];
                for (Axes axes = identityAxes(asTensor(asked)->shape.size());;) {
                    const auto other =
                        info(sample.call.op).orders({sample.call, sample.args, sample.result}, at, {axes});
                    if (other) {
                        ++written;
                        std::vector<Type> types;
                        for (size_t i = 0; i < sample.args.size(); ++i) {
                            const OrderedOperand& operand = other->operands[i];
                            types.push_back(floats(operand.shape
                                                       ? *operand.shape
                                                       : shapeIn(operand.order, asTensor(sample.args[i])->shape)));
                        }
                        const Type result = transform::staticType(sample.call.op, types, other->attrs);
                        QVERIFY2(result, name.c_str());
                        const std::vector<Expr> expected = shapeIn(other->result, asTensor(sample.result)->shape);
                        QCOMPARE(text(asTensor(result)->shape), text(expected));
                        const AxisOrder& told =
                            at == resultOrder ? other->result : other->operands[static_cast<size_t>(at)].order;
                        QCOMPARE(told.axes, axes);
                        if (isIdentity(axes))
                            QVERIFY2(equalAttrs(other->attrs, sample.call.attrs), name.c_str());
                    }
                    if (!std::ranges::next_permutation(axes).found)
                        break;
                }
            }
            QVERIFY2(written > 1, name.c_str());
            seen.insert(sample.call.op);
        }
        const auto usual = info(Op::Add).orders;
        for (size_t i = 0; i < static_cast<size_t>(Op::Count_); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            QVERIFY2(!row.orders || row.orders == usual || seen.contains(row.op), std::string(row.name).c_str());
        }
    }

    void layoutsOfCalls() {
        const std::vector<Sample> samples = samplesOfLayouts();
        // Columns of a matrix, whichever dim they are; none of several matrices.
        QCOMPARE(samples[0].panels().dim, 1);
        QCOMPARE(samples[1].panels().dim, 0);
        QCOMPARE(samples[2].panels().operand, -1);
        // A convolution makes blocks of channels, unless its groups are several; with each channel a group it carries them.
        QCOMPARE(samples[3].makes().dim, 1);
        QVERIFY(!samples[3].makes().always && samples[3].carries(0, 1).way == Carriage::None);
        QVERIFY(samples[4].makes().dim == -1 && samples[4].panels().operand == -1 &&
                samples[4].carries(0, 1).way == Carriage::None);
        QVERIFY(samples[5].makes().dim == -1 && samples[5].panels().inBlocksOnly);
        QVERIFY(samples[5].carries(0, 1).way == Carriage::Slices && samples[5].carries(0, 1).gains);
        QVERIFY(samples[6].makes().always && samples[6].layouts().blocks.operand == 0);

        const Type images = floats({2, 8, 4, 4});
        const auto reduced = [&](std::vector<int64_t> axes) {
            return Sample(Op::Reduce, attrsWith<ReduceAttrs>([&](ReduceAttrs& a) {
                              a.kind = "mean";
                              a.axes = std::move(axes);
                          }),
                          {images});
        };
        QCOMPARE(reduced({2, 3}).carries(0, 1).dim, 1); // [2, 8]
        QVERIFY(reduced({2, 3}).carries(0, 2).way == Carriage::None);
        QVERIFY(reduced({1}).carries(0, 1).way == Carriage::None);
        const Sample joined(Op::Concat, attrsWith<AxisAttrs>([](AxisAttrs& a) { a.axis = 1; }), {images, images});
        QVERIFY(joined.carries(1, 1).way == Carriage::Parts && joined.carries(1, 1).dim == 1);
        QVERIFY(joined.carries(1, 2).way == Carriage::None);
        // A bias [8, 1, 1] stands behind the batch.
        const OpCall add{Op::Add, {}, nullptr};
        const std::vector<Type> summands = {images, floats({8, 1, 1})};
        const CarriedBlocks bias = info(Op::Add).layouts.carries({add, summands, images}, 1, 0);
        QVERIFY(bias.way == Carriage::Elements && bias.dim == 1);
        QVERIFY(info(Op::Relayout).layouts.converts && !info(Op::Reshape).layouts.converts);
    }
};

Test test() {
    return {makes<TestOperatorTable>};
}

} // namespace lathe::testing::test_operator_table

#include "test_operator_table.moc"
