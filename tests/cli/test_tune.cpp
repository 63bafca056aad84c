// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// `lathe tune` as scripts see it: events and a table that agree, decisions that other commands take and that change no
// result, the same candidates for the same seed, exit codes.
// In release alone: studies are minutes of work under sanitizers, where test_gui_tuning_page and the tests of tune/ and records/
// run what they are made of.
// Runs: release
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

namespace lathe::testing::test_tune {

namespace {

std::vector<QJsonObject> linesOf(const std::string& text, const QString& event) {
    std::vector<QJsonObject> lines;
    for (const QByteArray& line : QByteArray::fromStdString(text).split('\n'))
        if (const QJsonObject object = QJsonDocument::fromJson(line).object(); object["event"] == event)
            lines.push_back(object);
    return lines;
}

} // namespace

class TestTune : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, decisions_;

    /// What was tried beside the defaults.
    static std::vector<QJsonObject> candidatesOf(const std::string& text) {
        std::vector<QJsonObject> lines = linesOf(text, "trial");
        std::erase_if(lines, [](const QJsonObject& trial) { return trial["made"] == "default"; });
        return lines;
    }
    Outcome tune(const QStringList& further) const {
        return runLathe(QStringList{"tune", model_, "--threads", "1", "--json", "--no-layouts"} + further, 280);
    }

    /// What tasks are said to have, records to keep, and the decisions to hold is one thing.
    static void saysWhatIsInTheDecisions(const std::string& out, const QString& decisions) {
        QFile file(decisions);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject schedules = QJsonDocument::fromJson(file.readAll()).object()["schedules"].toObject();
        QStringList kept;
        for (const QByteArray& line : QByteArray::fromStdString(runLathe({"records", "export"}).out).split('\n'))
            if (const QJsonObject row = QJsonDocument::fromJson(line).object(); row["in_place"] == "kept")
                kept << row["trial"].toArray()[1].toString() + row["trace"].toString();
        qsizetype applied = 0;
        for (const QJsonObject& task : linesOf(out, "task")) {
            const QString workload = task["workload"].toString(), why = task["why_not"].toString();
            const bool isThere = schedules.contains(workload);
            QCOMPARE(task["applied"].toBool(), why.isEmpty());
            QCOMPARE(isThere, why.isEmpty() || why.endsWith("; a slower one is applied"));
            QVERIFY(!isThere || kept.contains(workload + schedules[workload].toString()));
            applied += isThere;
        }
        QCOMPARE(applied, schedules.size());
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        qputenv("LATHE_RECORDS", folder_.filePath("records.db").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        decisions_ = folder_.filePath("found.json");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[48,64] x) => (float[48,96] y) "
                                "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(model, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(model_.toStdString(), model.SerializeAsString());
    }

