// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// `lathe report`: exit codes, and a page whatever happens on the way.
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/report_page.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_report {

class TestReportCommand : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, page_;

    Page read() const {
        QFile file(page_);
        return readPage(file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("there is none"));
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        page_ = folder_.filePath("page.html");
        writeFile(model_.toStdString(), graphBytes("g (float[n,64] x) => (float[n,64] y) { t = Transpose (x) "
                                                   "a = MatMul (x, t) b = MatMul (a, x) y = Softmax (b) }"));
    }
    void init() { QFile::remove(page_); }

    void aModelThatRuns() {
        const Outcome outcome = runLathe({"report", model_, "-o", page_, "--shape", "x=32,64", "--threads", "1"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const Page page = read();
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QVERIFY(page.of["summary"].contains("x [32, 64]"));
        QVERIFY(page.ids.contains("call-0"));
        QVERIFY(page.ids.contains("roofline"));
        QVERIFY(page.of["kernels"].contains("ret")); // machine code
        QVERIFY(page.of["memory"].contains("Alive at the peak"));
        QVERIFY(!page.ids.contains("problems"));
    }

    void withoutARun() {
        const Outcome outcome = runLathe({"report", model_, "-o", page_, "--no-run"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const Page page = read();
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QVERIFY(page.of["profile"].contains("was not run"));
        QVERIFY(!page.ids.contains("roofline"));
        QVERIFY(page.of["memory"].contains("not known")); // n is open
        // At given sizes the plan is that of a run at these.
        const QStringList given{"report", model_, "-o", page_, "--threads", "1", "--shape", "n=32"};
        QCOMPARE(runLathe(given + QStringList{"--no-run"}).code, 0);
        const Page sized = read();
        QVERIFY2(!sized.of["memory"].contains("not known"), qPrintable(sized.of["memory"]));
        QVERIFY2(sized.of["memory"].contains("Alive at the peak"), qPrintable(sized.of["memory"]));
        QCOMPARE(runLathe(given).code, 0);
        QCOMPARE(sized.of["memory"], read().of["memory"]);
    }

    void whatFails_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("reason"); // on the page; empty: there is none
        const QString bad = folder_.filePath("bad.onnx"), missing = folder_.filePath("missing.onnx"),
                      model = folder_.filePath("model.onnx");
        writeFile(bad.toStdString(), graphBytes("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }"));
        QTest::newRow("unsupported") << QStringList{bad} << 1 << "Frobnicate";
        QTest::newRow("no such file") << QStringList{missing} << 1 << "missing.onnx";
        QTest::newRow("sizes that do not fit") << QStringList{model, "--shape", "x=3"} << 2 << "input";
        QTest::newRow("unknown pass") << QStringList{model, "--target", "z80"} << 2 << "";
        QTest::newRow("no such input file") << QStringList{model, "--input", "x=" + missing} << 1 << "";
    }
    void whatFails() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, reason);
        const Outcome outcome = runLathe(QStringList{"report", "-o", page_} + arguments);
        QVERIFY2(outcome.code == code, outcome.err.c_str());
        QVERIFY(!outcome.err.empty());
        QCOMPARE(QFile::exists(page_), !reason.isEmpty());
        if (reason.isEmpty())
            return;
        const Page page = read();
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QVERIFY2(page.of["problems"].contains(reason), qPrintable(page.of["problems"]));
    }

    void anArtifact() {
        const QString artifact = folder_.filePath("model.so");
        QCOMPARE(runLathe({"compile", model_, "-o", artifact}).code, 0);
        QCOMPARE(runLathe({"report", artifact, "-o", page_}).code, 2);
        QVERIFY(!QFile::exists(page_));
    }

    /// By any command, and under another name too; a file of the model's tensors is the model's as well.
    void theModelIsNeverOverwritten() {
        const QString folder = folder_.filePath("kept");
        QVERIFY(QDir().mkpath(folder));
        const QString model = folder + "/model.onnx", weights = folder + "/model.bin";
        auto proto = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[4,64] x) => (float[4,64] y) "
                                "{ y = Mul (x, w) }");
        addWeights(proto, "w", {64}, [](int64_t i) { return float(i); });
        ::onnx::TensorProto& tensor = *proto.mutable_graph()->mutable_initializer(0);
        const std::vector<float> values(tensor.float_data().begin(), tensor.float_data().end());
        tensor.clear_float_data();
        tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
        auto* location = tensor.add_external_data();
        location->set_key("location");
        location->set_value("model.bin");
        const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
        writeFile(model.toStdString(), proto.SerializeAsString());
        writeFile(weights.toStdString(), bytes);
        const QString other = folder + "/../kept/model.onnx";
        QCOMPARE(runLathe({"run", model}).code, 0);
        for (const QString& out : {model, other, weights})
            for (const QStringList& command : {QStringList{"compile", model, "-o", out},
                                               {"compile", model, "--emit", "relay", "-o", out},
                                               {"report", model, "--no-run", "-o", out},
                                               {"profile", model, "--timeline", out}}) {
                const Outcome outcome = runLathe(command);
                QVERIFY2(outcome.code == 2, qPrintable(command.join(' ')));
                QVERIFY2(outcome.err.find("name another file") != std::string::npos, outcome.err.c_str());
            }
        QFile one(model), two(weights);
        QVERIFY(one.open(QIODevice::ReadOnly) && two.open(QIODevice::ReadOnly));
        QCOMPARE(one.readAll().toStdString(), proto.SerializeAsString());
        QCOMPARE(two.readAll().toStdString(), bytes);
    }

    void aPageThatCannotBeWritten() {
        const Outcome outcome = runLathe({"report", model_, "--no-run", "-o", folder_.filePath("no/such/page.html")});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("cannot write") != std::string::npos, outcome.err.c_str());
        QCOMPARE(runLathe({"report", model_, "--no-run", "-o", "/dev/full"}).code, 1);
        QCOMPARE(QDir(folder_.path()).entryList({"*.part"}), QStringList());
    }
};

Test test() {
    return {makes<TestReportCommand>};
}

} // namespace lathe::testing::test_report

#include "test_report.moc"
