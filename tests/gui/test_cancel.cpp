// SPDX-License-Identifier: GPL-3.0-or-later
// Cancelling at random moments of opening, compiling and running: each ends soon, by CPU time of the working threads (a
// measurement asks for 200 ms), whatever else the machine does, and the engine is as usable as before; a window closes
// soon, too.
// $LATHE_CANCEL_MODEL and $LATHE_CANCEL_TIMES make of it a measurement with another model:
//   LATHE_CANCEL_MODEL=bert.onnx LATHE_CANCEL_TIMES=200 test_gui cancel
// Needs: lathe-runner samples
// Timeout: 900
// Runs: release sanitized
#include "app/engine.h"
#include "app/main_window.h"
#include "app/run_wish.h"
#include "relay/text.h"
#include "support/cpu_time.h"
#include "support/fixtures.h"
#include "support/model_file.h"
#include "support/program_of_tests.h"
#include "support/transformer_graph.h"
#include "views/models/passes/comparison.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <optional>
#include <random>

namespace lathe::testing::test_cancel {

using app::Engine;

namespace {

constexpr int patience = 280'000; // ms: under sanitizers on a busy machine

/// Of all threads but the one that asks.
double cpuSecondsElsewhere() {
    return cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpuSeconds();
}

/// What the engine has said, counted on the thread of the test.
struct Answers : QObject {
    explicit Answers(Engine& engine) {
        connect(&engine, &Engine::idle, this, [this] { ++idle; });
        connect(&engine, &Engine::cancelled, this, [this] { ++cancelled; });
        connect(&engine, &Engine::opened, this, [this] { ++given; });
        connect(&engine, &Engine::compiled, this, [this](const QString&, const app::CompilationPtr& made) {
            ++given;
            compilation = made;
        });
        connect(&engine, &Engine::ran, this,
                [this](const std::vector<app::CompilationPtr>&, const std::vector<inspect::Profile>&,
                       const std::vector<Diagnostic>& found) {
                    ++given;
                    problems = found;
                });
    }
    void forget() {
        idle = given = cancelled = 0;
        problems.clear();
    }
    int idle = 0, given = 0, cancelled = 0;
    app::CompilationPtr compilation; // the last one
    std::vector<Diagnostic> problems;
};

} // namespace

class TestCancel : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;

private slots:
    void initTestCase() {
        qputenv("LATHE_RUNNER", LATHE_BINARY_DIR "/lathe-runner");
        qputenv("LATHE_CACHE", folder_.filePath("cache").toUtf8());
        qputenv("XDG_CONFIG_HOME", folder_.filePath("settings").toUtf8());
        model_ = qEnvironmentVariable("LATHE_CANCEL_MODEL", LATHE_BINARY_DIR "/../samples/small_cnn.onnx");
    }

