// SPDX-License-Identifier: Apache-2.0
// Needs: lathe
// Links: onnx
//
// What `lathe target --measure` keeps of this machine decides what is compiled for it, and never for a target with a name.
// In release alone: each command imports a network.
// Runs: release
#include "inspect/machine_peaks.h"
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_measured_balance {

class TestMeasuredBalance : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_ = folder_.filePath("model.onnx");

    /// As if a thread of this machine had read so many bytes in the time of a multiply-add.
    static void keep(double bytes) {
        inspect::keepBalance(
            {.cpu = inspect::cpuName(), .threads = 1, .one = {2, bytes}, .all = {2, bytes}}); // 1 G multiply-adds
    }
    /// How the convolution is computed.
    QString variant(const QStringList& further) const {
        const Outcome outcome = runLathe(QStringList{"passes", model_, "--json", "--choices"} + further);
        for (const QJsonObject& line : jsonLines(outcome.out))
            if (line.contains("variant"))
                return line["variant"].toString();
        return QString::fromStdString(outcome.err);
    }

private slots:
    /// Transformed weights of 512 channels are some 20 MB for 7 × 7 pixels: whether they pay depends on main memory.
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> "
                                              "g (float[1,512,7,7] x) => (float[1,512,7,7] y) "
                                              "{ y = Conv <pads = [1,1,1,1]> (x, w) }");
        addWeights(model, "w", {512, 512, 3, 3}, [](int64_t i) { return static_cast<float>(i % 7) - 3; });
        writeFile(model_.toStdString(), model.SerializeAsString());
    }

    void nativeCodeFollowsIt() {
        const QString named = variant({"--target", "znver3"});
        keep(1.0 / 64);
        QCOMPARE(variant({}), "direct");
        QCOMPARE(variant({"--no-cache"}), "direct"); // which is about kernels
        QCOMPARE(variant({"--target", "znver3"}), named);
        keep(8);
        QVERIFY2(variant({}).startsWith("winograd"), qPrintable(variant({})));
        QVERIFY2(variant({"--no-cache"}).startsWith("winograd"), qPrintable(variant({"--no-cache"})));
        QCOMPARE(variant({"--target", "znver3"}), named);
        QVERIFY(!named.isEmpty() && !named.contains("error"));
    }
};

Test test() {
    return {makes<TestMeasuredBalance>};
}

} // namespace lathe::testing::test_measured_balance

#include "test_measured_balance.moc"
