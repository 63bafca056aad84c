// SPDX-License-Identifier: Apache-2.0
// Runs: sanitized threads
// Links: lathe_runner_server
//
// A runner for a client on another machine has two threads that write to it: one answers, one says that the runner is alive.
// Whatever the client asks meanwhile, their frames come whole, and answers in order.
#include "base/child_process.h"
#include "runtime/runner/remote.h"
#include "runtime/runner/server.h"
#include "support/program_of_tests.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <thread>
#include <unistd.h>

namespace lathe::testing::test_watched_runner {

using namespace std::chrono_literals;
using namespace runtime::protocol;
using Io = ChildProcess::Io;

namespace {

int serve(const QString& folder) {
    runtime::runner::Remote remote(folder.toStdString());
    _exit(runtime::runner::Server(STDIN_FILENO, STDOUT_FILENO, &remote).serve()); // as the program does
}

struct Frame {
    Kind kind = Kind::Error;
    std::vector<std::byte> payload;
};

class Client {
public:
    explicit Client(const QString& folder) {
        std::vector<std::string> arguments;
        for (const QString& argument : childOfTest(folder))
            arguments.push_back(argument.toStdString());
        started_ = runner_.start(QCoreApplication::applicationFilePath().toStdString(), arguments).has_value();
    }
    bool started() const { return started_; }
    ChildProcess& runner() { return runner_; }

    bool send(Kind kind) {
        const FrameHeader header{.magic = frameMagic, .kind = kind, .bytes = 0};
        return runner_.write(std::as_bytes(std::span(&header, 1)), soon()) == Io::Done;
    }
    std::optional<Frame> read() {
        FrameHeader header;
        if (runner_.read(std::as_writable_bytes(std::span(&header, 1)), soon()) != Io::Done ||
            header.magic != frameMagic || header.bytes > (1 << 20))
            return std::nullopt;
        Frame frame{header.kind, std::vector<std::byte>(header.bytes)};
        return runner_.read(frame.payload, soon()) == Io::Done ? std::optional(frame) : std::nullopt;
    }

private:
    static ChildProcess::Deadline soon() { return std::chrono::steady_clock::now() + 60s; }

    ChildProcess runner_;
    bool started_ = false;
};

} // namespace

class TestWatchedRunner : public QObject {
    Q_OBJECT

private slots:
    void answersComeBetweenSignsOfLife() {
        const QTemporaryDir around;
        const QString folder = around.filePath("runner");
        QVERIFY(QDir().mkdir(folder));
        Client client(folder);
        QVERIFY(client.started());
        int alive = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (bool facts = false; alive == 0 && std::chrono::steady_clock::now() - begin < 60s; facts = !facts) {
            QVERIFY(client.send(facts ? Kind::Facts : Kind::Ping));
            std::optional<Frame> frame = client.read();
            for (; frame && frame->kind == Kind::Alive; frame = client.read()) {
                QVERIFY(frame->payload.empty());
                ++alive;
            }
            QVERIFY(frame && frame->kind == Kind::Ok);
            Reader reader(frame->payload);
            if (facts)
                QVERIFY(reader.count(8) > 0); // a name and a value have a length each
            else
                QCOMPARE(reader.number<uint32_t>(), protocolVersion);
            std::this_thread::sleep_for(10ms);
        }
        QVERIFY(alive > 0);
        QVERIFY(!QDir(folder).exists()); // it left nothing behind
        QVERIFY(client.send(Kind::Bye));
        const std::optional<Frame> last = client.read();
        QVERIFY(last && (last->kind == Kind::Ok || last->kind == Kind::Alive));
        const std::string end = client.runner().reap();
        QVERIFY2(client.runner().succeeded(), end.c_str());
    }
};

Test test() {
    return {.make = makes<TestWatchedRunner>, .application = Application::Core, .child = serve};
}

} // namespace lathe::testing::test_watched_runner

#include "test_watched_runner.moc"
