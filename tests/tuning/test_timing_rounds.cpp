// SPDX-License-Identifier: Apache-2.0
//
// Timing by turns on machines that are made up: what is disturbed is timed again, a disturbance that lasts is waited for, and all
// that costs a tenth of the time at most. What comes out of it is what the paired test is told: equal kernels are hardly ever
// accepted, also where others use the machine in bursts, and a true gain is found.
#include "support/program_of_tests.h"
#include "tune/paired.h"
#include "tuning/timing_rounds.h"

#include <QTest>
#include <cmath>
#include <limits>

namespace lathe::testing::test_timing_rounds {

using namespace lathe::tuning;
using Outcome = TimingRounds::Round::Outcome;

namespace {

/// Kernels with true times, on a machine with noise, on which others run for a while now and then.
class MadeUpMachine final : public Timed {
public:
    std::vector<double> us{100, 100};
    double noise = 0.02;
    double beginsBurst = 0, longestBurst = 0; // chance a block, blocks
    double stolen = 0.5;                      // the share of a block that a burst takes
    double speed = 1;                         // of the machine
    int failsAt = -1;                         // which block
    int blocks = 0, probes = 0;
    double ran = 0; // seconds
    std::mt19937_64 random{1};

    Result<Block> block(size_t which, int64_t calls) override {
        if (blocks++ == failsAt)
            return failure("it crashed");
        if (burst_ <= 0 && std::uniform_real_distribution<>()(random) < beginsBurst)
            burst_ = std::uniform_real_distribution<>(1, longestBurst)(random);
        const double lost = burst_-- > 0 ? stolen * std::uniform_real_distribution<>(0.5, 1)(random) : 0;
        const double time = us[which] / speed * (1 + noise * std::abs(std::normal_distribution<>()(random)));
        if (std::isfinite(time))
            ran += double(calls) * time / (1 - lost) / 1e6;
        return Block{time / (1 - lost), lost, lost > 0};
    }
    Result<device::RunnerProbe> probe() override {
        ++probes;
        return device::RunnerProbe{60'000 / speed, 50'000 / speed};
    }

private:
    double burst_ = 0;
};

constexpr double always = std::numeric_limits<double>::infinity();

/// A study whose waits take no time of ours.
struct Waits {
    const MadeUpMachine& machine;
    double before = 0, left = always; // seconds of it
    double waited = 0;
    std::vector<std::string> notes = {};
    bool cancelled = false;
    TimingRounds rounds(int threads = 1) {
        return TimingRounds(
            threads,
            [this](double seconds) {
                waited += seconds;
                return !cancelled;
            },
            [this](const std::string& text) { notes.push_back(text); });
    }
    Patience patience() {
        return Patience([this] { return tune::Bench::Time{before + machine.ran + waited, left}; });
    }
};

constexpr TimingRounds::Part both[] = {{0, 3}, {1, 3}};

} // namespace

class TestTimingRounds : public QObject {
    Q_OBJECT

private slots:
    void aRoundHasABlockOfEach() {
        MadeUpMachine machine;
        machine.us = {10, 20, 40};
        machine.noise = 0;
        Waits waits{machine};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        const TimingRounds::Part parts[] = {{2, 1}, {0, 5}};
        const auto round = rounds.round(machine, parts, patience);
        QVERIFY(round.outcome == Outcome::Timed);
        QCOMPARE(round.us, (std::vector<double>{40, 10}));
        QCOMPARE(machine.blocks, 2);
    }

    void whoFailsIsNamed() {
        MadeUpMachine machine;
        machine.failsAt = 1;
        Waits waits{machine};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        const TimingRounds::Part parts[] = {{0, 1}, {0, 1}};
        const auto round = rounds.round(machine, parts, patience);
        QVERIFY(round.outcome == Outcome::Failed);
        QVERIFY(round.failed < 2);
        QCOMPARE(round.problem.what, std::string("it crashed"));
    }

    void whatIsDisturbedIsTimedAgain() {
        MadeUpMachine machine;
        machine.noise = 0;
        machine.beginsBurst = 0.1;
        machine.longestBurst = 2;
        Waits waits{machine, 1000};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        for (int i = 0; i < 200; ++i) {
            const auto round = rounds.round(machine, both, patience);
            QVERIFY(round.outcome == Outcome::Timed && !round.isDisturbed);
            QCOMPARE(round.us, (std::vector<double>{100, 100})); // no disturbed time comes through
        }
        QVERIFY(machine.blocks > 420);
        QVERIFY(waits.waited < 1); // where a burst followed another
    }

