// SPDX-License-Identifier: Apache-2.0
//
// What is wished of a study while it runs: it pauses, goes on, ends, goes further or less far, and leaves or prefers tasks; and
// no batch begins while other work holds the machine.
#include "support/program_of_tests.h"
#include "tune/made_up.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <thread>

namespace lathe::testing::test_control {

using namespace lathe::tune;

namespace {

constexpr int patience = 20'000; // ms

Plan planOf(int64_t trials) {
    Plan plan;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    return plan;
}

/// A study on a thread of its own.
class Running {
public:
    Running(std::vector<Task> tasks, Plan plan)
        : thread_([this, tasks = std::move(tasks), plan] {
              result = runStudy(
                  tasks, madeUpSpace(), plan, bench,
                  [this](const Study& study, const Event& event) {
                      trials = study.trials;
                      if (event.kind == Event::Kind::Waits)
                          waits = true;
                      if (event.kind == Event::Kind::GoesOn)
                          waits = false;
                  },
                  {}, &control);
              over = true;
          }) {}
    ~Running() {
        control.abort();
        join();
    }
    void join() {
        if (thread_.joinable())
            thread_.join();
    }

    Control control;
    MadeUpBench bench;
    std::atomic<int64_t> trials = 0;
    std::atomic<bool> waits = false, over = false;
    StudyResult result;

private:
    std::thread thread_;
};

const TaskState& taskOf(const Study& study, const std::string& name) {
    return *std::ranges::find(study.tasks, name, [](const TaskState& state) { return state.task.kernel; });
}

} // namespace

class TestControl : public QObject {
    Q_OBJECT

private slots:
    void pausesAndGoesOn() {
        Control control;
        control.pause();
        MadeUpBench bench;
        int64_t trials = -1;
        bool waited = false;
        // The study itself is what goes on: nobody else is there to.
        const StudyResult found = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(48), bench,
            [&](const Study& study, const Event& event) {
                if (event.kind == Event::Kind::Waits) {
                    waited = true;
                    trials = study.trials;
                    control.resume();
                }
                if (event.kind == Event::Kind::Trials && study.trials == 16)
                    control.pause();
            },
            {}, &control);
        QVERIFY(waited);
        QCOMPARE(trials, 16); // a batch was not broken off
        QCOMPARE(found.study.trials, 48);
    }

    void whatWaitsCountsNoTime() {
        Running study({madeUpTask("one")}, planOf(32));
        {
            const Control::Hold hold(study.control);
            QTest::qWait(150);
        }
        study.join();
        QVERIFY(!study.result.failed);
        QVERIFY(study.result.study.seconds < 3600);
        QCOMPARE(study.result.study.trials, 32);
    }

