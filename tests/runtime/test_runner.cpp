// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
//
// lathe-runner on its own: whatever comes down the stream, it answers, or ends with its exit code; it never crashes.
#include "runtime/runner/protocol.h"

#include "runtime/probe_artifact.h"
#include "support/program_of_tests.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <random>

namespace lathe::testing::test_runner {

using namespace lathe::runtime::protocol;

namespace {

QByteArray frame(uint32_t kind, const QByteArray& payload, uint32_t magic = frameMagic, qint64 claimed = -1) {
    const FrameHeader header{magic, static_cast<Kind>(kind),
                             static_cast<uint64_t>(claimed < 0 ? payload.size() : claimed)};
    return QByteArray(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

QByteArray frame(Kind kind, const Writer& payload = {}) {
    return frame(static_cast<uint32_t>(kind), QByteArray(reinterpret_cast<const char*>(payload.bytes().data()),
                                                         static_cast<qsizetype>(payload.bytes().size())));
}

struct Ended {
    bool normally = false;
    int code = -1;
    QByteArray output;
};

/// Feeds the bytes, closes the stream and waits for the end.
Ended feed(const QByteArray& bytes) {
    QProcess runner;
    runner.start(LATHE_BINARY_DIR "/lathe-runner", {});
    runner.write(bytes);
    runner.closeWriteChannel();
    if (!runner.waitForFinished(20'000))
        return {};
    return {runner.exitStatus() == QProcess::NormalExit, runner.exitCode(), runner.readAllStandardOutput()};
}

/// Kinds of the replies in a stream; Ping (never a reply) where it is broken.
std::vector<Kind> replies(QByteArray stream) {
    std::vector<Kind> kinds;
    while (!stream.isEmpty()) {
        FrameHeader header;
        if (stream.size() < qsizetype{sizeof header})
            return {Kind::Ping};
        std::memcpy(&header, stream.constData(), sizeof header);
        if (header.magic != frameMagic || stream.size() < static_cast<qsizetype>(sizeof header + header.bytes))
            return {Kind::Ping};
        kinds.push_back(header.kind);
        stream.remove(0, static_cast<qsizetype>(sizeof header + header.bytes));
    }
    return kinds;
}

QByteArray inputFrame(float first) {
    Writer input;
    input.string("x");
    input.number(uint8_t{2}); // float
    input.number(uint8_t{32});
    input.number(uint32_t{2});
    input.number(int64_t{1});
    input.number(int64_t{4});
    input.number(uint64_t{16});
    for (const float value : {first, 0.F, 0.F, 0.F})
        input.number(value);
    return frame(Kind::Input, input);
}

} // namespace

class TestRunner : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString probe_;

    QByteArray loadFrame() const {
        Writer load;
        load.string(probe_.toStdString());
        return frame(Kind::Load, load);
    }

private slots:
    void initTestCase() {
        probe_ = lathe::testing::buildProbe(folder_.path());
        QVERIFY(!probe_.isEmpty());
    }

    void endOfStreamIsAGoodEnd() {
        const Ended ended = feed({});
        QVERIFY(ended.normally);
        QCOMPARE(ended.code, 0);
        QVERIFY(ended.output.isEmpty());
    }

    void answersInOrder() {
        Writer run, output;
        run.number(uint32_t{2});
        output.number(int32_t{0});
        const Ended ended = feed(frame(Kind::Ping) + loadFrame() + frame(Kind::Output, output) + inputFrame(0) +
                                 frame(Kind::Run, run) + frame(Kind::Output, output));
        QCOMPARE(ended.code, 0);
        QCOMPARE(replies(ended.output), (std::vector{Kind::Ok, Kind::Ok, Kind::Error, Kind::Ok, Kind::Ok, Kind::Ok}));
    }

    void printingKernelsDoNotDisturb() {
        Writer run;
        run.number(uint32_t{1});
        const Ended ended = feed(loadFrame() + inputFrame(-103) + frame(Kind::Run, run) + frame(Kind::Ping));
        QCOMPARE(ended.code, 0);
        QCOMPARE(replies(ended.output), (std::vector{Kind::Ok, Kind::Ok, Kind::Ok, Kind::Ok}));
    }

    void malformedFramesEndIt_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("no header") << QByteArray("hello");
        QTest::newRow("wrong magic") << frame(1, {}, 0x12345678);
        QTest::newRow("unknown kind") << frame(77, {});
        QTest::newRow("a reply as a request") << frame(100, {});
        QTest::newRow("claims more than comes") << frame(2, "abc", frameMagic, qint64{1} << 35);
        QTest::newRow("claims more than is allowed") << frame(2, "abc", frameMagic, qint64{1} << 60);
        QTest::newRow("payload too short") << frame(6, "ab");
        QTest::newRow("payload too long") << frame(1, "abc");
        QTest::newRow("string longer than its frame") << frame(2, QByteArray("\xff\xff\xff\xff", 4) + "path");
        QTest::newRow("rank 4 billion") << frame(5, QByteArray("\1\0\0\0x\2\x20\xff\xff\xff\xff", 11));
        QTest::newRow("a billion runs") << frame(6, QByteArray("\0\0\0\x7f", 4));
    }

    void malformedFramesEndIt() {
        QFETCH(QByteArray, bytes);
        const Ended ended = feed(frame(Kind::Ping) + bytes);
        QVERIFY(ended.normally);
        QCOMPARE(ended.code, exitMalformed);
        QCOMPARE(replies(ended.output), std::vector{Kind::Ok});
    }

    void randomFramesNeverCrashIt() {
        std::mt19937 random(42);
        for (int round = 0; round < 60; ++round) {
            QByteArray stream = loadFrame();
            for (int i = 0; i < 20; ++i) {
                QByteArray payload(static_cast<qsizetype>(random() % 40), '\0');
                for (char& byte : payload)
                    byte = static_cast<char>(random() % 4 ? 0 : random());
                stream += frame(1 + random() % 9, payload);
            }
            const Ended ended = feed(stream);
            QVERIFY2(ended.normally, qPrintable(QString("round %1").arg(round)));
            QVERIFY(ended.code == 0 || ended.code == exitMalformed);
        }
    }
};

Test test() {
    return {makes<TestRunner>};
}

} // namespace lathe::testing::test_runner

#include "test_runner.moc"
