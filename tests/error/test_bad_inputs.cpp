// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
// Timeout: 600
//
// What the command line hands in beside the model: sizes by --shape up to 2^63-1, and files of inputs. Whatever they are, a
// command works or says what is wrong, with exit code 1 or 2; it never ends by a fault of ours, a signal or without end.
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

namespace lathe::testing::test_bad_inputs {

namespace fs = std::filesystem;

class TestBadInputs : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, artifact_;

    static void answers(const Outcome& outcome, const QString& what) {
        QVERIFY2(outcome.code >= 0 && outcome.code <= 2,
                 qPrintable(QString("%1: %2 %3").arg(what).arg(outcome.code).arg(outcome.err.c_str())));
        if (outcome.code != 0)
            QVERIFY2(outcome.err.find("error: ") != std::string::npos, qPrintable(what + ": it said nothing"));
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        artifact_ = folder_.filePath("model.so");
        writeFile(model_.toStdString(), graphBytes("g (float[n,3] x, float[n,m] z) => (float[n,k] y) "
                                                   "{ [both] y = Concat <axis = 1> (x, z) }"));
        const Outcome compiled = runLathe({"compile", model_, "-o", artifact_});
        QVERIFY2(compiled.code == 0, compiled.err.c_str());
        QCOMPARE(runLathe({"run", artifact_, "--shape", "z=4,5"}).code, 0);
    }

    void sizes_data() {
        QTest::addColumn<QStringList>("shapes");
        for (const char* size : {"0", "2147483647", "2147483648", "4294967296", "1099511627776", "1099511627777",
                                 "2305843009213693952", "4611686018427387904", "9223372036854775807"}) {
            QTest::addRow("n %s", size) << QStringList{QString("x=%1,3").arg(size)};
            QTest::addRow("m %s", size) << QStringList{QString("z=1,%1").arg(size)};
            QTest::addRow("n times m %s", size) << QStringList{QString("z=%1,%1").arg(size)};
            QTest::addRow("both %s", size) << QStringList{QString("x=%1,3").arg(size), QString("z=%1,4").arg(size)};
        }
        QTest::newRow("beyond int64") << QStringList{"x=9223372036854775808,3"};
        QTest::newRow("negative") << QStringList{"x=-2,3"};
        QTest::newRow("contradiction") << QStringList{"x=2,3", "z=3,3"};
        QTest::newRow("other rank") << QStringList{"x=2,3,4"};
        QTest::newRow("other dim") << QStringList{"x=2,4"};
        QTest::newRow("no such input") << QStringList{"w=2"};
    }
    void sizes() {
        QFETCH(QStringList, shapes);
        QStringList options;
        for (const QString& shape : shapes)
            options << "--shape" << shape;
        const bool good = shapes == QStringList{"x=0,3"} || shapes == QStringList{"z=1,0"} ||
                          shapes == QStringList{"z=0,0"} || shapes == QStringList{"x=0,3", "z=0,4"};
        const Outcome run = runLathe(QStringList{"run", artifact_} + options);
        answers(run, "run");
        QCOMPARE(run.code == 0, good);
        answers(runLathe(QStringList{"inspect", model_} + options), "inspect");
        answers(runLathe(QStringList{"compile", model_, "--emit", "relay"} + options), "compile");
    }

    void inputFiles() {
        const QString file = folder_.filePath("x.npy");
        const auto with = [&](const std::string& shape, size_t elements) {
            const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
            std::string bytes = "\x93NUMPY";
            bytes += '\x01';
            bytes += '\0';
            bytes += static_cast<char>(header.size());
            bytes += '\0';
            writeFile(file.toStdString(), bytes + header + std::string(elements * 4, '\0'));
            return runLathe({"run", artifact_, "--input", "x=" + file, "--save", folder_.filePath("saved")});
        };
        for (const char* shape : {"(-1,)", "(-1, 3)", "(4611686018427387904, 3)", "(0, 4611686018427387904)", "(2, 2)",
                                  "(6148914691236517206, 3)", "(2,)", "()", "(2, 3, 1)"}) {
            const Outcome outcome = with(shape, 6);
            QVERIFY2(outcome.code == 1, (std::string(shape) + ": " + outcome.err).c_str());
            QVERIFY(!fs::exists(folder_.filePath("saved").toStdString()));
        }
        const Outcome good = with("(2, 3)", 6);
        QVERIFY2(good.code == 0, good.err.c_str());
        QVERIFY(fs::exists(folder_.filePath("saved/y.npy").toStdString()));
        QCOMPARE(runLathe({"run", artifact_, "--input", "x"}).code, 2);
        QCOMPARE(runLathe({"run", artifact_, "--input", "x=/no/such.npy"}).code, 1);
        const QString circle = folder_.filePath("circle.npy");
        fs::create_symlink("circle.npy", circle.toStdString());
        for (const QStringList& options : {QStringList{"run", artifact_, "--input", "x=" + circle},
                                           QStringList{"inspect", model_, "--decisions", circle}}) {
            const Outcome outcome = runLathe(options); // in the system's words
            QVERIFY2(outcome.code == 1 && outcome.err.find("symbolic links") != std::string::npos, outcome.err.c_str());
        }
    }

    void savedNamesDoNotCollide() {
        const QString odd = folder_.filePath("odd.onnx"), saved = folder_.filePath("names");
        std::string bytes =
            graphBytes("g (float[1] x) => (float[1] aXb, float[1] a_b) { aXb = Neg (x) a_b = Abs (x) }");
        for (size_t at; (at = bytes.find("aXb")) != std::string::npos;)
            bytes[at + 1] = '/';
        writeFile(odd.toStdString(), bytes);
        const Outcome outcome = runLathe({"run", odd, "--save", saved});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(fs::exists((saved + "/a_b.npy").toStdString()));
        QVERIFY(fs::exists((saved + "/a%2Fb.npy").toStdString()));
    }

    void testsInFoldersWithOddNames() {
        // A worker is told paths as they are, a newline included.
        const fs::path folder = fs::path(folder_.path().toStdString()) / "odd\nname 'x' \xff";
        fs::create_directories(folder);
        writeFile(folder / "model.onnx", graphBytes("g (float[1] x) => (float[1] y) { y = Neg (x) }"));
        const Outcome outcome =
            runLathe({"test", "--json", folder_.filePath("."), "--except", "odd.onnx", "--jobs", "1"});
        QVERIFY2(outcome.out.find("\"crashed\":0") != std::string::npos, (outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.out.find("no data to compare with") != std::string::npos, outcome.out.c_str());
    }
};

Test test() {
    return {makes<TestBadInputs>};
}

} // namespace lathe::testing::test_bad_inputs

#include "test_bad_inputs.moc"
