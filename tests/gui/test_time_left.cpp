// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long work will still take: figures worked out by hand, and when none may be said.
#include "support/program_of_tests.h"
#include "views/models/window/time_left.h"

#include <QTest>

namespace lathe::testing::test_time_left {

using namespace lathe::views::models;

class TestTimeLeft : public QObject {
    Q_OBJECT

private slots:
    void estimates_data() {
        QTest::addColumn<std::vector<ProgressPoint>>("points");
        QTest::addColumn<double>("now");
        QTest::addColumn<double>("left"); // negative: none
        using Points = std::vector<ProgressPoint>;
        const double none = -1;
        QTest::newRow("nothing known") << Points{} << 0.0 << none;
        // A tenth in 10 s: nine times as long for the rest.
        QTest::newRow("even") << Points{{0, 0}, {5, 0.05}, {10, 0.1}} << 10.0 << 90.0;
        QTest::newRow("another clock") << Points{{100, 0}, {105, 0.05}, {110, 0.1}} << 110.0 << 90.0;
        QTest::newRow("two seconds later") << Points{{0, 0}, {5, 0.05}, {10, 0.1}} << 12.0 << 88.0;
        // What was there before the first point took no time of ours: 0.25 in 10 s, 0.25 is left.
        QTest::newRow("begun elsewhere") << Points{{0, 0.5}, {5, 0.625}, {10, 0.75}} << 10.0 << 10.0;
        // 0.6 in 12 s is 0.05 a second; the last third, 4 s, did 0.12, 0.03 a second: 0.4 / 0.03.
        QTest::newRow("slower now") << Points{{0, 0}, {8, 0.48}, {12, 0.6}} << 12.0 << 0.4 / 0.03;
        // The last third did 0.3 in 4 s, faster than 0.05 a second, which counts: 0.4 / 0.05.
        QTest::newRow("faster now") << Points{{0, 0}, {8, 0.3}, {12, 0.6}} << 12.0 << 8.0;
        QTest::newRow("much slower now") << Points{{0, 0}, {8, 0.55}, {12, 0.6}} << 12.0 << none;
        QTest::newRow("much faster now") << Points{{0, 0}, {8, 0.1}, {12, 0.6}} << 12.0 << none;
        QTest::newRow("too early") << Points{{0, 0}, {2, 0.2}, {4.9, 0.5}} << 4.9 << none;
        QTest::newRow("too little") << Points{{0, 0}, {30, 0.02}, {60, 0.04}} << 60.0 << none;
        QTest::newRow("stands still") << Points{{0, 0}, {5, 0.05}, {10, 0.1}} << 13.0 << none;
        QTest::newRow("does not move") << Points{{0, 0.3}, {60, 0.3}} << 60.0 << none;
        QTest::newRow("done") << Points{{0, 0}, {5, 0.5}, {10, 1}} << 11.0 << 0.0;
    }
    void estimates() {
        QFETCH(std::vector<ProgressPoint>, points);
        QFETCH(double, now);
        QFETCH(double, left);
        const auto estimate = secondsLeft(points, now);
        QCOMPARE(estimate.has_value(), left >= 0);
        if (estimate)
            QVERIFY2(std::abs(*estimate - left) < 1e-9, qPrintable(QString::number(*estimate)));
    }

    void words_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << 0.0 << "a few seconds left";
        QTest::newRow("below ten") << 9.9 << "a few seconds left";
        QTest::newRow("ten") << 10.0 << "less than a minute left";
        QTest::newRow("a minute") << 60.0 << "about 1 min left";
        QTest::newRow("nearer to two") << 91.0 << "about 2 min left";
        QTest::newRow("nine and a bit") << 569.0 << "about 9 min left";
        QTest::newRow("ten minutes") << 640.0 << "about 10 min left";
        QTest::newRow("by fives") << 17.6 * 60 << "about 20 min left";
        QTest::newRow("nearly an hour") << 57.6 * 60 << "about 1 h left";
        QTest::newRow("hours") << 3.4 * 3600 << "about 3 h left";
    }
    void words() {
        QFETCH(double, seconds);
        QFETCH(QString, text);
        QCOMPARE(timeLeftText(seconds), text);
    }

    /// 10,000 points of even work, and then another piece of work.
    void manyPoints() {
        TimeLeft left;
        for (int i = 0; i <= 10'000; ++i)
            left.add(i * 0.01, i * 5e-5); // half of it in 100 s
        const auto estimate = left.seconds(100);
        QVERIFY(estimate && std::abs(*estimate - 100) < 1);
        left.add(100.5, 0);
        QVERIFY(!left.seconds(100.5));
        left.add(110.5, 0.5);
        const auto next = left.seconds(110.5);
        QVERIFY(next && std::abs(*next - 10) < 1e-9);
    }
};

Test test() {
    return {makes<TestTimeLeft>};
}

} // namespace lathe::testing::test_time_left

#include "test_time_left.moc"
