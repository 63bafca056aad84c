// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// A size swept: what is asked for, and whole runs at each size.
#include "inspect/sweep.h"

#include "base/guarded.h"
#include "inspect/profile.h"
#include "runtime/probe_artifact.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_sweep {

using namespace lathe::inspect;

class TestSweep : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string probe_;

private slots:
    /// At least 4 runs and 2 s, and no more than 100 runs.
    void shareOfTheMeasuring() {
        const inspect::Measuring measuring{.warmUp = 1,
                                           .leastRuns = 4,
                                           .mostRuns = 100,
                                           .atLeast = std::chrono::seconds(2),
                                           .timeline = false,
                                           .counters = false};
        const auto share = [&](size_t runs, double seconds) {
            return inspect::shareDone(measuring, runs, std::chrono::duration<double>(seconds));
        };
        QCOMPARE(share(0, 0), 0.0);
        QCOMPARE(share(50, 0.1), 0.5);  // fast: the runs end it
        QCOMPARE(share(20, 1.0), 0.5);  // the time does
        QCOMPARE(share(1, 60.0), 0.25); // slow: the first of four
        QCOMPARE(share(4, 240.0), 1.0);
        QCOMPARE(inspect::shareDone({}, 1, {}), 1.0 / 3);
    }

    void initTestCase() {
        probe_ = lathe::testing::buildProbe(folder_.path()).toStdString();
        QVERIFY(!probe_.empty());
    }

    void sizesAreRead() {
        const auto sizes = [](const char* text) {
            const auto question = parseSweep(text);
            return question ? question->sizes : std::vector<int64_t>();
        };
        QCOMPARE(sizes("n=1:4"), (std::vector<int64_t>{1, 2, 3, 4}));
        QCOMPARE(sizes("n=1:8:3"), (std::vector<int64_t>{1, 4, 7}));
        QCOMPARE(sizes("n=5:5"), (std::vector<int64_t>{5}));
        QCOMPARE(sizes("n=64,1,8"), (std::vector<int64_t>{64, 1, 8}));
        QCOMPARE(sizes("n=9223372036854775806:9223372036854775807:5"), (std::vector<int64_t>{9223372036854775806}));
        QCOMPARE(parseSweep("a=b[1]=3")->name, std::string("a=b[1]"));
        for (const char* bad : {"", "n", "=1", "n=", "n=0", "n=0:4", "n=4:1", "n=1:4:0", "n=1:2:3:4", "n=1,", "n=1,,2",
                                "n=1:x", "n=-1:4", "n= 1", "n=1:5001", "n=99999999999999999999"}) {
            const auto question = parseSweep(bad);
            QVERIFY2(!question, bad);
            QVERIFY(question.error().kind == ErrorKind::Usage);
        }
    }

    void runsAtEachSize() {
        device::RunnerClient client({.threads = 1});
        const auto model = client.load(probe_);
        QVERIFY(model.has_value());
        constexpr Measuring few{
            .warmUp = 1, .leastRuns = 4, .mostRuns = 4, .atLeast = {}, .timeline = false, .counters = false};
        double told = 0;
        driver::Progress progress;
        progress.report = [&](std::string_view /*stage*/, double fraction) {
            QVERIFY(fraction >= told && fraction <= 1);
            told = fraction;
        };
        for (const char* name : {"n", "x[0]"}) {
            told = 0;
            const auto result = sweep(client, *model, {name, {3, 1, 20000}}, {}, {}, 0, few, progress);
            QVERIFY2(result.has_value(), result ? "" : toString(result.error()).c_str());
            QCOMPARE(result->points.size(), size_t{3});
            QCOMPARE(result->points[2].size, int64_t{20000});
            for (const SweepPoint& point : result->points) {
                QCOMPARE(point.runs, 4);
                QVERIFY(point.leastMs > 0 && point.leastMs <= point.medianMs);
            }
            QVERIFY(result->points[2].leastMs > result->points[1].leastMs);
            QCOMPARE(client.output(0)->shape, (std::vector<int64_t>{20000, 4})); // it ran with that
            QVERIFY(told > 0.6);
        }
    }

    void whatCannotBe() {
        device::RunnerClient client({.threads = 1});
        const auto model = client.load(probe_);
        QVERIFY(model.has_value());
        const auto unknown = sweep(client, *model, {"batch", {1}}, {}, {}, 0, {});
        QVERIFY(!unknown.has_value());
        QCOMPARE(unknown.error().hint, std::string("it leaves open: n, x[0]"));
        QVERIFY(!sweep(client, *model, {"x[1]", {1}}, {}, {}, 0, {}).has_value()); // it is fixed
        const auto large = sweep(client, *model, {"n", {1, int64_t{1} << 60}}, {}, {}, 0, {});
        QVERIFY(!large.has_value());
        QVERIFY(large.error().what.starts_with("at n = 1152921504606846976: "));
        driver::Progress progress;
        progress.cancelled = [] { return true; };
        const auto cancelled = guarded([&] { return sweep(client, *model, {"n", {1}}, {}, {}, 0, {}, progress); });
        QVERIFY(!cancelled.has_value());
        QVERIFY(cancelled.error().kind == ErrorKind::Cancelled);
    }
};

Test test() {
    return {makes<TestSweep>};
}

} // namespace lathe::testing::test_sweep

#include "test_sweep.moc"
