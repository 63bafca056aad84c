// SPDX-License-Identifier: Apache-2.0
//
// What is taken only if it is faster in place: on made-up pairs of times.
#include "support/program_of_tests.h"
#include "tuning/in_place.h"

#include <QTest>
#include <cmath>
#include <random>

namespace lathe::testing::test_in_place {

using namespace lathe::tuning;

class TestInPlace : public QObject {
    Q_OBJECT

private slots:
    void pairs_data() {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("faster");
        QTest::addColumn<bool>("slower");
        QTest::newRow("slower") << 1.03 << false << true;
        QTest::newRow("faster") << 0.97 << true << false;
        QTest::newRow("equal") << 1.0 << false << false;
    }
    void pairs() {
        QFETCH(double, ratio);
        QFETCH(bool, faster);
        QFETCH(bool, slower);
        int right = 0;
        for (uint64_t seed = 0; seed < 100; ++seed) {
            std::mt19937_64 random(seed);
            std::lognormal_distribution<double> noise(0, 0.02);
            const Compared compared = *compareByPairs([&](int) -> Result<std::array<RunMs, 2>> {
                return std::array{RunMs{10 * noise(random), {}}, RunMs{10 * ratio * noise(random), {}}};
            });
            QVERIFY(!compared.isFaster || compared.secondMs < compared.firstMs);
            QVERIFY(!compared.isSlower || compared.secondMs > compared.firstMs);
            right += compared.isFaster == faster && compared.isSlower == slower;
        }
        QVERIFY2(right >= 85, qPrintable(QString::number(right)));
    }

    /// Two of nine pairs of a machine that did something else.
    void kernelsAreToldApartByMedians() {
        const Compared compared = *compareByPairs([](int number) -> Result<std::array<RunMs, 2>> {
            const double disturbed = number < 2 ? 3 : 1;
            return std::array{RunMs{10, {{"a", 2}, {"b", 1}, {"only before", 1}}},
                              RunMs{9 * disturbed, {{"a", 1.5 * disturbed}, {"b", 1.1}, {"only after", 1}}}};
        });
        QCOMPARE(compared.kernels.size(), size_t(2));
        QCOMPARE(compared.kernels.at("a"), 0.75);
        QCOMPARE(compared.kernels.at("b"), 1.1);
        QCOMPARE(compared.firstMs, 10.0);
        QCOMPARE(compared.secondMs, 9.0);
    }

    /// A clock that stood still says nothing of either model, whichever it was asked for.
    void aPairWithoutATimeDoesNotCount_data() {
        QTest::addColumn<int>("of");
        QTest::addColumn<double>("time");
        for (const auto& [name, time] : {std::pair{"0", 0.0}, {"no number", std::nan("")}, {"infinity", HUGE_VAL}}) {
            QTest::addRow("%s of the first", name) << 0 << time;
            QTest::addRow("%s of the second", name) << 1 << time;
        }
    }
    void aPairWithoutATimeDoesNotCount() {
        QFETCH(int, of);
        QFETCH(double, time);
        const auto compared = [&](int untimed, int& asked) {
            return *compareByPairs([&, untimed](int number) -> Result<std::array<RunMs, 2>> {
                asked = number + 1;
                std::array pair{RunMs{10, {{"a", 2}, {"b", 2}}}, RunMs{11, {{"a", 3}, {"b", 3}}}};
                if (number < untimed)
                    pair[size_t(of)].model = time;
                pair[size_t(of)].kernels["b"] = time;
                return pair;
            });
        };
        int asked = 0;
        const Compared some = compared(16, asked);
        QCOMPARE(asked, 25); // 9 of which had times
        QVERIFY(some.isSlower && !some.isFaster && !some.isDisturbed);
        QCOMPARE(some.firstMs, 10.0);
        QCOMPARE(some.secondMs, 11.0);
        QVERIFY(some.kernels == (std::map<std::string, double>{{"a", 1.5}}));
        const Compared none = compared(17, asked);
        QCOMPARE(asked, 25);
        QVERIFY(none.isDisturbed && !none.isSlower && !none.isFaster);
        QCOMPARE(none.firstMs, 0.0);
        QVERIFY(none.kernels.empty());
    }

    void asksNoMoreThanItMust() {
        std::vector<int> asked;
        const auto always = [&](double ratio) {
            return [&asked, ratio](int number) -> Result<std::array<RunMs, 2>> {
                asked.push_back(number);
                return std::array{RunMs{1, {}}, RunMs{ratio, {}}};
            };
        };
        QVERIFY(compareByPairs(always(0.9))->isFaster);
        QCOMPARE(asked, std::vector({0, 1, 2, 3, 4, 5, 6, 7, 8}));
        asked.clear();
        QVERIFY(!compareByPairs(always(1))->isFaster);
        QCOMPARE(asked.size(), size_t(25));
        QVERIFY(!compareByPairs([](int) -> Result<std::array<RunMs, 2>> { return failure("the child died"); }));
    }
};

Test test() {
    return {makes<TestInPlace>};
}

} // namespace lathe::testing::test_in_place

#include "test_in_place.moc"
