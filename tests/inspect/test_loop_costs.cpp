// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// What the loops of a call cost at the sizes that ran, counted by hand.
#include "inspect/loop_costs.h"

#include "driver/compile.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <stdexcept>

namespace lathe::testing::test_loop_costs {

class TestLoopCosts : public QObject {
    Q_OBJECT

private slots:
    /// A product is an operation an element; x is read and y written.
    void anOpenSizeIsTheOneThatRan() {
        const std::string bytes = graphBytes("g (float[n,8] x) => (float[n,8] y) { y = Mul (x, x) }");
        driver::Options options;
        options.emitCode = false;
        driver::Trace trace;
        const auto made = driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", {}, {}, options, trace);
        QVERIFY2(made, made ? "" : toString(made.error()).c_str());
        QCOMPARE(trace.calls.size(), size_t{1});
        for (const int64_t n : {5, 1000}) {
            const lower::LoopCost cost = inspect::loopCosts(trace, 0, {{"x", {n, 8}}});
            QCOMPARE(cost.flops, std::optional(static_cast<double>(n * 8)));
            QCOMPARE(cost.touched, std::optional<int64_t>(2 * 4 * n * 8));
        }
        const lower::LoopCost open = inspect::loopCosts(trace, 0, {});
        QVERIFY(!open.flops && !open.touched);
        QVERIFY(!open.inside.empty());
    }
};

Test test() {
    return {makes<TestLoopCosts>};
}

} // namespace lathe::testing::test_loop_costs

#include "test_loop_costs.moc"
