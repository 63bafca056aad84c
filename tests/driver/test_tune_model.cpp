// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// Tuning a model from the beginning to the end: whoever cancels before there is a study waits for no compilation, and limits are
// those of the whole.
#include "driver/tune_model.h"
#include "support/onnx_model.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lathe;
using namespace lathe::testing;

class TestTuneModel : public QObject {
    Q_OBJECT

private slots:
    void cancelledWhileItCompiles() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        const std::string model = folder.filePath("model.onnx").toStdString();
        writeFile(model, graphBytes("g (float[8,8] x) => (float[8,8] y) { y = MatMul (x, x) }"));
        driver::TuneOptions options;
        options.runner.cancelled = [] { return true; };
        int stages = 0;
        driver::Progress progress;
        progress.report = [&](std::string_view, double) { ++stages; };
        const auto tuned = driver::tuneModel(model, options, {}, progress);
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
        const auto none = driver::nothingMeasured(study, "model.onnx");
        QVERIFY(none && none->what == "nothing was measured" && none->hint.contains("more time"));
        QVERIFY(!driver::hadNothingLeft(study));
        for (const tune::Done done : {tune::Done::Exhausted, tune::Done::Settled}) {
            state.done = done;
            QVERIFY(driver::hadNothingLeft(study) && !driver::nothingMeasured(study, "model.onnx"));
        }
        tune::TaskState& other = study.tasks.emplace_back();
        other.task.kernel = "sum";
        QVERIFY(!driver::hadNothingLeft(study) && driver::nothingMeasured(study, "model.onnx"));
        other.trials.emplace_back().verdict = tune::Verdict::BuildTimeout;
        other.done = tune::Done::Exhausted;
        const auto slow = driver::nothingMeasured(study, "model.onnx");
        QVERIFY(slow && slow->what.contains("1 of 1 build timeout"));
        QVERIFY2(slow->hint.contains("less busy") && slow->hint.contains("--kernel sum"), slow->hint.c_str());
        other.trials.front().verdict = tune::Verdict::Measured;
        QVERIFY(!driver::hadNothingLeft(study) && !driver::nothingMeasured(study, "model.onnx"));
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
        driver::TuneOptions options;
        options.runner.threads = 1;
        options.control = std::make_shared<tune::Control>();
        options.plan.time = std::chrono::seconds(200);
        options.plan.trials = 100;
        options.plan.batch = 4;
        double seconds = 0;
        bool goesBack = false;
        const auto tuned = driver::tuneModel(model, options, [&](const tune::Study& study, const tune::Event&) {
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
};

QTEST_GUILESS_MAIN(TestTuneModel)
#include "test_tune_model.moc"
