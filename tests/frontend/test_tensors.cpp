// SPDX-License-Identifier: Apache-2.0
//
// Files of one tensor are found by how they begin, whatever their name: good ones in every order of their fields, and maps that
// are rows of one.
// Links: onnx
#include "frontend/frontend.h"
#include "model/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <onnx/onnx-data.pb.h>

namespace lathe::testing::test_tensors {

namespace {

using Proto = ::onnx::TensorProto;

/// The bytes of some fields; fields of a message may come in any order.
template <class Fill>
std::string fields(const Fill& fill) {
    Proto part;
    fill(part);
    return part.SerializePartialAsString();
}

} // namespace

class TestTensors : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    Result<model::TensorPtr> read(const std::string& bytes) {
        const std::filesystem::path path = folder_.filePath("no_name_of_a_tensor").toStdString();
        writeFile(path, bytes);
        return frontend::readTensor(path);
    }

private slots:
    void anyFieldComesFirst_data() {
        QTest::addColumn<std::string>("bytes");
        const std::string type = fields([](Proto& proto) { proto.set_data_type(Proto::FLOAT); });
        const std::string dims = fields([](Proto& proto) { proto.add_dims(1); });
        const std::string name = fields([](Proto& proto) { proto.set_name("x"); });
        const std::string text = fields([](Proto& proto) { proto.set_doc_string("of a test"); });
        const std::string raw = fields([](Proto& proto) { proto.set_raw_data(std::string("\0\0\x80\x3f", 4)); }); // 1.0
        const std::string typed = fields([](Proto& proto) { proto.add_float_data(1); });
        const std::string where = fields([](Proto& proto) { proto.set_data_location(Proto::DEFAULT); });
        QTest::newRow("dims") << dims + type + raw;
        QTest::newRow("packed dims") << std::string("\x0a\x01\x01", 3) + type + raw;
        QTest::newRow("type") << type + dims + typed;
        QTest::newRow("name") << name + dims + type + raw;
        QTest::newRow("text") << text + dims + type + raw;
        QTest::newRow("raw data") << raw + dims + type;
        QTest::newRow("typed data") << typed + dims + type;
        QTest::newRow("typed data, not packed") << std::string("\x25\0\0\x80\x3f", 5) + dims + type;
        QTest::newRow("location") << where + dims + type + raw;
    }
    void anyFieldComesFirst() {
        QFETCH(std::string, bytes);
        const auto tensor = read(bytes);
        QVERIFY2(tensor, tensor ? "" : toString(tensor.error()).c_str());
        QVERIFY((*tensor)->dtype == types::Float32);
        QCOMPARE((*tensor)->shape, std::vector<int64_t>{1});
        QCOMPARE(model::elementAsDouble(types::Float32, (*tensor)->bytes.view, 0), 1.0);
    }

    /// What ONNX Runtime's tests have for ZipMap.
    void mapsAreRows() {
        const auto maps = [](std::initializer_list<std::vector<int64_t>> keys) {
            ::onnx::SequenceProto sequence;
            sequence.set_name("probabilities");
            sequence.set_elem_type(::onnx::SequenceProto::MAP);
            float next = 0;
            for (const std::vector<int64_t>& ofMap : keys) {
                ::onnx::MapProto& map = *sequence.add_map_values();
                map.set_key_type(Proto::INT64);
                map.mutable_values()->set_elem_type(::onnx::SequenceProto::TENSOR);
                for (const int64_t key : ofMap) {
                    map.add_keys(key);
                    Proto& value = *map.mutable_values()->add_tensor_values();
                    value.set_data_type(Proto::FLOAT);
                    value.add_float_data(next += 0.5F);
                }
            }
            return sequence.SerializeAsString();
        };
        const auto tensor = read(maps({{-1, 7}, {-1, 7}, {-1, 7}}));
        QVERIFY2(tensor, tensor ? "" : toString(tensor.error()).c_str());
        QCOMPARE((*tensor)->shape, (std::vector<int64_t>{3, 2}));
        for (size_t i = 0; i < 6; ++i)
            QCOMPARE(model::elementAsDouble(types::Float32, (*tensor)->bytes.view, i),
                     0.5 * static_cast<double>(i + 1));
        QVERIFY(!read(maps({{-1, 7}, {-1, 8}})));
        QVERIFY(!read(maps({{7, -1}, {7, -1}}))); // whose order says nothing
        QVERIFY(!read(maps({{1}, {1, 2}})));
    }

    void othersAreOfNoFormat_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::newRow("empty") << std::string();
        QTest::newRow("text") << std::string("not a tensor");
        QTest::newRow("archive") << std::string("PK\x03\x04");
        QTest::newRow("a field that tensors do not have") << std::string("\xfa\x01\0", 3);
    }
    void othersAreOfNoFormat() {
        QFETCH(std::string, bytes);
        const auto tensor = read(bytes);
        QVERIFY(!tensor);
        QVERIFY2(tensor.error().what.find("no tensor of a format") != std::string::npos, tensor.error().what.c_str());
        QVERIFY(!tensor.error().hint.empty());
        QVERIFY(tensor.error().file.ends_with("no_name_of_a_tensor"));
    }
};

Test test() {
    return {makes<TestTensors>};
}

} // namespace lathe::testing::test_tensors

#include "test_tensors.moc"
