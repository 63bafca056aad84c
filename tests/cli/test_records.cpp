// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
// Timeout: 600
//
// Records as users meet them: what `lathe tune` tried is there, a study that was killed goes on, compilations take recorded
// schedules where all that matters is the same and say so, and what is wrong with a file ends neither.
// In release alone: studies are minutes of work under sanitizers, where test_gui_tuning_page and the tests of tune/ and records/
// run what they are made of.
// Runs: release
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace lathe::testing::test_records {

namespace {

std::vector<QJsonObject> objectsOf(const std::string& text, const char* key) {
    std::vector<QJsonObject> objects;
    for (const QByteArray& line : QByteArray::fromStdString(text).split('\n'))
        if (const QJsonObject object = QJsonDocument::fromJson(line).object(); object.contains(QLatin1String(key)))
            objects.push_back(object);
    return objects;
}

std::vector<QJsonObject> eventsOf(const std::string& text, const char* event) {
    std::vector<QJsonObject> events = objectsOf(text, "event");
    std::erase_if(events, [&](const QJsonObject& object) { return object["event"] != QLatin1String(event); });
    return events;
}

bool contains(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
}

} // namespace

class TestRecords : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, file_, made_; // made_: records in which one trial was twice as fast

    Outcome tune(const QStringList& further) const {
        return runLathe(
            QStringList{"tune", model_, "--threads", "1", "--json", "--time", "200s", "--no-layouts"} + further, 280);
    }
    Outcome records(const QStringList& arguments, const QString& file) const {
        return runLathe(QStringList{"records"} + arguments + QStringList{"--records", file, "--json"});
    }
    Outcome records(const QStringList& arguments) const { return records(arguments, file_); }
    /// Of the product, as `lathe passes` lists it.
    QJsonObject kernel(const QStringList& further) const {
        const Outcome outcome = runLathe(QStringList{"passes", model_, "--kernels", "--json"} + further);
        for (const QJsonObject& each : objectsOf(outcome.out, "workload"))
            if (!each["questions"].toArray().isEmpty() || !each["schedule"].toString().isEmpty())
                return each;
        return {};
    }
    /// Records like those of file_, of whose trials `change` makes something.
    void makeRecords(const QString& name, const std::function<void(QJsonObject&)>& change) {
        QFile lines(folder_.filePath("lines"));
        QVERIFY(lines.open(QIODevice::WriteOnly));
        bool changed = false;
        for (const QByteArray& line : QByteArray::fromStdString(records({"export"}).out).split('\n')) {
            QJsonObject object = QJsonDocument::fromJson(line).object();
            if (object.isEmpty())
                continue;
            const bool measured = object.value("verdict") == "measured";
            if (measured) {
                object["accepted"] = false;
                object["in_place"] = "unknown";
            }
            if (!changed && measured && object.value("made") != "default") {
                changed = true;
                object["accepted"] = true;
                object["in_place"] = "kept";
                object["ratio"] = QJsonArray{0.5, 0.5, 0.5};
                change(object);
            }
            lines.write(QJsonDocument(object).toJson(QJsonDocument::Compact) + "\n");
        }
        lines.close();
        QVERIFY(changed);
        const Outcome imported = records({"import", lines.fileName()}, folder_.filePath(name));
        QVERIFY2(imported.code == 0, imported.err.c_str());
        const QJsonObject skipped = objectsOf(imported.out, "skipped").at(0);
        QVERIFY2(skipped["skipped"].toInt() == 0, qPrintable(skipped["first_skipped"].toString()));
    }
    QByteArray outputOf(const QStringList& further) {
        const QString folder = folder_.filePath("outputs");
        const Outcome outcome =
            runLathe(QStringList{"run", model_, "--threads", "1", "--seed", "5", "--save", folder} + further);
        QFile file(folder + "/y.npy");
        return outcome.code == 0 && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void initTestCase() {
        file_ = folder_.filePath("records.db");
        made_ = folder_.filePath("made.db");
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        qputenv("LATHE_RECORDS", file_.toLocal8Bit());
        model_ = folder_.filePath("net.onnx");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[48,64] x) => (float[48,96] y) "
                                "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(model, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(model_.toStdString(), model.SerializeAsString());
    }

    void whatWasTriedIsThere() {
        const Outcome outcome = tune({"--trials", "20"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto begun = eventsOf(outcome.out, "study"), trials = eventsOf(outcome.out, "trial");
        QCOMPARE(begun.size(), size_t(1));
        QCOMPARE(begun[0]["records"].toString(), file_);
        QCOMPARE(begun[0]["name"].toString(), QString("net"));
        QVERIFY(!trials.empty());
        const QJsonObject stats = objectsOf(records({"stats"}).out, "studies").at(0);
        QCOMPARE(stats["studies"].toArray().size(), 1);
        QCOMPARE(stats["studies"].toArray()[0].toObject()["state"].toString(), QString("ended"));
        int all = 0;
        for (const QJsonValue& count : stats["trials"].toObject())
            all += count.toInt();
        QCOMPARE(all, int(trials.size()));
        const QString workload = trials[0]["workload"].toString();
        const auto shown = objectsOf(records({"show", workload.left(10)}).out, "trial");
        QCOMPARE(shown.size(), trials.size());
        std::map<int, QJsonObject> told; // as it stood last
        for (const QJsonObject& trial : trials)
            told[trial["trial"].toInt()] = trial;
        for (const QJsonObject& trial : eventsOf(outcome.out, "verdict"))
            for (const char* field : {"verdict", "message", "us", "ratio", "accepted"})
                told.at(trial["trial"].toInt())[field] = trial[field];
        QCOMPARE(told.size(), trials.size());
        for (size_t i = 0; i < trials.size(); ++i)
            for (const char* field : {"trial", "made", "answers", "verdict", "message", "us", "ratio", "accepted"})
                QCOMPARE(told.at(int(i))[field], shown[i][field]);
        QCOMPARE(trials[0]["made"].toString(), QString("default"));
        std::set<int> rounds, roundsShown, roundsOfTrials;
        for (const QJsonObject& round : eventsOf(outcome.out, "round"))
            rounds.insert(round["round"].toInt());
        for (const QJsonObject& round : objectsOf(records({"show", workload.left(10)}).out, "round"))
            roundsShown.insert(round["number"].toInt());
        for (const QJsonObject& trial : trials)
            roundsOfTrials.insert(trial["round"].toInt());
        QCOMPARE(rounds, (std::set<int>{1, 2}));
        QCOMPARE(roundsShown, rounds);
        QCOMPARE(roundsOfTrials, (std::set<int>{0, 1, 2}));
        QCOMPARE(records({"verify"}).code, 0);
        for (const char* command : {"list", "stats", "export"}) // for people
            QVERIFY(!runLathe({"records", command}).out.empty());
    }

    void filesAreJoinedByLines() {
        const QString lines = folder_.filePath("export"), other = folder_.filePath("other.db");
        QCOMPARE(records({"export", "-o", lines}).code, 0);
        QCOMPARE(records({"import", lines}, other).code, 0);
        const std::string before = records({"export"}).out;
        QVERIFY(before.size() > 1000);
        QCOMPARE(records({"export"}, other).out, before);
        QCOMPARE(records({"merge", file_}, other).code, 0);
        QCOMPARE(records({"export"}, other).out, before);
    }

    void compilationsTakeWhatIsRecorded() {
        QJsonObject recorded;
        makeRecords("made.db", [&](const QJsonObject& trial) { recorded = trial; });
        const QJsonObject before = kernel({"--threads", "1"}), after = kernel({"--threads", "1", "--records", made_});
        QCOMPARE(before["from"].toString(), QString("default"));
        QCOMPARE(after["from"].toString(), QString("records"));
        QCOMPARE(after["schedule"].toString(), recorded["trace"].toString());
        QVERIFY(before["schedule"] != after["schedule"]);
        // Only where all that matters is the same.
        QCOMPARE(kernel({"--threads", "2", "--records", made_})["from"].toString(), QString("default"));
        QCOMPARE(kernel({"--threads", "1", "--numerics", "strict", "--records", made_})["from"].toString(),
                 QString("default"));
        QCOMPARE(kernel({"--threads", "1", "--target", "haswell", "--records", made_})["from"].toString(),
                 QString("default"));
        const QByteArray expected = outputOf({});
        QVERIFY(expected.size() >= 48 * 96 * 4);
        QCOMPARE(outputOf({"--records", made_}), expected);
        qputenv("LATHE_RECORDS", made_.toLocal8Bit());
        const Outcome said =
            runLathe({"compile", model_, "--threads", "1", "--tuned", "-o", folder_.filePath("net.so")});
        qputenv("LATHE_RECORDS", file_.toLocal8Bit());
        QCOMPARE(said.code, 0);
        QVERIFY2(contains(said.err, "1 of 1 kernel has recorded schedules"), said.err.c_str());
        const Outcome none = runLathe({"run", model_, "--threads", "2", "--records", made_});
        QCOMPARE(none.code, 0);
        QVERIFY2(contains(none.err, "nothing is recorded"), none.err.c_str());
    }

    /// Nothing makes records again but tuning: no result goes over them, named or not, nor over what lies beside them.
    void areNotWrittenOver() {
        const auto text = [&] {
            QFile file(file_);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray before = text();
        QVERIFY(!before.isEmpty());
        for (const QString& out : {file_, file_ + "-wal"})
            for (const QStringList& command : {QStringList{"records", "export"},
                                               {"records", "best", model_, "--threads", "1"},
                                               {"tune", model_, "--threads", "1", "--time", "1"},
                                               {"compile", model_, "--threads", "1"}}) {
                const Outcome refused = runLathe(command + QStringList{"-o", out});
                QVERIFY2(refused.code == 2 && contains(refused.err, "is of the records"), refused.err.c_str());
            }
        QVERIFY(text() == before);
    }

    /// What is handed on says nothing of the folders that models lay in.
    void whatIsWorthHandingOn() {
        const QString lines = folder_.filePath("best.jsonl"), other = folder_.filePath("handed.db");
        QCOMPARE(records({"export", "--best", "-o", lines}, made_).code, 0);
        QCOMPARE(records({"import", lines}, other).code, 0);
        QCOMPARE(records({"list"}, other).out, records({"list"}, made_).out);
        QCOMPARE(kernel({"--threads", "1", "--records", other})["from"].toString(), QString("records"));
        QFile file(lines);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(!text.contains(folder_.path().toUtf8()));
        QCOMPARE(text.count("\"trial\":"), 1);
        makeRecords("little.db", [](QJsonObject& trial) { trial["ratio"] = QJsonArray{0.96, 0.97, 0.98}; });
        const std::string none = records({"export", "--best"}, folder_.filePath("little.db")).out;
        QCOMPARE(std::ranges::count(none, '\n'), 1); // the header
    }

    void theBestOfAModelAreDecisions() {
        const QString decisions = folder_.filePath("best.json");
        const Outcome best = records({"best", model_, "--threads", "1", "-o", decisions}, made_);
        QVERIFY2(best.code == 0, best.err.c_str());
        const auto found = objectsOf(best.out, "workload");
        QCOMPARE(found.size(), size_t(1));
        QCOMPARE(found[0]["ratio"].toDouble(), 0.5);
        const QJsonObject decided = kernel({"--threads", "1", "--decisions", decisions});
        QCOMPARE(decided["from"].toString(), QString("decided"));
        QCOMPARE(decided["schedule"].toString(), found[0]["schedule"].toString());
        QVERIFY(objectsOf(records({"best", model_, "--threads", "2"}, made_).out, "workload").empty());
    }

    void aStudyIsDecisions() {
        const QString decisions = folder_.filePath("study.json");
        const Outcome shown = records({"study", "net", "-o", decisions}, made_);
        QVERIFY2(shown.code == 0, shown.err.c_str());
        const auto lines = objectsOf(shown.out, "decisions");
        QCOMPARE(lines.size(), size_t(1));
        QCOMPARE(lines[0]["decisions"].toObject()["schedules"].toObject().size(), 1);
        QVERIFY(kernel({"--threads", "1", "--decisions", decisions})["from"].toString() != "default");
        QCOMPARE(records({"study", lines[0]["study"].toString().left(8)}, made_).out, shown.out);
        const Outcome none = records({"study", "nobody"}, made_);
        QVERIFY2(none.code == 2 && contains(none.err, "nobody"), none.err.c_str());
    }

    void whatDoesNotReplayIsAWarningAndTheDefault() {
        makeRecords("stale.db",
                    [](QJsonObject& trial) { trial["trace"] = "loops blocks(#9) gives(0)\nparallel loops(0)\n"; });
        const QString stale = folder_.filePath("stale.db");
        const Outcome run = runLathe({"run", model_, "--threads", "1", "--records", stale});
        QCOMPARE(run.code, 0);
        QVERIFY2(contains(run.err, "does not replay"), run.err.c_str());
        QCOMPARE(kernel({"--threads", "1", "--records", stale})["from"].toString(), QString("default"));
        const Outcome verified = records({"verify"}, stale);
        QCOMPARE(verified.code, 1);
        QVERIFY2(contains(verified.err, "does not replay"), verified.err.c_str());
        // It is marked: the next compilation says so in a word, and does not try it.
        const Outcome next = runLathe({"run", model_, "--threads", "1", "--records", stale});
        QCOMPARE(next.code, 0);
        QVERIFY2(!contains(next.err, "does not replay") && contains(next.err, "do not fit"), next.err.c_str());
        const Outcome tuned = tune({"--trials", "2", "--records", stale}); // its answers are tried like others
        QVERIFY2(tuned.code == 0, tuned.err.c_str());
        QCOMPARE(eventsOf(tuned.out, "trial").at(1)["made"].toString(), QString("recorded"));
    }

    void aStudyThatIsKilledGoesOn() {
        QString file;
        const QString conv = folder_.filePath("conv.onnx");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,16,28,28] x) => "
                                "(float[1,32,28,28] y) { y = Conv <pads = [1,1,1,1]> (x, w) }");
        addWeights(model, "w", {32, 16, 3, 3}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(conv.toStdString(), model.SerializeAsString());
        const auto tune = [&](const QStringList& further) {
            return runLathe(QStringList{"tune", conv, "--threads", "1", "--json", "--no-layouts", "--records", file} +
                                further,
                            280);
        };
        // Of each trial the workload and the answers.
        const auto namesOf = [](const std::vector<QJsonObject>& trials) {
            std::set<QByteArray> names;
            for (const QJsonObject& trial : trials) {
                const QJsonArray task = trial["trial"].toArray(); // of an export; an event has a number there
                const QString workload = task.isEmpty() ? trial["workload"].toString() : task[1].toString();
                names.insert(workload.toUtf8() + QJsonDocument(trial["answers"].toObject()).toJson());
            }
            return names;
        };
        const auto recorded = [&] { return namesOf(objectsOf(records({"export"}, file).out, "trial")); };
        // LATHE_KILLS=20 for as many.
        const int kills =
            qEnvironmentVariableIntValue("LATHE_KILLS") > 0 ? qEnvironmentVariableIntValue("LATHE_KILLS") : 3;
        std::mt19937 random(7);
        for (int kill = 0; kill < kills; ++kill) {
            QProcess process;
            file = folder_.filePath(QString("killed%1.db").arg(kill));
            process.start(QStringLiteral(LATHE_BINARY_DIR "/lathe"),
                          QStringList{"tune", conv, "--threads", "1", "--json", "--time", "200s", "--no-layouts",
                                      "--search", "random", "--records", file, "--seed", QString::number(kill),
                                      "--study", "long"});
            QByteArray out;
            const int enough = 16 + int(random() % 32);
            while (out.count("\"event\":\"trial\"") < enough && process.waitForReadyRead(200'000))
                out += process.readAllStandardOutput();
            QTest::qSleep(int(random() % 300));
            process.kill();
            QVERIFY(process.waitForFinished());
            out += process.readAllStandardOutput();
            QVERIFY(process.exitStatus() == QProcess::CrashExit); // it had not ended before
            const auto told = namesOf(eventsOf(out.toStdString(), "trial"));
            QVERIFY(told.size() >= 16);
            QCOMPARE(records({"verify"}, file).code, 0);
            const auto there = recorded();
            for (const QByteArray& name : told)
                QVERIFY(there.contains(name)); // what was told of was recorded before: a batch is lost at most
        }
        // Of each row what names it, and its number.
        const auto numbered = [&] {
            std::set<QByteArray> rows;
            for (const char* kind : {"trial", "round"})
                for (const QJsonObject& row : objectsOf(records({"export"}, file).out, kind))
                    rows.insert(QJsonDocument(QJsonArray{row[kind], row["number"], row["program"], row["of"],
                                                         row["pairs"], row["us"]})
                                    .toJson());
            return rows;
        };
        const auto kept = recorded(), rows = numbered();
        QCOMPARE(tune({"--resume", "--study", "another"}).code, 2);
        const Outcome on = tune({"--resume", "--search", "random", "--trials", "12"});
        QVERIFY2(on.code == 0, on.err.c_str());
        QCOMPARE(eventsOf(on.out, "study").at(0)["name"].toString(), QString("long"));
        const auto further = namesOf(eventsOf(on.out, "trial"));
        QVERIFY(!further.empty());
        for (const QByteArray& name : further)
            QVERIFY(!kept.contains(name));
        QCOMPARE(recorded().size(), kept.size() + further.size());
        const auto rowsNow = numbered();
        QVERIFY(rowsNow.size() > rows.size());
        for (const QByteArray& row : rows)
            QVERIFY2(rowsNow.contains(row), row.constData());
        QCOMPARE(objectsOf(records({"stats"}, file).out, "studies").at(0)["studies"].toArray().size(), 1);
        // The model is another one by now: there is nothing to go on with.
        addWeights(model, "more", {1}, [](int64_t) { return 1.0F; });
        writeFile(conv.toStdString(), model.SerializeAsString());
        const Outcome changed = tune({"--resume", "--trials", "1"});
        QCOMPARE(changed.code, 2);
        QVERIFY2(contains(changed.err, "no study of this model"), changed.err.c_str());
    }

    /// A kernel alike takes a schedule only where that is asked for, and says by which rule.
    void recordsOfKernelsAlike() {
        const QString alike = folder_.filePath("alike.onnx");
        auto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[60,64] x) => (float[60,96] y) "
                                "{ p = MatMul (x, w) y = Relu (p) }");
        addWeights(model, "w", {64, 96}, [](int64_t i) { return float(i % 7) - 3; });
        writeFile(alike.toStdString(), model.SerializeAsString());
        const auto fromOf = [&](const QString& file, const QStringList& further) {
            const Outcome outcome = runLathe(QStringList{"passes", file, "--kernels", "--json"} + further);
            for (const QJsonObject& each : objectsOf(outcome.out, "workload"))
                if (!each["questions"].toArray().isEmpty())
                    return each["from"].toString();
            return QString();
        };
        QCOMPARE(fromOf(alike, {"--threads", "1", "--records", made_}), QString("default"));
        QCOMPARE(fromOf(alike, {"--threads", "1", "--records", made_, "--near-records"}),
                 QString("records of other sizes"));
        QCOMPARE(fromOf(model_, {"--threads", "2", "--records", made_, "--near-records"}),
                 QString("records of other threads"));
        QCOMPARE(fromOf(model_, {"--threads", "1", "--records", made_, "--near-records"}), QString("records"));
        const Outcome run = runLathe({"run", alike, "--threads", "1", "--records", made_, "--near-records"});
        QVERIFY2(run.code == 0, run.err.c_str());
        QVERIFY2(contains(run.err, "of kernels alike"), run.err.c_str());
    }

    void keptInOrder() {
        const Outcome rehashed = records({"rehash"}, made_);
        QVERIFY2(rehashed.code == 0, rehashed.err.c_str());
        QCOMPARE(objectsOf(rehashed.out, "renamed").at(0)["renamed"].toInt(), 0);
        const Outcome timed = runLathe({"records", "verify", "--time", "--threads", "1", "--json", "--records", made_});
        QCOMPARE(objectsOf(timed.out, "recorded").size(), size_t(1)); // faster or not: it was timed
        QCOMPARE(objectsOf(timed.out, "recorded")[0]["problem"].toString(), QString());
        const Outcome few = runLathe({"records", "evaluate-model", "--threads", "1", "--records", made_});
        QCOMPARE(few.code, 1);
        QVERIFY2(contains(few.err, "two workloads"), few.err.c_str());
    }

    void recordsThatFailEndNoStudy() {
        const QString bad = folder_.filePath("bad.db");
        writeFile(bad.toStdString(), "no records\n");
        qputenv("LATHE_RECORDS", bad.toLocal8Bit());
        const Outcome outcome = tune({"--trials", "2"});
        const Outcome compiled = runLathe({"run", model_, "--tuned"});
        qputenv("LATHE_RECORDS", file_.toLocal8Bit());
        QCOMPARE(outcome.code, 0);
        QVERIFY2(contains(outcome.err, "not recorded"), outcome.err.c_str());
        QCOMPARE(eventsOf(outcome.out, "trial").size(), size_t(1 + 2));
        QCOMPARE(compiled.code, 1); // it was asked for
        QFile file(bad);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("no records\n"));
    }

    void withoutRecordsNothingIsWritten() {
        const QString none = folder_.filePath("none.db");
        qputenv("LATHE_RECORDS", none.toLocal8Bit());
        const Outcome outcome = tune({"--trials", "2", "--no-records"});
        qputenv("LATHE_RECORDS", file_.toLocal8Bit());
        QCOMPARE(outcome.code, 0);
        QVERIFY(eventsOf(outcome.out, "study").empty());
        QVERIFY(!QFile::exists(none));
    }

    void whatIsWrong_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("reason");
        const QString missing = folder_.filePath("missing.db");
        QTest::newRow("no command") << QStringList{"records"} << 2 << "";
        QTest::newRow("no such file") << QStringList{"records", "list", "--records", missing} << 1 << "lathe tune";
        for (const char* command : {"verify", "prune", "rehash", "stats"})
            QTest::newRow(qPrintable(QString("%1 of what is not there").arg(command)))
                << QStringList{"records", command, "--records", missing} << 1 << "lathe tune";
        QTest::newRow("lines that are not there, for a new file")
            << QStringList{"records", "import", missing + "l", "--records", missing} << 1 << "missing.dbl";
        QTest::newRow("lines of no format")
            << QStringList{"records", "import", folder_.filePath("no_format")} << 1 << "says no format";
        QTest::newRow("no such workload") << QStringList{"records", "show", "zz"} << 2 << "zz";
        QTest::newRow("a workload without a name") << QStringList{"records", "show", ""} << 2 << "empty";
        QTest::newRow("no lines") << QStringList{"records", "import", model_} << 1 << "export";
        QTest::newRow("lines that are not there") << QStringList{"records", "import", missing} << 1 << "missing.db";
        QTest::newRow("no records to merge") << QStringList{"records", "merge", model_} << 1 << "no file of records";
        QTest::newRow("nowhere to write")
            << QStringList{"records", "export", "-o", folder_.filePath("no/such/file")} << 1 << "file";
        QTest::newRow("nothing to go on with")
            << QStringList{"tune", model_, "--threads", "3", "--resume"} << 2 << "study";
        QTest::newRow("resumed without records") << QStringList{"tune", model_, "--resume", "--no-records"} << 2 << "";
        QTest::newRow("a file that cannot be")
            << QStringList{"tune", model_, "--records", folder_.path()} << 1 << "no file";
    }
    void whatIsWrong() {
        if (!QFile::exists(file_)) { // with nothing in it
            QFile nothing(folder_.filePath("nothing"));
            QVERIFY(nothing.open(QIODevice::WriteOnly));
            nothing.write("{\"lathe_records\":1,\"program\":\"0.1.0\"}\n");
            nothing.close();
            QCOMPARE(records({"import", nothing.fileName()}).code, 0);
        }
        QFile bad(folder_.filePath("no_format"));
        QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("{\"lathe_records\":-1}\n") > 0);
        bad.close();
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, reason);
        const Outcome outcome = runLathe(arguments);
        QCOMPARE(outcome.code, code);
        QVERIFY2(contains(outcome.err, qPrintable(reason)), outcome.err.c_str());
        QVERIFY(!QFile::exists(folder_.filePath("missing.db")));
    }

    void pruningLeavesWhatIsBest() {
        QCOMPARE(records({"prune", "--keep", "1"}, made_).code, 0);
        QCOMPARE(objectsOf(records({"list"}, made_).out, "workload").size(), size_t(1));
        QCOMPARE(records({"verify"}, made_).code, 0);
    }
};

Test test() {
    return {makes<TestRecords>};
}

} // namespace lathe::testing::test_records

#include "test_records.moc"
