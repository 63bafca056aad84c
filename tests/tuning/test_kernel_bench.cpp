// SPDX-License-Identifier: Apache-2.0
// Alone: yes
// Needs: lathe-runner
//
// The tuner's bench on kernels that misbehave, as their makers gave them: each gets its verdict, those beside it are measured,
// nothing that computes something else passes the paired test, and what the machine fails at is nobody's verdict.
#include "tuning/kernel_bench.h"

#include "support/full_disk.h"
#include "support/program_of_tests.h"
#include "tune/paired.h"
#include "tuning/made_up_kernels.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

namespace lathe::testing::test_kernel_bench {

using namespace lathe::tuning;
using tune::Verdict;

namespace {

/// Divisions, which take their time wherever the code lies: of two equal kernels of nothing but additions, that in the better
/// place may be twice as fast.
const std::string value = "X[i] / 3:float32 / 7:float32 + 1:float32";
const std::string good = loop("Y[i] = " + value);
/// The same, computed so many times.
std::string again(int times) {
    return good + "  for r in " + std::to_string(times) + " {\n" + loop("Y[i] = max(Y[i], " + value + ")") + "  }\n";
}

} // namespace

class TestKernelBench : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    driver::Options options_;
    device::RunnerOptions runner_;
    tune::Task task_;
    MadeUpKernels* makes_ = nullptr;
    std::vector<std::string> notes_;

    std::unique_ptr<KernelBench> bench() {
        auto made = std::make_unique<MadeUpKernels>(options_, good);
        makes_ = made.get();
        notes_.clear();
        auto bench = std::make_unique<KernelBench>(options_, runner_, std::move(made));
        bench->noted = [this](const std::string& text) { notes_.push_back(text); };
        return bench;
    }
    static tune::Candidate candidate(uint64_t number) {
        tune::Candidate made;
        made.program = {7, number};
        return made;
    }
    std::string& bodyOf(uint64_t number) { return makes_->bodies["candidate_" + toString(candidate(number).program)]; }
    MadeKernel& refusalOf(uint64_t number) {
        return makes_->refused["candidate_" + toString(candidate(number).program)];
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        options_.target = *codegen::parseTarget("x86-64-v3");
        options_.cache = false;
        runner_.program = LATHE_BINARY_DIR "/lathe-runner";
        runner_.threads = 1;
        task_.workload = task_.kernel = "f";
        task_.computation = kernelOf(good);
    }

    void eachGetsItsVerdict() {
        const auto tested = bench();
        bodyOf(2) = loop("Y[i + 1500] = X[i]");
        bodyOf(3) = "  while true {\n    Y[0] = X[0]\n  }\n";
        bodyOf(4) = "  check invalid_value \"no luck\": X[0] > 1e30:float32\n" + good;
        bodyOf(5) = loop("X[i] = 0:float32") + good;
        bodyOf(6) = again(400);
        refusalOf(7) = {nullptr, Verdict::BuildTimeout, "it took too long"};
        std::vector<tune::Candidate> candidates;
        for (uint64_t number = 1; number <= 8; ++number)
            candidates.push_back(candidate(number));
        const tune::Candidate incumbent = candidate(0);
        const auto trials = tested->screen(task_, &incumbent, candidates);
        QVERIFY2(trials, trials ? "" : toString(trials.error()).c_str());
        const std::vector<Verdict> expected{Verdict::Measured,     Verdict::Crashed, Verdict::RunTimeout,
                                            Verdict::RunError,     Verdict::Wrong,   Verdict::Slow,
                                            Verdict::BuildTimeout, Verdict::Measured};
        QCOMPARE(trials->size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            const tune::Trial& trial = (*trials)[i];
            QVERIFY(trial.candidate.program == candidates[i].program);
            const bool same = trial.verdict == expected[i];
            QVERIFY2(
                same,
                qPrintable(
                    QStringLiteral("%1: %2, %3").arg(i + 1).arg(tune::toString(trial.verdict), trial.message.c_str())));
            const bool timed = trial.verdict == Verdict::Measured || trial.verdict == Verdict::Slow;
            QCOMPARE(trial.us > 0, timed);
            QVERIFY(timed || !trial.message.empty());
            if (trial.verdict == Verdict::Measured)
                QVERIFY(trial.ratio.low > 0 && trial.ratio.low <= trial.ratio.middle &&
                        trial.ratio.middle <= trial.ratio.high);
            if (trial.verdict == Verdict::Slow) // than the incumbent, beside which it was timed
                QVERIFY(trial.ratio.middle > 1 && trial.ratio.low == trial.ratio.high);
        }
    }

