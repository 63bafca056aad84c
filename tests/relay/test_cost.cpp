// SPDX-License-Identifier: Apache-2.0
//
// Costs of modules small enough to be counted by hand.
#include "relay/cost.h"
#include "relay/text.h"
#include "samples.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_cost {

using namespace lathe::relay;

namespace {

Cost costOfText(const std::string& text) {
    Result<Module> module = parse(text, {});
    if (!module)
        qFatal("%s\n%s", toString(module.error()).c_str(), text.c_str());
    return costOf(*module);
}

/// Two products of squares and what is between them.
std::string chain(const std::string& n, const std::string& range = {}) {
    const std::string type = "float32[" + n + ", 4]";
    return "module next %20\n\nfn main(%1 \"x\": float32[" + n + range + ", 4]" + ") -> " + type +
           " outputs [\"y\"] {\n"
           "  %2 = const float32[4, 4] splat [0.5] @{0}\n"
           "  %3 = matmul(%1, %2) : " +
           type +
           " @{0}\n"
           "  %4 = relu(%3) : " +
           type +
           " @{1}\n"
           "  %5 = reshape(%4) {shape=[" +
           n + ", 4]} : " + type +
           " @{2}\n"
           "  %8 = exp(%1) : " +
           type +
           " @{3}\n"
           "  %9 = exp(%8) : " +
           type +
           " @{3}\n"
           "  %6 = add(%5, %9) : " +
           type +
           " @{3}\n"
           "  %7 = matmul(%6, %2) : " +
           type +
           " @{4}\n"
           "  -> %7\n}\n";
}

} // namespace

class TestCost : public QObject {
    Q_OBJECT

private slots:
    void figuresAreThoseCountedByHand() {
        const Cost cost = costOfText(chain("2"));
        // 2·2·4·4 of each product, 8 of each of the others.
        QCOMPARE(cost.flops.value(), 64.0 + 4 * 8 + 64);
        // A tensor has 32 bytes, the weights 64: products 32 + 64 + 32 each, relu and exp 32 + 32, add 3·32; the view none.
        QCOMPARE(cost.bytes.value(), 128.0 + 3 * 64 + 96 + 128);
        // %4, which the view keeps, with %8 and %9, then with %9 and %6; %7 is the result.
        QCOMPARE(cost.peakBytes.value(), 96.0);
    }

    void aFusedFunctionKeepsWhatIsWithinIt() {
        const Cost cost = costOfText(R"(module next %30

fn fused(%10: float32[2, 4], %11: float32[4, 4]) -> float32[2, 4] primitive {
  %12 = matmul(%10, %11) : float32[2, 4] @{0}
  %13 = relu(%12) : float32[2, 4] @{1}
  -> %13
}

fn main(%1 "x": float32[2, 4]) -> float32[2, 4] outputs ["y"] {
  %2 = const float32[4, 4] splat [0.5] @{0}
  %3 = call fused(%1, %2) : float32[2, 4] @{0-1}
  %4 = call fused(%3, %2) : float32[2, 4] @{0-1}
  -> %4
}
)");
        QCOMPARE(cost.flops.value(), 2.0 * (64 + 8));
        QCOMPARE(cost.bytes.value(), 2.0 * (32 + 64 + 32));
        QCOMPARE(cost.peakBytes.value(), 32.0);
    }

    void sizesThatAreOpenLeaveFiguresOut() {
        const Cost cost = costOfText(chain("n", "{1..64}"));
        QVERIFY(!cost.flops && !cost.bytes && !cost.peakBytes);
        const Cost control = costOfText(samples::control); // recursion, closures, sizes of data
        QVERIFY(!control.flops && !control.bytes && !control.peakBytes);
    }

    void loopsCountTheirTurnsAndBranchesTheDearerOne() {
        const Cost cost = costOfText(R"(module next %30

fn main(%1 "x": float32[8], %2 "flag": bool[]) -> float32[8] outputs ["y"] {
  %3 = const int64[] [5] @{0}
  %4 = loop %3 while _ (%5: int64[], %6: float32[8] = %1) scans 0 {
    %7 = add(%6, %6) : float32[8] @{1}
    %8 = tuple(%7) : (float32[8]) @{1}
    -> %8
  } : (float32[8]) @{1}
  %9 = %4.0 : float32[8] @{1}
  %10 = if %2 {
    %11 = exp(%9) : float32[8] @{2}
    %12 = exp(%11) : float32[8] @{2}
    -> %12
  } else {
    %13 = exp(%9) : float32[8] @{2}
    -> %13
  } : float32[8] @{2}
  -> %10
}
)");
        QCOMPARE(cost.flops.value(), 5.0 * 8 + 2 * 8);
    }

    void operatorsHaveTheirOwnRules_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<double>("flops");
        // A convolution: 2·(3·3·8 channels) an element of [1, 4, 6, 6].
        QTest::newRow("conv") << "conv(%1, %2) {strides=[1, 1], dilations=[1, 1], before=[0, 0], after=[0, 0]} : "
                                 "float32[1, 4, 6, 6]"
                              << 2.0 * 72 * 144;
        QTest::newRow("mean") << "reduce(%1) {kind=\"mean\", axes=[2, 3]} : float32[1, 8]" << 512.0;
        QTest::newRow("transpose") << "transpose(%1) {axes=[0, 2, 3, 1]} : float32[1, 8, 8, 8]" << 0.0;
        QTest::newRow("einsum") << "einsum(%1, %2) {equation=\"bchw,oc...->bohw...\"} : float32[1, 4, 8, 8, 3, 3]"
                                << 2.0 * 8 * 64 * 4 * 9;
        QTest::newRow("shape") << "shape_of(%1) : int64[4]" << 0.0;
    }
    void operatorsHaveTheirOwnRules() {
        QFETCH(QString, call);
        QFETCH(double, flops);
        const QString type = call.section(" : ", -1);
        const QString text =
            QStringLiteral("module next %9\n\nfn main(%1 \"x\": float32[1, 8, 8, 8], %2 \"w\": float32[4, "
                           "8, 3, 3]) -> ") +
            type + " outputs [\"y\"] {\n  %3 = " + call + " @{0}\n  -> %3\n}\n";
        QCOMPARE(costOfText(text.toStdString()).flops.value(), flops);
    }
};

Test test() {
    return {makes<TestCost>};
}

} // namespace lathe::testing::test_cost

#include "test_cost.moc"
