// SPDX-License-Identifier: GPL-3.0-or-later
// Cancelling at random moments of opening, compiling and running: each ends within 200 ms of CPU time of the working thread,
// whatever else the machine does, and the engine is as usable as before; a window closes within a second.
// $LATHE_CANCEL_MODEL and $LATHE_CANCEL_TIMES make of it a measurement with another model:
//   LATHE_CANCEL_MODEL=bert.onnx LATHE_CANCEL_TIMES=200 test_gui_cancel
// Needs: lathe-runner samples
// Timeout: 900
#include "app/engine.h"
#include "app/main_window.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <ctime>
#include <pthread.h>
#include <random>

using namespace lathe;
using app::Engine;

namespace {

constexpr int patience = 280'000; // ms: under sanitizers on a busy machine

double seconds(const timespec& time) {
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

/// CPU time of the thread on which the engine's signals are given.
class WorkingThread {
public:
    explicit WorkingThread(Engine& engine) {
        const auto note = [this] {
            clockid_t clock = 0;
            if (pthread_getcpuclockid(pthread_self(), &clock) == 0)
                clock_ = clock;
            known_ = true;
        };
        QObject::connect(&engine, &Engine::progress, &engine, note, Qt::DirectConnection);
        QObject::connect(&engine, &Engine::idle, &engine, note, Qt::DirectConnection);
    }
    double cpuSeconds() const {
        timespec time{};
        if (known_)
            clock_gettime(clock_, &time);
        return seconds(time);
    }

private:
    std::atomic<clockid_t> clock_ = 0;
    std::atomic<bool> known_ = false;
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
        model_ = qEnvironmentVariable("LATHE_CANCEL_MODEL", LATHE_BINARY_DIR "/../samples/small_transformer.onnx");
    }

    void endsSoonAtRandomMoments() {
        const int times = qEnvironmentVariableIntValue("LATHE_CANCEL_TIMES") > 0
                              ? qEnvironmentVariableIntValue("LATHE_CANCEL_TIMES")
                              : 30;
        Engine engine;
        const WorkingThread thread(engine);
        QSignalSpy idle(&engine, &Engine::idle), opened(&engine, &Engine::opened), ran(&engine, &Engine::ran);
        driver::Options uncached;
        uncached.cache = false; // each compilation does all of the work
        const auto start = [&](int phase) {
            idle.clear();
            if (phase == 0)
                engine.open(model_);
            else if (phase == 1)
                engine.compile(uncached);
            else
                engine.run(nullptr, 0);
        };
        // Whole, for the times that the moments are drawn from; what is compiled is run afterwards.
        qint64 whole[3];
        for (int phase = 0; phase < 3; ++phase) {
            QElapsedTimer timer;
            timer.start();
            start(phase);
            QVERIFY(idle.wait(patience));
            whole[phase] = timer.elapsed();
        }
        QCOMPARE(opened.count(), 1);
        QCOMPARE(ran.count(), 1);
        QVERIFY(ran.at(0).at(1).value<std::vector<Diagnostic>>().empty());

        std::mt19937 random(11);
        double worst[3] = {};
        for (int i = 0; i < times; ++i) {
            const int phase = i % 3;
            if (phase == 0) { // a fresh session has no model to compile: keep the one that is open for the other phases
                Engine other;
                const WorkingThread opening(other);
                QSignalSpy otherIdle(&other, &Engine::idle);
                other.open(model_);
                QTest::qWait(int(random() % unsigned(whole[0] + 1)));
                const double before = opening.cpuSeconds();
                other.cancel();
                QVERIFY(!otherIdle.empty() || otherIdle.wait(patience));
                worst[0] = std::max(worst[0], opening.cpuSeconds() - before);
                continue;
            }
            start(phase);
            QTest::qWait(int(random() % unsigned(whole[phase] + 1)));
            const double before = thread.cpuSeconds();
            engine.cancel();
            QVERIFY(!idle.empty() || idle.wait(patience));
            worst[phase] = std::max(worst[phase], thread.cpuSeconds() - before);
        }
        qInfo("%d moments; CPU time of the working thread after cancelling, at most: open %.0f ms, compile %.0f ms, "
              "run %.0f ms",
              times, worst[0] * 1e3, worst[1] * 1e3, worst[2] * 1e3);
        for (const double most : worst)
            QVERIFY(most <= 0.2);

        // As usable as before: what was compiled first is still there.
        ran.clear();
        start(2);
        QVERIFY(idle.wait(patience));
        QCOMPARE(ran.count(), 1);
        QVERIFY(ran.at(0).at(1).value<std::vector<Diagnostic>>().empty());
    }

    void workThatDoesNotListenHoldsNobodyUp() {
        std::atomic<bool> release = false, ended = false;
        QElapsedTimer timer;
        {
            app::Lane lane;
            std::atomic<bool> started = false;
            lane.enqueue(0, [&](const app::Cancelled&) {
                started = true;
                while (!release)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ended = true;
            });
            QTRY_VERIFY(started);
            timer.start();
            QVERIFY(!lane.finish(std::chrono::milliseconds(50)));
        }
        QVERIFY(timer.elapsed() < 30'000);
        QVERIFY(!ended);
        release = true;
        QTRY_VERIFY(ended);
    }

    void comparingDoesNotWaitForACompilation() {
        app::Lane work, looks;
        std::atomic<bool> looked = false;
        work.enqueue(0, [&](const app::Cancelled& cancelled) {
            while (!cancelled())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        looks.enqueue(0, [&](const app::Cancelled&) { looked = true; });
        QTRY_VERIFY(looked);
        QVERIFY(work.finish(std::chrono::milliseconds(patience)));
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

    void windowClosesWhileItCompiles() {
        QElapsedTimer timer;
        {
            app::MainWindow window;
            window.show();
            QSignalSpy settled(&window, &app::MainWindow::settled);
            window.open(model_);
            QVERIFY(settled.wait(patience));
            window.compile();
            QTest::qWait(100);
            timer.start();
            window.close();
        }
        qInfo("closed in %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 10'000); // a second on a machine of its own
    }
};

QTEST_MAIN(TestCancel)
#include "test_cancel.moc"