    /// The default and what is tried first, in one batch.
    void withoutAnIncumbentTheFirstIsIt() {
        const auto tested = bench();
        bodyOf(1) = again(20);
        const auto trials = tested->screen(task_, nullptr, {candidate(1), candidate(2)});
        QVERIFY2(trials, trials ? "" : toString(trials.error()).c_str());
        QCOMPARE(trials->size(), size_t(2));
        QVERIFY(trials->front().verdict == Verdict::Measured && trials->front().ratio.middle == 1);
        QVERIFY((*trials)[1].verdict == Verdict::Measured && (*trials)[1].ratio.high < 0.5);
        bodyOf(3) = loop("Y[i + 1500] = X[i]");
        const auto none = tested->screen(task_, nullptr, {candidate(3), candidate(2)});
        QVERIFY(none && none->size() == 1);
        QVERIFY(none->front().verdict == Verdict::Crashed);
    }

    void whatComputesSomethingElseIsWrong_data() {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<Verdict>("verdict");
        QTest::newRow("in one element") << good + "  Y[613] = Y[613] + 1:float32\n" << Verdict::Wrong;
        QTest::newRow("by a little") << good + "  Y[613] = Y[613] * 1.01:float32\n" << Verdict::Wrong;
        QTest::newRow("in the tail alone") << loop("Y[i] = " + value, 992) << Verdict::Wrong;
        QTest::newRow("crashes on other values")
            << "  if X[0] == 0:float32 || X[0] == 1:float32 || X[0] == 2:float32 || X[0] == -1:float32 || "
               "X[0] == -2:float32 {\n    Y[3000] = X[0]\n  }\n" +
                   good
            << Verdict::Crashed;
    }
    void whatComputesSomethingElseIsWrong() {
        QFETCH(std::string, body);
        QFETCH(Verdict, verdict);
        const auto tested = bench();
        bodyOf(1) = body;
        const auto found = tested->check(task_, candidate(0), candidate(1));
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QVERIFY(*found && !(*found)->message.empty());
        QVERIFY2((*found)->verdict == verdict, (*found)->message.c_str());
        const auto next = tested->check(task_, candidate(0), candidate(2));
        QVERIFY(next && !*next);
    }

    /// Of sums of whole numbers none is off by rounding, however long they are.
    void wholeNumbersHaveToBeEqual() {
        const std::string whole = loop("Y[i] = X[i] + 5000:float32");
        auto made = std::make_unique<MadeUpKernels>(options_, whole);
        made->bodies["candidate_" + toString(candidate(1).program)] = whole + "  Y[613] = Y[613] + 1:float32\n";
        KernelBench tested(options_, runner_, std::move(made));
        tune::Task task = task_;
        task.computation = kernelOf(whole);
        const auto found = tested.check(task, candidate(0), candidate(1));
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QVERIFY(*found && (*found)->verdict == Verdict::Wrong);
        const auto right = tested.check(task, candidate(0), candidate(2));
        QVERIFY(right && !*right);
    }

    void whatIsFasterWins() {
        const auto tested = bench();
        bodyOf(0) = again(50);
        const auto found = tested->compare(task_, candidate(0), candidate(1), 0.01);
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QVERIFY(!found->fault);
        QVERIFY(tune::isFaster(found->logRatios, 0.01) == tune::Faster::Yes);
        QVERIFY(tune::medianInterval(found->logRatios).middle < std::log(0.2)); // a fiftieth, but for calling it
    }

    /// Where sizes are open, all of those that matter are timed and checked: the mean of the ratios decides, and one that
    /// is much slower somewhere does not win.
    void severalSizesCountAlike() {
        const auto times = [](const std::string& count) {
            return loopTo("n", "Y[i] = " + value) + "  for r in " + count + " {\n" +
                   loopTo("n", "Y[i] = max(Y[i], " + value + ")") + "  }\n";
        };
        const auto atSmall = [&](const std::string& small, const std::string& large) {
            return "  if n < 2000 {\n" + small + "  } else {\n" + large + "  }\n";
        };
        auto made = std::make_unique<MadeUpKernels>(options_, times("40"), openKernelOf);
        makes_ = made.get();
        bodyOf(1) = times("10");
        bodyOf(2) = atSmall(times("160"), times("4"));
        bodyOf(3) = atSmall(times("40") + "  Y[0] = Y[0] + 1:float32\n", times("40"));
        bodyOf(4) = atSmall(times("40"), times("10"));
        KernelBench tested(options_, runner_, std::move(made));
        tune::Task task = task_;
        task.computation = openKernelOf(times("40"));
        task.sizes = {4000};
        task.otherSizes = {{1000}};
        const auto wins = tested.compare(task, candidate(0), candidate(1), 0.01);
        QVERIFY2(wins, wins ? "" : toString(wins.error()).c_str());
        QVERIFY(wins->loses.empty() && tune::isFaster(wins->logRatios, 0.01) == tune::Faster::Yes);
        // Four times as slow at one, nine times as fast at the other.
        const auto loses = tested.compare(task, candidate(0), candidate(2), 0.01);
        QVERIFY(loses && tune::isFaster(loses->logRatios, 0.01) == tune::Faster::Yes);
        QVERIFY2(loses->loses.find("slower at the sizes 1000") != std::string::npos, loses->loses.c_str());
        const auto wrong = tested.check(task, candidate(0), candidate(3));
        QVERIFY(wrong && *wrong && (*wrong)->verdict == Verdict::Wrong);
        const auto right = tested.check(task, candidate(0), candidate(1));
        QVERIFY(right && !*right);
        // A quarter of the work at one, all of it at the other: half, as a geometric mean.
        const tune::Candidate incumbent = candidate(0);
        const auto trials = tested.screen(task, &incumbent, {candidate(4)});
        QVERIFY(trials && trials->front().verdict == Verdict::Measured);
        const double ratio = trials->front().ratio.middle;
        QVERIFY2(ratio > 0.4 && ratio < 0.65, qPrintable(QString::number(ratio)));
    }

