// SPDX-License-Identifier: Apache-2.0
//
// What an artifact holds of a model's weights: each once, in the form that the kernels read, whoever exports it.
// Links: onnx
#include "codegen/target.h"
#include "driver/compile.h"
#include "runtime/lathe_rt.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_weights {

class TestWeights : public QObject {
    Q_OBJECT

private slots:
    /// 256 · 144 · 4 · 4 float32 weights are 2,359,296 bytes; twice they would be 4.7 million.
    void eachOnce() {
        ::onnx::ModelProto proto =
            parseModel("<ir_version: 8, opset_import: [\"\" : 17]> "
                       "m (float[1,144,8,8] x) => (float[1,256,5,5] y) { c = Conv(x, w) y = Relu(c) }");
        addWeights(proto, "w", {256, 144, 4, 4}, [](int64_t i) { return static_cast<float>(i % 13); });
        const qint64 size = sizeOf(proto);
        QVERIFY2(size > 2359296 && size < 3500000, qPrintable(QString::number(size)));
    }

    /// A fill is 16,777,216 bytes as a constant, and nothing where it is read.
    void notWhatIsFilled() {
        const qint64 size = sizeOf(parseModel("<ir_version: 8, opset_import: [\"\" : 17]> "
                                              "m (float[1] x) => (float[2048,2048] y) <int64[2] s = {2048, 2048}> "
                                              "{ c = ConstantOfShape(s) y = Add(x, c) }"));
        QVERIFY2(size > 0 && size < 1'000'000, qPrintable(QString::number(size)));
    }

    /// 512 · 512 int8 weights are 262,144 bytes, as int32 four times that. Zero points: none, 128 (then it is int8 again),
    /// and 3 (int16).
    void quantizedOnesStayNarrow_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("zero");
        QTest::addColumn<qint64>("most");
        QTest::newRow("int8") << int(::onnx::TensorProto::INT8) << 0 << qint64{262144 + 200'000};
        QTest::newRow("uint8, 128") << int(::onnx::TensorProto::UINT8) << 128 << qint64{262144 + 200'000};
        QTest::newRow("uint8, 3") << int(::onnx::TensorProto::UINT8) << 3 << qint64{524288 + 200'000};
    }
    void quantizedOnesStayNarrow() {
        QFETCH(int, type);
        QFETCH(int, zero);
        QFETCH(qint64, most);
        ::onnx::ModelProto proto = parseModel("<ir_version: 8, opset_import: [\"\" : 17]> m (uint8[1,512] x) => "
                                              "(int32[1,512] y) { y = MatMulInteger(x, w, xz, wz) }");
        const auto add = [&](const char* name, int dtype, std::vector<int64_t> dims, int64_t count, int value) {
            ::onnx::TensorProto* tensor = proto.mutable_graph()->add_initializer();
            tensor->set_name(name);
            tensor->set_data_type(dtype);
            for (int64_t dim : dims)
                tensor->add_dims(dim);
            for (int64_t i = 0; i < count; ++i)
                tensor->add_int32_data(value < 0 ? static_cast<int>(i % 100) : value);
        };
        add("w", type, {512, 512}, int64_t{512} * 512, -1);
        add("xz", ::onnx::TensorProto::UINT8, {}, 1, 7);
        add("wz", type, {}, 1, zero);
        const qint64 size = sizeOf(proto);
        QVERIFY2(size > 262144 && size < most, qPrintable(QString::number(size)));
    }

    /// A product of constants has other sums on machines with other vectors and with fused multiply-adds; constants have not.
    /// What x86-64-v2's artifact adds to zeros is found in the others, which this machine may not even be able to run.
    void sameForAllTargets() {
        ::onnx::ModelProto proto =
            parseModel("<ir_version: 8, opset_import: [\"\" : 17]> "
                       "m (float[64,64] x) => (float[64,64] y) { c = MatMul(a, b) y = Add(x, c) }");
        const auto irrational = [](int64_t i) { return std::sin(static_cast<float>(i)); };
        addWeights(proto, "a", {64, 500}, irrational);
        addWeights(proto, "b", {500, 64}, irrational);
        QTemporaryDir folder;
        const auto artifactFor = [&](const char* target) {
            const QString path = folder.filePath(QString(target) + ".so");
            return compiles(proto, path, *codegen::parseTarget(target)) ? path : QString();
        };
        const char* own = codegen::nativeTarget().architecture == Architecture::AArch64   ? "aarch64-linux-gnu"
                          : codegen::nativeTarget().architecture == Architecture::RiscV64 ? "rv64gc"
                                                                                          : "x86-64-v2";
        const QByteArray constant = addedToZeros(artifactFor(own));
        QCOMPARE(constant.size(), 64 * 64 * 4);
        for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "cortex-a72", "a64fx", "rv64gc", "rv64gcv"}) {
            QFile file(artifactFor(target));
            QVERIFY2(file.open(QFile::ReadOnly), target);
            QVERIFY2(file.readAll().contains(constant), target);
        }
    }

private:
    /// Of the model x + c at x = 0.
    static QByteArray addedToZeros(const QString& artifact) {
        lathe_model* model = nullptr;
        lathe_context* context = nullptr;
        float zeros[64 * 64] = {};
        int64_t dims[] = {64, 64};
        DLTensor tensor{zeros, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, dims, nullptr, 0};
        QByteArray result;
        if (lathe_model_load(artifact.toUtf8().constData(), &model) == LATHE_OK &&
            lathe_context_create(model, nullptr, &context) == LATHE_OK &&
            lathe_set_input(context, 0, &tensor) == LATHE_OK && lathe_run(context) == LATHE_OK &&
            lathe_get_output(context, 0, &tensor) == LATHE_OK)
            result = QByteArray(static_cast<const char*>(tensor.data), sizeof zeros);
        lathe_context_free(context);
        lathe_model_free(model);
        return result;
    }

    static bool compiles(const ::onnx::ModelProto& proto, const QString& path, const Target& target) {
        const std::string bytes = proto.SerializeAsString();
        driver::Options options;
        options.cache = false;
        options.target = target;
        driver::Trace trace;
        const auto artifact =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model", path.toStdString(), {}, options, trace);
        if (!artifact)
            qWarning("%s", toString(artifact.error()).c_str());
        return artifact.has_value();
    }

    /// Of the artifact; -1 if it does not compile.
    static qint64 sizeOf(const ::onnx::ModelProto& proto) {
        QTemporaryDir folder;
        const QString path = folder.filePath("m.so");
        return compiles(proto, path, codegen::nativeTarget()) ? QFileInfo(path).size() : -1;
    }
};

Test test() {
    return {makes<TestWeights>};
}

} // namespace lathe::testing::test_weights

#include "test_weights.moc"
