// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx
// In release alone: the runner that is sent to the device has no sanitizers in any preset.
// Runs: release
// Timeout: 600
//
// `lathe tune --device`, as scripts see it. The device is this machine by a real sshd, and what is compiled for is not this
// machine: so what is recorded of the one cannot be taken for the other's.
#include "codegen/target.h"
#include "device/device.h"
#include "device/runner_client.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/ssh_server.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <algorithm>
#include <optional>
#include <set>
#include <sys/file.h>
#include <utility>

namespace lathe::testing::test_tune_device {

namespace {

#if defined(__aarch64__)
constexpr const char* target = "cortex-a53";
#else
constexpr const char* target = "x86-64-v2";
#endif

std::vector<QJsonObject> linesOf(const QByteArray& text, const char* key, const QString& value = {}) {
    std::vector<QJsonObject> lines;
    for (const QByteArray& line : text.split('\n'))
        if (const QJsonObject object = QJsonDocument::fromJson(line).object();
            object.contains(key) && (value.isEmpty() || object[key] == value))
            lines.push_back(object);
    return lines;
}

} // namespace

class TestTuneDevice : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;
    std::optional<SshServer> server_;

    QString at(const char* name) const { return folder_.filePath(name); }
    QStringList tune(const QStringList& further) const {
        return QStringList{"tune", model_, "--threads", "1", "--target", target, "--device", "ssh:device", "--json"} +
               further;
    }
    static QByteArray recorded() { return QByteArray::fromStdString(runLathe({"records", "export"}).out); }
    static qsizetype trialsOf(const QByteArray& records) { return std::ssize(linesOf(records, "trace")); }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("XDG_CONFIG_HOME", at("settings").toLocal8Bit());
        model_ = at("model.onnx");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,16,14,14] x) => "
                                "(float[1,32,14,14] y) { p = Conv<pads=[1,1,1,1]> (x, w) y = Relu (p) }");
        addWeights(model, "w", {32, 16, 3, 3}, [](int64_t i) { return (float(i % 7) - 3) / 20; });
        writeFile(model_.toStdString(), model.SerializeAsString());
        server_.emplace();
    }
    void init() { qputenv("LATHE_RECORDS", at(QTest::currentTestFunction()).toLocal8Bit()); }
    void cleanup() {
        qunsetenv("LATHE_TIMING_LOCK");
        QTRY_VERIFY2_WITH_TIMEOUT(server_->left().isEmpty(), qPrintable(server_->left().join(' ')), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(server_->sessions("lathe-runner").empty(), 20'000);
    }

    /// Also while somebody times here all the while. Nothing can run here: the runner of this machine is none.
    void measuresThere() {
        QFile lock(at("timing"));
        qputenv("LATHE_TIMING_LOCK", lock.fileName().toLocal8Bit());
        QVERIFY(lock.open(QFile::WriteOnly));
        QCOMPARE(flock(lock.handle(), LOCK_EX | LOCK_NB), 0);
        qputenv("LATHE_RUNNER", "/bin/false");
        const QString found = at("found.json");
        const Outcome outcome = runLathe(tune({"--trials", "24", "--time", "200", "--no-layouts", "-o", found}), 280);
        qunsetenv("LATHE_RUNNER");
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto trials = linesOf(QByteArray::fromStdString(outcome.out), "event", "trial");
        QVERIFY(trials.size() > 1 && trials.front()["made"] == "default");
        for (const QJsonObject& trial : trials)
            QVERIFY2(trial["us"].toDouble() > 0, qPrintable(trial["message"].toString()));

        const QByteArray records = recorded();
        QCOMPARE(trialsOf(records), std::ssize(trials));
        const Outcome described = runLathe({"target", "--target", target, "--json"});
        const QString compiledFor =
            QJsonDocument::fromJson(QByteArray::fromStdString(described.out)).object()["target"].toString();
        const auto studies = linesOf(records, "machine"), workloads = linesOf(records, "target");
        QCOMPARE(studies.size(), size_t(1));
        QVERIFY2(studies[0]["machine"].toString().endsWith("; " + compiledFor), records.constData());
        QCOMPARE(studies[0]["threads"].toInt(), 1);
        QVERIFY(!workloads.empty());
        for (const QJsonObject& workload : workloads)
            QCOMPARE(workload["target"].toString(), compiledFor);

        const Outcome compiled =
            runLathe({"compile", model_, "--target", target, "--decisions", found, "-o", at("model.so")});
        QVERIFY2(compiled.code == 0 && compiled.err.empty(), compiled.err.c_str());
        const QStringList run{"run", model_, "--seed", "5", "--target", target, "--save"};
        QCOMPARE(runLathe(run + QStringList{at("here")}).code, 0);
        const Outcome ran = runLathe(run + QStringList{at("there"), "--decisions", found, "--device", "ssh:device"});
        QVERIFY2(ran.code == 0, ran.err.c_str());
        QFile one(at("here/y.npy")), other(at("there/y.npy"));
        QVERIFY(one.open(QFile::ReadOnly) && other.open(QFile::ReadOnly));
        const QByteArray bytes = one.readAll();
        QVERIFY(bytes.size() >= 32 * 14 * 14 * 4);
        QCOMPARE(other.readAll(), bytes); // the terms are added in one order, whatever the tiles
    }

    void theGraphToo() {
        const Outcome outcome = runLathe(tune({"--trials", "3", "--time", "20"}), 280);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const QByteArray out = QByteArray::fromStdString(outcome.out);
        QVERIFY(!linesOf(out, "event", "graph").empty());
        const auto choices = linesOf(out, "event", "choices");
        QCOMPARE(choices.size(), size_t(1));
        QCOMPARE(choices[0]["layouts"].toObject()["message"].toString(), QString());
    }

    void whoMeasuresThereGoesFirst() {
        lathe::device::RunnerOptions options;
        lathe::device::useRunner(options, *lathe::device::runnerCommand(*lathe::device::parseDevice("ssh:device"),
                                                                        lathe::codegen::nativeTarget()));
        lathe::device::RunnerClient other(options);
        QVERIFY(other.leaseDevice().has_value());
        QProcess process;
        process.start(LATHE_BINARY_DIR "/lathe", tune({"--trials", "3", "--time", "200", "--no-layouts"}));
        // It asks the device for its processor first, in a session that is soon over, and compiles.
        std::set<qint64> before;
        QVERIFY(QTest::qWaitFor(
            [&] {
                QTest::qWait(1000);
                const std::set<qint64> last = std::exchange(before, server_->sessions("lathe-runner"));
                return before.size() >= 2 && before == last;
            },
            60'000));
        QVERIFY(!process.waitForFinished(8'000));
        QByteArray out = process.readAllStandardOutput();
        QVERIFY2(linesOf(out, "event", "trial").empty(), out.constData());
        QVERIFY(other.releaseDevice().has_value());
        QVERIFY(process.waitForFinished(200'000));
        out += process.readAllStandardOutput();
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QVERIFY(!linesOf(out, "event", "trial").empty());
        other.stop();
    }

    /// What was measured stays, and another study goes on with it once the device is there again.
    void aDeviceThatDisappears() {
        QProcess process;
        process.start(LATHE_BINARY_DIR "/lathe", tune({"--time", "250", "--search", "random", "--no-layouts"}));
        QByteArray out;
        while (!out.contains("\"event\":\"round\"")) {
            QVERIFY(process.waitForReadyRead(100'000));
            out += process.readAllStandardOutput();
        }
        server_->stop();
        QVERIFY(process.waitForFinished(100'000));
        out += process.readAllStandardOutput();
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 3, said.constData());
        QVERIFY2(said.contains("ssh:device") && said.contains("lathe tune --resume"), said.constData());
        const auto models = linesOf(out, "event", "model");
        QVERIFY(models.size() == 1 && models[0]["hint"].toString().contains("--resume"));
        const auto trials = linesOf(out, "event", "trial");
        QVERIFY(trials.size() > 1);
        QCOMPARE(trialsOf(recorded()), std::ssize(trials));

        server_.reset();
        server_.emplace();
        const Outcome more = runLathe(tune({"--resume", "--trials", "3", "--time", "200", "--no-layouts"}), 280);
        QVERIFY2(more.code == 0, more.err.c_str());
        const QByteArray further = QByteArray::fromStdString(more.out);
        QCOMPARE(linesOf(further, "event", "study").at(0)["resumed"], QJsonValue(true));
        const auto tried = linesOf(further, "event", "trial");
        QCOMPARE(std::ranges::count_if(tried, [](const auto& trial) { return trial["made"] != "default"; }), 3);
        QVERIFY(std::ranges::none_of(tried, [&](const auto& trial) { // it is known
            return trial["made"] == "default" && trial["workload"] == trials[0]["workload"];
        }));
        QCOMPARE(trialsOf(recorded()), std::ssize(trials) + std::ssize(tried));
    }

    void whatCannotMeasureIsRefused_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("an emulator") << "qemu" << 2 << QByteArray("times under an emulator say nothing of a device");
        QTest::newRow("no device") << "nobody" << 2 << QByteArray("unknown device 'nobody'");
        QTest::newRow("not to be reached") << "ssh:stranger" << 1 << QByteArray("host key of ssh:stranger");
    }
    void whatCannotMeasureIsRefused() {
        QFETCH(QString, device);
        QFETCH(int, code);
        QFETCH(QByteArray, text);
        const Outcome outcome = runLathe({"tune", model_, "--device", device, "--no-records", "-o", at("none.json")});
        QVERIFY2(outcome.code == code && QByteArray::fromStdString(outcome.err).contains(text), outcome.err.c_str());
        QVERIFY(!QFile::exists(at("none.json")));
    }
};

Test test() {
    return {makes<TestTuneDevice>};
}

} // namespace lathe::testing::test_tune_device

#include "test_tune_device.moc"
