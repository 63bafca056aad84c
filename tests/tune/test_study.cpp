// SPDX-License-Identifier: Apache-2.0
//
// The study on times that are known: it ends with the fastest and never with something slower or wrong, says what became of
// each candidate, keeps to its limits, goes first where most is to be gained, and keeps what it has when the machine fails.
#include "support/program_of_tests.h"
#include "tune/made_up.h"

#include <QTest>
#include <algorithm>
#include <thread>
#include <utility>

namespace lathe::testing::test_study {

using namespace lathe::tune;

namespace {

Plan planOf(int64_t trials) {
    Plan plan;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    return plan;
}

} // namespace

class TestStudy : public QObject {
    Q_OBJECT

private slots:
    /// More than a tenth of ten timings or more: of fewer, one says nothing.
    void busyMachines_data() {
        QTest::addColumn<int64_t>("all");
        QTest::addColumn<int64_t>("disturbed");
        QTest::addColumn<bool>("busy");
        QTest::newRow("none") << int64_t{0} << int64_t{0} << false;
        QTest::newRow("few") << int64_t{9} << int64_t{9} << false;
        QTest::newRow("a tenth") << int64_t{100} << int64_t{10} << false;
        QTest::newRow("more") << int64_t{100} << int64_t{11} << true;
        QTest::newRow("ten") << int64_t{10} << int64_t{2} << true;
        QTest::newRow("quiet") << int64_t{100'000} << int64_t{0} << false;
    }
    void busyMachines() {
        QFETCH(int64_t, all);
        QFETCH(int64_t, disturbed);
        QFETCH(bool, busy);
        QCOMPARE(wasBusy({all, disturbed}), busy);
        QCOMPARE(wasBusy(Timings{all, disturbed} + Timings{}), busy);
    }

    void findsTheFastest() {
        MadeUpBench bench;
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(200), bench);
        QVERIFY(!found.failed);
        const TaskState& state = found.study.tasks.front();
        QCOMPARE(madeUpTime(state.trials[state.best].candidate), 1.0);
        QCOMPARE(state.defaultUs(), madeUpTime(state.trials.front().candidate));
        QVERIFY(std::abs(state.bestUs() - 1) < 1e-9);
        QVERIFY(state.trials.front().candidate.made == Made::Default);
        QVERIFY(state.trials[state.best].accepted);
    }

    /// The default was timed once while the machine was busy: what it takes is known better by what is timed beside it later.
    void oneBusyMomentIsNotBelieved() {
        MadeUpBench bench;
        int calls = 0;
        bench.time = [&](const Candidate& candidate) { return (++calls <= 17 ? 3 : 1) * madeUpTime(candidate); };
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(128), bench);
        const TaskState& state = found.study.tasks.front();
        QVERIFY(state.trials.front().us > 2 * madeUpTime(state.trials.front().candidate));
        QVERIFY(std::abs(state.defaultUs() - madeUpTime(state.trials.front().candidate)) < 1e-9);
        for (const Trial& trial : state.trials) // ratios are of times side by side
            if (trial.verdict == Verdict::Measured && !trial.accepted && trial.round > 1)
                QVERIFY(std::abs(trial.us / trial.ratio.middle - state.defaultUs()) < 1e-6);
    }

    void countsWhatIsNotBuilt() {
        MadeUpBench bench;
        Space space = madeUpSpace();
        space.generate = [generate = space.generate](const auto& computation,
                                                     const auto& chooser) -> Result<Candidate> {
            LATHE_TRY(Candidate made, generate(computation, chooser));
            const int64_t a = made.answers.at("a").front(), b = made.answers.at("b").front();
            if (a >= 6) // a reason each: they are not all kept
                return failure("the " + std::to_string(a * 100 + b * 10 + static_cast<int64_t>(made.program.low % 10)) +
                               "th reason");
            return made;
        };
        Plan plan = planOf(240);
        plan.search = "random";
        const StudyResult found = runStudy({madeUpTask("one")}, space, plan, bench);
        const std::map<std::string, int64_t>& refused = found.study.tasks.front().refused;
        int64_t all = 0;
        for (const auto& [reason, count] : refused)
            all += count;
        QVERIFY(all >= 50); // of 64
        QVERIFY(refused.size() > 8 && refused.size() <= 33 && refused.contains("other reasons"));
        for (const Trial& trial : found.study.tasks.front().trials)
            QVERIFY(trial.candidate.answers.at("a").front() < 6);
    }

    /// A fault of ours in the space is no refusal to be counted: it ends the study, which keeps what was found before.
    void faultOfOursEndsTheStudy() {
        MadeUpBench bench;
        Space space = madeUpSpace();
        space.generate = [generate = space.generate](const auto& computation,
                                                     const auto& chooser) -> Result<Candidate> {
            LATHE_TRY(Candidate made, generate(computation, chooser));
            if (made.answers.at("a").front() == 7)
                return failure(ErrorKind::Internal, "seven is odd");
            return made;
        };
        Plan plan = planOf(240);
        plan.search = "random";
        const StudyResult found = runStudy({madeUpTask("one")}, space, plan, bench);
        QVERIFY(found.failed);
        QVERIFY(found.failed->kind == ErrorKind::Internal);
        QCOMPARE(found.failed->what, std::string("seven is odd"));
        QVERIFY(!found.study.tasks.front().refused.contains("seven is odd"));
        space = madeUpSpace();
        QVERIFY(!runStudy({madeUpTask("one")}, space, plan, bench).failed);
    }

