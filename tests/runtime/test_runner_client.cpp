// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// The client of lathe-runner: results, and each way a child can fail, told apart; afterwards the client works again.
#include "device/runner_client.h"

#include "runtime/probe_artifact.h"
#include "runtime/run_probe.h"
#include "runtime/told_answers.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <sys/stat.h>
#include <thread>

namespace lathe::testing::test_runner_client {

using namespace lathe::device;
using lathe::testing::rows;
using lathe::testing::runProbe;
using namespace std::chrono_literals;

class TestRunnerClient : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string probe_;

private slots:
    void initTestCase() {
        probe_ = lathe::testing::buildProbe(folder_.path()).toStdString();
        QVERIFY(!probe_.empty());
    }

    void runsAndGivesResults() {
        RunnerClient client({.threads = 2});
        const auto model = client.load(probe_);
        QVERIFY(model.has_value());
        QCOMPARE(model->name, std::string("probe"));
        QCOMPARE(model->symbols, std::vector<std::string>{"n"});
        QCOMPARE(model->inputs.at(0).dims, (std::vector<int64_t>{-1, 4}));
        QVERIFY(model->inputs.at(0).dtype == types::Float32);
        QCOMPARE(model->outputs.at(1).dims, std::vector<int64_t>{INT64_MIN});
        QCOMPARE(model->calls.at(0).nodes, (std::vector<std::string>{"add_1", "gather_3"}));
        QCOMPARE(model->calls.at(0).flops, 4.0);

        QVERIFY(client.startProfile(100).has_value());
        QVERIFY(client.setInput("x", rows({0, 1, 2, 3, 4, 5, 6, 7})).has_value());
        const auto times = client.run(5);
        QVERIFY(times.has_value());
        QCOMPARE(times->ns.size(), size_t{5});
        QVERIFY(std::ranges::all_of(times->ns, [](int64_t ns) { return ns > 0; }));
        const auto outputs = client.outputs();
        QVERIFY(outputs.has_value());
        QCOMPARE(outputs->at(0).shape, (std::vector<int64_t>{2, 4}));
        QCOMPARE(valuesOf<float>(outputs->at(0)), (std::vector<float>{1, 3, 5, 7, 5, 7, 9, 11}));
        QCOMPARE(valuesOf<float>(outputs->at(1)), (std::vector<float>{0, 1, 2}));
        const auto profile = client.readProfile();
        QVERIFY(profile.has_value());
        QCOMPARE(profile->calls.at(0).count, int64_t{5});
        QVERIFY(profile->calls.at(0).totalNs >= 5 * profile->calls.at(0).minNs);
        QCOMPARE(profile->threads.size(), size_t{2});
    }

    /// Whether the processor's counters can be had is the machine's; what the system counts is always there, or the reason.
    void countsOrSaysWhyNot() {
        RunnerClient client({.threads = 2});
        QVERIFY(!client.count(1).has_value()); // nothing is loaded
        QVERIFY(runProbe(client, probe_, 0).has_value());
        const auto counters = client.count(3);
        QVERIFY2(counters.has_value(), counters ? "" : toString(counters.error()).c_str());
        const auto instructions = std::ranges::find(counters->counts, "instructions", &RunnerCounters::Count::name);
        if (counters->refused.empty())
            QVERIFY(instructions != counters->counts.end() && instructions->perRun > 0);
        else
            QVERIFY(toString(*counters).find("not available: " + counters->refused) != std::string::npos);
        QVERIFY(client.run().has_value());
    }

    void countsInWords() {
        const RunnerCounters all{"", {{"instructions", 3e9}, {"cycles", 2e9}}};
        QCOMPARE(toString(all), std::string("3e+09 instructions, 2e+09 cycles, 1.50 instructions a cycle"));
        QCOMPARE(toString(RunnerCounters{"Permission denied", {{"page faults", 12}}}),
                 std::string("12 page faults, the processor's counters are not available: Permission denied"));
        QCOMPARE(toString(RunnerCounters()), std::string());
    }