    void theMachineFailsThreeTimes() {
        auto tested = bench();
        makes_->failures = 1;
        QVERIFY(tested->screen(task_, nullptr, {candidate(1)})); // it passed
        QCOMPARE(makes_->asked, 2);
        QCOMPARE(std::ranges::count_if(notes_, [](const auto& note) { return note.starts_with("tries again"); }), 1);
        tested = bench();
        makes_->failures = 100;
        const auto failed = tested->screen(task_, nullptr, {candidate(1)});
        QVERIFY(!failed);
        QCOMPARE(makes_->asked, 3);
        QCOMPARE(failed.error().what, std::string("cannot measure: no builder can be started (3 times in a row)"));
    }

    /// It was compiled before: that the machine is too slow for it now ends no study.
    void anIncumbentThatTakesTooLongIsMadeAgain() {
        const auto tested = bench();
        refusalOf(0) = {nullptr, Verdict::BuildTimeout, "it was not compiled within 40 s"};
        tested->noted = [this](const std::string& text) {
            if (!text.starts_with("tries again")) // others may use the machine
                return;
            notes_.push_back(text);
            makes_->refused.clear();
        };
        const tune::Candidate incumbent = candidate(0);
        const auto trials = tested->screen(task_, &incumbent, {candidate(1)});
        QVERIFY2(trials, trials ? "" : toString(trials.error()).c_str());
        QVERIFY(trials->front().verdict == Verdict::Measured);
        QCOMPARE(makes_->known, std::vector<std::string>(2, "candidate_" + toString(candidate(0).program)));
        QCOMPARE(notes_.size(), size_t(1));
        for (const char* part : {"'f'", "cannot be compiled again", "within 40 s"})
            QVERIFY2(notes_.front().contains(part), notes_.front().c_str());
    }

    void noRunnerIsNobodysVerdict() {
        runner_.program = "/nowhere/lathe-runner";
        const auto tested = bench();
        runner_.program = LATHE_BINARY_DIR "/lathe-runner";
        const auto failed = tested->screen(task_, nullptr, {candidate(1)});
        QVERIFY(!failed);
        QVERIFY(failed.error().what.find("/nowhere/lathe-runner") != std::string::npos);
        QVERIFY(!tested->compare(task_, candidate(0), candidate(1), 0.01));
    }

    void aFullDiskIsNobodysVerdict() {
        const auto tested = bench();
        {
            const FullDisk full(4096);
            const auto failed = tested->screen(task_, nullptr, {candidate(1)});
            QVERIFY(!failed);
            QVERIFY2(failed.error().what.starts_with("cannot measure"), failed.error().what.c_str());
        }
        QVERIFY(tested->screen(task_, nullptr, {candidate(1)}));
    }

    void withoutBuildersItSaysSoOnce() {
        qputenv("LATHE_BUILDER", "/nowhere/lathe");
        KernelBench tested(options_, runner_);
        qunsetenv("LATHE_BUILDER");
        std::vector<std::string> notes;
        tested.noted = [&](const std::string& text) { notes.push_back(text); };
        for (uint64_t number = 1; number <= 2; ++number) {
            const auto trials = tested.screen(task_, nullptr, {candidate(number)});
            QVERIFY2(trials, trials ? "" : toString(trials.error()).c_str());
        }
        QCOMPARE(std::ranges::count_if(notes, [](const auto& note) { return note.contains("in this process"); }), 1);
    }

    void cancellingEndsIt() {
        bool cancelled = false;
        runner_.cancelled = [&] { return cancelled; };
        const auto tested = bench();
        runner_.cancelled = {};
        QVERIFY(tested->screen(task_, nullptr, {candidate(1)}));
        cancelled = true;
        const auto failed = tested->screen(task_, nullptr, {candidate(2)});
        QVERIFY(!failed && failed.error().kind == ErrorKind::Cancelled);
    }
};

Test test() {
    return {makes<TestKernelBench>};
}

} // namespace lathe::testing::test_kernel_bench

#include "test_kernel_bench.moc"