    void endsSoonAtRandomMoments() {
        const int asked = qEnvironmentVariableIntValue("LATHE_CANCEL_TIMES"), times = asked > 0 ? asked : 15;
        const double limit = asked > 0 ? 0.2 : 2; // seconds; not a measurement, under sanitizers on a busy machine
        Engine engine;
        Answers answers(engine);
        driver::Options uncached;
        uncached.cache = false; // each compilation does all of the work
        const auto start = [&](Engine& used, int phase) {
            if (phase == 0)
                used.open(model_);
            else if (phase == 1)
                used.compile(uncached);
            else
                used.run({answers.compilation}, 0, {});
        };
        // Whole, for the times that the moments are drawn from; what is compiled is run afterwards.
        qint64 whole[3];
        for (int phase = 0; phase < 3; ++phase) {
            QElapsedTimer timer;
            timer.start();
            answers.forget();
            start(engine, phase);
            QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
            whole[phase] = timer.elapsed();
            QCOMPARE(answers.given, 1);
            QVERIFY(answers.problems.empty());
        }

        std::mt19937 random(11);
        double worst[3] = {};
        qint64 longestRun = 0;
        int cancelled[3] = {};
        for (int i = 0; i < times; ++i) {
            const int phase = i % 3;
            // What is opened takes the place of the model that the other phases compile and run.
            std::optional<Engine> other;
            Engine& used = phase == 0 ? other.emplace() : engine;
            Answers said(used);
            const auto moment = qint64(random() % unsigned(whole[phase] + 1));
            start(used, phase);
            QTest::qWait(int(moment));
            const double before = cpuSecondsElsewhere();
            QElapsedTimer timer;
            timer.start();
            used.cancel();
            QTRY_VERIFY_WITH_TIMEOUT(said.idle == 1, patience);
            worst[phase] = std::max(worst[phase], cpuSecondsElsewhere() - before);
            // The wish was dropped before it began, or it has one answer.
            QVERIFY(said.cancelled + said.given <= 1);
            cancelled[phase] += said.cancelled;
            if (phase == 2)
                longestRun = std::max(longestRun, timer.elapsed());
        }
        qInfo("%d moments; %d + %d + %d ended early; CPU time of other threads after cancelling, at most: open %.0f "
              "ms, compile %.0f ms, run %.0f ms",
              times, cancelled[0], cancelled[1], cancelled[2], worst[0] * 1e3, worst[1] * 1e3, worst[2] * 1e3);
        for (const double most : worst)
            QVERIFY(most <= limit);
        // The thread waits for the child that runs: that it did not wait for the end shows in the time alone.
        QVERIFY(longestRun < 1'800); // of two seconds at least

        // What has just begun never comes to its answer.
        for (const int phase : {1, 2}) {
            const auto early = connect(&engine, &Engine::progress, &engine, [&] { engine.cancel(); });
            answers.forget();
            start(engine, phase);
            QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
            QCOMPARE(answers.cancelled, 1);
            disconnect(early);
        }

        // As usable as before: what was compiled first is still there.
        answers.forget();
        start(engine, 2);
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
        QCOMPARE(answers.given, 1);
        QVERIFY(answers.problems.empty());
    }

    void whatIsDroppedBeforeItBeginsEndsToo() {
        Engine engine;
        Answers answers(engine);
        for (int i = 0; i < 100; ++i) {
            answers.forget();
            engine.open(model_);
            engine.cancel();
            QTRY_VERIFY_WITH_TIMEOUT(!engine.isBusy() && answers.idle >= 1, patience);
        }
    }

    void aCancelledOpeningLeavesTheModelBefore() {
        Engine engine;
        Answers answers(engine);
        engine.open(model_);
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
        const QString other = folder_.filePath("other.onnx"); // so large that it is not open before it is cancelled
        const auto graph = transformerGraph(10'000, true, {.tokens = 16, .width = 32, .heads = 2, .words = 100});
        writeFile(other.toStdString(), modelFile(*graph));
        const auto early = connect(&engine, &Engine::progress, &engine, [&] { engine.cancel(); });
        answers.forget();
        engine.open(other);
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
        QCOMPARE(answers.cancelled, 1);
        disconnect(early);
        QString compiled;
        connect(&engine, &Engine::compiled, this, [&](const QString& path) { compiled = path; });
        engine.compile();
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 2, patience);
        QCOMPARE(compiled, model_);
    }

    void workThatDoesNotListenHoldsNobodyUp() {
        std::atomic<bool> release = false, ended = false;
        { // whoever waited for the work would wait for ever
            app::Lane lane;
            std::atomic<bool> started = false;
            lane.enqueue(0, [&](const app::Cancelled&) {
                started = true;
                while (!release)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ended = true;
            });
            QTRY_VERIFY(started);
            QVERIFY(!lane.finish(std::chrono::milliseconds(50)));
        }
        QVERIFY(!ended);
        release = true;
        QTRY_VERIFY(ended);
    }

    void comparingDoesNotWaitForACompilation() {
        Engine engine;
        Answers answers(engine);
        app::TracePtr trace;
        connect(&engine, &Engine::compiled, this,
                [&](const QString&, const app::CompilationPtr& made) { trace = {made, &made->trace()}; });
        bool compared = false, comparedFirst = false;
        connect(&engine, &Engine::compared, this, [&] {
            compared = true;
            comparedFirst = answers.given == 0;
        });
        engine.open(model_);
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1, patience);
        engine.compile();
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 2 && trace, patience);
        driver::Options uncached;
        uncached.cache = false;
        answers.forget();
        engine.compile(uncached);
        engine.compare(trace, 1, {});
        QTRY_VERIFY_WITH_TIMEOUT(answers.idle == 1 && compared, patience);
        QVERIFY(comparedFirst);
    }

    /// Those of many large modules take seconds.
    void comparingDoesNotWaitForFigures() {
        std::string text = "module next %3000\n\nfn main(%1 \"x\": float32[4]) -> float32[4] outputs [\"y\"] {\n";
        for (int i = 2; i <= 2000; ++i)
            text += "  %" + std::to_string(i) + " = exp(%" + std::to_string(i - 1) + ") : float32[4] @{0}\n";
        const auto module = relay::parse(text + "  -> %2000\n}\n", {});
        QVERIFY(module.has_value());
        const auto trace = std::make_shared<driver::Trace>();
        trace->passes.resize(5000);
        for (driver::PassRecord& record : trace->passes)
            record.before = record.after = std::make_shared<relay::Module>(*module);
        Engine engine;
        bool compared = false, figured = false;
        connect(&engine, &Engine::compared, this, [&](const app::TracePtr& of) { compared = of == trace; });
        connect(&engine, &Engine::figured, this, [&] { figured = true; });
        engine.figure(trace);
        engine.compare(trace, 1, {});
        QTRY_VERIFY_WITH_TIMEOUT(compared, patience);
        QVERIFY(!figured && engine.isLooking());
        // Another Trace takes their place.
        const auto other = std::make_shared<driver::Trace>();
        app::TracePtr last;
        connect(&engine, &Engine::figured, this, [&](const app::TracePtr& of) { last = of; });
        engine.figure(other);
        QTRY_VERIFY_WITH_TIMEOUT(last, patience);
        QCOMPARE(last, app::TracePtr(other));
    }

    void newerWishesTakeTheQueuedOnesPlace() {
        app::Lane lane;
        std::atomic<int> sum = 0;
        std::atomic<bool> release = false, running = false;
        lane.enqueue(0, [&](const app::Cancelled&) {
            running = true;
            while (!release)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        QTRY_VERIFY(running);
        lane.enqueue(1, [&](const app::Cancelled&) { sum += 1; });
        lane.enqueue(2, [&](const app::Cancelled&) { sum += 10; });
        lane.enqueue(1, [&](const app::Cancelled&) { sum += 100; });
        release = true;
        QTRY_COMPARE(sum.load(), 110);
    }

    /// What runs is told to end by a wish of its own kind alone.
    void aWishMayReplaceWhatRuns() {
        app::Lane lane;
        std::atomic<int> begun = 0, ended = 0;
        std::atomic<bool> release = false;
        const auto untilCancelled = [&](const app::Cancelled& cancelled) {
            ++begun;
            while (!cancelled() && !release)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ended += cancelled() ? 1 : 100;
        };
        lane.replace(1, untilCancelled);
        QTRY_COMPARE(begun.load(), 1);
        lane.replace(1, untilCancelled);
        QTRY_COMPARE(begun.load(), 2);
        QCOMPARE(ended.load(), 1);
        lane.replace(2, untilCancelled);
        lane.replace(2, untilCancelled); // in the place of the one that waits
        QTest::qWait(20);
        QCOMPARE(begun.load(), 2); // it waits for what runs
        release = true;
        QTRY_COMPARE(ended.load(), 201);
    }

    void windowClosesWhileItCompiles() {
        double before = 0;
        {
            app::MainWindow window;
            window.show();
            QSignalSpy settled(&window, &app::MainWindow::settled);
            window.open(model_);
            QVERIFY(settled.wait(patience));
            window.compile();
            QTest::qWait(100);
            before = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
            window.close();
        }
        const double seconds = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - before;
        qInfo("closed after %.1f s of CPU time", seconds);
        QVERIFY(seconds < 10); // under sanitizers; else within one
    }
};

Test test() {
    return {makes<TestCancel>, Application::Window};
}

} // namespace lathe::testing::test_cancel

#include "test_cancel.moc"