    void largeTensorsGoThrough() {
        RunnerClient client;
        QVERIFY(client.load(probe_).has_value());
        QVERIFY(client.setInput("x", rows(std::vector<float>(4'000'000, 1))).has_value()); // 16 MB
        QVERIFY(client.run().has_value());
        const auto output = client.output(0);
        QVERIFY(output.has_value());
        QCOMPARE(valuesOf<float>(*output).back(), 5.F);
        QCOMPARE(output->elements(), int64_t{4'000'000});
    }

    void refusalsNameTheReason() {
        RunnerClient client;
        const auto missing = client.load("/nowhere.so");
        QVERIFY(!missing.has_value());
        QVERIFY(missing.error().what.find("/nowhere.so") != std::string::npos);
        QCOMPARE(client.outcome(), RunnerOutcome::Refused);

        const auto failed = runProbe(client, probe_, -104);
        QVERIFY(!failed.has_value());
        QCOMPARE(failed.error().node, std::string("gather_3"));
        QCOMPARE(failed.error().what, std::string("index out of range (7 of 4)"));
        QCOMPARE(client.outcome(), RunnerOutcome::Refused);

        auto wrongRank = rows({1, 2, 3, 4});
        wrongRank.shape = {4};
        QVERIFY(!client.setInput("x", wrongRank).has_value());
        QVERIFY(!client.setInput("nobody", rows({1, 2, 3, 4})).has_value());
        auto shortOfBytes = rows({1, 2, 3, 4});
        shortOfBytes.bytes.pop_back();
        QVERIFY(!client.setInput("x", shortOfBytes).has_value());
        QVERIFY(runProbe(client, probe_, 0).has_value()); // and the child lives
    }

    void crashIsTold() {
        RunnerClient client;
        const auto crashed = runProbe(client, probe_, -101);
        QVERIFY(!crashed.has_value());
        QCOMPARE(crashed.error().what, std::string("the kernel crashed with SIGSEGV"));
        QCOMPARE(client.outcome(), RunnerOutcome::Crashed);
        QVERIFY(!client.run().has_value());
        QCOMPARE(client.outcome(), RunnerOutcome::Unavailable);
        QVERIFY(runProbe(client, probe_, 0).has_value()); // a new child
        QCOMPARE(client.outcome(), RunnerOutcome::Good);
    }

    void hangIsEnded() {
        RunnerClient client({.timeout = 400ms});
        const auto begin = std::chrono::steady_clock::now();
        QVERIFY(!runProbe(client, probe_, -102).has_value());
        QCOMPARE(client.outcome(), RunnerOutcome::Timeout);
        QVERIFY(std::chrono::steady_clock::now() - begin < 10s);
        auto patient = client.options();
        patient.timeout = 20s;
        client.setOptions(patient);
        QVERIFY(runProbe(client, probe_, 0).has_value());
    }

    void memoryLimitIsAnError() {
        RunnerClient client({.contextBytes = 1 << 20});
        const auto refused = runProbe(client, probe_, -105);
        QVERIFY(!refused.has_value());
        QVERIFY(refused.error().what.starts_with("out of memory"));
        QCOMPARE(client.outcome(), RunnerOutcome::Refused);
    }

    void cancellingEndsTheChild() {
        std::atomic<bool> cancelled = false;
        RunnerClient client({.threads = 1, .cancelled = [&] { return cancelled.load(); }});
        QVERIFY(runProbe(client, probe_, 0).has_value());
        std::thread later([&] {
            std::this_thread::sleep_for(100ms);
            cancelled = true;
        });
        const auto start = std::chrono::steady_clock::now();
        const auto ended = runProbe(client, probe_, -102); // never ends by itself
        later.join();
        QVERIFY(!ended.has_value());
        QCOMPARE(client.outcome(), RunnerOutcome::Cancelled);
        QVERIFY(std::chrono::steady_clock::now() - start < 30s); // the limit of the request is 60 s
        cancelled = false;
        QVERIFY(runProbe(client, probe_, 0).has_value()); // a new child
    }

    void noRunnerIsADiagnostic() {
        RunnerClient client({.program = "/nowhere/lathe-runner"});
        const auto refused = client.load(probe_);
        QVERIFY(!refused.has_value());
        QCOMPARE(client.outcome(), RunnerOutcome::Unavailable);
        RunnerClient other({.program = "/bin/true"}); // ends at once: a write into nothing must not end us
        QVERIFY(!other.load(probe_).has_value());
    }

