// SPDX-License-Identifier: Apache-2.0
//
// `lathe tune` where something goes wrong: a compiler that crashes or hangs on candidates, candidates that compute something else,
// a machine that cannot measure, keys and signals that end it. Exit codes, what is said, and that no child is left.
// In release alone, like all studies by the command line: minutes of work under sanitizers, where test_gui_tuning_page and the
// tests of tune/ and records/ run what it is made of.
// Needs: lathe lathe-runner lathe-broken
// Links: onnx
// Runs: release
#include "support/onnx_model.h"
#include "support/processes.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <map>
#include <set>
#include <sys/file.h>

namespace lathe::testing::test_tune_faults {

class TestTuneFaults : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;

    Outcome tune(const QStringList& further) const {
        return runLathe(QStringList{"tune", model_, "--threads", "1", "--json", "--no-records"} + further, 280);
    }
    QString script(const QString& name, const QString& body) {
        QFile script(folder_.filePath(name));
        (void)script.open(QFile::WriteOnly);
        script.write("#!/bin/bash\n" + body.toUtf8() + "\n");
        script.close();
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return script.fileName();
    }
    /// Until it has children that build and one that runs, in the middle of a study without an end.
    void begin(QProcess& process, const QStringList& further = {}) {
        process.start(LATHE_BINARY_DIR "/lathe", QStringList{"tune", model_, "--threads", "1", "--json", "--no-records",
                                                             "--time", "250", "--search", "random"} +
                                                     further);
        QByteArray read;
        while (!read.contains("\"event\":\"round\"")) {
            QVERIFY(process.waitForReadyRead(100'000));
            read += process.readAllStandardOutput();
        }
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[48,64] x) => (float[48,96] y) "
                                "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(model, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(model_.toStdString(), model.SerializeAsString());
    }
    void cleanup() {
        for (const char* variable : {"LATHE_BUILDER", "LATHE_RUNNER", "LATHE_BROKEN_PASS", "LATHE_TIMING_LOCK"})
            qunsetenv(variable);
    }

    /// The default's kernel as well: nothing is measured.
    void aCompilerThatFails_data() {
        QTest::addColumn<QByteArray>("damage");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("refuses") << QByteArray("hoist conditions:throws") << QByteArray("build error");
        QTest::newRow("makes kernels that crash") << QByteArray("hoist conditions:faults") << QByteArray("crashed");
    }
    void aCompilerThatFails() {
        QFETCH(QByteArray, damage);
        QFETCH(QByteArray, cause);
        qputenv("LATHE_BUILDER", LATHE_BINARY_DIR "/lathe-broken");
        qputenv("LATHE_BROKEN_PASS", damage);
        const Outcome outcome = tune({"--trials", "8", "--time", "200"});
        QVERIFY2(outcome.code == 3, outcome.err.c_str());
        for (const char* part : {"nothing could be measured", "1 of 1", cause.constData(), "--kernel", "report this"})
            QVERIFY2(outcome.err.find(part) != std::string::npos, outcome.err.c_str());
        const QJsonObject model =
            QJsonDocument::fromJson(QByteArray::fromStdString(outcome.out).trimmed().split('\n').last()).object();
        QCOMPARE(model["event"].toString(), QString("model"));
        QVERIFY2(model["problem"].toString().contains(cause), outcome.out.c_str());
        QVERIFY2(model["hint"].toString().contains("--kernel"), outcome.out.c_str());
    }

    void theMachineCannotMeasure_data() {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("program");
        QTest::newRow("no builder") << QByteArray("LATHE_BUILDER") << QByteArray("/bin/true");
        QTest::newRow("a runner that ends")
            << QByteArray("LATHE_RUNNER")
            << script("runner", QString("[ -e '%1/profiled' ] || { touch '%1/profiled'; exec '%2'; }; exit 1")
                                    .arg(folder_.path(), LATHE_BINARY_DIR "/lathe-runner"))
                   .toLocal8Bit();
    }
    void theMachineCannotMeasure() {
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, program);
        qputenv(variable, program);
        const Outcome outcome = tune({"--trials", "8", "--time", "200"});
        QVERIFY2(outcome.code == 3, outcome.err.c_str());
        QVERIFY2(outcome.err.find("cannot measure") != std::string::npos, outcome.err.c_str());
        QVERIFY2(outcome.err.find("3 times in a row") != std::string::npos, outcome.err.c_str());
        QVERIFY(outcome.out.find("\"event\":\"trial\"") == std::string::npos); // none of the candidates is to blame
    }

    void nobodyMeasures() {
        for (const char* program : {"/nowhere", "/bin/false", "/usr/bin/yes"}) {
            qputenv("LATHE_RUNNER", program);
            const Outcome outcome = tune({"--time", "3"});
            QVERIFY2(outcome.code == 3, outcome.err.c_str());
        }
    }

    /// One that hangs, or was stopped: the study ends at its time all the same.
    void anotherTunerTimesAllTheWhile() {
        QFile lock(folder_.filePath("timing"));
        qputenv("LATHE_TIMING_LOCK", lock.fileName().toLocal8Bit());
        QVERIFY(lock.open(QFile::WriteOnly));
        QCOMPARE(flock(lock.handle(), LOCK_EX | LOCK_NB), 0);
        const Outcome outcome = tune({"--time", "3"});
        QVERIFY2(outcome.code == 3, outcome.err.c_str());
        QVERIFY2(outcome.err.find("nothing was measured") != std::string::npos, outcome.err.c_str());
        QVERIFY(outcome.out.find("\"event\":\"trial\"") == std::string::npos);
    }

