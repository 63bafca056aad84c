// SPDX-License-Identifier: Apache-2.0
// Alone: yes
//
// Tuners take turns at timing, whatever their environments say, and go on where nothing can be locked.
#include "support/program_of_tests.h"
#include "tuning/timing_lock.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_timing_lock {

using tuning::TimingLock;

class TestTimingLock : public QObject {
    Q_OBJECT

    int notes_ = 0;

    std::optional<TimingLock> take(double seconds) {
        auto lock = TimingLock::take(seconds, {}, [this](const std::string&) { ++notes_; });
        return lock ? *std::move(lock) : std::nullopt;
    }

private slots:
    void cleanup() {
        qunsetenv("LATHE_TIMING_LOCK");
        qunsetenv("XDG_RUNTIME_DIR");
    }

    /// As in a session of the desktop and in a service, which has no such folder.
    void allOfAUserMeet() {
        QTemporaryDir folder;
        qunsetenv("LATHE_TIMING_LOCK");
        qputenv("XDG_RUNTIME_DIR", folder.path().toLocal8Bit());
        { // others may be timing on this machine
            const auto held = take(300);
            QVERIFY(held && held->problem().empty());
            qunsetenv("XDG_RUNTIME_DIR");
            notes_ = 0;
            QVERIFY(!take(0.05));
            QCOMPARE(notes_, 1);
        }
        QVERIFY(take(300));
    }

    void whatCannotBeLockedIsSaid() {
        qputenv("LATHE_TIMING_LOCK", "/nowhere/timing");
        const auto none = take(10), another = take(10);
        QVERIFY(none && another);
        QCOMPARE(none->problem(), std::string("/nowhere/timing cannot be locked: No such file or directory"));
    }

    void aLinkIsNotFollowed() {
        QTemporaryDir folder;
        QVERIFY(QFile::link(folder.filePath("elsewhere"), folder.filePath("timing")));
        qputenv("LATHE_TIMING_LOCK", folder.filePath("timing").toLocal8Bit());
        const auto none = take(10);
        QVERIFY(none && !none->problem().empty());
        QVERIFY(!QFile::exists(folder.filePath("elsewhere")));
    }
};

Test test() {
    return {makes<TestTimingLock>};
}

} // namespace lathe::testing::test_timing_lock

#include "test_timing_lock.moc"