    void steps() {
        MadeUpBench bench;
        TuningBudget budget({.seconds = 3600, .trials = 50});
        const StudyResult first = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(0), bench, budget,
                                           {.time = 0.6, .trials = 0.5}, {}, {});
        QCOMPARE(first.study.trials, 25);
        std::vector<double> seconds{first.study.seconds};
        const StudyResult second =
            runStudy({madeUpTask("two")}, madeUpSpace(), planOf(0), bench, budget, {},
                     [&](const Study& study, const Event&) { seconds.push_back(study.seconds); }, {});
        QCOMPARE(std::ssize(second.study.tasks.front().trials), std::ptrdiff_t(1 + 25));
        QCOMPARE(second.study.trials, 50);
        QVERIFY(std::ranges::is_sorted(seconds)); // by one clock
        QVERIFY(second.study.spent.search >= first.study.spent.search);
        const StudyResult nothing =
            runStudy({madeUpTask("three")}, madeUpSpace(), planOf(0), bench, budget, {}, {}, {});
        QVERIFY(nothing.study.tasks.front().trials.empty());
    }

    /// What is wished in one step holds for all of them together.
    void limitsAreThoseOfAllSteps() {
        MadeUpBench bench;
        Control control;
        TuningBudget budget({.seconds = 3600, .trials = 200}, &control);
        const auto step = [&](const char* task, Share upTo) {
            return runStudy({madeUpTask(task)}, madeUpSpace(), planOf(0), bench, budget, upTo,
                            [&](const Study& study, const Event&) {
                                if (study.trials == 16)
                                    control.setLimits({.seconds = 3600, .trials = 40});
                            },
                            {});
        };
        QCOMPARE(step("one", {.time = 0.6, .trials = 0.6}).study.trials, 24);
        QCOMPARE(step("two", {}).study.trials, 40);
        control.setLimits({.seconds = 0, .trials = 100});
        QVERIFY(budget.isUsedUp());
        QCOMPARE(step("three", {}).study.trials, 40);
    }

    void theClockStandsStillWhileItWaits() {
        Control control;
        const TuningBudget budget({}, &control);
        const auto begun = std::chrono::steady_clock::now();
        for (const bool pause : {true, false}) {
            std::optional<Control::Hold> hold;
            if (pause)
                control.pause();
            else
                hold.emplace(control);
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                control.resume();
                hold.reset();
            });
            control.waitToGoOn({});
            other.join();
            QVERIFY(!control.mustWait());
        }
        {
            std::optional<Control::Hold> hold(std::in_place, control);
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                hold.reset();
            });
            const Control::Work work(&control);
            other.join();
        }
        const double passed = budget.seconds();
        const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        QVERIFY(budget.waited() >= 0.6 && all >= 0.6);
        QVERIFY2(passed <= all - 0.6, qPrintable(QString::number(passed)));
    }

    /// What is wished does not end a wait between steps.
    void wishesDoNotEndAPause() {
        Control control;
        control.pause();
        control.setLimits({});
        std::atomic<bool> over = false;
        std::thread study([&] {
            control.waitToGoOn({});
            over = true;
        });
        QTest::qWait(100);
        QVERIFY(!over);
        control.instruct({.workload = "one", .priority = 2, .wish = {}});
        QTest::qWait(50);
        QVERIFY(!over);
        control.resume();
        study.join();
        QCOMPARE(control.instructions().size(), size_t(1));
    }

    void stopsWhilePaused() {
        Running study({madeUpTask("one")}, planOf(0));
        study.control.pause();
        QTRY_VERIFY_WITH_TIMEOUT(study.waits, patience);
        const int64_t trials = study.trials;
        QTest::qWait(50);
        QCOMPARE(study.trials.load(), trials);
        study.control.stop();
        QTRY_VERIFY_WITH_TIMEOUT(study.over, patience);
        QVERIFY(!study.result.failed);
        study.control.resume(); // what has stopped stays so
        QVERIFY(study.control.isEnding() && !study.control.isAborted());
        study.control.abort();
        QVERIFY(study.control.isAborted());
    }

    void limitsMayChange() {
        MadeUpBench bench;
        Control control;
        const StudyResult found = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(200), bench,
            [&](const Study& study, const Event&) {
                if (study.trials == 16)
                    control.setLimits({.seconds = 3600, .trials = 40});
            },
            {}, &control);
        QCOMPARE(found.study.trials, 40);
        Control longer;
        const StudyResult more = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(16), bench,
            [&](const Study& study, const Event&) {
                if (study.trials == 16)
                    longer.setLimits({.seconds = 3600, .trials = 33});
            },
            {}, &longer);
        QCOMPARE(more.study.trials, 33);
    }

    void tasksAreLeftPreferredAndTakenUpAgain() {
        MadeUpBench bench;
        Control control;
        // Two alike; the second one is closed after its first batch.
        const StudyResult found = runStudy(
            {madeUpTask("one"), madeUpTask("two"), madeUpTask("three")}, madeUpSpace(), planOf(96), bench,
            [&](const Study& study, const Event& event) {
                if (event.kind == Event::Kind::Trials && study.trials == 48) {
                    control.instruct({.workload = "two", .priority = {}, .wish = Wish::Closed});
                    control.instruct({.workload = "three", .priority = {}, .wish = Wish::Excluded});
                    control.instruct({.workload = "nobody", .priority = 3, .wish = {}});
                }
            },
            {}, &control);
        QCOMPARE(taskOf(found.study, "two").trials.size(), size_t(17));
        QCOMPARE(taskOf(found.study, "one").trials.size(), size_t(1 + 96 - 32));
        QVERIFY(taskOf(found.study, "two").isTaken());
        QVERIFY(taskOf(found.study, "three").best > 0 && !taskOf(found.study, "three").isTaken());
    }

    void priorityGoesFirst() {
        const auto batchesOfLast = [](double priority) {
            MadeUpBench bench;
            Control control;
            const StudyResult found = runStudy(
                {madeUpTask("one"), madeUpTask("two"), madeUpTask("three")}, madeUpSpace(), planOf(3 * 16 + 32), bench,
                [&](const Study& study, const Event& event) {
                    if (event.kind == Event::Kind::Trials && study.trials == 48)
                        control.instruct({.workload = "three", .priority = priority, .wish = {}});
                },
                {}, &control);
            return taskOf(found.study, "three").rounds;
        };
        QCOMPARE(batchesOfLast(1e6), 3);
        QCOMPARE(batchesOfLast(1e-6), 1);
    }

    void allTasksPausedWaitsForOne() {
        MadeUpBench bench;
        Control control;
        bool paused = false;
        int waits = 0;
        const StudyResult found = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(64), bench,
            [&](const Study& study, const Event& event) {
                if (!std::exchange(paused, true))
                    control.instruct({.workload = "one", .priority = {}, .wish = Wish::Paused});
                if (event.kind == Event::Kind::Waits) {
                    ++waits;
                    QVERIFY(study.trials < 64);
                    control.instruct({.workload = "one", .priority = {}, .wish = Wish::Go});
                }
            },
            {}, &control);
        QCOMPARE(waits, 1);
        QCOMPARE(found.study.trials, 64);
    }

    void aSettledTaskIsTakenUpAgain() {
        MadeUpBench bench;
        bench.time = [](const Candidate&) { return 5.0; }; // nothing gains
        Control control;
        bool again = false;
        const StudyResult found = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(0), bench,
            [&](const Study& study, const Event& event) {
                if (event.kind == Event::Kind::TaskDone && study.tasks[0].done == Done::Settled &&
                    !std::exchange(again, true)) {
                    QCOMPARE(study.tasks[0].rounds, 6);
                    control.instruct({.workload = "one", .priority = {}, .wish = Wish::Go});
                }
            },
            {}, &control);
        QVERIFY(again);
        QCOMPARE(found.study.tasks[0].rounds, 12);
    }

    /// The holder is never there while a batch is.
    void noBatchWhileHeld() {
        Control control;
        std::atomic<bool> held = false, batch = false, met = false;
        std::atomic<int> holds = 0;
        class Watched final : public Bench {
        public:
            Watched(std::atomic<bool>& held, std::atomic<bool>& batch, std::atomic<bool>& met)
                : held_(held), batch_(batch), met_(met) {}
            Result<std::vector<Trial>> screen(const Task& task, const Candidate* incumbent,
                                              std::vector<Candidate> candidates) override {
                batch_ = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                met_ = met_ || held_;
                batch_ = false;
                return bench_.screen(task, incumbent, std::move(candidates));
            }
            Result<PairedTimes> compare(const Task& task, const Candidate& incumbent, const Candidate& candidate,
                                        double leastGain) override {
                return bench_.compare(task, incumbent, candidate, leastGain);
            }
            Result<std::optional<Fault>> check(const Task& task, const Candidate& incumbent,
                                               const Candidate& candidate) override {
                return bench_.check(task, incumbent, candidate);
            }

        private:
            MadeUpBench bench_;
            std::atomic<bool>&held_, &batch_, &met_;
        } bench(held, batch, met);
        std::atomic<bool> over = false;
        std::thread other([&] {
            while (!over) {
                const Control::Hold hold(control);
                held = true;
                met = met || batch;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                held = false;
                ++holds;
            }
        });
        const StudyResult found =
            runStudy({madeUpTask("one"), madeUpTask("two")}, madeUpSpace(), planOf(160), bench, {}, {}, &control);
        over = true;
        other.join();
        QVERIFY(!met);
        QVERIFY(holds > 0);
        QCOMPARE(found.study.trials, 160);
    }

    void aHoldThatIsCancelledDoesNotWait() {
        Control control;
        const Control::Work work(&control);
        const Control::Hold hold(control, [] { return true; });
        QVERIFY(control.mustWait());
    }
};

Test test() {
    return {makes<TestControl>};
}

} // namespace lathe::testing::test_control

#include "test_control.moc"
