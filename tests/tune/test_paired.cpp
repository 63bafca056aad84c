// SPDX-License-Identifier: Apache-2.0
//
// The paired test against what is known of ranks and of noise: the ranks that hold a median are those of the binomial tables,
// intervals cover as often as they say, equal candidates are hardly ever accepted and a true gain of 3 % is found.
#include "support/program_of_tests.h"
#include "tune/paired.h"

#include <QTest>
#include <cmath>
#include <random>
#include <vector>

namespace lathe::testing::test_paired {

using namespace lathe::tune;

class TestPaired : public QObject {
    Q_OBJECT

private slots:
    /// Dixon and Massey, Introduction to Statistical Analysis, table A-25: confidence 95 % intervals of the median.
    void ranks_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("rank");
        for (const auto& [count, rank] : {std::pair{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}})
            QTest::newRow(std::to_string(count).c_str()) << count << rank;
    }
    void ranks() {
        QFETCH(int, count);
        QFETCH(int, rank);
        std::vector<double> values;
        for (int i = count; i > 0; --i)
            values.push_back(i);
        const Interval interval = medianInterval(values);
        QCOMPARE(interval.low, double(rank));
        QCOMPARE(interval.high, double(count + 1 - rank));
        QCOMPARE(interval.middle, (count + 1) / 2.0);
    }

    void severalSizesAreOneSeries() {
        const std::vector<std::vector<double>> logs = {{std::log(2), std::log(3), 0}, {std::log(8), std::log(3)}};
        const std::vector<double> means = together(logs);
        QCOMPARE(means.size(), size_t(2));
        QCOMPARE(std::exp(means[0]), 4.0);
        QCOMPARE(std::exp(means[1]), 3.0);
        QVERIFY(together({}).empty());
    }

    void fewSayNothing() {
        const std::vector<double> far(5, std::log(0.5));
        QVERIFY(isFaster(far, 0.01) == Faster::Undecided);
        QCOMPARE(medianInterval({}).high, 0.0);
        const std::vector<double> enough(6, std::log(0.5));
        QVERIFY(isFaster(enough, 0.01) == Faster::Yes);
    }

    void intervalsCoverAsOftenAsTheySay() {
        std::mt19937_64 random(1);
        std::lognormal_distribution<double> noise(0, 0.05); // median 1
        for (const int count : {9, 15, 25}) {
            int covered = 0;
            constexpr int times = 20000;
            for (int time = 0; time < times; ++time) {
                std::vector<double> values;
                for (int i = 0; i < count; ++i)
                    values.push_back(noise(random));
                const Interval interval = medianInterval(values);
                covered += interval.low <= 1 && 1 <= interval.high;
            }
            const double share = double(covered) / times;
            QVERIFY2(share > 0.95 && share < 0.975, qPrintable(QString::number(share)));
        }
    }

    /// Ratios of two times with 2 % of noise each: in stages as the bench takes them, up to 25.
    void acceptsWhatIsFaster_data() {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::newRow("equal") << 1.0 << 0.0 << 0.01;
        QTest::newRow("3 %") << 0.97 << 0.8 << 1.0;
        QTest::newRow("10 %") << 0.9 << 0.99 << 1.0;
        QTest::newRow("slower") << 1.02 << 0.0 << 0.001;
    }
    void acceptsWhatIsFaster() {
        QFETCH(double, ratio);
        QFETCH(double, least);
        QFETCH(double, most);
        std::mt19937_64 random(2);
        std::normal_distribution<double> noise(0, 0.02);
        int accepted = 0;
        constexpr int times = 2000;
        for (int time = 0; time < times; ++time) {
            std::vector<double> ratios;
            Faster said = Faster::Undecided;
            for (const size_t count : {9, 15, 25}) {
                while (ratios.size() < count)
                    ratios.push_back(std::log(ratio) + noise(random) - noise(random));
                said = isFaster(ratios, 0.01);
                if (!needsMore(ratios, 0.01))
                    break;
            }
            accepted += said == Faster::Yes;
        }
        const double share = double(accepted) / times;
        QVERIFY2(share >= least && share <= most, qPrintable(QString::number(share)));
    }
};

Test test() {
    return {makes<TestPaired>};
}

} // namespace lathe::testing::test_paired

#include "test_paired.moc"