    void saysWhatItTried() {
        const Outcome outcome = tune({"--trials", "24", "--time", "200", "-o", decisions_});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto trials = candidatesOf(outcome.out), all = linesOf(outcome.out, "trial"),
                   tasks = linesOf(outcome.out, "task"), models = linesOf(outcome.out, "model");
        QCOMPARE(all.size(), trials.size() + 1);
        for (size_t i = 0; i < all.size(); ++i)
            QCOMPARE(all[i]["trial"].toInt(), int(i));
        QVERIFY(all[0]["made"] == "default" && all[0]["verdict"] == "measured" && all[0]["round"].toInt() == 0);
        QCOMPARE(all[0]["ratio"].toDouble(), 1.0);
        QCOMPARE(tasks.size(), size_t(1));
        // What the default takes is a median of what each batch says of it.
        std::vector<double> said;
        for (const QJsonObject& trial : all)
            if (trial["verdict"] == "measured")
                said.push_back(trial["us"].toDouble() / trial["ratio"].toDouble());
        const auto [least, most] = std::ranges::minmax(said);
        QVERIFY(least <= tasks[0]["default_us"].toDouble() && tasks[0]["default_us"].toDouble() <= most);
        QCOMPARE(models.size(), size_t(1));
        QCOMPARE(models[0]["trials"].toInt(), int(trials.size()));
        QVERIFY(!trials.empty() && trials.size() <= 24);
        for (const QJsonObject& trial : trials) {
            QVERIFY(trial["verdict"] == "measured" || trial["verdict"] == "slow");
            QVERIFY(trial["us"].toDouble() > 0);
            QVERIFY(trial["answers"].toObject().contains("b0.rows"));
            QVERIFY(trial["prior_us"].toDouble() > 0);
        }
        const auto rounds = linesOf(outcome.out, "round");
        int predicted = 0;
        for (const QJsonObject& round : rounds) {
            predicted += round["prior"].toObject()["count"].toInt();
            QVERIFY(std::abs(round["prior"].toObject()["spearman"].toDouble()) <= 1);
            QVERIFY(round["model"].isNull()); // of so few it learns nothing
        }
        QVERIFY(!rounds.empty() && rounds[0]["asked"] == "prior");
        QCOMPARE(predicted, int(trials.size()));
        QVERIFY(tasks[0]["best_us"].toDouble() <= tasks[0]["default_us"].toDouble());
        int verdicts = 0;
        for (const QJsonValue& count : tasks[0]["verdicts"].toObject())
            verdicts += count.toInt();
        QCOMPARE(verdicts, int(trials.size()));
        saysWhatIsInTheDecisions(outcome.out, decisions_);
    }

    /// A row for each task: what was tried, and whether it is applied.
    void saysItToPeople() {
        const Outcome outcome =
            runLathe({"tune", model_, "--threads", "1", "--trials", "3", "--no-records", "--no-layouts"}, 280);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QStringList lines = QString::fromStdString(outcome.out).split('\n');
        lines.removeIf([](const QString& line) { return line.startsWith("the machine was busy in "); }); // it may be
        QVERIFY2(lines.size() == 5, outcome.out.c_str()); // heading, task, trials, model, the end
        QVERIFY2(lines[1].contains("measured") || lines[1].contains("slow"), outcome.out.c_str());
        QVERIFY2(lines[1].contains("; applied") || lines[1].contains("; nothing is faster by enough") ||
                     lines[1].contains("; not faster in the model"),
                 outcome.out.c_str());
        QVERIFY2(lines[2].startsWith("3 trials in "), outcome.out.c_str());
        QVERIFY2(outcome.err.find(" left ") != std::string::npos, outcome.err.c_str());
    }

    /// Nothing is recorded: replay tries nothing. Then there are records, and it tries these alone.
    void replayTriesWhatIsRecorded() {
        const QString file = folder_.filePath("replay.db");
        const auto triedBy = [&](const char* search) {
            const Outcome outcome = tune({"--trials", "12", "--search", search, "--records", file, "--min-gain", "0"});
            if (outcome.code != 0)
                qWarning("%s", outcome.err.c_str());
            return candidatesOf(outcome.out);
        };
        QVERIFY(triedBy("replay").empty());
        triedBy("random");
        for (const QJsonObject& trial : triedBy("replay"))
            QCOMPARE(trial["made"].toString(), QString("recorded"));
    }