    /// Answers are as long as what was asked for, and as a model has it: whoever counts on that reads nothing else.
    void whatCannotBeIsMalformed_data() {
        QTest::addColumn<QString>("of");
        QTest::addColumn<std::vector<int64_t>>("numbers");
        QTest::addColumn<bool>("good");
        const auto row = [](const char* name, const char* of, const std::vector<int64_t>& numbers, bool good) {
            QTest::newRow(name) << QString(of) << numbers << good;
        };
        row("two times", "run", {5, 7}, true);
        row("one time of two", "run", {5}, false);
        row("a time below 0", "run", {5, -7}, false);
        row("as many bytes as its shape", "output", {4, 16}, true);
        row("fewer bytes", "output", {4, 12}, false);
        row("more bytes", "output", {4, 20}, false);
        row("a dim below 0", "output", {-4, 16}, false);
        row("a dim too many", "output", {int64_t{1} << 62, 0}, false);
        row("the call's profile", "profile", {1}, true);
        row("no call's", "profile", {0}, false);
        row("another call's", "profile", {2}, false);
    }
    void whatCannotBeIsMalformed() {
        QFETCH(QString, of);
        QFETCH(std::vector<int64_t>, numbers);
        QFETCH(bool, good);
        lathe::testing::ToldAnswers told;
        lathe::testing::Writer reply;
        if (of == "run") {
            reply.number(static_cast<uint32_t>(numbers.size()));
            for (const int64_t ns : numbers)
                reply.number(ns);
            for (int i = 0; i < 5; ++i)
                reply.number(int64_t{0});
        } else if (of == "output") {
            told.float32(reply);
            told.dims(reply, {numbers[0]});
            reply.number(static_cast<uint64_t>(numbers[1]));
            for (int64_t i = 0; i < numbers[1]; ++i)
                reply.number(uint8_t{0});
        } else {
            reply.number(static_cast<uint32_t>(numbers[0]));
            for (int64_t i = 0; i < 4 * numbers[0]; ++i)
                reply.number(int64_t{0});
            reply.number(uint32_t{0}); // threads
        }
        told.reply(reply);
        told.write(folder_.filePath("told"));
        RunnerClient client({.program = folder_.filePath("told").toStdString()});
        QVERIFY(client.load(probe_).has_value());
        const bool taken = of == "run"      ? client.run(2).has_value()
                           : of == "output" ? client.output(0).has_value()
                                            : client.readProfile().has_value();
        QCOMPARE(taken, good);
        QCOMPARE(client.outcome(), good ? RunnerOutcome::Good : RunnerOutcome::Crashed);
    }

    /// Stopped, as by Ctrl+Z or a debugger, while the program that asked for it is killed.
    void aStoppedRunnerEndsWithItsParent() {
        const QString never = folder_.filePath("never"); // what it reads from, without an end
        QCOMPARE(mkfifo(never.toLocal8Bit().constData(), 0600), 0);
        QProcess parent;
        parent.start(
            "sh", {"-c", "\"$1\" <>\"$2\" >/dev/null & echo $!; wait", "sh", LATHE_BINARY_DIR "/lathe-runner", never});
        QVERIFY(parent.waitForReadyRead());
        const pid_t runner = parent.readLine().trimmed().toInt();
        QVERIFY(runner > 0);
        const QString process = QString("/proc/%1").arg(runner);
        QTRY_COMPARE(QDir(process + "/task").entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 2); // it watches
        QCOMPARE(::kill(runner, SIGSTOP), 0);
        parent.kill();
        QVERIFY(parent.waitForFinished());
        const auto isGone = [&] { // or nobody has asked how it ended
            QFile status(process + "/stat");
            return !status.open(QFile::ReadOnly) || status.readAll().contains(") Z ");
        };
        const bool gone = QTest::qWaitFor(isGone, 30'000);
        if (!gone)
            ::kill(runner, SIGKILL);
        QVERIFY(gone);
    }
};

Test test() {
    return {makes<TestRunnerClient>};
}

} // namespace lathe::testing::test_runner_client

#include "test_runner_client.moc"