    void whatIsWrongOrFailsIsNeverBest() {
        MadeUpBench bench;
        // All that would be faster than 3 us comes to nothing.
        for (int64_t a = 0; a < 8; ++a)
            for (int64_t b = 0; b < 8; ++b)
                for (int64_t c = 0; c < 4; ++c) {
                    Candidate candidate;
                    candidate.answers = {{"a", {a}}, {"b", {b}}, {a % 2 == 0 ? "c" : "d", {c}}};
                    const Hash128 program{1, static_cast<uint64_t>(a * 100 + b * 10 + c)};
                    if (madeUpTime(candidate) < 3)
                        bench.verdicts[program] = std::array{Verdict::Wrong, Verdict::Crashed, Verdict::RunTimeout,
                                                             Verdict::BuildError}[size_t(b + c) % 4];
                }
        QVERIFY(bench.verdicts.size() > 8);
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(240), bench);
        const TaskState& state = found.study.tasks.front();
        QVERIFY(madeUpTime(state.trials[state.best].candidate) >= 3);
        QVERIFY(state.bestUs() < state.defaultUs());
        int wrong = 0;
        for (const Trial& trial : state.trials) {
            const auto verdict = bench.verdicts.find(trial.candidate.program);
            QVERIFY(!trial.accepted || verdict == bench.verdicts.end());
            if (verdict != bench.verdicts.end() && verdict->second != Verdict::Wrong)
                QVERIFY(trial.verdict == verdict->second);
            wrong += trial.verdict == Verdict::Wrong;
        }
        QVERIFY(wrong > 0); // those that contended were found out
    }

    /// What is best may have come there by many small steps; each is held against the same.
    void valuesAreHeldAgainstTheDefault() {
        MadeUpBench bench;
        runStudy({madeUpTask("one")}, madeUpSpace(), planOf(200), bench);
        QVERIFY(bench.truths.size() > 2);
        QVERIFY(std::ranges::all_of(bench.truths, [](Made made) { return made == Made::Default; }));
    }

    void whatIsWrongHasNoTime() {
        MadeUpBench bench;
        for (uint64_t program = 0; program < 800; ++program)
            bench.verdicts[{1, program}] = Verdict::Wrong;
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(100), bench);
        int wrong = 0;
        for (const Trial& trial : found.study.tasks.front().trials)
            if (trial.verdict == Verdict::Wrong) {
                ++wrong;
                QVERIFY(trial.us == 0 && trial.ratio.middle == 0);
            }
        QVERIFY(wrong > 0);
    }

    /// A search does not make again what it proposed.
    void theFirstBatchIsTriedLaterWhenTheMachineWasBusy() {
        MadeUpBench bench;
        bench.busy["one"] = 2;
        Plan plan = planOf(0);
        plan.search = "grid";
        plan.batch = 300; // more than there are
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), plan, bench);
        QCOMPARE(std::ssize(found.study.tasks.front().trials), int64_t(8 * 8 * 4 - 2 * 4));
        QVERIFY(found.study.tasks.front().trials.front().candidate.made == Made::Default);
    }

    /// Defaults are none of the trials, and a first batch that had to wait is no larger than what is left of them.
    void triesAtMostSoMany() {
        MadeUpBench bench;
        bench.busy["busy"] = 1;
        Task busy = madeUpTask("busy", 1000);
        busy.us = 10; // it comes back before the other goes on
        const StudyResult found = runStudy({busy, madeUpTask("other")}, madeUpSpace(), planOf(20), bench);
        QCOMPARE(found.study.trials, int64_t(20));
        QCOMPARE(found.study.tasks[0].trials.size() + found.study.tasks[1].trials.size(), size_t(2 + 20));
        QVERIFY(found.study.tasks[0].trials.size() > 1 && found.study.tasks[1].trials.size() > 1);
    }

    void aTaskWithoutTimesDoesNotHoldUpTheOthers() {
        MadeUpBench bench;
        bench.busy["busy"] = 1'000'000'000;
        Plan plan = planOf(100);
        plan.time = std::chrono::seconds(20);
        const StudyResult found = runStudy({madeUpTask("busy", 1000), madeUpTask("other")}, madeUpSpace(), plan, bench);
        QVERIFY(found.study.tasks.front().trials.empty());
        QCOMPARE(found.study.trials, int64_t(100));
    }

    void equalTimesAreNoGain() {
        int accepted = 0, trials = 0;
        for (uint64_t seed = 0; seed < 20; ++seed) {
            MadeUpBench bench;
            bench.time = [](const Candidate&) { return 5.0; };
            bench.noise = 0.02;
            Plan plan = planOf(64);
            plan.seed = seed;
            const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), plan, bench);
            for (const Trial& trial : found.study.tasks.front().trials)
                accepted += trial.accepted;
            trials += int(found.study.trials);
        }
        QVERIFY2(accepted * 100 <= trials, qPrintable(QStringLiteral("%1 of %2").arg(accepted).arg(trials)));
    }

    void keepsToItsLimits() {
        MadeUpBench bench;
        QCOMPARE(runStudy({madeUpTask("one")}, madeUpSpace(), planOf(21), bench).study.trials, 21);
        MadeUpBench none;
        Plan plan = planOf(0);
        plan.time = {};
        const StudyResult at = runStudy({madeUpTask("one")}, madeUpSpace(), plan, none);
        QCOMPARE(at.study.trials, 0);
        QVERIFY(at.study.tasks.front().trials.empty()); // not even the default's
        MadeUpBench stopped;
        bool stop = false;
        const StudyResult cut = runStudy(
            {madeUpTask("one")}, madeUpSpace(), planOf(200), stopped,
            [&](const Study& study, const Event&) { stop = study.trials >= 32; }, [&] { return stop; });
        QVERIFY(!cut.failed);
        QCOMPARE(cut.study.trials, 32);
    }

    /// After the end of its time only the fastest of the batch that is under way meets the incumbent.
    void aBatchBeyondTheEndIsTheLast() {
        MadeUpBench bench;
        bool isFirst = true, isLate = false;
        bench.time = [&](const Candidate& candidate) {
            if (std::exchange(isFirst, false))
                std::this_thread::sleep_for(std::chrono::milliseconds(600));
            if (bench.clock)
                isLate = bench.clock().left < 0 && bench.clock().passed > 0.5;
            return madeUpTime(candidate);
        };
        Plan plan = planOf(0);
        plan.time = std::chrono::milliseconds(500);
        int compared = 0;
        const StudyResult found =
            runStudy({madeUpTask("one")}, madeUpSpace(), plan, bench, [&](const Study&, const Event& event) {
                compared += event.kind == Event::Kind::Accepted || event.kind == Event::Kind::Rejected;
            });
        QVERIFY(!found.failed);
        QVERIFY(found.study.trials <= std::ssize(bench.seen) && found.study.trials < 17);
        QVERIFY(compared <= 1);
        QVERIFY(bench.seen.empty() || isLate);
        QVERIFY(!bench.clock); // the study that it was of is over
    }

    void aFailingMachineEndsTheStudy() {
        MadeUpBench bench;
        bench.failAfter = 2;
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(200), bench);
        QVERIFY(found.failed);
        QCOMPARE(found.failed->what, std::string("the disk is full"));
        QCOMPARE(found.study.trials, 32);
        QVERIFY(found.study.bestUs() < found.study.defaultUs()); // what was found until then is kept
    }

    void eventsSayWhatChanged() {
        MadeUpBench bench;
        size_t told = 1;
        int accepted = 0;
        const StudyResult found = runStudy({madeUpTask("one")}, madeUpSpace(), planOf(64), bench,
                                           [&](const Study& study, const Event& event) {
                                               const TaskState& state = study.tasks[event.task];
                                               if (event.kind == Event::Kind::Trials) {
                                                   QCOMPARE(event.firstTrial, told);
                                                   told = state.trials.size();
                                               }
                                               if (event.kind == Event::Kind::Accepted) {
                                                   QCOMPARE(state.best, event.firstTrial);
                                                   ++accepted;
                                               }
                                           });
        QCOMPARE(told, found.study.tasks.front().trials.size());
        QVERIFY(accepted > 0);
    }

    /// Times, calls and seconds worked out by hand.
    void goesWhereMostIsToBeGained() {
        const auto state = [](double us, double calls, double floor) {
            TaskState made;
            made.task = madeUpTask("", calls);
            made.task.floorUs = floor;
            made.trials.resize(1);
            made.trials.front().us = us;
            return made;
        };
        std::vector<TaskState> tasks = {state(10, 1, 1), state(4, 5, 1), state(15, 1, 1)};
        QCOMPARE(*nextTask(tasks), size_t(1)); // 20 us of the model, before 15 and 10
        tasks[1].rounds = 1;
        QCOMPARE(*nextTask(tasks), size_t(2)); // what had no batch comes first
        for (TaskState& each : tasks) {
            each.rounds = 1;
            each.seconds = 1;
            each.gains = {0};
        }
        // Hoped for a second: 0.8 of what they take, as far as it is above the floor: 8, 15, 12.
        QCOMPARE(*nextTask(tasks), size_t(1));
        tasks[1].task.floorUs = 3.9; // 5 calls, 0.1 us each, is all that is left
        QCOMPARE(*nextTask(tasks), size_t(2));
        tasks[2].seconds = 10; // its pace has fallen to a tenth
        QCOMPARE(*nextTask(tasks), size_t(0));
        tasks[2].priority = 10;
        QCOMPARE(*nextTask(tasks), size_t(2));
        for (TaskState& each : tasks)
            each.done = Done::Settled;
        QVERIFY(!nextTask(tasks));
    }
};

Test test() {
    return {makes<TestStudy>};
}

} // namespace lathe::testing::test_study

#include "test_study.moc"
