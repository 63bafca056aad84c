// SPDX-License-Identifier: Apache-2.0
//
// What is taken only if it is faster in place: on made-up pairs of times.
#include "driver/in_place.h"

#include <QTest>
#include <cmath>
#include <random>

using namespace lathe;
using namespace lathe::driver;

class TestInPlace : public QObject {
    Q_OBJECT

private slots:
    void pairs_data() {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("faster");
        QTest::newRow("slower") << 1.03 << false;
        QTest::newRow("faster") << 0.97 << true;
        QTest::newRow("equal") << 1.0 << false;
    }
    void pairs() {
        QFETCH(double, ratio);
        QFETCH(bool, faster);
        int right = 0;
        for (uint64_t seed = 0; seed < 100; ++seed) {
            std::mt19937_64 random(seed);
            std::normal_distribution<double> noise(std::log(ratio), 0.03);
            right += *isFasterByPairs([&]() -> Result<double> { return noise(random); }) == faster;
        }
        QVERIFY2(right >= 90, qPrintable(QString::number(right)));
    }

    void asksNoMoreThanItMust() {
        int asked = 0;
        const auto always = [&](double ratio) {
            return [&asked, ratio]() -> Result<double> { return ++asked, ratio; };
        };
        QVERIFY(*isFasterByPairs(always(-0.1)));
        QCOMPARE(asked, 9);
        asked = 0;
        QVERIFY(!*isFasterByPairs(always(0)));
        QCOMPARE(asked, 25);
        QVERIFY(!isFasterByPairs([]() -> Result<double> { return failure("the child died"); }));
    }
};

QTEST_GUILESS_MAIN(TestInPlace)
#include "test_in_place.moc"
