// SPDX-License-Identifier: Apache-2.0
//
// What an artifact holds of a model's weights: each once, in the form that the kernels read.
// Links: onnx
#include "driver/compile.h"
#include "support/onnx_model.h"

#include <QtTest>

using namespace lathe;
using namespace lathe::testing;

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

private:
    /// Of the artifact; -1 if it does not compile.
    static qint64 sizeOf(const ::onnx::ModelProto& proto) {
        const std::string bytes = proto.SerializeAsString();
        QTemporaryDir folder;
        driver::Options options;
        options.cache = false;
        driver::Trace trace;
        const auto artifact = driver::compileBytes(std::as_bytes(std::span(bytes)), "model",
                                                   folder.filePath("m.so").toStdString(), {}, options, trace);
        if (!artifact)
            qWarning("%s", toString(artifact.error()).c_str());
        return artifact ? QFileInfo(folder.filePath("m.so")).size() : -1;
    }
};

QTEST_GUILESS_MAIN(TestWeights)
#include "test_weights.moc"
