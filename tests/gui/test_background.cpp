// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window's threads and what they hand over: lanes of work, mailboxes, workers of pages. What is handed over is written by
// one thread and read by another without more, as pages do.
// Runs: release threads
// Instead: app/lane.cpp views/page/mailbox.cpp
#include "app/lane.h"
#include "support/program_of_tests.h"
#include "views/page/mailbox.h"
#include "views/page/worker.h"

#include <QTest>
#include <algorithm>

namespace lathe::testing::test_background {

using app::Cancelled;
using app::Lane;
using views::Mailbox;
using views::Worker;

namespace {

using Numbers = std::vector<int>;

void waitFor(const Cancelled& over) {
    while (!over())
        std::this_thread::yield();
}

} // namespace

class TestBackground : public QObject {
    Q_OBJECT

private slots:
    void theNewestOfAKindIsDone() {
        Numbers heard;
        Mailbox mailbox;
        Lane lane;
        for (int i = 0; i < 300; ++i)
            lane.enqueue(i % 3, [i, &heard, address = mailbox.address()](const Cancelled&) {
                auto made = std::make_shared<Numbers>(100, i);
                address.post([&heard, made] { heard.push_back(made->back()); });
            });
        QTRY_VERIFY(!heard.empty() && heard.back() == 299);
        QTRY_VERIFY(!lane.isBusy());
        QVERIFY(std::ranges::adjacent_find(heard, std::ranges::greater_equal()) == heard.end());
        QCOMPARE((Numbers{heard.end() - 3, heard.end()}), (Numbers{297, 298, 299}));
        QVERIFY(mailbox.isEmpty());
    }

    void idleFollowsWhatWasEnqueued() {
        QStringList heard;
        Mailbox mailbox;
        const auto say = [&heard, address = mailbox.address()](const char* what) {
            address.post([&heard, what] { heard << what; });
        };
        Lane lane([say] { say("idle"); });
        lane.enqueue(0, [say](const Cancelled&) { say("work"); });
        QTRY_COMPARE(heard, (QStringList{"work", "idle"}));
        // What runs is told to end by a newer wish of its kind, and what is queued can be forgotten.
        const auto wait = [say](const Cancelled& cancelled) {
            say("begun");
            waitFor(cancelled);
            say("told");
        };
        lane.enqueue(0, wait);
        QTRY_COMPARE(heard.back(), QString("begun"));
        lane.replace(0, wait);
        QTRY_VERIFY(heard.contains("told"));
        lane.enqueue(1, [say](const Cancelled&) { say("forgotten"); });
        lane.cancel();
        QTRY_COMPARE(heard.back(), QString("idle"));
        QVERIFY(!heard.contains("forgotten"));
    }

    void whoDoesNotListenIsLeftToItself() {
        auto begun = std::make_shared<std::atomic<bool>>(false), over = std::make_shared<std::atomic<bool>>(false),
             ended = std::make_shared<std::atomic<bool>>(false);
        {
            Lane lane;
            lane.enqueue(0, [begun, over, ended](const Cancelled&) {
                *begun = true;
                waitFor([&] { return over->load(); });
                *ended = true;
            });
            QTRY_VERIFY(*begun); // what is queued is forgotten
            QVERIFY(!lane.finish(std::chrono::milliseconds(20)));
        }
        QVERIFY(!*ended);
        *over = true;
        QTRY_VERIFY(*ended);
    }

    void aGoneMailboxHearsNothing() {
        int heard = 0;
        std::optional<Mailbox> mailbox(std::in_place);
        {
            Lane lane;
            lane.enqueue(0, [&heard, address = mailbox->address()](const Cancelled& cancelled) {
                while (!cancelled()) {
                    address.post([&heard] { ++heard; });
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            });
            QTRY_VERIFY(heard > 0);
            mailbox.reset();
            heard = 0;
        }
        QCoreApplication::processEvents();
        QCOMPARE(heard, 0);
    }

    void workersHandOverTheLastResult() {
        Worker<Numbers> worker;
        std::vector<std::optional<Numbers>> heard;
        for (int i = 0; i < 20; ++i)
            worker.start([i](const Worker<Numbers>::Cancelled&) { return Numbers(50, i); },
                         [&heard](std::optional<Numbers> made) { heard.push_back(std::move(made)); });
        QTRY_VERIFY(!worker.isRunning());
        QCOMPARE(heard.size(), size_t{1}); // each took the place of the one before
        QVERIFY(heard.front() == Numbers(50, 19));
        worker.start(
            [](const Worker<Numbers>::Cancelled& cancelled) {
                waitFor(cancelled);
                return Numbers{1};
            },
            [&heard](std::optional<Numbers> made) { heard.push_back(std::move(made)); });
        worker.cancel();
        QTRY_COMPARE(heard.size(), size_t{2});
        QVERIFY(!heard.back());
    }
};

Test test() {
    return {makes<TestBackground>};
}

} // namespace lathe::testing::test_background

#include "test_background.moc"
