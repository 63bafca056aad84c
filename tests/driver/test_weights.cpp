// SPDX-License-Identifier: Apache-2.0
//
// What an artifact holds of a model's weights: each once, in the form that the kernels read.
// Links: onnx
#include "driver/compile.h"

#include <onnx/defs/parser.h>

#include <QtTest>

using namespace lathe;

class TestWeights : public QObject {
    Q_OBJECT

private slots:
    /// 256 · 256 · 3 · 3 float32 weights are 2,359,296 bytes; twice they would be 4.7 million.
    void eachOnce() {
        ::onnx::ModelProto proto;
        const ::onnx::Common::Status parsed = ::onnx::OnnxParser::Parse(
            proto, "<ir_version: 8, opset_import: [\"\" : 17]> "
                   "m (float[1,256,8,8] x) => (float[1,256,6,6] y) { c = Conv(x, w) y = Relu(c) }");
        QVERIFY(parsed.IsOK());
        ::onnx::TensorProto* weights = proto.mutable_graph()->add_initializer();
        weights->set_name("w");
        weights->set_data_type(::onnx::TensorProto::FLOAT);
        for (int64_t dim : {256, 256, 3, 3})
            weights->add_dims(dim);
        for (int i = 0; i < 256 * 256 * 9; ++i)
            weights->add_float_data(static_cast<float>(i % 13));
        const std::string bytes = proto.SerializeAsString();
        QTemporaryDir folder;
        driver::Options options;
        options.cache = false;
        driver::Trace trace;
        const auto artifact = driver::compileBytes(std::as_bytes(std::span(bytes)), "model",
                                                   folder.filePath("m.so").toStdString(), {}, options, trace);
        QVERIFY2(artifact, artifact ? "" : toString(artifact.error()).c_str());
        const qint64 size = QFileInfo(folder.filePath("m.so")).size();
        QVERIFY2(size > 2359296 && size < 3500000, qPrintable(QString::number(size)));
    }
};

QTEST_GUILESS_MAIN(TestWeights)
#include "test_weights.moc"
