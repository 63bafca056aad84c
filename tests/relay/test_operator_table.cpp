// SPDX-License-Identifier: Apache-2.0
//
// The operator table: each row's columns answer, and what they say of small calls is what is counted by hand.
#include "relay/attrs.h"
#include "relay/cost.h"
#include "relay/folding.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_operator_table {

using namespace lathe::relay;

namespace {

Type floats(std::vector<Expr> shape) {
    return tensorType(types::Float32, std::move(shape));
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
};

Test test() {
    return {makes<TestOperatorTable>};
}

} // namespace lathe::testing::test_operator_table

#include "test_operator_table.moc"