    /// Kernels over open sizes are tuned at those that are said to matter, and compiled once for all.
    void openSizes() {
        const QString open = folder_.filePath("open.onnx"), found = folder_.filePath("open.json");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[n,64] x) => (float[n,96] y) "
                                "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(model, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(open.toStdString(), model.SerializeAsString());
        const auto tuneOpen = [&](const QStringList& further) {
            return runLathe(
                QStringList{"tune", open, "--threads", "1", "--json", "--no-layouts", "--trials", "16", "-o", found} +
                    further,
                280);
        };
        const Outcome leftOut = tuneOpen({});
        QVERIFY(leftOut.code == 1 && leftOut.err.find("--sizes") != std::string::npos);
        const Outcome outcome = tuneOpen({"--sizes", "n=7,64,7", "--study", "sized"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QCOMPARE(linesOf(outcome.out, "task").size(), size_t(1));
        QVERIFY(!linesOf(outcome.out, "trial").empty());
        for (const char* shape : {"x=1,64", "x=33,64"}) {
            const Outcome compared = runLathe({"check", open, "--decisions", found, "--shape", shape}, 200);
            QVERIFY2(compared.code == 0, compared.err.c_str());
        }
        const Outcome elsewhere = tuneOpen({"--sizes", "n=9", "--resume", "--study", "sized"});
        QVERIFY2(elsewhere.code == 2 && elsewhere.err.find("by --space template --sizes n=64,7,") != std::string::npos,
                 elsewhere.err.c_str());
        for (const char* bad : {"n", "n=0", "n=1:9", "m=7", "n=99999999999"}) {
            const Outcome refused = tuneOpen({"--sizes", bad});
            QVERIFY2(refused.code != 0 && refused.err.find("error") != std::string::npos, bad);
        }
        const Outcome fixed = tune({"--trials", "4", "--sizes", "n=7"});
        QVERIFY(fixed.code != 0 && fixed.err.find("all of its sizes are fixed") != std::string::npos);
    }

    void whatWasFoundChangesNoResult() {
        QVERIFY(QFile::exists(decisions_));
        const QString before = folder_.filePath("before"), after = folder_.filePath("after");
        const QStringList run{"run", model_, "--seed", "5", "--save"};
        QCOMPARE(runLathe(run + QStringList{before}).code, 0);
        const Outcome tuned = runLathe(run + QStringList{after, "--decisions", decisions_});
        QVERIFY2(tuned.code == 0, tuned.err.c_str());
        QFile one(before + "/y.npy"), other(after + "/y.npy");
        QVERIFY(one.open(QIODevice::ReadOnly) && other.open(QIODevice::ReadOnly));
        const QByteArray bytes = one.readAll();
        QVERIFY(bytes.size() >= 48 * 96 * 4);
        QCOMPARE(other.readAll(), bytes); // a product's terms are added in one order, whatever its tiles
    }

    /// Two convolutions and a product: whatever is chosen, by whatever times, the model computes the same.
    void choicesInTheGraph() {
        const QString network = folder_.filePath("network.onnx"), found = folder_.filePath("choices.json");
        auto model =
            parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,16,14,14] x) => (float[1,64] y) { "
                       "a = Conv<pads=[1,1,1,1]>(x, w0) b = Relu(a) c = Conv<pads=[1,1,1,1]>(b, w1) d = Sigmoid(c) "
                       "e = Mul(c, d) f = GlobalAveragePool(e) g = Flatten(f) y = MatMul(g, w2) }");
        addWeights(model, "w0", {32, 16, 3, 3}, [](int64_t i) { return (float(i % 7) - 3) / 20; });
        addWeights(model, "w1", {32, 32, 3, 3}, [](int64_t i) { return (float(i % 11) - 5) / 50; });
        addWeights(model, "w2", {32, 64}, [](int64_t i) { return (float(i % 13) - 6) / 6; });
        writeFile(network.toStdString(), model.SerializeAsString());
        const Outcome outcome = runLathe(
            {"tune", network, "--threads", "1", "--json", "--trials", "6", "--time", "100s", "-o", found}, 280);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        saysWhatIsInTheDecisions(outcome.out, found);
        const auto compilations = linesOf(outcome.out, "graph"), choices = linesOf(outcome.out, "choices");
        QCOMPARE(choices.size(), size_t(1));
        const QJsonObject layouts = choices[0]["layouts"].toObject(), fusion = choices[0]["fusion"].toObject();
        QCOMPARE(layouts["sites"].toInt(), 3);
        QCOMPARE(layouts["message"].toString(), QString());
        QCOMPARE(fusion["message"].toString(), QString());
        QCOMPARE(fusion["groups"].toInt(), 1); // two use the second convolution's value
        QCOMPARE(int(compilations.size()), layouts["measured"].toInt() + fusion["measured"].toInt());
        QVERIFY(layouts["measured"].toInt() >= 4 && fusion["measured"].toInt() >= 2);
        for (const QJsonObject& each : compilations)
            QVERIFY(each["ms"].toDouble() > 0 && each["start_ms"].toDouble() > 0);
        QCOMPARE(layouts["changed"].toInt() > 0, layouts["measured_ms"].toDouble() > 0);
        QCOMPARE(layouts["changed"].toInt() > 0, layouts["predicted_ms"].toDouble() > 0);
        QVERIFY(layouts["measured_ms"].toDouble() < layouts["start_ms"].toDouble());
        if (choices[0]["taken"].toBool())
            QVERIFY(choices[0]["whole_ms"].toDouble() < choices[0]["schedules_ms"].toDouble());
        const auto valuesOf = [&](const QStringList& further) {
            const QString folder = folder_.filePath("values");
            const Outcome ran = runLathe(QStringList{"run", network, "--seed", "5", "--save", folder} + further);
            QFile file(folder + "/y.npy");
            if (ran.code != 0 || !file.open(QIODevice::ReadOnly))
                return std::vector<float>();
            const QByteArray bytes = file.readAll().right(64 * sizeof(float));
            std::vector<float> values(64);
            std::memcpy(values.data(), bytes.data(), 64 * sizeof(float));
            return values;
        };
        const std::vector<float> before = valuesOf({}), after = valuesOf({"--decisions", found});
        QCOMPARE(before.size(), size_t(64));
        QCOMPARE(after.size(), size_t(64));
        for (size_t i = 0; i < 64; ++i) // as ONNX's own tests
            QVERIFY(std::abs(after[i] - before[i]) <= 1e-3 * std::abs(before[i]) + 1e-4);
    }

    void theSameSeedTriesTheSame() {
        const auto answersOf = [&](const QString& seed) {
            const Outcome outcome =
                tune({"--trials", "12", "--search", "random", "--seed", seed, "--time", "4m", "--no-records"});
            QByteArray all;
            for (const QJsonObject& trial : candidatesOf(outcome.out))
                all += QJsonDocument(trial["answers"].toObject()).toJson();
            return all;
        };
        const QByteArray first = answersOf("1");
        QVERIFY(!first.isEmpty());
        QCOMPARE(answersOf("1"), first);
        QVERIFY(answersOf("2") != first);
    }

    /// What the machine can do and is called; twice the same machine.
    void whatTheMachineCanDo() {
        const auto measured = [] {
            const Outcome outcome = runLathe({"target", "--measure", "--threads", "1", "--json"});
            return outcome.code == 0 ? QJsonDocument::fromJson(QByteArray::fromStdString(outcome.out)).object()
                                     : QJsonObject();
        };
        const QJsonObject first = measured(), again = measured();
        QVERIFY(first["one_thread"].toObject()["gflops"].toDouble() > 0.1);
        QVERIFY(first["one_thread"].toObject()["gbs"].toDouble() > 0.01);
        QVERIFY(first["vector_bits"].toInt() >= 128 && first["l1"].toInt() >= 1024);
        QVERIFY(first["machine"].toString().contains(first["target"].toString()));
        QCOMPARE(first["instance"].toString().size(), qsizetype(32));
        QCOMPARE(again["instance"], first["instance"]);
        QVERIFY(first["shipped"].toString().endsWith(".jsonl"));
        const Outcome people = runLathe({"target", "--measure"}), other = runLathe({"target", "--target", "haswell"});
        QVERIFY(people.out.find("GFLOP/s") != std::string::npos && people.out.find("instance") != std::string::npos);
        QVERIFY(other.code == 0 && other.out.find("haswell") != std::string::npos);
        QVERIFY(other.out.find("GFLOP/s") == std::string::npos);
        QCOMPARE(runLathe({"target", "--measure", "--target", "aarch64-linux-gnu"}).code, 2);
    }

    void spacesByRules() {
        const QStringList further{"--trials", "16", "--space", "rules", "--study", "by rules"};
        const Outcome outcome = tune(further);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto trials = candidatesOf(outcome.out), rounds = linesOf(outcome.out, "round");
        QVERIFY(!trials.empty());
        for (const QJsonObject& trial : trials) {
            QVERIFY(trial["verdict"] == "measured" || trial["verdict"] == "slow");
            QCOMPARE(trial["answers"].toObject()["way"].toArray(), QJsonArray{1});
            QVERIFY(trial["answers"].toObject().contains("b0.inner1"));
        }
        QVERIFY(!rounds.empty() && rounds[0]["not_built"].isObject());
        const Outcome other = tune({"--trials", "1", "--study", "by rules", "--resume"});
        QCOMPARE(other.code, 2);
        QVERIFY2(other.err.find("--space rules") != std::string::npos, other.err.c_str());
        const Outcome again = tune(further + QStringList{"--resume"});
        QVERIFY2(again.code == 0, again.err.c_str());
    }

    /// All of it was tried: it says so, and what was found is held against the model again.
    void aStudyThatHasNothingLeft() {
        const QString small = folder_.filePath("small.onnx"), records = folder_.filePath("small.db");
        writeFile(small.toStdString(), graphBytes("g (float[8,30] x) => (float[8,30] y) { y = Relu (x) }"));
        const QStringList arguments{"tune",         small,       "--threads", "1",        "--search", "grid",
                                    "--no-layouts", "--records", records,     "--trials", "1000"};
        const Outcome first = runLathe(arguments + QStringList{"--json"}, 280);
        QVERIFY2(first.code == 0, first.err.c_str());
        const auto tasks = linesOf(first.out, "task");
        QVERIFY(tasks.size() == 1 && tasks[0]["done"] == "all tried");
        QCOMPARE(linesOf(first.out, "model")[0]["nothing_left"], QJsonValue(false));
        const Outcome again = runLathe(arguments + QStringList{"--resume", "--json"}, 280);
        QVERIFY2(again.code == 0, again.err.c_str());
        const auto models = linesOf(again.out, "model");
        QCOMPARE(models.size(), size_t(1));
        QCOMPARE(models[0]["trials"].toInt(), 0);
        QCOMPARE(models[0]["nothing_left"], QJsonValue(true));
        QCOMPARE(models[0]["problem"], QJsonValue(""));
        QCOMPARE(linesOf(again.out, "task")[0]["best_us"].toDouble(), tasks[0]["best_us"].toDouble());
        const Outcome people = runLathe(arguments + QStringList{"--resume"}, 280);
        QVERIFY2(people.code == 0, people.err.c_str());
        QVERIFY2(people.out.find("nothing is left to try") != std::string::npos, people.out.c_str());
    }

    /// Values that a kernel draws are compared as well: by the same seed.
    void whatIsDrawn() {
        const QString drawing = folder_.filePath("drawing.onnx");
        writeFile(drawing.toStdString(), graphBytes("g (float[64,64] x) => (float[64,64] y) { "
                                                    "r = RandomNormalLike (x) y = MatMul (x, r) }"));
        const Outcome outcome = runLathe({"tune", drawing, "--threads", "1", "--time", "4", "--no-layouts", "--search",
                                          "random", "--min-gain", "0", "--no-records", "--json"},
                                         120);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto tasks = linesOf(outcome.out, "task");
        QVERIFY2(
            std::ranges::any_of(tasks, [](const auto& task) { return task["kernel"].toString().contains("random"); }),
            outcome.out.c_str());
        for (const auto& task : tasks)
            QVERIFY2(!task["verdicts"].toObject().contains("wrong"), outcome.out.c_str());
    }

    void whatCannotBeTuned_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("reason");
        const QString open = folder_.filePath("open.onnx"), missing = folder_.filePath("missing.onnx");
        writeFile(open.toStdString(), graphBytes("g (float[n,64] x) => (float[n,64] y) { y = Softmax (x) }"));
        const QString model = folder_.filePath("model.onnx");
        QTest::newRow("no such file") << QStringList{missing} << 1 << "missing.onnx";
        QTest::newRow("no such search") << QStringList{model, "--search", "luck"} << 2 << "evolution";
        QTest::newRow("no such space") << QStringList{model, "--space", "outer"} << 2 << "sketch";
        for (const char* gain : {"nan", "-1", "51", "much"})
            QTest::newRow(qPrintable(QString("a gain of '%1'").arg(gain)))
                << QStringList{model, "--min-gain", gain} << 2 << "from 0 to 50";
        QTest::newRow("no such kernel") << QStringList{model, "--kernel", "conv"} << 1 << "has 'conv' in its name";
        for (const char* time : {"0", "0m", "nan", "inf", "5x", "m", "", "1e300h"})
            QTest::newRow(qPrintable(QString("a time of '%1'").arg(time)))
                << QStringList{model, QString("--time=%1").arg(time)} << 2 << "time";
        QTest::newRow("a very long name") << QStringList{model, "--study", QString(5000, 'x')} << 2 << "5000 bytes";
        for (const char* name : {"two\nlines", "\x1b[31mred", "\xe2\x80\xaeturned"})
            QTest::newRow(qPrintable(QString("a name with the character %1").arg(int(uchar(name[0])))))
                << QStringList{model, "--study", QString::fromUtf8(name)} << 2 << "--study";
        QTest::newRow("open sizes") << QStringList{open} << 1 << "--shape";
        QTest::newRow("another target") << QStringList{model, "--target", "abacus"} << 2 << "abacus";
    }
    void whatCannotBeTuned() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, reason);
        const Outcome outcome = runLathe(QStringList{"tune"} + arguments);
        QCOMPARE(outcome.code, code);
        QVERIFY2(outcome.err.find(reason.toStdString()) != std::string::npos, outcome.err.c_str());
        QVERIFY2(outcome.err.find("study '") == std::string::npos, outcome.err.c_str()); // none has begun
    }

    /// Ctrl+C before the search: it ends, nothing is written and no study is recorded.
    void interruptedWhileItPrepares() {
        const QString out = folder_.filePath("interrupted.json"), records = folder_.filePath("interrupted.db");
        QProcess process;
        process.setReadChannel(QProcess::StandardError);
        process.start(LATHE_BINARY_DIR "/lathe",
                      {"tune", model_, "--threads", "1", "-o", out, "--records", records, "--progress"});
        QVERIFY(process.waitForStarted());
        QByteArray said;
        while (!said.contains("\"progress\"") && process.waitForReadyRead(60'000))
            said += process.readAllStandardError();
        QVERIFY2(said.contains("\"progress\""), said.constData());
        QCOMPARE(kill(pid_t(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        said += process.readAllStandardError();
        QVERIFY2(process.exitCode() == 130, said.constData());
        QVERIFY2(said.contains("cancelled") && !said.contains("begins study"), said.constData());
        QCOMPARE(process.readAllStandardOutput(), QByteArray());
        QCOMPARE(QDir(folder_.path()).entryList({"interrupted.json*"}), QStringList());
        const auto stats =
            QJsonDocument::fromJson(
                QByteArray::fromStdString(runLathe({"records", "stats", "--records", records, "--json"}).out))
                .object();
        QVERIFY(stats.contains("studies"));
        QCOMPARE(stats["studies"].toArray().size(), 0);
    }

    void aFileThatCannotBeWritten() {
        const Outcome outcome = tune({"--trials", "1", "-o", folder_.filePath("no/such/folder.json")});
        QCOMPARE(outcome.code, 1);
        QVERIFY(outcome.err.find("folder.json") != std::string::npos);
    }
};

Test test() {
    return {makes<TestTune>};
}

} // namespace lathe::testing::test_tune

#include "test_tune.moc"
