// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-broken lathe-runner
// Links: onnx
//
// `lathe check` as scripts see it: 0 all within the tolerance, 1 something diverges, 2 for what cannot be checked; what
// diverges first on top; references in files as `lathe run --save` writes them.
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_check {

class TestCheck : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;

    QString write(const QString& name, const std::string& bytes) {
        const QString path = folder_.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        writeFile(path.toStdString(), bytes);
        return path;
    }

    static std::string tensor(const std::vector<float>& values) {
        ::onnx::TensorProto tensor;
        tensor.set_data_type(::onnx::TensorProto::FLOAT);
        tensor.add_dims(2);
        tensor.add_dims(3);
        for (const float value : values)
            tensor.add_float_data(value);
        return tensor.SerializeAsString();
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = write("model.onnx", graphBytes("g (float[2,3] x) => (float[2,3] y) "
                                                "<float[3,3] w = {2,0,0, 0,2,0, 0,0,2}> "
                                                "{ [A] a = MatMul (x, w) [R] b = Relu (a) [C] c = MatMul (b, w) "
                                                "[Y] y = MatMul (c, w) }"));
        // Of x as in the data: two square roots are none, and all products are too large.
        write("nan.onnx",
              graphBytes("g (float[2,3] x) => (float[2,3] y, float[2,3] z) "
                         "<float[3] w = {1e30, 1e30, 1e30}> { y = Sqrt (x) b = Mul (x, w) z = Mul (b, w) }"));
        write("odd.onnx", graphBytes("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }"));
        for (const char* data : {"right/", "wrong/"}) {
            write(QString(data) + "input_0.pb", tensor({1, -2, 3, 4, 5, -6}));
            write(QString(data) + "b.pb", tensor({2, 0, 6, 8, 10, 0}));
            write(QString(data) + "output_0.pb", tensor({8, 0, 24, 32, 40, 0}));
        }
        write("wrong/c.pb", tensor({4, 0, 12, 16, 20.5, 0}));
        write("unknown/nothing.pb", tensor({1, 2, 3, 4, 5, 6}));
        write("shape/x.pb", tensor({1, 2, 3, 4, 5, 6}));
    }

    void exitCodes_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("said");
        const auto at = [&](const char* name) { return folder_.filePath(name); };
        QTest::newRow("unoptimized") << QStringList{model_} << 0
                                     << "3 values compared, all within the tolerance; 1 not";
        QTest::newRow("what is not computed") << QStringList{model_} << 0 << "a: fused into 'fused_matmul_relu_0'";
        QTest::newRow("numerics") << QStringList{model_, "--compare-numerics"} << 0 << "all within";
        QTest::newRow("right data") << QStringList{model_, "--against", at("right")} << 0 << "2 values compared, all";
        QTest::newRow("wrong data") << QStringList{model_, "--against", at("wrong")} << 1 << "diverges first: c";
        QTest::newRow("how wrong") << QStringList{model_, "--against", at("wrong")} << 1 << "[1,1]: 20, expected 20.5";
        QTest::newRow("two files") << QStringList{model_, "--against", at("wrong/input_0.pb"), "--against",
                                                  at("wrong/c.pb")}
                                   << 1 << "1 value compared, 1 diverges; 3 not";
        QTest::newRow("unknown value") << QStringList{model_, "--against", at("unknown")} << 2 << "no value 'nothing'";
        QTest::newRow("no values") << QStringList{model_, "--against", at("shape")} << 2 << "no file holds a value";
        QTest::newRow("no file") << QStringList{model_, "--against", at("nowhere")} << 2 << "nowhere";
        QTest::newRow("unsupported") << QStringList{at("odd.onnx")} << 2 << "Frobnicate";
        QTest::newRow("missing") << QStringList{at("nothing.onnx")} << 2 << "nothing.onnx";
        QTest::newRow("tolerance") << QStringList{model_, "--tolerance", "some"} << 2 << "use onnx or model";
        QTest::newRow("strict with itself")
            << QStringList{model_, "--compare-numerics", "--numerics", "strict"} << 2 << "compared with themselves";
        QTest::newRow("both") << QStringList{model_, "--compare-numerics", "--against", at("right")} << 2 << "xcludes";
        QTest::newRow("another input") << QStringList{model_, "--input", "z=" + at("shape/x.pb")} << 2
                                       << "no input 'z'";
    }
    void exitCodes() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, said);
        const Outcome outcome = runLathe(QStringList{"check"} + arguments);
        const std::string all = outcome.out + outcome.err;
        QVERIFY2(outcome.code == code, all.c_str());
        QVERIFY2(all.find(said.toStdString()) != std::string::npos, all.c_str());
    }

    void firstDivergenceStandsOnTop() {
        const Outcome outcome = runLathe({"check", model_, "--against", folder_.filePath("wrong")});
        QVERIFY2(outcome.out.starts_with("diverges first: c float32[2,3]\n    1 of 6 elements differ"),
                 outcome.out.c_str());
        QVERIFY2(outcome.out.find("\n    nodes: C\n") != std::string::npos, outcome.out.c_str());
    }

    void asJson() {
        const auto objects =
            jsonLines(runLathe({"check", model_, "--json", "--against", folder_.filePath("wrong")}).out);
        QCOMPARE(objects.size(), 5);
        QCOMPARE(objects[0]["value"].toString(), "a");
        QCOMPARE(objects[0]["state"].toString(), "not compared");
        QCOMPARE(objects[1]["state"].toString(), "within");
        QCOMPARE(objects[2]["state"].toString(), "diverges");
        QCOMPARE(objects[2]["first"].toBool(), true);
        QCOMPARE(objects[2]["error"].toDouble(), 0.5);
        QCOMPARE(objects[2]["beyond"].toInt(), 1);
        QCOMPARE(objects[2]["at"].toString(), "[1,1]");
        QCOMPARE(objects[2]["got"].toDouble(), 20.0);
        QCOMPARE(objects[2]["expected"].toDouble(), 20.5);
        QCOMPARE(objects[2]["nodes"].toArray(), QJsonArray{"C"});
        QCOMPARE(objects[4]["diverge"].toInt(), 1);
    }

    /// What is no number on both sides is no difference, but no plain success either.
    void whatIsNoNumberOnBothSidesIsSaid() {
        const QStringList model{folder_.filePath("nan.onnx"), "--input", "x=" + folder_.filePath("right/input_0.pb")};
        const Outcome outcome = runLathe(QStringList{"check"} + model);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const char* said : {"y  2 of 6 values are not a number on both sides\n",
                                 "z  6 of 6 values are infinite on both sides\n", "in 2 of them values are no finite"})
            QVERIFY2(outcome.out.find(said) != std::string::npos, outcome.out.c_str());
        for (const QJsonObject& line : jsonLines(runLathe(QStringList{"check", "--json"} + model).out)) {
            const QString value = line["value"].toString();
            QCOMPARE(line["nan_in_both"].toInt(), value == "y" ? 2 : 0);
            QCOMPARE(line["infinite_in_both"].toInt(), value == "z" ? 6 : 0);
            QCOMPARE(line["not_finite"].toInt(), line.contains("within") ? 2 : 0);
        }
        const Outcome bisected = runLathe(QStringList{"bisect", "--quiet"} + model);
        QCOMPARE(bisected.code, 4);
        for (const char* said : {"there is nothing to look for; but",
                                 "output 'y': 2 of 6 values are not a number on both sides; output 'z': 6 of 6"})
            QVERIFY2(bisected.out.find(said) != std::string::npos, bisected.out.c_str());
    }

    void whatRunSavedIsRight() {
        const QString saved = folder_.filePath("saved"), input = "x=" + folder_.filePath("right/input_0.pb");
        QCOMPARE(runLathe({"run", model_, "--input", input, "--save", saved}).code, 0);
        const Outcome outcome = runLathe({"check", model_, "--input", input, "--against", saved});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(outcome.out.find("1 value compared") != std::string::npos);
    }

    /// A pass that spoils all kernels: what no other value comes before is named, with the operators fused into it.
    void aBrokenPassIsSeen() {
        qputenv("LATHE_BROKEN_PASS", "schedule:wrong");
        const Outcome outcome = runProgram(LATHE_BINARY_DIR "/lathe-broken", {"check", model_});
        qunsetenv("LATHE_BROKEN_PASS");
        QVERIFY2(outcome.code == 1, outcome.err.c_str());
        QVERIFY2(outcome.out.starts_with("diverges first: b "), outcome.out.c_str());
        QVERIFY2(outcome.out.find("nodes: A, R\n") != std::string::npos, outcome.out.c_str());
        QCOMPARE(QString::fromStdString(outcome.out).count("diverges first"), 1);
    }
};

Test test() {
    return {makes<TestCheck>};
}

} // namespace lathe::testing::test_check

#include "test_check.moc"
