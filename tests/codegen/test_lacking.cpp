// SPDX-License-Identifier: Apache-2.0
// What a CPU lacks of what code needs, by what the x86-64 psABI, Arm and RISC-V International say of their levels and vectors.
#include "codegen/lacking.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_lacking {

class TestLacking : public QObject {
    Q_OBJECT

private slots:
    void namesWhatIsNotThere_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("cpu");
        QTest::addColumn<std::vector<std::string>>("lacking");
        const QString sve = "aarch64-linux-gnu:neoverse-v1::vector=%1", v = "riscv64-linux-gnu:rv64gcv:+zvl%1b";
        using Names = std::vector<std::string>;
        QTest::newRow("v3 on v2") << "x86-64-v3" << "x86-64-v2"
                                  << Names{"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
        QTest::newRow("v3 without AVX2") << "x86-64-v3" << "x86_64-linux-gnu:x86-64-v3:-avx2" << Names{"avx2"};
        QTest::newRow("v4 on v3") << "x86-64-v4" << "x86-64-v3"
                                  << Names{"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"};
        QTest::newRow("v2 on v4") << "x86-64-v2" << "x86-64-v4" << Names{};
        QTest::newRow("the same x86-64") << "x86-64-v4" << "x86-64-v4" << Names{};
        QTest::newRow("Cortex-A76 on A72")
            << "aarch64-linux-gnu:cortex-a72:+dotprod" << "cortex-a72" << Names{"dotprod"};
        QTest::newRow("SVE of 256 bits on NEON")
            << sve.arg(256) << "aarch64-linux-gnu:neoverse-v1:-sve" << Names{"sve"};
        QTest::newRow("SVE of 256 bits on 512") << sve.arg(256) << sve.arg(512) << Names{"vectors of 256 bits"};
        QTest::newRow("SVE of 256 bits on 256") << sve.arg(256) << sve.arg(256) << Names{};
        QTest::newRow("V on RV64GC") << "rv64gcv" << "rv64gc" << Names{"v"};
        QTest::newRow("RV64GC on V") << "rv64gc" << "rv64gcv" << Names{};
        QTest::newRow("V of 256 bits on 128") << v.arg(256) << "rv64gcv" << Names{"vectors of 256 bits"};
        QTest::newRow("V of 256 bits on 512") << v.arg(256) << v.arg(512) << Names{};
    }
    void namesWhatIsNotThere() {
        QFETCH(QString, target);
        QFETCH(QString, cpu);
        QFETCH(std::vector<std::string>, lacking);
        const auto needs = codegen::parseTarget(target.toStdString()), has = codegen::parseTarget(cpu.toStdString());
        QVERIFY(needs && has);
        QCOMPARE(codegen::lacking(*needs, codegen::requiredOf(*has)), lacking);
    }

    void aMachineLacksNothingOfItself() {
        const Target native = codegen::nativeTarget();
        QCOMPARE(codegen::lacking(native, codegen::requiredOf(native)), std::vector<std::string>());
        QVERIFY(codegen::checkRunsHere(native));
    }
};

Test test() {
    return {makes<TestLacking>};
}

} // namespace lathe::testing::test_lacking

#include "test_lacking.moc"