    /// Of several threads each waits for the others, so one that is put off counts though it lost little.
    void severalThreadsAreJudgedByTheirSwitches() {
        for (const int threads : {1, 2}) {
            Disturbance usual(threads);
            for (int i = 0; i < 20; ++i)
                QVERIFY(!usual.isDisturbed(0, 0));
            QCOMPARE(usual.isDisturbed(0.001, 1), threads == 2);
            QVERIFY(usual.isDisturbed(0.03, 0));
        }
    }

    void aMachineThatSlowsDownIsWaitedFor() {
        MadeUpMachine machine;
        machine.us = {5000, 5000}; // a round asks for a probe
        Waits waits{machine, 100};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        for (int i = 0; i < 100; ++i)
            QVERIFY(!rounds.round(machine, both, patience).isDisturbed);
        QVERIFY(waits.notes.empty());
        machine.speed = 0.9;
        int disturbed = 0;
        while (rounds.round(machine, both, patience).isDisturbed && disturbed < 1000)
            ++disturbed;
        QVERIFY(disturbed > 5 && disturbed < 200);
        QVERIFY(waits.waited >= 6.3 && waits.waited < 12); // 0.1 + 0.2 + … + 3.2
        QCOMPARE(waits.notes.size(), size_t(1));
        QVERIFY(waits.notes.front().starts_with("the machine is busy"));
        const double until = waits.waited; // it stays so: that is its speed
        for (int i = 0; i < 20; ++i)
            QVERIFY(!rounds.round(machine, both, patience).isDisturbed);
        QCOMPARE(waits.waited, until);
    }

    void patienceGrowsAndEnds() {
        tune::Bench::Time time{100, always};
        Patience patience([&] { return time; });
        const auto all = [&](double retry) {
            std::vector<double> seconds;
            while (const auto next = patience.wait(retry))
                seconds.push_back(*next);
            return seconds;
        };
        patience.begin();
        QCOMPARE(all(0), (std::vector<double>{0.1, 0.2, 0.4, 0.8, 1.6, 3.2})); // 6.3 of 10
        patience.begin();
        QCOMPARE(all(1.1), (std::vector<double>{0.1, 0.2})); // with what is tried again
        QVERIFY(patience.spend(1) && !patience.spend(1));
        time.passed = 200;
        time.left = 0.5; // nothing goes beyond the end
        QVERIFY(!patience.spend(0.6));
        QCOMPARE(all(0), (std::vector<double>{0.4}));
        time.left = -1;
        QVERIFY(!patience.spend(0) && !patience.wait(0));
    }

    /// Whatever goes on beside it, a study loses a tenth of its time, and says which times are not certain.
    void aBusyMachineCostsATenth() {
        MadeUpMachine machine;
        Waits waits{machine};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        double taken = 0;
        int disturbed = 0;
        for (int batch = 0; batch < 200; ++batch) {
            machine.beginsBurst = batch % 3 == 0 ? 0.4 : 0.1;
            machine.longestBurst = batch % 7 == 0 ? 100 : 5;
            patience.begin();
            for (int i = 0; i < 50; ++i) {
                const auto round = rounds.round(machine, both, patience);
                QVERIFY(round.outcome == Outcome::Timed);
                taken += 3 * (round.us[0] + round.us[1]) / 1e6;
                disturbed += round.isDisturbed;
            }
        }
        const double lost = (machine.ran + waits.waited - taken) / (machine.ran + waits.waited);
        QVERIFY2(lost > 0.05 && lost < 0.105, qPrintable(QString::number(lost)));
        QVERIFY2(disturbed > 1000 && disturbed < 9000, qPrintable(QString::number(disturbed)));
    }

    void nothingIsTimedAgainAfterTheEnd() {
        MadeUpMachine machine;
        Waits waits{machine, 1000};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        for (int i = 0; i < 50; ++i)
            QVERIFY(!rounds.round(machine, both, patience).isDisturbed);
        machine.beginsBurst = 1;
        machine.longestBurst = 1e9;
        waits.left = 0;
        const int before = machine.blocks;
        QVERIFY(rounds.round(machine, both, patience).isDisturbed);
        QCOMPARE(machine.blocks, before + 2);
        QCOMPARE(waits.waited, 0.0);
    }

