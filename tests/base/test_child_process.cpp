// SPDX-License-Identifier: Apache-2.0
// Programs of the system as children: what they are told and answer, deadlines, cancellation, and how they ended.
#include "base/child_process.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <atomic>
#include <thread>

namespace lathe::testing::test_child_process {

using Io = ChildProcess::Io;
using namespace std::chrono_literals;

namespace {

ChildProcess::Deadline in(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

} // namespace

class TestChildProcess : public QObject {
    Q_OBJECT

private slots:
    void argumentsArriveAsTheyAre() {
        ChildProcess child;
        const std::string odd = "a 'b' \"c\" $HOME \n;";
        QVERIFY(child.start("/bin/sh", {"-c", "printf '%s|' \"$@\"; echo", "sh", odd, ""}));
        std::string first, second;
        QCOMPARE(child.readLine(first, 100, in(10s)), Io::Done); // the newline of the argument ends the first line
        QCOMPARE(child.readLine(second, 100, in(10s)), Io::Done);
        QCOMPARE(first + "\n" + second, odd + "||");
    }

    void messagesMayHoldAnyByte() {
        ChildProcess child;
        QVERIFY(child.start("/bin/cat"));
        std::string all(100'000, '\0');
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<char>(i * 31 % 256);
        for (const std::string& text : {std::string(), std::string("a\nb"), all}) {
            std::string back;
            QCOMPARE(child.writeMessage(text, in(10s)), Io::Done);
            QCOMPARE(child.readMessage(back, all.size(), in(10s)), Io::Done);
            QCOMPARE(back, text);
        }
    }

    void aFilterReadsTheEndOfItsInput() {
        ChildProcess child;
        QVERIFY(child.start("sort")); // in PATH; it writes nothing before it has read all
        std::string text;
        QCOMPARE(child.write(bytes("b\nc\na\n"), in(10s)), Io::Done);
        child.endInput();
        QCOMPARE(child.readToEnd(text, 6, in(10s)), Io::Done);
        QCOMPARE(text, "a\nb\nc\n");
        QCOMPARE(child.reap(), "ended with exit code 0");
        QVERIFY(child.succeeded());
        QVERIFY(child.start("sort", {"--no-such-option"}));
        QVERIFY(!child.succeeded()); // of the one before nothing is left
        QCOMPARE(child.readToEnd(text, 6, in(10s)), Io::Done);
        QCOMPARE(child.reap(), "ended with exit code 2");
        QVERIFY(!child.succeeded());
        QVERIFY(!child.start("lathe-no-such-program"));
    }

    void longAnswersAreRefused() {
        ChildProcess child;
        QVERIFY(child.start("/bin/sh", {"-c", "yes | tr -d '\\n'"}));
        std::string text;
        QCOMPARE(child.readLine(text, 1000, in(10s)), Io::Closed);
        child.kill();
        QVERIFY(child.start("/bin/sh", {"-c", "yes"}));
        QCOMPARE(child.readMessage(text, 1 << 20, in(10s)), Io::Closed); // "y\ny\n…" as a length
        child.kill();
        QVERIFY(child.start("/bin/sh", {"-c", "yes"}));
        QCOMPARE(child.readToEnd(text, 1 << 20, in(10s)), Io::Closed);
    }

    void deadlinesAndCancellation() {
        ChildProcess child;
        QVERIFY(child.start("/bin/sleep", {"600"}));
        std::string text;
        QCOMPARE(child.readLine(text, 10, in(50ms)), Io::TimedOut);
        std::atomic<bool> cancelled = false;
        child.setCancelled([&] { return cancelled.load(); });
        std::thread later([&] {
            std::this_thread::sleep_for(50ms);
            cancelled = true;
        });
        const auto start = std::chrono::steady_clock::now();
        QCOMPARE(child.readLine(text, 10, in(600s)), Io::Cancelled);
        later.join();
        QVERIFY(std::chrono::steady_clock::now() - start < 60s);
        child.kill();
        QVERIFY(!child.running());
    }

    void howItEnded() {
        ChildProcess child;
        std::string text;
        QVERIFY(child.start("/bin/sh", {"-c", "exit 3"}));
        QCOMPARE(child.readLine(text, 10, in(10s)), Io::Closed);
        QCOMPARE(child.reap(), std::string("ended with exit code 3"));
        QVERIFY(child.start("/bin/sh", {"-c", "kill -SEGV $$"}));
        QCOMPARE(child.readLine(text, 10, in(10s)), Io::Closed);
        QCOMPARE(child.reap(), std::string("crashed with SIGSEGV"));
        QVERIFY(child.start("/bin/true"));
        while (child.write(bytes("x"), in(10s)) == Io::Done) // until it is gone; never a SIGPIPE
            ;
        QVERIFY(!child.start("/no/such/program"));
    }
};

Test test() {
    return {makes<TestChildProcess>};
}

} // namespace lathe::testing::test_child_process

#include "test_child_process.moc"
