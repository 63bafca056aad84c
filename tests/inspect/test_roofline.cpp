// SPDX-License-Identifier: Apache-2.0
//
// The roofline of rows whose figures are known, and the peaks of this machine: kept, and measured anew where what was kept is
// of no use.
#include "base/guarded.h"
#include "inspect/roofline.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_roofline {

using inspect::Bound;

namespace {

inspect::ProfileRow row(double ms, double flops, double bytes) {
    inspect::ProfileRow result;
    result.ms = ms;
    result.flops = flops;
    result.bytes = bytes;
    return result;
}

/// One thread: 100 GFLOP/s, 10 GB/s; two: 200 and 15.
inspect::MachinePeaks peaks() {
    return {.cpu = "a cpu", .threads = 2, .one = {100, 10}, .all = {200, 15}};
}

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private slots:
    void points_data() {
        QTest::addColumn<double>("ms");
        QTest::addColumn<double>("flops");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("limit");
        QTest::addColumn<double>("share");
        QTest::addColumn<QString>("bound");
        // In 1 ms one thread does 10^8 FLOPs and reads 10^7 bytes.
        QTest::newRow("half of the multiply-adds") << 2.0 << 1e8 << 1e6 << 100.0 << 0.5 << "compute";
        QTest::newRow("at the ridge") << 1.0 << 1e8 << 1e7 << 100.0 << 1.0 << "compute";
        QTest::newRow("a quarter of the memory") << 4.0 << 1e7 << 1e7 << 10.0 << 0.25 << "memory";
        QTest::newRow("faster than memory") << 0.5 << 1e7 << 1e7 << 100.0 << 0.2 << "caches";
        QTest::newRow("only moves") << 2.0 << 0.0 << 1e7 << 0.0 << 0.5 << "memory";
        QTest::newRow("moves within caches") << 0.1 << 0.0 << 1e7 << 0.0 << 1.0 << "caches";
    }
    void points() {
        QFETCH(double, ms);
        QFETCH(double, flops);
        QFETCH(double, bytes);
        QFETCH(double, limit);
        QFETCH(double, share);
        QFETCH(QString, bound);
        inspect::Profile profile;
        profile.threads = 1;
        profile.rows = {row(ms, flops, bytes)};
        const inspect::Roofline roofline = inspect::roofline(profile, peaks());
        QCOMPARE(roofline.ridge(), 10.0);
        QCOMPARE(roofline.points.size(), size_t{1});
        const inspect::RooflinePoint& point = roofline.points.front();
        QCOMPARE(point.gflops, flops / ms / 1e6);
        QCOMPARE(point.intensity, flops / bytes);
        QCOMPARE(point.limit, limit);
        QCOMPARE(point.share, share);
        QCOMPARE(QString::fromStdString(std::string(toString(point.bound))), bound);
    }

    void theThreadsThatRanDecide() {
        inspect::Profile profile;
        profile.rows = {row(1, 1e8, 1e6)};
        profile.threads = 2;
        QCOMPARE(inspect::roofline(profile, peaks()).peak.gflops, 200.0);
        profile.threads = 0; // all
        QCOMPARE(inspect::roofline(profile, peaks()).peak.gflops, 200.0);
        profile.threads = 1;
        QCOMPARE(inspect::roofline(profile, peaks()).peak.gflops, 100.0);
    }

    void whatTookNoTimeHasNoPoint() {
        inspect::Profile profile;
        profile.rows = {row(1, 1, 1), row(0, 1, 1), row(1, 1, 0)};
        const inspect::Roofline roofline = inspect::roofline(profile, peaks());
        QCOMPARE(roofline.points.size(), size_t{1});
        QCOMPARE(roofline.points.front().row, size_t{0});
    }