    /// A clock that stands still, or jumps back, gives no figure, and ends nothing.
    void whatIsNoTimeIsNone() {
        for (const double us : {0.0, -5.0, std::nan(""), always}) {
            MadeUpMachine machine;
            machine.us[1] = us;
            Waits waits{machine, 10};
            TimingRounds rounds = waits.rounds();
            Patience patience = waits.patience();
            QVERIFY(rounds.round(machine, both, patience).outcome == Outcome::Untimed);
            QVERIFY(waits.waited < 1.1);
            machine.us[1] = 100;
            QVERIFY(rounds.round(machine, both, patience).outcome == Outcome::Timed);
        }
    }

    void waitingCanBeCancelled() {
        MadeUpMachine machine;
        Waits waits{machine, 1000};
        waits.cancelled = true;
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        for (int i = 0; i < 50; ++i)
            QVERIFY(rounds.round(machine, both, patience).outcome == Outcome::Timed);
        machine.beginsBurst = 1;
        machine.longestBurst = 1e9;
        const auto round = rounds.round(machine, both, patience);
        QVERIFY(round.outcome == Outcome::Failed);
        QVERIFY(round.problem.kind == ErrorKind::Cancelled);
        QCOMPARE(waits.waited, 0.1);
    }

    /// Somebody has half of the processor all the while: it is what is usual, and pairs are told apart all the same.
    void aMachineThatIsBusyThroughoutGivesResults() {
        MadeUpMachine machine;
        machine.beginsBurst = 1;
        machine.longestBurst = 1e9;
        machine.us = {100, 80};
        Waits waits{machine, 10};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        std::vector<double> ratios;
        while (ratios.size() < 25) {
            const auto round = rounds.round(machine, both, patience);
            QVERIFY(round.outcome == Outcome::Timed);
            ratios.push_back(std::log(round.us[1] / round.us[0]));
        }
        QVERIFY(tune::isFaster(ratios, 0.01) == tune::Faster::Yes);
        QVERIFY(waits.waited <= 1.1);
    }

    void equalIsNotAccepted_data() {
        QTest::addColumn<double>("gain");
        QTest::addColumn<double>("beginsBurst");
        QTest::addColumn<double>("stolen");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::newRow("A against A, quiet") << 0.0 << 0.0 << 0.0 << 0.0 << 0.01;
        QTest::newRow("A against A, in bursts") << 0.0 << 0.02 << 0.6 << 0.0 << 0.01;
        QTest::newRow("A against A, bursts that are hardly seen") << 0.0 << 0.1 << 0.025 << 0.0 << 0.01;
        QTest::newRow("A against A, mostly in bursts") << 0.0 << 0.3 << 0.6 << 0.0 << 0.02;
        QTest::newRow("3 %, quiet") << 0.03 << 0.0 << 0.0 << 0.8 << 1.0;
        QTest::newRow("3 %, in bursts") << 0.03 << 0.02 << 0.6 << 0.8 << 1.0;
    }
    void equalIsNotAccepted() {
        QFETCH(double, gain);
        QFETCH(double, beginsBurst);
        QFETCH(double, stolen);
        QFETCH(double, least);
        QFETCH(double, most);
        MadeUpMachine machine;
        machine.us = {100, 100 * (1 - gain)};
        machine.beginsBurst = beginsBurst;
        machine.longestBurst = 12;
        machine.stolen = stolen;
        Waits waits{machine};
        TimingRounds rounds = waits.rounds();
        Patience patience = waits.patience();
        int accepted = 0;
        constexpr int times = 400;
        for (int time = 0; time < times; ++time) {
            patience.begin();
            std::vector<double> ratios;
            for (const size_t count : {9, 15, 25}) {
                while (ratios.size() < count) {
                    const auto round = rounds.round(machine, both, patience);
                    QVERIFY(round.outcome == Outcome::Timed);
                    ratios.push_back(std::log(round.us[1] / round.us[0]));
                }
                if (!tune::needsMore(ratios, 0.01))
                    break;
            }
            accepted += tune::isFaster(ratios, 0.01) == tune::Faster::Yes;
        }
        const double share = double(accepted) / times;
        QVERIFY2(share >= least && share <= most, qPrintable(QString::number(share)));
    }
};

Test test() {
    return {makes<TestTimingRounds>};
}

} // namespace lathe::testing::test_timing_rounds

#include "test_timing_rounds.moc"
