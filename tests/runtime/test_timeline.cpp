// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// One run in time: which thread does what, what is idle, and events of a child process that cannot be.
#include "inspect/timeline.h"

#include "base/json.h"
#include "runtime/probe_artifact.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <limits>
#include <tuple>

namespace lathe::testing::test_timeline {

using namespace lathe::inspect;

using Event = device::RunnerProfile::Event;

class TestTimeline : public QObject {
    Q_OBJECT

    static Result<Timeline> timeline(std::vector<std::vector<Event>> threads, size_t capacity = 100) {
        device::RunnerProfile profile;
        profile.threads = std::move(threads);
        return timelineOf(profile, 3, capacity);
    }

private slots:
    void regionsAndIdleTime() {
        // Call 0 has a region of both threads, call 2 none; 2 ms pass between them. A region is noted before its call.
        const auto made =
            timeline({{{0, 3, 1'500'000, 3'000'000}, {0, -1, 1'000'000, 4'000'000}, {2, -1, 6'000'000, 9'000'000}},
                      {{0, 5, 1'600'000, 3'600'000}}});
        QVERIFY(made.has_value());
        QCOMPARE(made->ms, 8.0);
        QVERIFY(made->complete);
        QCOMPARE(made->calls.size(), size_t{2});
        QCOMPARE(made->calls[1].call, 2);
        QCOMPARE(made->calls[1].beginMs, 5.0);
        QCOMPARE(made->threads.size(), size_t{2});
        QCOMPARE(made->threads[0].size(), size_t{2});
        QCOMPARE(made->threads[0][0].chunks, 3);
        QCOMPARE(made->threads[0][1].call, 2); // without a region: the first thread's own
        QCOMPARE(made->threads[0][1].chunks, 0);
        QCOMPARE(made->busy(0), (1.5 + 3) / 8);
        QCOMPARE(made->busy(1), 2.0 / 8);
    }

    /// What the first thread does alone before, between and after the regions of a call is work; what it waits is none.
    void serialWorkAndWaiting() {
        // The call takes 10 ms. First region: 1 to 2, then waiting to 3. Alone from 3 to 5. Second region: all of it is done
        // by the other thread, 5 to 7. Half a microsecond later a third one, waiting to 8; then alone to the end.
        const auto made = timeline({{{1, 2, 1'000'000, 2'000'000},
                                     {1, -2, 2'000'000, 3'000'000},
                                     {1, -2, 5'000'000, 7'000'000},
                                     {1, 1, 7'000'500, 7'500'000},
                                     {1, -2, 7'500'000, 8'000'000},
                                     {1, -1, 0, 10'000'000}},
                                    {{1, 2, 1'100'000, 3'000'000}, {1, 4, 5'000'000, 7'000'000}}});
        QVERIFY2(made.has_value(), made ? "" : toString(made.error()).c_str());
        std::vector<std::tuple<int, double, double>> first;
        for (const TimelineBox& box : made->threads[0]) {
            QCOMPARE(box.call, 1);
            first.emplace_back(box.chunks, box.beginMs, box.endMs);
        }
        QVERIFY((first == std::vector<std::tuple<int, double, double>>{
                              {0, 0, 1}, {2, 1, 2}, {0, 3, 5}, {1, 7.0005, 7.5}, {0, 8, 10}}));
        QCOMPARE(made->busy(0), (1 + 1 + 2 + 0.4995 + 2) / 10);
        QCOMPARE(made->threads[1].size(), size_t{2});
        device::RunnerModel model;
        model.calls = {{}, {"f", "k", {}, 0, 0}};
        const std::string text = toTraceEvents(*made, model);
        QCOMPARE(QString::fromStdString(text).count("\"serial\""), 3);
    }

    void nothingWasNoted() {
        const auto made = timeline({{}, {}});
        QVERIFY(made.has_value());
        QCOMPARE(made->ms, 0.0);
        QCOMPARE(made->busy(1), 0.0);
    }

    void aFullBufferIsSaid() {
        const auto made = timeline({{{0, -1, 1, 2}, {1, -1, 2, 3}}}, 2);
        QVERIFY(made.has_value());
        QVERIFY(!made->complete);
    }

