// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// Streams and files of the command line: what cannot be written is said and leaves nothing half-written, results replace
// nothing that is read, pipes are no files, and "-" is a stream.
// In release alone: most commands compile a model, as the tests of driver/ do under sanitizers.
// Runs: release
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <sys/stat.h>

namespace lathe::testing::test_streams {

class TestStreams : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, bad_;

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        bad_ = folder_.filePath("bad.onnx");
        writeFile(model_.toStdString(),
                  graphBytes("g (float[n,3] x, float[n,3] z) => (float[n,3] y, float[n] s) <int64[1] one = {1}> "
                             "{ [sum] a = Add (x, z) [relu] y = Relu (a) "
                             "[total] s = ReduceSum <keepdims = 0> (y, one) }"));
        writeFile(bad_.toStdString(), graphBytes("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }"));
    }

    void whatCannotBeWrittenIsSaid() {
        const QString pipe = folder_.filePath("pipe");
        QCOMPARE(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        const Outcome unread = runLathe({"compile", model_, "-o", pipe});
        QVERIFY2(unread.code == 1 && unread.err.find("cannot write") != std::string::npos, unread.err.c_str());

        QProcess full;
        full.setStandardOutputFile("/dev/full");
        full.start(LATHE_BINARY_DIR "/lathe", {"inspect", model_});
        QVERIFY(full.waitForFinished(60'000));
        QCOMPARE(full.exitCode(), 1);
        QVERIFY(full.readAllStandardError().contains("cannot be written"));
        full.start(LATHE_BINARY_DIR "/lathe", {"run", model_, "--json"});
        QVERIFY(full.waitForFinished(60'000));
        const QList<QJsonObject> lines = jsonLines(full.readAllStandardError().toStdString()); // each of them JSON
        QVERIFY(!lines.isEmpty() && lines.back()["what"].toString().contains("cannot be written"));

        const Outcome unsaved = runLathe({"run", model_, "--save", "/proc/x", "--json"});
        QVERIFY2(unsaved.code == 1 && unsaved.out.empty(), unsaved.out.c_str()); // no line names what is not there
    }

    /// Where 1 is an answer, it is not that; and what is said is what is wrong, also where much was to be printed.
    void answersThatCannotBeWritten_data() {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("diff") << QStringList{"diff", model_, model_};
        std::string chain = "g (float[2] x) => (float[2] y) { a0 = Sin (x)";
        for (int i = 1; i < 400; ++i)
            chain += " a" + std::to_string(i) + " = Relu (a" + std::to_string(i - 1) + ")";
        const QString many = folder_.filePath("many.onnx");
        writeFile(many.toStdString(), graphBytes(chain + " y = Cos (a399) }"));
        QTest::newRow("diff, much") << QStringList{"diff", model_, many};
        QTest::newRow("check") << QStringList{"check", model_};
        const QString none = folder_.filePath("none.jsonl"), records = folder_.filePath("some.db");
        writeFile(none.toStdString(), "");
        runLathe({"records", "import", none, "--records", records}); // makes it, though there is nothing to read
        QTest::newRow("verify") << QStringList{"records", "verify", "--records", records};
    }
    void answersThatCannotBeWritten() {
        QFETCH(QStringList, command);
        for (const QString& line :
             {QString("exec \"$@\" >/dev/full"), QString("trap '' PIPE; \"$@\" | :; exit ${PIPESTATUS[0]}")}) {
            QProcess process;
            process.start("/bin/bash", QStringList{"-c", line, "bash", LATHE_BINARY_DIR "/lathe"} + command);
            QVERIFY(process.waitForFinished(60'000));
            const QByteArray said = process.readAllStandardError();
            QVERIFY2(process.exitCode() == 2, said.constData());
            QVERIFY2(said.contains("standard output cannot be written"), said.constData());
            const QList<QByteArray> lines = said.trimmed().split('\n');
            QVERIFY2(std::ranges::count_if(lines, [](const QByteArray& each) { return !each.startsWith("note: "); }) ==
                         1,
                     said.constData());
        }
    }

    /// A text of a folder of them, and one stage: whole or not at all.
    void textsOnAFullDisk() {
        const QString folder = folder_.filePath("stages");
        const auto full = [](const QStringList& arguments) { // no file grows beyond a kilobyte
            return runProgram("/bin/bash",
                              QStringList{"-c", "ulimit -f 1; exec \"$@\"", "bash", LATHE_BINARY_DIR "/lathe"} +
                                  arguments);
        };
        const Outcome dumped = full({"passes", model_, "--no-cache", "--dump", folder});
        QVERIFY2(dumped.code == 1 && dumped.err.find("cannot write") != std::string::npos, dumped.err.c_str());
        for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files | QDir::Hidden))
            QVERIFY2(file.size() > 0 && file.size() < 1024, qPrintable(file.fileName()));
        const Outcome emitted = runLathe({"compile", model_, "--emit", "relay", "-o", "/dev/full"});
        QVERIFY2(emitted.code == 1 && emitted.err.find("cannot write") != std::string::npos, emitted.err.c_str());
    }

    void resultsDoNotReplaceWhatIsRead() {
        const QString decisions = folder_.filePath("read.json"), copy = folder_.filePath("read.onnx");
        writeFile(decisions.toStdString(), "{}");
        QVERIFY(QFile::copy(model_, copy));
        for (const QStringList& command :
             {QStringList{"compile", model_, "--decisions", decisions, "-o", decisions},
              QStringList{"compile", model_, "--decisions", decisions, "--emit", "tir", "-o", decisions},
              QStringList{"report", model_, "--decisions", decisions, "-o", decisions},
              QStringList{"profile", model_, "--decisions", decisions, "--timeline", decisions},
              QStringList{"tune", copy, "--no-records", "-o", copy},
              QStringList{"records", "best", copy, "--records", folder_.filePath("none.db"), "-o", copy}}) {
            const Outcome outcome = runLathe(command);
            QVERIFY2(outcome.code != 0, qPrintable(command.join(' ')));
            QCOMPARE(readFile(decisions), QByteArray("{}"));
            QCOMPARE(readFile(copy), readFile(model_));
        }
    }

    void pipesAreNoFiles() {
        const QString pipe = folder_.filePath("endless");
        QCOMPARE(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        for (const QStringList& command :
             {QStringList{"diff", pipe, model_}, QStringList{"passes", model_, "--decisions", pipe}}) {
            const Outcome outcome = runLathe(command);
            QVERIFY2(outcome.err.find("regular file") != std::string::npos, outcome.err.c_str());
        }
    }

    void whatNobodyReadsEndsNothing() {
        const auto shell = [](const QString& line) { return QProcess::execute("/bin/sh", {"-c", line}); };
        const QString lathe = LATHE_BINARY_DIR "/lathe";
        for (const QString& stream : {QString("2>/dev/full"), QString("2>&-")}) {
            QCOMPARE(shell(QString("%1 inspect %2 %3 >/dev/null").arg(lathe, bad_, stream)), 1);
            QCOMPARE(shell(QString("%1 compile %2 %3").arg(lathe, model_, stream)), 2);
        }
        // Nor does what is closed become part of a file.
        const QString first = folder_.filePath("heard.so"), second = folder_.filePath("unheard.so");
        QCOMPARE(shell(QString("%1 compile %2 -o %3 >/dev/null").arg(lathe, model_, first)), 0);
        shell(QString("%1 compile %2 -o %3 <&- >&- 2>&-").arg(lathe, model_, second));
        QCOMPARE(readFile(second), readFile(first));
    }

    void modelFromStandardInput() {
        for (const char* name : {"-", "/dev/stdin"})
            for (const char* give : {"cat \"$1\" | \"$0\" inspect %1 --json", "\"$0\" inspect %1 --json < \"$1\""}) {
                const Outcome outcome =
                    runProgram("/bin/sh", {"-c", QString(give).arg(name), LATHE_BINARY_DIR "/lathe", model_});
                QVERIFY2(outcome.code == 0, outcome.err.c_str());
                QCOMPARE(outcome.out, runLathe({"inspect", model_, "--json"}).out);
            }
    }

    /// As everywhere, "-" is a stream and "./-" is a file; whatever is called so is neither read nor overwritten for a stream.
    void filesCalledDash() {
        const QString folder = folder_.filePath("dash"), dash = folder + "/-";
        QVERIFY(QDir().mkpath(folder));
        const auto inFolder = [&](const QString& words) {
            return runProgram("/bin/sh", {"-c", "cd \"$2\" && \"$0\" " + words + " < \"$1\"", LATHE_BINARY_DIR "/lathe",
                                          model_, folder});
        };
        for (const char* words : {"compile \"$1\" -o -", "compile \"$1\" --emit tir -o -", "report \"$1\" -o -",
                                  "run \"$1\" --input x=-", "inspect \"$1\" --decisions -"}) {
            const Outcome outcome = inFolder(words);
            QVERIFY2(outcome.code == 2 && outcome.err.find("use ./-") != std::string::npos, outcome.err.c_str());
            QVERIFY(!QFile::exists(dash));
        }
        QCOMPARE(inFolder("compile \"$1\" -o ./-").code, 0);
        QVERIFY(QFile::exists(dash));
        QVERIFY(inFolder("run ./- --json").out.find("\"output\"") != std::string::npos);
        // The artifact of that name says that it is one; the model comes by standard input.
        QCOMPARE(inFolder("inspect ./-").code, 2);
        QCOMPARE(inFolder("inspect - --json").out, runLathe({"inspect", model_, "--json"}).out);
        QCOMPARE(inFolder("run - --numerics strict").code, 0);
        const Outcome artifact =
            runProgram("/bin/sh", {"-c", "\"$0\" run - < \"$1\"", LATHE_BINARY_DIR "/lathe", dash});
        QVERIFY2(artifact.code == 1 && artifact.err.find("not from standard input") != std::string::npos,
                 artifact.err.c_str());
    }
};

Test test() {
    return {makes<TestStreams>};
}

} // namespace lathe::testing::test_streams

#include "test_streams.moc"
