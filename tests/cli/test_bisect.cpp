// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-broken lathe-runner
// Links: onnx
//
// `lathe bisect` as scripts see it: exit codes, steps as they go, the guilty pass and its difference; of the program whose
// passes are broken on purpose (support/broken_passes.cpp) on a real model.
#include "support/fixtures.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_bisect {

class TestBisect : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, mnist_;

    static Outcome broken(const char* pass, const QStringList& arguments) {
        qputenv("LATHE_BROKEN_PASS", pass);
        const Outcome outcome = runProgram(QStringLiteral(LATHE_BINARY_DIR "/lathe-broken"), arguments);
        qunsetenv("LATHE_BROKEN_PASS");
        return outcome;
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        writeFile(model_.toStdString(),
                  graphBytes("g (float[n,3] x, float[n,3] z) => (float[n,3] y) { a = Add (x, z) y = Relu (a) }"));
        mnist_ = QString::fromStdString(fixture("models/mnist-8/model.onnx").string());
    }

    void exitCodes_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("said");
        QTest::newRow("nothing wrong") << QStringList{} << 4 << "good with all passes";
        QTest::newRow("no crash") << QStringList{"--crash", "--shape", "x=4,3", "--shape", "z=4,3"} << 4 << "good with";
        QTest::newRow("a kernel too many") << QStringList{"--count", "kernels:0"} << 4 << "without any optional pass";
        QTest::newRow("two questions") << QStringList{"--crash", "--count", "add:1"} << 2 << "excludes";
        QTest::newRow("unknown operator") << QStringList{"--count", "frobnicate:1"} << 2 << "frobnicate";
        QTest::newRow("no number") << QStringList{"--count", "add:many"} << 2 << "add:many";
        QTest::newRow("no count") << QStringList{"--count", "add"} << 2 << "malformed";
        QTest::newRow("no time") << QStringList{"--slower-than", "x"} << 2 << "malformed";
        QTest::newRow("time below 0") << QStringList{"--slower-than", "-1"} << 2 << "malformed";
        QTest::newRow("no folder") << QStringList{"--data", "/no/such/folder"} << 2 << "/no/such/folder";
        QTest::newRow("no data") << QStringList{"--data", folder_.path()} << 1 << "input_0.pb";
        QTest::newRow("unknown tolerance") << QStringList{"--tolerance", "none"} << 2 << "none";
        QTest::newRow("shapes that contradict") << QStringList{"--shape", "x=4,3", "--shape", "z=5,3"} << 2 << "error";
    }
    void exitCodes() {
        QFETCH(QStringList, more);
        QFETCH(int, code);
        QFETCH(QString, said);
        const Outcome outcome = runLathe(QStringList{"bisect", model_} + more);
        const std::string all = outcome.out + outcome.err;
        QVERIFY2(outcome.code == code, all.c_str());
        QVERIFY2(all.find(said.toStdString()) != std::string::npos, all.c_str());
        QCOMPARE(runLathe({"bisect", "/no/such/model.onnx"}).code, 1);
    }

    void namesThePassAndWhatItChanged() {
        if (mnist_.isEmpty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const Outcome outcome = broken("simplify arithmetic:more", {"bisect", mnist_, "--count", "negative:1"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        const QString out = QString::fromStdString(outcome.out);
        QVERIFY(out.contains("\n 2  bad   all "));
        QVERIFY(out.contains("guilty: \"simplify arithmetic\" (relay, optional)"));
        QVERIFY(out.contains(QRegularExpression("^\\+ .*negative\\(", QRegularExpression::MultilineOption)));
    }

    void stepsAndAnswerAreJson() {
        if (mnist_.isEmpty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const Outcome outcome = broken(
            "schedule:wrong", {"bisect", "--json", mnist_, "--data", QFileInfo(mnist_).path() + "/test_data_set_0"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        const QByteArrayList lines = QByteArray::fromStdString(outcome.out).trimmed().split('\n');
        QVERIFY(lines.size() > 4);
        for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
            const QJsonObject step = QJsonDocument::fromJson(lines[i]).object();
            QCOMPARE(step["step"].toInt(), i + 1);
            QVERIFY(step["verdict"] == "good" || step["verdict"] == "bad");
            QVERIFY(step["decisions"].isObject() && !step["reason"].toString().isEmpty());
        }
        const QJsonObject answer = QJsonDocument::fromJson(lines.last()).object();
        QCOMPARE(answer["answer"].toString(), "found");
        QCOMPARE(answer["pass"].toString(), "schedule");
        QVERIFY(answer["mends"].toBool());
        QVERIFY(answer["kernel"].toObject()["name"].isString());
        QVERIFY(!answer["kernel"].toObject()["nodes"].toArray().isEmpty());
        QVERIFY(!answer["diff"].toArray().isEmpty());
    }

    /// A kernel that faults, one that hangs, and a pass that throws end no program.
    void survivesWhatItFinds_data() {
        QTest::addColumn<QByteArray>("damage");
        for (const char* damage : {"faults", "hangs", "throws"})
            QTest::newRow(damage) << QByteArray("hoist conditions:") + damage;
    }
    void survivesWhatItFinds() {
        QFETCH(QByteArray, damage);
        const Outcome outcome = broken(damage.constData(), {"bisect", model_, "--crash", "--timeout", "1"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QVERIFY(outcome.out.find("guilty: \"hoist conditions\" (tir, optional)") != std::string::npos);
        QVERIFY(outcome.out.find("kernel: fused_") != std::string::npos);
    }
};

Test test() {
    return {makes<TestBisect>};
}

} // namespace lathe::testing::test_bisect

#include "test_bisect.moc"
