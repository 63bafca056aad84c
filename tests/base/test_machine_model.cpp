// SPDX-License-Identifier: Apache-2.0
//
// Figures of machines: what was measured goes before the table by CPU, which goes before what is usual; what follows from them
// is arithmetic.
#include "base/machine_model.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_machine_model {

class TestMachineModel : public QObject {
    Q_OBJECT

private slots:
    void measuredThenTableThenUsual() {
        Target usual, known;
        known.cpu = "cascadelake";
        const MachineModel guessed = machineModel(usual), byCpu = machineModel(known);
        QVERIFY(byCpu.bytesPerMultiplyAdd < guessed.bytesPerMultiplyAdd); // many cores behind a mesh
        QCOMPARE(byCpu.gflops, guessed.gflops);
        const MeasuredRates measured{.bytesPerMultiplyAdd = 0.5, .gflops = 96, .gbs = 20};
        for (const Target& target : {usual, known}) {
            const MachineModel model = machineModel(target, 4, measured);
            QVERIFY(model.target == target);
            QCOMPARE(model.threads, 4);
            QCOMPARE(model.bytesPerMultiplyAdd, 0.5);
            QCOMPARE(model.gflops, 96.0);
            QCOMPARE(model.gbs, 20.0);
        }
        // One figure leaves the others as they are.
        const MachineModel partly = machineModel(known, 1, {.gbs = 20});
        QCOMPARE(partly.bytesPerMultiplyAdd, byCpu.bytesPerMultiplyAdd);
        QCOMPARE(partly.gbs, 20.0);
    }

    /// Two units of 8 lanes, two operations each, at 3 GHz.
    void clockFromThePeak() {
        const MachineModel model = machineModel(Target{}, 1, {.gflops = 2.0 * 8 * 2 * 3});
        QCOMPARE(model.lanes(32), 8.0);
        QCOMPARE(model.lanes(64), 4.0);
        QCOMPARE(model.gigahertz(), 3.0);
    }

    void multiplyAdds_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("fused");
        QTest::addColumn<double>("aCycle");
        QTest::newRow("two vectors of 4") << 128 << true << 8.0;
        QTest::newRow("products and sums apart") << 128 << false << 4.0;
        QTest::newRow("two vectors of 8") << 256 << true << 16.0;
        QTest::newRow("one vector of 16") << 512 << true << 16.0;
    }
    void multiplyAdds() {
        QFETCH(int, bits);
        QFETCH(bool, fused);
        QFETCH(double, aCycle);
        Target target;
        target.vectorBits = bits;
        target.hasFma = fused;
        const MachineModel model = machineModel(target, 1, {.bytesPerMultiplyAdd = 0.25});
        QCOMPARE(model.multiplyAdds(), aCycle);
        QCOMPARE(model.bytesOfMemory(), aCycle / 4);
    }

    void cachesAreTheTargets() {
        Target target;
        target.l1Bytes = 1000;
        target.l2Bytes = 20'000;
        target.l3Bytes = 300'000;
        const MachineModel model = machineModel(target);
        QCOMPARE(model.cacheBytes(0), 1000.0);
        QCOMPARE(model.cacheBytes(1), 20'000.0);
        QCOMPARE(model.cacheBytes(2), 300'000.0);
    }

    /// 100 GFLOP/s are 10^5 operations a microsecond, 10 GB/s are 10^4 bytes.
    void leastTimes() {
        const Peak peak{.gflops = 100, .gbs = 10};
        QCOMPARE(peak.ridge(), 10.0);
        QCOMPARE(peak.leastUs(1e8, 1e6), 1000.0);
        QCOMPARE(peak.leastUs(1e6, 1e8), 10'000.0);
        QCOMPARE(peak.leastUs(1e6, 1e5), 10.0); // at the ridge both
        QCOMPARE((Peak{.gflops = 0, .gbs = 10}.leastUs(1e8, 1e6)), 100.0);
        QCOMPARE((Peak{}.leastUs(1e8, 1e6)), 0.0);
    }
};

Test test() {
    return {makes<TestMachineModel>};
}

} // namespace lathe::testing::test_machine_model

#include "test_machine_model.moc"
