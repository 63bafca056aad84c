// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// One kernel as an artifact: it computes what it should at any sizes, refuses sizes that contradict its inputs, and is timed
// by the runner's bench.
#include "device/runner_client.h"
#include "driver/kernel_artifact.h"
#include "lower/pipeline.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"
#include "te/te.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_kernel_artifact {

namespace {

/// y[i] = sum over j of x[i, j]; rows and columns are scalars.
tir::PrimFuncPtr sums() {
    const arith::Var rows = arith::symbol("rows", 0, 4096), columns = arith::symbol("columns", 0, 4096);
    auto x = te::placeholder("x", types::Float32, {rows, columns});
    auto y = te::reduce(
        "y", {rows}, te::ReduceKind::Sum, {columns}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); }, 0);
    return te::toTir("sums", {x}, {y}, {rows, columns});
}

} // namespace

class TestKernelArtifact : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    std::filesystem::path path_;
    driver::Options options_;
    device::RunnerOptions runnerOptions_;

    /// The stages of the kernel when it is compiled under these decisions; none if that fails.
    std::set<std::string> stagesUnder(const driver::Decisions& decisions) {
        std::set<std::string> stages;
        if (const auto made = driver::compileKernelAlone(sums(), "sums", true, decisions, options_))
            for (const auto& [stage, function] : (*made)->record.stages)
                stages.insert(stage);
        return stages;
    }
    Result<void> setPlan(device::RunnerClient& runner, const std::vector<int64_t>& plan) {
        return runner.setInput("plan", tensorOf(types::Int64, {std::ssize(plan)}, plan));
    }
    Result<void> setRows(device::RunnerClient& runner, int64_t rows, int64_t columns) {
        std::vector<float> x(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>(i % 17);
        return runner.setInput("x", tensorOf(types::Float32, {rows, columns}, x));
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        path_ = temporary_.filePath("sums.so").toStdString();
        runnerOptions_.program = LATHE_BINARY_DIR "/lathe-runner";
        options_.target = *codegen::parseTarget("x86-64-v3");
        options_.verify = true;
        const auto made = driver::compileKernelAlone(sums(), "sums", true, {}, options_);
        QVERIFY2(made, made ? "" : toString(made.error()).c_str());
        QVERIFY(!(*made)->record.workload.empty() && !(*made)->record.schedule.trace.steps.empty());
        const auto written = driver::writeKernelArtifact(std::span(&*made, 1), options_, path_);
        QVERIFY2(written, written ? "" : toString(written.error()).c_str());
    }

    void computesAtAllSizes() {
        device::RunnerClient runner(runnerOptions_);
        const auto loaded = runner.load(path_);
        QVERIFY2(loaded, loaded ? "" : toString(loaded.error()).c_str());
        for (const auto& [rows, columns] : {std::pair{1, 1}, {5, 40}, {64, 100}, {3, 0}, {0, 3}}) {
            QVERIFY(setRows(runner, rows, columns));
            QVERIFY(setPlan(runner, {0, 3, rows, columns}));
            const auto run = runner.run();
            QVERIFY2(run, run ? "" : toString(run.error()).c_str());
            const auto output = runner.output(0);
            QVERIFY(output && output->shape == std::vector<int64_t>{rows});
            std::vector<float> expected(static_cast<size_t>(rows));
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j)
                    expected[static_cast<size_t>(i)] += static_cast<float>((i * columns + j) % 17);
            QCOMPARE(valuesOf<float>(*output), expected);
        }
    }

    void severalComputeTheSameByTurns() {
        driver::Decisions plain;
        plain.skipPasses = {"schedule"};
        std::vector<driver::CompiledKernelPtr> kernels;
        for (const auto& [name, decisions] : {std::pair{"scheduled", driver::Decisions{}}, {"plain", plain}}) {
            auto made = driver::compileKernelAlone(sums(), name, true, decisions, options_);
            QVERIFY2(made, made ? "" : toString(made.error()).c_str());
            kernels.push_back(std::move(*made));
        }
        const std::filesystem::path path = temporary_.filePath("two.so").toStdString();
        const auto written = driver::writeKernelArtifact(kernels, options_, path);
        QVERIFY2(written, written ? "" : toString(written.error()).c_str());
        device::RunnerClient runner(runnerOptions_);
        QVERIFY(runner.load(path));
        QVERIFY(setRows(runner, 5, 40));
        QVERIFY(runner.startProfile());
        for (int64_t which = 0; which < 2; ++which) {
            QVERIFY(setPlan(runner, {which, which + 2, 5, 40}));
            QVERIFY(runner.run());
            const auto output = runner.output(0);
            QVERIFY(output);
            float first = 0; // of 0, 1, … 16, 0, … 16, 0, … 5
            for (int j = 0; j < 40; ++j)
                first += static_cast<float>(j % 17);
            QCOMPARE(valuesOf<float>(*output).front(), first);
        }
        const auto profile = runner.readProfile();
        QVERIFY(profile);
        QCOMPARE(profile->calls.size(), size_t(2));
        QCOMPARE(profile->calls[0].count, 2);
        QCOMPARE(profile->calls[1].count, 3);
    }

    void passesThatAreOffDoNotRun() {
        const std::set<std::string> all = stagesUnder({});
        std::set<std::string> required = {"computation"};
        for (const lower::KernelPass& pass : lower::pipelineOf(lower::CodeKind::Native)) {
            const std::string name(pass.name);
            QVERIFY2(all.contains(name), name.c_str());
            if (pass.required) {
                required.insert(name);
                continue;
            }
            driver::Decisions decisions;
            decisions.skipPasses = {name};
            std::set<std::string> others = all;
            others.erase(name);
            QVERIFY2(stagesUnder(decisions) == others, name.c_str());
        }
        driver::Decisions decisions;
        decisions.optionalLimit = 0;
        QVERIFY(stagesUnder(decisions) == required);
    }

    void sizesThatContradictAreRefused() {
        device::RunnerClient runner(runnerOptions_);
        QVERIFY(runner.load(path_));
        QVERIFY(setRows(runner, 4, 8));
        for (const std::vector<int64_t>& plan : {std::vector<int64_t>{0, 1, 4, 9},
                                                 {0, 1, 5, 8},
                                                 {0, 1, -1, 8},
                                                 {0, 1, 4, 1L << 62},
                                                 {0, 1, 1L << 40, 1L << 40},
                                                 {1, 1, 4, 8},
                                                 {-1, 1, 4, 8}}) {
            QVERIFY(setPlan(runner, plan));
            QVERIFY(!runner.run());
            QVERIFY(runner.outcome() == device::RunnerOutcome::Refused);
        }
        QVERIFY(setPlan(runner, {0, 1, 4, 8}));
        QVERIFY(runner.run());
    }

    void isTimed() {
        device::RunnerClient runner(runnerOptions_);
        device::RunnerBench plan;
        plan.kernel = "sums";
        plan.samples = 5;
        plan.least = std::chrono::milliseconds(2);
        const auto timeOf = [&](int64_t rows, int64_t columns) -> Result<device::RunnerBenchTimes> {
            plan.sizes = {rows, columns};
            LATHE_CHECKED(setRows(runner, rows, columns));
            return runner.bench(plan);
        };
        QVERIFY(!runner.bench(plan)); // nothing is loaded
        QVERIFY(runner.load(path_));
        QVERIFY(!runner.bench(plan)); // no input, no sizes
        const auto small = timeOf(4, 64), large = timeOf(256, 4096);
        QVERIFY2(small && large, small && large ? "" : toString((small ? large : small).error()).c_str());
        QCOMPARE(small->samples.size(), size_t(5));
        // A call of 256 elements is far shorter than a sample, one of 2^20 far longer than that.
        QVERIFY(small->calls > 10 && small->calls > large->calls);
        const auto leastOf = [](const device::RunnerBenchTimes& times) {
            return std::ranges::min(times.samples, {}, &device::RunnerBenchTimes::Sample::ns).ns;
        };
        const double least = leastOf(*small);
        QVERIFY(least > 0 && least * 50 < leastOf(*large));
        // With caches flushed a call takes longer, and there are fewer in a sample.
        plan.flushBytes = 64 << 20;
        const auto cold = timeOf(4, 64);
        QVERIFY(cold && cold->calls < small->calls);
        QVERIFY(leastOf(*cold) > least);
        plan.flushBytes = 0;
        plan.calls = 7;
        const auto counted = timeOf(4, 64);
        QVERIFY(counted && counted->calls == 7);
        const auto probe = runner.probe();
        QVERIFY(probe && probe->computeNs > 0 && probe->readNs > 0);

        plan.kernel = "other";
        QVERIFY(!timeOf(4, 64));
        plan.kernel = "sums";
        plan.sizes = {4, 65};
        QVERIFY(!runner.bench(plan));
        QVERIFY(runner.outcome() == device::RunnerOutcome::Refused);
    }
};

Test test() {
    return {makes<TestKernelArtifact>};
}

} // namespace lathe::testing::test_kernel_artifact

#include "test_kernel_artifact.moc"
