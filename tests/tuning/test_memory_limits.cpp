// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Runs: release
//
// What wants more memory than it may have costs one candidate: the builder's verdict and the bench's. In release, since a process
// under sanitizers has no limit of memory.
#include "support/program_of_tests.h"
#include "tuning/kernel_bench.h"
#include "tuning/kernel_builders.h"
#include "tuning/made_up_kernels.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_memory_limits {

using namespace lathe::tuning;
using tune::Verdict;

class TestMemoryLimits : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    driver::Options options_;
    tune::Task task_;

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        qputenv("LATHE_BUILDER", LATHE_BINARY_DIR "/lathe");
        options_.cache = false;
        task_.workload = task_.kernel = "f";
        task_.computation = kernelOf(loop("Y[i] = X[i] + 1:float32"));
    }

    void ofABuilder() {
        BuilderOptions options;
        options.count = 1;
        options.bytes = 1 << 20; // it has more already
        KernelBuilders builders(options_, options);
        const std::vector<WantedKernel> wanted{{"kernel", nullptr}};
        const auto built = builders.make(task_, wanted);
        QVERIFY2(built && !built->front().kernel, built ? "" : toString(built.error()).c_str());
        QVERIFY2(built->front().verdict == Verdict::BuildMemory, built->front().message.c_str());
    }

    void ofAKernel() {
        device::RunnerOptions runner;
        runner.program = LATHE_BINARY_DIR "/lathe-runner";
        runner.threads = 1;
        auto made = std::make_unique<MadeUpKernels>(options_, loop("Y[i] = X[i] + 1:float32"));
        std::vector<tune::Candidate> candidates(2);
        candidates[0].program = {7, 1};
        candidates[1].program = {7, 2};
        made->bodies["candidate_" + toString(candidates[0].program)] = greedy();
        KernelBench bench(options_, runner, std::move(made));
        const tune::Candidate incumbent;
        const auto trials = bench.screen(task_, &incumbent, candidates);
        QVERIFY2(trials, trials ? "" : toString(trials.error()).c_str());
        QVERIFY2((*trials)[0].verdict == Verdict::RunMemory, (*trials)[0].message.c_str());
        QVERIFY2((*trials)[1].us > 0, (*trials)[1].message.c_str()); // those beside it are timed
    }
};

Test test() {
    return {makes<TestMemoryLimits>};
}

} // namespace lathe::testing::test_memory_limits

#include "test_memory_limits.moc"
