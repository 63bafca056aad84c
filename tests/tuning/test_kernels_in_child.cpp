// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Runs: release
//
// Kernels that misbehave, in the child that the tuner times candidates in: none is lucky. Each ends as what it did, and the
// next one runs. In release, since a process under sanitizers has no limit of memory.
#include "tuning/kernels_in_child.h"

#include "support/host_tensor.h"
#include "support/processes.h"
#include "support/program_of_tests.h"
#include "tuning/made_up_kernels.h"

#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <sched.h>
#include <unistd.h>

namespace lathe::testing::test_kernels_in_child {

using tune::Verdict;
using tuning::KernelsInChild;

namespace {

const std::string good = loop("Y[i] = X[i] + 1:float32");

} // namespace

class TestKernelsInChild : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    driver::Options options_;
    device::RunnerOptions runner_;

    driver::CompiledKernelPtr compiled(const std::string& body) {
        auto made = driver::compileKernelAlone(kernelOf(body), "kernel", false, {}, options_);
        if (!made)
            qFatal("%s", toString(made.error()).c_str());
        return *made;
    }
    Result<void> load(KernelsInChild& child, const driver::CompiledKernelPtr& kernel) {
        LATHE_TRY(const KernelsInChild::Linked linked, KernelsInChild::link({&kernel, 1}, options_));
        return child.load(linked, *kernelOf(good), {}, KernelsInChild::Inputs::Random);
    }
    static Result<double> time(KernelsInChild& child) {
        LATHE_TRY(const tuning::Timed::Block block, child.block(0, 1));
        return block.us;
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        options_.target = *codegen::parseTarget("x86-64-v3");
        options_.cache = false;
        runner_.program = LATHE_BINARY_DIR "/lathe-runner";
        runner_.threads = 1;
        runner_.timeout = std::chrono::seconds(20);
    }

    void misbehave_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<Verdict>("verdict");
        QTest::addColumn<std::string>("message");
        const std::string outside = "memory outside its buffers";
        // Its last element shares a line of cache with nothing of the output.
        QTest::newRow("writes past the end") << loop("Y[i] = X[0]", 1001) << Verdict::Crashed << outside;
        QTest::newRow("writes far past the end") << loop("Y[i + 1500] = X[i]") << Verdict::Crashed << outside;
        QTest::newRow("writes before the start") << loop("Y[i - 1] = X[i]") << Verdict::Crashed << outside;
        QTest::newRow("reads far past the end") << loop("Y[i] = X[i + 3000]") << Verdict::Crashed << outside;
        QTest::newRow("reads far before the start") << loop("Y[i] = X[i - 3000]") << Verdict::Crashed << outside;
        QTest::newRow("writes into its input")
            << loop("X[i] = 0:float32") + good << Verdict::Wrong << std::string("wrote into an input");
        QTest::newRow("writes anywhere") << loop("Y[i + 100000000000000] = X[i]") << Verdict::Crashed
                                         << std::string("SIG");
        QTest::newRow("hangs") << std::string("  while true {\n    Y[0] = X[0]\n  }\n") << Verdict::RunTimeout
                               << std::string("within");
        QTest::newRow("gives a status") << "  check invalid_value \"no luck\": X[0] > 1e30:float32\n" + good
                                        << Verdict::RunError << std::string("no luck");
        QTest::newRow("wants too much memory") << greedy() << Verdict::RunMemory << std::string("memory");
    }
    void misbehave() {
        QFETCH(std::string, body);
        QFETCH(Verdict, verdict);
        QFETCH(std::string, message);
        KernelsInChild child(runner_);
        const driver::CompiledKernelPtr bad = compiled(body), right = compiled(good);
        for (int round = 0; round < 2; ++round) { // buffers lie the one way, then the other
            QVERIFY(load(child, bad));
            child.expect(1);
            const auto us = time(child);
            QVERIFY(!us);
            QVERIFY2(us.error().what.find(message) != std::string::npos, us.error().what.c_str());
            QVERIFY(child.verdict() == verdict);
            child.expect(0);
        }
        QVERIFY(load(child, right));
        QVERIFY(time(child));
        QVERIFY(!child.verdict());
    }

    /// Ten elements too far is within the page where buffers meet its start, and a fault where they meet its end.
    void eitherEndOfABufferMeetsAGuard() {
        KernelsInChild child(runner_);
        for (const std::string& body : {loop("Y[i] = X[i + 10]"), loop("Y[i] = X[i - 10]")}) {
            const driver::CompiledKernelPtr bad = compiled(body);
            int caught = 0;
            for (int round = 0; round < 2; ++round) {
                QVERIFY(load(child, bad));
                caught += !time(child);
            }
            QCOMPARE(caught, 1);
        }
    }

    void whatIsNotWrittenIsNoNumber() {
        KernelsInChild child(runner_);
        QVERIFY(load(child, compiled(loop("Y[i] = 0:float32", 999))));
        const auto outputs = child.outputs(0);
        QVERIFY(outputs);
        const std::vector<float> values = valuesOf<float>(outputs->front());
        QCOMPARE(values[998], 0.F);
        QVERIFY(std::isnan(values[999]));
    }

    void runsOnCpusOfItsOwn() {
        KernelsInChild child(runner_);
        QVERIFY(load(child, compiled(good)));
        QByteArray allowed;
        for (const qint64 process : descendantsOf(getpid())) {
            QFile status(QString("/proc/%1/status").arg(process));
            if (!status.open(QFile::ReadOnly))
                continue;
            for (const QByteArray& line : status.readAll().split('\n'))
                if (line.startsWith("Cpus_allowed_list:"))
                    allowed = line.mid(18).trimmed();
        }
        cpu_set_t all;
        QCOMPARE(sched_getaffinity(0, sizeof all, &all), 0);
        bool isNumber = false;
        const int cpu = allowed.toInt(&isNumber);
        QVERIFY2(isNumber, allowed.constData());
        QVERIFY(CPU_ISSET(cpu, &all));
        QVERIFY(cpu != 0 || CPU_COUNT(&all) == 1);
    }
};

Test test() {
    return {makes<TestKernelsInChild>};
}

} // namespace lathe::testing::test_kernels_in_child

#include "test_kernels_in_child.moc"