    /// Nobody knows whether others time meanwhile: that is said once, and no reason to stop.
    void noLockForTiming() {
        qputenv("LATHE_TIMING_LOCK", "/nowhere/timing");
        const Outcome outcome = tune({"--trials", "20", "--time", "200", "--no-layouts"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const QByteArray out = QByteArray::fromStdString(outcome.out);
        QVERIFY(out.count("\"event\":\"round\"") >= 2);
        QVERIFY2(out.count("/nowhere/timing cannot be locked: No such file or directory") == 1, out.constData());
    }

    void withoutABuilderItSaysSo() {
        qputenv("LATHE_BUILDER", "/nowhere/lathe");
        const Outcome outcome = tune({"--trials", "4", "--time", "200"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(outcome.out.find("compiled in this process") != std::string::npos);
    }

    /// One Ctrl+C: what was found is still held against the model. It reaches the children as well.
    void interruptedOnce() {
        QProcess process;
        begin(process);
        const std::set<qint64> children = descendantsOf(process.processId());
        QVERIFY(!children.empty());
        for (const qint64 child : children)
            ::kill(pid_t(child), SIGINT);
        ::kill(pid_t(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(100'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QVERIFY(process.readAllStandardOutput().contains("\"event\":\"model\""));
        for (const qint64 child : children)
            QVERIFY(!isAlive(child));
    }

    /// The search has begun, but nothing is measured while another tuner times: as before the search, nothing is written.
    void interruptedBeforeAnythingWasMeasured() {
        QFile lock(folder_.filePath("timing"));
        qputenv("LATHE_TIMING_LOCK", lock.fileName().toLocal8Bit());
        QVERIFY(lock.open(QFile::WriteOnly));
        QCOMPARE(flock(lock.handle(), LOCK_EX | LOCK_NB), 0);
        const QString out = folder_.filePath("nothing.json"), records = folder_.filePath("nothing.db");
        QProcess process;
        process.start(LATHE_BINARY_DIR "/lathe",
                      {"tune", model_, "--threads", "1", "--json", "--time", "250", "--records", records, "-o", out});
        QByteArray said;
        while (!said.contains("waits for another tuner") && process.waitForReadyRead(100'000))
            said += process.readAllStandardOutput();
        QVERIFY2(said.contains("\"event\":\"study\""), said.constData());
        QVERIFY2(said.contains("waits for another tuner"), said.constData());
        QCOMPARE(::kill(pid_t(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(100'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const QByteArray problem = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 130, problem.constData());
        QVERIFY2(problem.contains("cancelled"), problem.constData());
        QVERIFY(!process.readAllStandardOutput().contains("\"event\":\"model\""));
        QCOMPARE(QDir(folder_.path()).entryList({"nothing.json*"}), QStringList());
        const Outcome exported = runLathe({"records", "export", "--records", records});
        QVERIFY2(exported.code == 0 && exported.out.find("\"state\":") == std::string::npos,
                 exported.out.c_str()); // no study that --resume would go on with
    }

    void interruptedTwice() {
        QProcess process;
        begin(process);
        const std::set<qint64> children = descendantsOf(process.processId());
        QElapsedTimer timer;
        timer.start();
        ::kill(pid_t(process.processId()), SIGINT);
        ::kill(pid_t(process.processId()), SIGINT);
        while (!process.waitForFinished(5) && timer.elapsed() < 30'000)
            ::kill(pid_t(process.processId()), SIGINT); // the two may have come as one
        QCOMPARE(process.exitCode(), 130);
        for (const qint64 child : children)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(child), 20'000);
    }

    /// In the middle of a compilation and of a kernel that have no end.
    void killed_data() {
        QTest::addColumn<QByteArray>("damage");
        QTest::newRow("between them") << QByteArray();
        QTest::newRow("while a kernel hangs") << QByteArray("hoist conditions:hangs");
    }
    void killed() {
        QFETCH(QByteArray, damage);
        QProcess process;
        if (damage.isEmpty()) {
            begin(process);
        } else {
            qputenv("LATHE_BUILDER", LATHE_BINARY_DIR "/lathe-broken");
            qputenv("LATHE_BROKEN_PASS", damage);
            process.start(LATHE_BINARY_DIR "/lathe",
                          {"tune", model_, "--threads", "1", "--no-records", "--time", "250"});
            QTRY_VERIFY_WITH_TIMEOUT(descendantsOf(process.processId()).size() >= 2, 100'000);
            QTest::qWait(3000);
        }
        const std::set<qint64> children = descendantsOf(process.processId());
        QVERIFY(!children.empty());
        process.kill();
        QVERIFY(process.waitForFinished());
        for (const qint64 child : children)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(child), 20'000);
    }
};

Test test() {
    return {makes<TestTuneFaults>};
}

} // namespace lathe::testing::test_tune_faults

#include "test_tune_faults.moc"
