// SPDX-License-Identifier: Apache-2.0
//
// Figures of merit against values worked out by hand, and what holds for every prediction that is perfect, reversed or says
// nothing.
#include "support/program_of_tests.h"
#include "tune/quality.h"

#include <QTest>
#include <algorithm>
#include <random>
#include <vector>

namespace lathe::testing::test_quality {

using namespace lathe::tune;

namespace {

/// Times without noise.
std::vector<Interval> points(const std::vector<double>& times) {
    std::vector<Interval> intervals;
    for (const double time : times)
        intervals.push_back({time, time, time});
    return intervals;
}

} // namespace

class TestQuality : public QObject {
    Q_OBJECT

private slots:
    void identities() {
        std::mt19937_64 random(5);
        std::vector<double> times, perfect, reversed;
        for (int i = 0; i < 40; ++i) {
            times.push_back(1 + std::generate_canonical<double, 53>(random) * 9);
            perfect.push_back(1 / times.back());
            reversed.push_back(times.back());
        }
        const Quality right = qualityOf(perfect, points(times)), wrong = qualityOf(reversed, points(times)),
                      nothing = qualityOf(std::vector<double>(40, 3.0), points(times));
        QCOMPARE(right.count, size_t(40));
        QVERIFY(std::abs(right.spearman - 1) < 1e-12 && std::abs(wrong.spearman + 1) < 1e-12);
        QCOMPARE(nothing.spearman, 0.0);
        QVERIFY(right.pairs.right == 1 && wrong.pairs.right == 0 && nothing.pairs.right == 0.5);
        for (const double each : {right.recall1, right.recall5, right.recall16, right.peak5})
            QCOMPARE(each, 1.0);
        for (const double each : {wrong.recall1, wrong.recall5, wrong.recall16})
            QCOMPARE(each, 0.0);
        QVERIFY(wrong.peak5 < 1);
    }

    /// Ranks of the scores from the least: 1 2 3 4 5; of the speeds: 2 1 4 3 5. The differences squared add up to 4:
    /// 1 - 6 * 4 / (5 * 24) = 0.8. Of ten pairs two are wrong.
    void byHand() {
        const std::vector<double> scores{10, 20, 30, 40, 50}, times{40, 50, 20, 25, 10};
        QVERIFY(std::abs(spearman(scores, times) - 0.8) < 1e-12);
        QVERIFY(std::abs(pairsOf(scores, points(times)).right - 0.8) < 1e-12);
        QCOMPARE(pairsOf(scores, points(times)).count, size_t(10));
        QCOMPARE(recallAt(1, scores, times), 1.0);
        QCOMPARE(recallAt(2, scores, times), 0.5); // 50 and 40 against 50 and 30
        QCOMPARE(recallAt(3, scores, times), 1.0);
        QCOMPARE(recallAt(9, scores, times), 1.0);
    }

    void peakIsWhatIsLost() {
        const std::vector<double> scores{3, 2, 1}, times{4, 2, 1};
        QCOMPARE(peakAt(1, scores, times), 0.25);
        QCOMPARE(peakAt(2, scores, times), 0.5);
        QCOMPARE(peakAt(3, scores, times), 1.0);
    }

    /// Speeds 1 2 2 4 (ranks 1, 2.5, 2.5, 4) and scores 1 2 3 4: sums of products 4.5, of squares 4.5 and 5.
    void tiesShareRanks() {
        const std::vector<double> scores{1, 2, 3, 4}, times{4, 2, 2, 1};
        QVERIFY(std::abs(spearman(scores, times) - 4.5 / std::sqrt(4.5 * 5)) < 1e-12);
        QCOMPARE(pairsOf(scores, points(times)).right, 1.0);
        QCOMPARE(pairsOf(scores, points(times)).count, size_t(5)); // the pair of equals is none
    }

    void whatOverlapsIsNoPair() {
        const std::vector<double> scores{3, 2, 1};
        const std::vector<Interval> times{{1, 2, 3}, {2.5, 2.6, 4}, {3.5, 3.6, 3.7}};
        const Pairs pairs = pairsOf(scores, times);
        QCOMPARE(pairs.count, size_t(1)); // the first and the last
        QCOMPARE(pairs.right, 1.0);
    }

    void ofNothing() {
        const Quality none = qualityOf({}, {});
        QCOMPARE(none.count, size_t(0));
        QVERIFY(none.spearman == 0 && none.pairs.right == 0.5 && none.recall1 == 0 && none.peak5 == 0);
        QCOMPARE(spearman(std::vector{1.0}, std::vector{1.0}), 0.0);
    }
};

Test test() {
    return {makes<TestQuality>};
}

} // namespace lathe::testing::test_quality

#include "test_quality.moc"