    void peaksAreKept() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        QFile file(folder.filePath("measured_peaks.json"));
        const inspect::MachinePeaks first = inspect::machinePeaks(2, true);
        QCOMPARE(first.threads, 2);
        QVERIFY(!first.cpu.empty());
        for (const Peak& peak : {first.one, first.all}) {
            QVERIFY2(peak.gflops > 0.1 && peak.gflops < 1e5, qPrintable(QString::number(peak.gflops)));
            QVERIFY2(peak.gbs > 0.1 && peak.gbs < 1e5, qPrintable(QString::number(peak.gbs)));
        }
        QVERIFY(file.exists());
        const inspect::MachinePeaks second = inspect::machinePeaks(2, true);
        QVERIFY(second.one.gflops >= first.one.gflops); // nothing is forgotten
        QVERIFY(second.all.gbs >= first.all.gbs);
        (void)inspect::machinePeaks(1, true); // beside the others
        const inspect::MachinePeaks third = inspect::machinePeaks(2, true);
        QVERIFY(third.all.gflops >= second.all.gflops && third.one.gbs >= second.one.gbs);
        for (const char* damaged :
             {"", "{", "[]", "{\"%1\": 7}", "{\"%1\": {\"one\": {\"gflops\": -1, \"gbs\": 1}}}"}) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(damaged).replace("%1", QByteArray::fromStdString(first.cpu) + ", 1 threads"));
            file.close();
            QVERIFY(inspect::machinePeaks(1, true).one.gbs > 0);
        }
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("kept by nobody");
        file.close();
        QVERIFY(inspect::machinePeaks(1, false).one.gflops > 0);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("kept by nobody"));
    }

    /// After how many questions it ends, too: each repetition asks.
    void measuringIsCancelled() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        for (const int after : {1, 3}) {
            int asked = 0;
            const auto peaks = guarded([&]() -> Result<inspect::MachinePeaks> {
                return inspect::machinePeaks(1, true, [&] { return ++asked == after; });
            });
            QVERIFY(!peaks && peaks.error().kind == ErrorKind::Cancelled);
            QCOMPARE(asked, after);
            QVERIFY(!QFile::exists(folder.filePath("measured_peaks.json")));
        }
    }

    /// Measured beside other work, it was too low.
    void aLowPeakRises() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        QFile file(folder.filePath("measured_peaks.json"));
        const double real = inspect::machinePeaks(1, true).one.gflops;
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray text = file.readAll();
        text.replace(QByteArray("\"gflops\":"), QByteArray("\"gflops\":1e-3,\"was\":"));
        file.resize(0);
        file.seek(0);
        file.write(text);
        file.close();
        const double later = inspect::machinePeaks(1, true).one.gflops;
        QVERIFY2(later > real / 4, qPrintable(QString::number(later)));
    }

    /// Bytes that a thread reads in the time of a multiply-add, two FLOPs: kept in half powers of two, for native alone.
    void theBalanceIsKeptInSteps() {
        QTemporaryDir folder;
        qputenv("LATHE_CACHE", folder.path().toLocal8Bit());
        QVERIFY(!inspect::measuredBalance("native")); // nobody has asked for it
        inspect::MachinePeaks own{.cpu = inspect::cpuName(), .threads = 1, .one = {96, 24}, .all = {96, 24}};
        inspect::keepBalance(own);
        QCOMPARE(inspect::measuredBalance("native"), std::optional(24 / (96 / 2.0)));
        QVERIFY(!inspect::measuredBalance("x86-64-v3") && !inspect::measuredBalance("haswell"));
        own.one.gbs = 25; // a peak that rises a little changes nothing
        inspect::keepBalance(own);
        QCOMPARE(inspect::measuredBalance("native"), std::optional(0.5));
        own.one.gbs = 48;
        inspect::keepBalance(own);
        QCOMPARE(inspect::measuredBalance("native"), std::optional(1.0));
        own.cpu = "another processor"; // whose cache this once was
        inspect::keepBalance(own);
        QVERIFY(!inspect::measuredBalance("native"));
    }

    void aFolderThatCannotBe() {
        QTemporaryDir folder;
        QFile file(folder.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        qputenv("LATHE_CACHE", folder.filePath("file/below").toLocal8Bit());
        QVERIFY(inspect::machinePeaks(1, true).one.gflops > 0);
    }
};

Test test() {
    return {makes<TestRoofline>};
}

} // namespace lathe::testing::test_roofline

#include "test_roofline.moc"