    void impossibleEventsAreRefused_data() {
        QTest::addColumn<std::vector<std::vector<Event>>>("threads");
        using Threads = std::vector<std::vector<Event>>;
        constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
        QTest::newRow("no such call") << Threads{{{3, -1, 1, 2}}};
        QTest::newRow("negative call") << Threads{{{-2, 1, 1, 2}}};
        QTest::newRow("ends before it begins") << Threads{{{0, -1, 2, 1}}};
        QTest::newRow("negative time") << Threads{{{0, -1, least, most}}};
        QTest::newRow("no chunks") << Threads{{{0, 0, 1, 2}}};
        QTest::newRow("negative chunks") << Threads{{{0, -3, 1, 2}}};
        QTest::newRow("waiting of a worker") << Threads{{}, {{0, -2, 1, 2}}};
        QTest::newRow("works and waits") << Threads{{{0, 1, 1, 5}, {0, -2, 4, 6}}};
        QTest::newRow("call on a worker") << Threads{{}, {{0, -1, 1, 2}}};
        QTest::newRow("no call at all") << Threads{{{-1, -1, 1, 2}}};
        QTest::newRow("calls overlap") << Threads{{{0, -1, 1, 5}, {1, -1, 4, 6}}};
        QTest::newRow("regions overlap") << Threads{{}, {{0, 1, 1, 5}, {0, 1, 4, 6}}};
        QTest::newRow("too many threads") << Threads(5000);
    }
    void impossibleEventsAreRefused() {
        QFETCH(std::vector<std::vector<Event>>, threads);
        const auto made = timeline(threads);
        QVERIFY(!made.has_value());
        QVERIFY(made.error().what.find("timeline") != std::string::npos);
    }

    void traceEvents() {
        device::RunnerModel model;
        model.calls = {{"fused_\"a\"", "kernel_a", {"conv\xff"}, 0, 0}, {}, {"fused_b", "kernel_b", {}, 0, 0}};
        const auto made =
            timeline({{{0, 3, 1'500'000, 2'000'000}, {0, -1, 1'000'000, 4'000'000}, {2, -1, 6'000'000, 9'000'000}}});
        QVERIFY(made.has_value());
        const auto json = parseJson(toTraceEvents(*made, model));
        QVERIFY(json.has_value());
        std::vector<std::string> names;
        for (const auto& event : json->at("traceEvents")) {
            if (event.at("ph") == "M")
                continue;
            QCOMPARE(event.at("ph").get<std::string>(), std::string("X"));
            names.push_back(event.at("cat").get<std::string>() + " " + event.at("name").get<std::string>());
            if (names.back() == "call fused_b") {
                QCOMPARE(event.at("ts").get<double>(), 5000.0); // microseconds
                QCOMPARE(event.at("dur").get<double>(), 3000.0);
            }
        }
        QCOMPARE(names, (std::vector<std::string>{"call fused_\"a\"", "call fused_b", "region fused_\"a\""}));
    }

    void ofARealRun() {
        QTemporaryDir folder;
        const std::string probe = lathe::testing::buildProbe(folder.path()).toStdString();
        device::RunnerClient client({.threads = 2});
        const auto model = client.load(probe);
        QVERIFY(model.has_value());
        QVERIFY(client.setInput("x", tensorOf(types::Float32, {64, 4}, std::vector<float>(256, 0))).has_value());
        const auto made = recordTimeline(client, *model);
        QVERIFY2(made.has_value(), made ? "" : toString(made.error()).c_str());
        QCOMPARE(made->calls.size(), size_t{1});
        QCOMPARE(made->threads.size(), size_t{2});
        int chunks = 0;
        for (const auto& thread : made->threads)
            for (const TimelineBox& box : thread) {
                chunks += box.chunks;
                QVERIFY(box.beginMs >= made->calls[0].beginMs && box.endMs <= made->calls[0].endMs);
            }
        QCOMPARE(chunks, 64); // a row each
    }
};

Test test() {
    return {makes<TestTimeline>};
}

} // namespace lathe::testing::test_timeline

#include "test_timeline.moc"
