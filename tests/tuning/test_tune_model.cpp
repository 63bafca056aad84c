// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// Tuning a model from the beginning to the end: whoever cancels before there is a study waits for no compilation, limits are
// those of the whole, and what is said to be applied is what the decisions have.
#include "driver/extensions.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "tuning/tune_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_tune_model {

class TestTuneModel : public QObject {
    Q_OBJECT

private slots:
    void cancelledWhileItCompiles() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        writeFile(model, graphBytes("g (float[8,8] x) => (float[8,8] y) { y = MatMul (x, x) }"));
        tuning::TuneOptions options;
        options.runner.cancelled = [] { return true; };
        int stages = 0;
        driver::Progress progress;
        progress.report = [&](std::string_view, double) { ++stages; };
        const auto tuned = tuning::tuneModel(model, options, {}, progress);
        QVERIFY(!tuned && tuned.error().kind == ErrorKind::Cancelled);
        QVERIFY2(stages <= 2, qPrintable(QString::number(stages)));
    }

    /// That a study measured something before it went on is no success of today, unless there is nothing left to try.
    void whatAStudyThatGoesOnHasMeasured() {
        tune::Study study;
        tune::TaskState& state = study.tasks.emplace_back();
        state.task.kernel = "product";
        state.trials.resize(3);
        state.known = 3;
        const auto none = tuning::nothingMeasured(study, "model.onnx");
        QVERIFY(none && none->what == "nothing was measured" && none->hint.contains("more time"));
        QVERIFY(!tuning::hadNothingLeft(study));
        for (const tune::Done done : {tune::Done::Exhausted, tune::Done::Settled}) {
            state.done = done;
            QVERIFY(tuning::hadNothingLeft(study) && !tuning::nothingMeasured(study, "model.onnx"));
        }
        tune::TaskState& other = study.tasks.emplace_back();
        other.task.kernel = "sum";
        QVERIFY(!tuning::hadNothingLeft(study) && tuning::nothingMeasured(study, "model.onnx"));
        other.trials.emplace_back().verdict = tune::Verdict::BuildTimeout;
        other.done = tune::Done::Exhausted;
        const auto slow = tuning::nothingMeasured(study, "model.onnx");
        QVERIFY(slow && slow->what.contains("1 of 1 build timeout"));
        QVERIFY2(slow->hint.contains("less busy") && slow->hint.contains("--kernel sum"), slow->hint.c_str());
        other.trials.front().verdict = tune::Verdict::Measured;
        QVERIFY(!tuning::hadNothingLeft(study) && !tuning::nothingMeasured(study, "model.onnx"));
    }

    /// Of the schedules and of what the graph's choices make of them.
    void limitsThatAreWishedMeanwhile() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        auto made = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[48,64] x) => (float[48,96] y) "
                               "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(made, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(model, made.SerializeAsString());
        tuning::TuneOptions options;
        options.runner.threads = 1;
        options.control = std::make_shared<tune::Control>();
        options.plan.time = std::chrono::seconds(200);
        options.plan.trials = 100;
        options.plan.batch = 4;
        double seconds = 0;
        bool goesBack = false;
        const auto tuned = tuning::tuneModel(model, options, [&](const tune::Study& study, const tune::Event&) {
            goesBack |= study.seconds < seconds;
            seconds = study.seconds;
            if (study.trials == 4)
                options.control->setLimits({.seconds = 200, .trials = 10});
        });
        QVERIFY2(tuned, tuned ? "" : toString(tuned.error()).c_str());
        QVERIFY(tuned->graph && !tuned->failed);
        QCOMPARE(tuned->study.trials, int64_t(10));
        size_t tried = 0;
        for (const tune::TaskState& state : tuned->study.tasks)
            tried += state.trials.size() - std::max<size_t>(state.known, 1);
        QCOMPARE(tried, size_t(10));
        QVERIFY(!goesBack && tuned->study.seconds >= seconds);
    }

    /// A space that a plugin adds is searched as the others are.
    void aSpaceThatIsAdded() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        writeFile(model, graphBytes("g (float[64,96] x) => (float[64,96] y) { a = Mul (x, x) y = Add (a, x) }"));
        auto extensions = std::make_shared<driver::Extensions>();
        const auto inParts = [](const schedule::Schedule& start, const Target&, int) {
            schedule::Schedule made = start;
            const schedule::BlockRef block = made.blocks().back();
            const schedule::Number parts = made.choose(block, "parts", {2, 4, 8, 16}, 2);
            made.parallel(made.split(made.loops(block).front(), {-1, parts}).front());
            return made;
        };
        extensions->spaces = {{.name = "acme/parts", .schedule = inParts}};
        tuning::TuneOptions options;
        options.compile.extensions = extensions;
        options.space = "acme/parts";
        options.graph = false;
        options.runner.threads = 1;
        options.plan.time = std::chrono::seconds(100);
        options.plan.trials = 4;
        options.plan.search = "random";
        const auto tuned = tuning::tuneModel(model, options);
        QVERIFY2(tuned, tuned ? "" : toString(tuned.error()).c_str());
        std::set<std::vector<int64_t>> answered;
        for (const tune::TaskState& state : tuned->study.tasks)
            for (const tune::Trial& trial : state.trials)
                for (const auto& [question, answer] : trial.candidate.answers)
                    if (question.ends_with(".parts"))
                        answered.insert(answer);
        QVERIFY(answered.size() > 1);
        options.compile.extensions = nullptr;
        const auto none = tuning::tuneModel(model, options);
        QVERIFY(!none && none.error().what.contains("acme/parts"));
    }

    /// One kernel, called at two sizes in each of the model's: the largest comes first, wherever it is called.
    void allSizesOfAKernel() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string path = folder.filePath("model.onnx").toStdString();
        auto made = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[m,64] a, float[n,64] b) => "
                               "(float[m,96] y, float[n,96] z) { y = MatMul (a, w) z = MatMul (b, w) }");
        addWeights(made, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(path, made.SerializeAsString());
        driver::Session session(path);
        tuning::TuneOptions options;
        options.runner.threads = 1;
        options.sizes = inspect::SweepQuestion{"n", {64, 7}};
        const auto model = tuning::wholeModel(session, {}, {}, options.runner);
        QVERIFY2(model, model ? "" : toString(model.error()).c_str());
        const auto samples = tuning::samplesOf(**model, options);
        QVERIFY2(samples && samples->size() == 2, samples ? "" : toString(samples.error()).c_str());
        const auto profile = inspect::profile(*(*model)->runner, (*model)->loaded, (*model)->trace,
                                              (*model)->inputs.shapes, {.mostRuns = 3});
        QVERIFY2(profile, profile ? "" : toString(profile.error()).c_str());
        std::vector<std::string> leftOut;
        const auto tasks = tuning::tuningTasks((*model)->trace, *profile, {}, 1, *samples, leftOut);
        QCOMPARE(tasks.size(), size_t(1));
        QCOMPARE(tasks[0].calls, 2.0);
        QVERIFY(tasks[0].sizes == std::vector<int64_t>{64});
        QVERIFY((tasks[0].otherSizes == std::vector<std::vector<int64_t>>{{7}, {1}}));
        QVERIFY(leftOut.empty());
        QVERIFY(tuning::tuningTasks((*model)->trace, *profile, {}, 1, {}, leftOut).empty());
        QCOMPARE(leftOut, std::vector<std::string>{tasks[0].kernel});
    }

    void whatIsAppliedIsInTheDecisions() {
        tuning::Tuned tuned;
        tune::TaskState& state = tuned.study.tasks.emplace_back();
        state.task.workload = "w";
        QVERIFY(!tuned.applied(state)); // not looked at
        for (const char* trace : {"loops blocks(#0) gives(0)\n", "loops blocks(#0) gives(0, 1)\n",
                                  "loops blocks(#0) gives(0, 1)\nparallel loops(0)\n"}) {
            tune::Trial& trial = state.trials.emplace_back();
            trial.candidate.trace = *schedule::parseTrace(trace);
            trial.accepted = state.trials.size() > 1;
        }
        state.best = 2;
        QVERIFY(!tuned.applied(state));
        lower::ScheduleDecisions& decided = tuned.decisions.kernels["w"];
        decided.trace = state.trials[2].candidate.trace;
        QVERIFY(tuned.applied(state) == &state.trials[2]);
        decided.trace = state.trials[1].candidate.trace; // of before the graph was looked at
        QVERIFY(tuned.applied(state) == &state.trials[1]);
        decided.trace = state.trials[0].candidate.trace; // by default, and by who wished it
        QVERIFY(!tuned.applied(state));
        decided.trace.reset();
        QVERIFY(!tuned.applied(state));
    }

    /// Loops as they come are far slower than the default.
    void whatGoesBackSaysSo() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        writeFile(model, graphBytes("g (float[192,192] x) => (float[192,192] y) { y = MatMul (x, x) }"));
        driver::Session session(model);
        device::RunnerOptions runner;
        runner.threads = 1;
        const auto before = tuning::wholeModel(session, {}, {}, runner);
        QVERIFY2(before, before ? "" : toString(before.error()).c_str());
        const auto kernel = std::ranges::find_if((*before)->trace.kernels, &driver::KernelRecord::schedulable);
        QVERIFY(kernel != (*before)->trace.kernels.end());
        tune::Study study;
        tune::TaskState& state = study.tasks.emplace_back();
        state.task.workload = kernel->workload;
        state.task.kernel = kernel->name;
        state.trials.resize(2);
        state.trials[1].candidate.trace = *schedule::parseTrace("loops blocks(#0) gives(0, 1, 2)\n");
        state.trials[1].accepted = true;
        state.best = 1;
        const auto held = tuning::holdInPlace(session, **before, {}, study, {}, runner);
        QVERIFY2(held, held ? "" : toString(held.error()).c_str());
        QVERIFY(*held == driver::Decisions());
        QVERIFY(state.trials[1].inPlace == tune::InPlace::TakenBack);
        QVERIFY(state.trials[0].inPlace == tune::InPlace::Unknown);
    }
};

Test test() {
    return {makes<TestTuneModel>};
}

} // namespace lathe::testing::test_tune_model

#include "test_tune_model.moc"
