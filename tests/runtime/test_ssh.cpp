// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner runtimes
// In release alone: the runner that is sent to the device has no sanitizers in any preset.
// Runs: release
//
// Models on a device over ssh, which is this machine by a real sshd: the values are those of a run here, each way of failing
// has its own words, and whatever happens nothing is left there.
#include "tuning/timing_turns.h"

#include "codegen/target.h"

#include "runtime/probe_artifact.h"
#include "runtime/run_probe.h"
#include "runtime/runner/protocol.h"
#include "support/program_of_tests.h"
#include "support/ssh_server.h"

#include <QFile>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace lathe::testing::test_ssh {

using namespace lathe::device;
using lathe::testing::rows;
using lathe::testing::runProbe;
using namespace std::chrono_literals;

namespace {

Device over(const char* host) {
    return *parseDevice(std::string("ssh:") + host);
}

RunnerOptions on(const Device& device, std::chrono::milliseconds timeout = 60s) {
    RunnerOptions options{.threads = 2, .timeout = timeout};
    useRunner(options, *runnerCommand(device, codegen::nativeTarget()));
    return options;
}

} // namespace

class TestSsh : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string probe_;
    std::optional<SshServer> server_;

    /// Why nothing can be started there.
    static Diagnostic refusalOf(const Device& device, const std::string& artifact) {
        RunnerClient client(on(device));
        const auto loaded = client.load(artifact);
        return loaded ? error("it was started") : loaded.error();
    }
    bool isClean() const {
        return QTest::qWaitFor(
            [this] { return server_->left().isEmpty() && server_->sessions("lathe-runner").empty(); }, 20'000);
    }

private slots:
    void initTestCase() {
        probe_ = lathe::testing::buildProbe(folder_.path()).toStdString();
        QVERIFY(!probe_.empty());
        server_.emplace();
    }
    void cleanup() { QVERIFY2(isClean(), qPrintable(server_->left().join(' '))); }

    void valuesAreThoseOfARunHere() {
        RunnerClient here({.threads = 2}), there(on(over("device")));
        for (RunnerClient* client : {&here, &there}) {
            const auto model = client->load(probe_);
            QVERIFY2(model.has_value(), model ? "" : toString(model.error()).c_str());
            QCOMPARE(model->name, std::string("probe"));
            QVERIFY(client->setInput("x", rows({0, 1, 2, 3, 4, 5, 6, 7})).has_value());
            QVERIFY(client->run(5).has_value());
        }
        const auto expected = here.outputs(), found = there.outputs();
        QVERIFY(expected && found && *expected == *found);
        QCOMPARE(valuesOf<float>(found->at(0)), (std::vector<float>{1, 3, 5, 7, 5, 7, 9, 11}));
        QCOMPARE(server_->sessions("lathe-runner").size(), size_t{1});
        QVERIFY(server_->left().isEmpty()); // also while it runs
        QVERIFY(runProbe(there, probe_, 0).has_value());
        there.stop();
        QVERIFY(server_->sessions("lathe-runner").empty()); // gone when it says so
    }

    void largeTensorsGoThrough() {
        RunnerClient client(on(over("device")));
        QVERIFY(client.load(probe_).has_value());
        QVERIFY(client.setInput("x", rows(std::vector<float>(4'000'000, 1))).has_value()); // 16 MB
        QVERIFY(client.run().has_value());
        const auto output = client.output(0);
        QVERIFY(output.has_value());
        QCOMPARE(valuesOf<float>(*output).back(), 5.F);
    }

    void signsOfLifeAreNoAnswers() {
        RunnerClient client(on(over("device")));
        QVERIFY(runProbe(client, probe_, 0).has_value());
        QTest::qWait(4500); // two of them
        QVERIFY(client.run(3).has_value());
        QVERIFY(client.outputs().has_value());
    }

    void factsAreThoseOfThisMachine() {
        RunnerClient here, there(on(over("device")));
        const auto own = here.facts(), facts = there.facts();
        QVERIFY(own && facts);
        const auto fact = [](const auto& all, const char* name) {
            const auto found = std::ranges::find(all, name, [](const auto& each) { return each.first; });
            return found == all.end() ? std::string() : found->second;
        };
        for (const char* name : {"machine", "isa", "page_size", "cores", "memory", "libc"}) {
            QVERIFY(!fact(*facts, name).empty());
            QCOMPARE(fact(*facts, name), fact(*own, name));
        }
        QCOMPARE(fact(*facts, "folder"), server_->temporary().toStdString());
        QCOMPARE(fact(*facts, "noexec"), std::string("no"));
    }

    /// A crash, a hang and a limit of memory say the same as here.
    void whatAModelDoesIsTold() {
        RunnerClient client(on(over("device")));
        const auto crashed = runProbe(client, probe_, -101);
        QVERIFY(!crashed);
        QCOMPARE(crashed.error().what, std::string("the kernel crashed with SIGSEGV on ssh:device"));
        QCOMPARE(client.outcome(), RunnerOutcome::Crashed);
        QVERIFY(runProbe(client, probe_, 0).has_value()); // a new one
        auto hasty = client.options();
        hasty.timeout = 1s;
        client.setOptions(hasty);
        QVERIFY(!runProbe(client, probe_, -102));
        QCOMPARE(client.outcome(), RunnerOutcome::Timeout);
        RunnerOptions small = on(over("device"));
        small.contextBytes = 1 << 20;
        RunnerClient poor(small);
        const auto refused = runProbe(poor, probe_, -105);
        QVERIFY(!refused && refused.error().what.starts_with("out of memory"));
        QCOMPARE(poor.outcome(), RunnerOutcome::Refused);
    }

    void killedThereIsNotLost() {
        RunnerClient client(on(over("device")));
        QVERIFY(runProbe(client, probe_, 0).has_value());
        for (const qint64 runner : server_->sessions("lathe-runner"))
            ::kill(static_cast<pid_t>(runner), SIGKILL);
        const auto ended = client.run();
        QVERIFY(!ended);
        QCOMPARE(ended.error().what, std::string("the kernel was ended from outside by SIGKILL on ssh:device"));
        QCOMPARE(client.outcome(), RunnerOutcome::Crashed);
    }

    /// The kernel's count of those is another file's here, since memory that really runs out ends more than a test.
    void memoryThatRanOutIsTold() {
        const QString count = folder_.filePath("vmstat"), script = folder_.filePath("with-count");
        const auto setCount = [&](const char* text) { lathe::testing::writeFile(count, text); };
        setCount("nr_free_pages 7\noom_kill 3\n");
        lathe::testing::writeFile(
            script, "#!/bin/sh\nexec /bin/sh -c \"$(printf %s \"$SSH_ORIGINAL_COMMAND\" | sed 's|/proc/vmstat|" +
                        count.toUtf8() + "|')\"\n");
        QCOMPARE(chmod(script.toLocal8Bit().constData(), 0700), 0);
        const SshServer server({.command = script});
        RunnerClient client(on(over("device")));
        for (const bool ranOut : {false, true}) {
            QVERIFY(runProbe(client, probe_, 0).has_value());
            if (ranOut)
                setCount("nr_free_pages 7\noom_kill 4\n");
            for (const qint64 runner : server.sessions("lathe-runner"))
                ::kill(static_cast<pid_t>(runner), SIGKILL);
            const auto ended = client.run();
            QVERIFY(!ended);
            QCOMPARE(client.outcome(), ranOut ? RunnerOutcome::OutOfMemory : RunnerOutcome::Crashed);
            QCOMPARE(ended.error().what.find("memory ran out") != std::string::npos, ranOut);
        }
    }

    void aKilledConnectionIsALostDevice() {
        RunnerClient client(on(over("device")));
        QVERIFY(runProbe(client, probe_, 0).has_value());
        for (const char* name : {"sshd", "sshd-session"})
            for (const qint64 session : server_->sessions(name))
                ::kill(static_cast<pid_t>(session), SIGKILL);
        const auto ended = client.run();
        QVERIFY(!ended);
        QVERIFY2(ended.error().what.starts_with("the device ssh:device is lost: "), ended.error().what.c_str());
        QVERIFY(ended.error().hint.find("'ssh device'") != std::string::npos);
        QCOMPARE(client.outcome(), RunnerOutcome::Lost);
        QVERIFY(runProbe(client, probe_, 0).has_value()); // and comes back
    }

    /// Nothing is said any more, as when a cable is pulled.
    void aSilentDeviceIsLost_data() {
        QTest::addColumn<bool>("sends");
        QTest::newRow("while it is waited for") << false;
        QTest::newRow("while it is sent to") << true;
    }
    void aSilentDeviceIsLost() {
        QFETCH(bool, sends);
        RunnerOptions options = on(over("device"));
        options.ssh->silence = 4s;
        RunnerClient client(options);
        QVERIFY(runProbe(client, probe_, 0).has_value());
        const auto stopped = stopSessions();
        QVERIFY(!stopped.empty());
        const auto problem = [](const auto& asked) { return asked ? std::string() : asked.error().what; };
        const std::string said =
            sends ? problem(client.setInput("x", rows(std::vector<float>(16'000'000, 1)))) // 64 MB: no pipe holds it
                  : problem(client.run());
        QCOMPARE(said, std::string("the device ssh:device is lost: nothing was heard of it for 4 s"));
        QCOMPARE(client.outcome(), RunnerOutcome::Lost);
        for (const qint64 session : stopped)
            ::kill(static_cast<pid_t>(session), SIGCONT);
    }

    void aBusyDeviceIsNotLost() {
        RunnerOptions options = on(over("device"), 7s);
        options.ssh->silence = 4s;
        RunnerClient client(options);
        QVERIFY(!runProbe(client, probe_, -102));
        QCOMPARE(client.outcome(), RunnerOutcome::Timeout);
    }

    /// And a kernel that hangs there then ends by itself.
    void aHangEndsWithoutTheLink() {
        RunnerClient client(on(over("device"), 2s));
        QVERIFY(client.load(probe_).has_value());
        QVERIFY(client.setInput("x", rows({-102, 1, 2, 3})).has_value());
        std::vector<qint64> stopped;
        std::thread later([&] {
            std::this_thread::sleep_for(1s);
            stopped = stopSessions();
        });
        QVERIFY(!client.run());
        later.join();
        QCOMPARE(client.outcome(), RunnerOutcome::Timeout);
        QVERIFY(!stopped.empty());
        const bool ended = QTest::qWaitFor([&] { return server_->sessions("lathe-runner").empty(); }, 20'000);
        for (const qint64 session : stopped)
            ::kill(static_cast<pid_t>(session), SIGCONT);
        QVERIFY(ended);
    }

    void aKilledClientLeavesNothing() {
        const pid_t client = fork();
        if (client == 0) {
            RunnerClient runner(on(over("device"), 1h));
            (void)runProbe(runner, probe_, -102);
            _exit(0);
        }
        QVERIFY(client > 0);
        QTRY_VERIFY_WITH_TIMEOUT(!server_->sessions("lathe-runner").empty(), 30'000);
        QTest::qWait(500); // it hangs in the kernel by then, or is about to
        ::kill(client, SIGKILL);
        waitpid(client, nullptr, 0);
        QVERIFY(isClean()); // long before the hour is over
    }

    void whatIsHalfSentIsRemoved() {
        server_->setClient("dd bs=1 count=20000 status=none | /usr/bin/ssh -F \"" + server_->at("ssh_config") +
                           "\" \"$@\"");
        const Diagnostic problem = refusalOf(over("device"), probe_);
        server_->setClient("exec /usr/bin/ssh -F \"" + server_->at("ssh_config") + "\" \"$@\"");
        QVERIFY2(problem.what.starts_with("the runner was not started on ssh:device"), problem.what.c_str());
    }

    void foldersOfOtherDaysAreRemoved() {
        const std::string old = server_->temporary().toStdString() + "/lathe-runner.0aZ9bQ",
                          anothers = server_->temporary().toStdString() + "/lathe-runner.notes",
                          file = server_->temporary().toStdString() + "/lathe-runner.config";
        for (const std::string& folder : {old, anothers}) {
            std::filesystem::create_directory(folder);
            std::ofstream(folder + "/file") << "x";
        }
        std::ofstream(file) << "x";
        for (const std::string& each : {old, anothers, file})
            std::filesystem::last_write_time(each, std::filesystem::file_time_type::clock::now() - 48h);
        RunnerClient client(on(over("device")));
        QVERIFY(runProbe(client, probe_, 0).has_value());
        QVERIFY(!std::filesystem::exists(old));
        QVERIFY(std::filesystem::exists(anothers + "/file") && std::filesystem::exists(file));
        std::filesystem::remove_all(anothers);
        std::filesystem::remove(file);
    }

    void oneMeasuresAtATime() {
        RunnerClient first(on(over("device"))), second(on(over("device"), 1500ms));
        QVERIFY(first.leaseDevice().has_value());
        QVERIFY(first.leaseDevice().has_value()); // it is its already
        QCOMPARE(server_->left(), QStringList{"lathe-device.lock"});
        std::vector<std::string> notes;
        const auto waits = second.leaseDevice([&](const std::string& text) { notes.push_back(text); });
        QVERIFY(!waits);
        QCOMPARE(notes.size(), size_t{1});
        QVERIFY2(notes[0].find('@') != std::string::npos && notes[0].ends_with("measures on ssh:device: waiting"),
                 notes[0].c_str());
        QVERIFY(first.releaseDevice().has_value());
        QVERIFY(second.leaseDevice().has_value());
    }

    void aTurnIsTheLeaseWhileItLives() {
        RunnerClient other(on(over("device")));
        tuning::TimingTurns turns(on(over("device")));
        std::vector<std::string> notes;
        const auto take = [&](double seconds) {
            return turns.take(seconds, [&](const std::string& text) { notes.push_back(text); });
        };
        QVERIFY(other.leaseDevice().has_value());
        const auto none = take(0.7);
        QVERIFY(none && !*none);
        QCOMPARE(notes.size(), size_t{1});
        QVERIFY2(notes[0].ends_with("measures on ssh:device: waiting"), notes[0].c_str());
        QVERIFY(other.releaseDevice().has_value());
        {
            const auto turn = take(30);
            QVERIFY(turn && *turn && (*turn)->problem().empty());
            const auto holder = other.tryLease();
            QVERIFY(holder && !holder->empty());
        }
        const auto holder = other.tryLease();
        QVERIFY(holder && holder->empty());
        for (const char* name : {"sshd", "sshd-session"})
            for (const qint64 session : server_->sessions(name))
                ::kill(static_cast<pid_t>(session), SIGKILL);
        QVERIFY(take(30)); // over another connection
    }

    void aLeaseEndsWithItsClient() {
        const pid_t client = fork();
        if (client == 0) {
            RunnerClient runner(on(over("device"), 1h));
            (void)runner.leaseDevice();
            std::this_thread::sleep_for(1h);
        }
        QTRY_COMPARE_WITH_TIMEOUT(server_->left(), QStringList{"lathe-device.lock"}, 30'000);
        ::kill(client, SIGKILL);
        waitpid(client, nullptr, 0);
        RunnerClient next(on(over("device")));
        QVERIFY(next.leaseDevice().has_value());
    }

    /// What a runner leaves that the system kills goes with the next one, what is held stays.
    void whatIsLeftOfALeaseIsRemoved() {
        const std::string lock = server_->temporary().toStdString() + "/lathe-device.lock";
        std::ofstream(lock) << "ann@desk";
        RunnerClient first(on(over("device"))), second(on(over("device")));
        QVERIFY(first.facts().has_value());
        QCOMPARE(server_->left(), QStringList());
        QVERIFY(first.leaseDevice().has_value());
        QVERIFY(second.facts().has_value());
        QCOMPARE(server_->left(), QStringList{"lathe-device.lock"});
        QVERIFY(first.releaseDevice().has_value());
    }

    void whoCannotBeReachedIsTold() {
        const auto told = [&](const char* host, const char* what, const char* hint) {
            const Diagnostic problem = refusalOf(over(host), probe_);
            return problem.what.find(what) != std::string::npos && problem.hint.find(hint) != std::string::npos
                       ? QByteArray()
                       : QByteArray(toString(problem).c_str());
        };
        QCOMPARE(told("nowhere.invalid", "there is no host nowhere.invalid", "~/.ssh/config"), QByteArray());
        QCOMPARE(told("stranger", "host key of ssh:stranger is not known", "'ssh stranger' once"), QByteArray());
        QCOMPARE(told("changed", "host key of ssh:changed is another one than before", "'ssh changed' says which line"),
                 QByteArray());
        QCOMPARE(told("closed", "ssh:closed refuses connections", "start sshd there"), QByteArray());
        QCOMPARE(told("locked", "does not let anybody in with the keys", "ssh-copy-id locked"), QByteArray());
    }

    void anotherMachineIsRefused() {
        RunnerOptions options = on(over("device"));
        options.ssh->architecture =
            *options.ssh->architecture == Architecture::AArch64 ? Architecture::X86_64 : Architecture::AArch64;
        RunnerClient client(options);
        const auto loaded = client.load(probe_);
        QVERIFY(!loaded);
        QVERIFY2(loaded.error().what.starts_with("the code is for "), loaded.error().what.c_str());
        QVERIFY(loaded.error().hint.find("--target") != std::string::npos);
    }

    void settingsOfADeviceHold() {
        Device device = over("device");
        device.folder = server_->at("a folder 'with' $signs").toStdString();
        device.cores = "0";
        device.environment = {"LATHE_ODD=a 'b' $(touch evil) \"c\""};
        std::filesystem::create_directory(device.folder);
        RunnerClient client(on(device));
        const auto facts = client.facts();
        QVERIFY2(facts.has_value(), facts ? "" : toString(facts.error()).c_str());
        QVERIFY(std::ranges::find(*facts, std::pair<std::string, std::string>("folder", device.folder)) !=
                facts->end());
        QVERIFY(std::ranges::find(*facts, std::pair<std::string, std::string>("cores", "1")) != facts->end());
        const auto runners = server_->sessions("lathe-runner");
        QCOMPARE(runners.size(), size_t{1});
        QFile environment(QString("/proc/%1/environ").arg(*runners.begin()));
        QVERIFY(environment.open(QFile::ReadOnly));
        QVERIFY(environment.readAll().split('\0').contains(QByteArray(device.environment[0].c_str())));
        device.folder += "/not there";
        const Diagnostic missing = refusalOf(device, probe_);
        QCOMPARE(missing.what, std::string("there is no folder for the runner on ssh:device"));
        device = over("device");
        device.cores = "4095";
        QVERIFY(refusalOf(device, probe_).what.find("no CPUs of this machine") != std::string::npos);
    }

    void peersOfAnotherVersionAreRefusedByNumber() {
        const std::string old = folder_.filePath("old-runner").toStdString();
        std::ofstream(old)
            << "#!/bin/sh\nhead -c 16 > /dev/null\n"
               "printf 'LHTR\\144\\0\\0\\0\\10\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0'\ncat > /dev/null\n";
        QCOMPARE(chmod(old.c_str(), 0700), 0);
        RunnerClient client({.program = old});
        const auto loaded = client.load(probe_);
        QVERIFY(!loaded);
        const std::string versions = fmt::format("speaks version 1 of the protocol, this program version {}",
                                                 runtime::protocol::protocolVersion);
        QVERIFY2(loaded.error().what.contains(versions), loaded.error().what.c_str());
    }

    void disksThatAreFullOrExecuteNothing() {
        if (geteuid() != 0)
            QSKIP("only the superuser mounts file systems");
        const auto whyOn = [&](const QString& options, const std::string& artifact) {
            const SshServer server({.temporary = options});
            return refusalOf(over("device"), artifact);
        };
        const Diagnostic full = whyOn("size=200k", probe_);
        QVERIFY2(full.what.starts_with("the disk of ssh:device is full"), toString(full).c_str());
        QVERIFY(full.hint.find("--folder") != std::string::npos);
        const Diagnostic noexec = whyOn("noexec", probe_);
        QVERIFY2(noexec.what.starts_with("the runner cannot be started on ssh:device"), toString(noexec).c_str());
        QVERIFY(noexec.hint.find("noexec") != std::string::npos);
        // The runner fits, and the artifact does not.
        const std::string large = folder_.filePath("large.so").toStdString();
        std::filesystem::copy_file(probe_, large);
        std::filesystem::resize_file(large, 64 << 20);
        const Diagnostic larger = whyOn("size=8m", large);
        QVERIFY2(larger.what.starts_with("the artifact of 67108864 bytes cannot be kept in ") &&
                     larger.what.ends_with("No space left on device"),
                 toString(larger).c_str());
    }

    void passwordsAreNotAskedFor() {
        const SshServer server({.withPasswords = true});
        const Diagnostic problem = refusalOf(over("locked"), probe_);
        QVERIFY2(problem.what.find("would ask for a password") != std::string::npos, toString(problem).c_str());
        QVERIFY(problem.hint.find("ssh-copy-id") != std::string::npos);
    }

private:
    std::vector<qint64> stopSessions() const {
        std::vector<qint64> stopped;
        for (const char* name : {"sshd", "sshd-session"})
            for (const qint64 session : server_->sessions(name))
                if (::kill(static_cast<pid_t>(session), SIGSTOP) == 0)
                    stopped.push_back(session);
        return stopped;
    }
};

Test test() {
    return {makes<TestSsh>};
}

} // namespace lathe::testing::test_ssh

#include "test_ssh.moc"
