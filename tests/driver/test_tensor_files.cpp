// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// .npy and .pb files: read as they were written, and refused with the file's name where any byte of their form is wrong.
#include "base/guarded.h"
#include "driver/tensor_files.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <random>
#include <set>

namespace lathe::testing::test_tensor_files {

using model::HostTensor;

namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    const auto length = static_cast<uint32_t>(header.size());
    bytes.append(reinterpret_cast<const char*>(&length), version >= 2 ? 4 : 2);
    return bytes + header + data;
}

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string pb(int32_t type, const std::vector<int64_t>& dims, size_t rawBytes) {
    ::onnx::TensorProto tensor;
    tensor.set_data_type(type);
    for (const int64_t dim : dims)
        tensor.add_dims(dim);
    tensor.set_raw_data(std::string(rawBytes, '\1'));
    return tensor.SerializeAsString();
}

} // namespace

class TestTensorFiles : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    Result<HostTensor> read(const char* name, const std::string& bytes) {
        const std::filesystem::path path = folder_.filePath(name).toStdString();
        writeFile(path, bytes);
        return driver::readTensorFile(path);
    }

private slots:
    void readBackAsWritten() {
        std::mt19937_64 random(1);
        for (const DataType dtype :
             {types::Bool, types::Int8, types::UInt8, types::Int16, types::UInt16, types::Int32, types::UInt32,
              types::Int64, types::UInt64, types::Float16, types::Float32, types::Float64})
            for (const std::vector<int64_t>& shape :
                 {std::vector<int64_t>{}, {1}, {3}, {2, 5}, {0, 4}, {1, 1, 1, 1, 1, 1, 1, 1}}) {
                HostTensor tensor{dtype, shape, {}, {}};
                tensor.bytes.resize(static_cast<size_t>(tensor.elements() * dtype.bytes()));
                for (std::byte& byte : tensor.bytes)
                    byte = static_cast<std::byte>(dtype.isBool() ? random() % 2 : random());
                const std::filesystem::path path = folder_.filePath("x.npy").toStdString();
                QVERIFY(driver::writeNpy(path, tensor));
                const auto back = driver::readTensorFile(path);
                QVERIFY2(back, back ? "" : toString(back.error()).c_str());
                QCOMPARE(*back, tensor);
            }
    }

    /// They stand in the file as another type, and the type that is meant says which they are.
    void typesThatNumpyLacksAreReadBack() {
        const std::filesystem::path path = folder_.filePath("narrow.npy").toStdString();
        for (const char* name : {"bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
                                 "float8_e8m0", "float4_e2m1", "int4", "uint4", "int2", "uint2"}) {
            const DataType dtype = *parseDataType(name);
            const std::vector<uint8_t> ones(static_cast<size_t>(6 * dtype.bytes()), 1); // small numbers of each
            const HostTensor tensor = tensorOf(dtype, {2, 3}, ones);
            QVERIFY(driver::writeNpy(path, tensor));
            const auto back = driver::readTensorFile(path, {.dtype = dtype});
            QVERIFY2(back, back ? "" : toString(back.error()).c_str());
            QVERIFY2(*back == tensor, name);
        }
        QVERIFY(driver::writeNpy(path, tensorOf<float>(types::Float32, {2}, {1, 0.1F})));
        const auto lost = driver::readTensorFile(path, {.dtype = types::BFloat16});
        QVERIFY(!lost && lost.error().file == path.string());
    }

    /// numpy.save of ml_dtypes gives sizes, and int4 as its four bits: 1, 2, -3.
    void elementsWithoutAType() {
        const auto as = [&](const char* descr, const std::string& data, DataType meant) {
            const std::filesystem::path path = folder_.filePath("nameless.npy").toStdString();
            writeFile(path, npy(header(descr, "False", "(3,)"), data));
            return driver::readTensorFile(path, {.dtype = meant});
        };
        const std::string three("\x80\x3f\x20\x40\x40\xc0", 6), big("\x3f\x80\x40\x20\xc0\x40", 6), ints("\1\2\x0d", 3);
        const std::vector<uint16_t> bits{0x3f80, 0x4020, 0xc040}; // 1, 2.5, -3
        for (const auto& tensor :
             {as("<V2", three, types::BFloat16), as("|V2", three, types::BFloat16), as(">V2", big, types::BFloat16)}) {
            QVERIFY2(tensor, tensor ? "" : toString(tensor.error()).c_str());
            QVERIFY(tensor->dtype == types::BFloat16);
            QCOMPARE(valuesOf<uint16_t>(*tensor), bits);
        }
        const auto narrow = as("|V1", ints, types::Int4);
        QVERIFY(narrow && narrow->dtype == types::Int4);
        QCOMPARE(valuesOf<int8_t>(*narrow), (std::vector<int8_t>{1, 2, -3}));
        for (const DataType meant : {types::Void, types::Float16, types::UInt16, types::Int4, types::Float32}) {
            const auto tensor = as("<V2", three, meant);
            QVERIFY(!tensor);
            QVERIFY2(tensor.error().what.contains("'<V2'"), tensor.error().what.c_str());
        }
        for (const char* descr : {"|V", "|V0", "|V3", "|V16", "|V1x", "|V-1"})
            QVERIFY(!as(descr, three, types::BFloat16));
    }

    void formsOfTheHeader_data() {
        QTest::addColumn<std::string>("bytes");
        const std::string two(8, '\0');
        QTest::newRow("as NumPy writes it") << npy(header("<f4", "False", "(2,)"), two);
        QTest::newRow("version 2") << npy(header("<f4", "False", "(2,)"), two, 2);
        QTest::newRow("version 3") << npy(header("<f4", "False", "(2,)"), two, 3);
        QTest::newRow("other order and quotes")
            << npy("{\"shape\": (2L,), \"descr\": \"<f4\", \"fortran_order\": False}", two);
        QTest::newRow("padded") << npy(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}" + std::string(60, ' ') + "\n", two);
        QTest::newRow("one dimension has no order") << npy(header("<f4", "True", "(2,)"), two);
    }
    void formsOfTheHeader() {
        QFETCH(std::string, bytes);
        const auto tensor = read("x.npy", bytes);
        QVERIFY2(tensor, tensor ? "" : toString(tensor.error()).c_str());
        QCOMPARE(tensor->shape, std::vector<int64_t>{2});
        QVERIFY(tensor->dtype == types::Float32);
    }

    /// numpy.asfortranarray([[[0, 1, 2], [3, 4, 5]]]) and what other machines write.
    void ordersOfElementsAndBytes() {
        const std::vector<int16_t> rows{0, 1, 2, 3, 4, 5};
        const std::string columns("\0\0\3\0\1\0\4\0\2\0\5\0", 12), big("\0\0\0\1\0\2\0\3\0\4\0\5", 12);
        for (const auto& bytes :
             {npy(header("<i2", "True", "(1, 2, 3)"), columns), npy(header(">i2", "False", "(1, 2, 3)"), big),
              npy(header(">i2", "True", "(1, 2, 3)"), '\0' + columns.substr(0, 11))}) {
            const auto tensor = read("x.npy", bytes);
            QVERIFY2(tensor, tensor ? "" : toString(tensor.error()).c_str());
            QCOMPARE(tensor->shape, (std::vector<int64_t>{1, 2, 3}));
            QCOMPARE(valuesOf<int16_t>(*tensor), rows);
        }
    }

    void refused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<std::string>("bytes");
        const std::string two(8, '\0');
        const auto shape = [&](const char* text) { return npy(header("<f4", "False", text), two); };
        QTest::newRow("empty") << "x.npy" << std::string();
        QTest::newRow("no NumPy") << "x.npy" << std::string("hello");
        QTest::newRow("magic alone") << "x.npy" << std::string("\x93NUMPY");
        QTest::newRow("truncated header") << "x.npy" << shape("(2,)").substr(0, 30);
        QTest::newRow("truncated data") << "x.npy" << shape("(2,)").substr(0, shape("(2,)").size() - 1);
        QTest::newRow("more data") << "x.npy" << shape("(2,)") + "x";
        QTest::newRow("header of 4 GiB") << "x.npy" << std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
        QTest::newRow("version 0") << "x.npy" << npy(header("<f4", "False", "(2,)"), two, 0);
        QTest::newRow("version 9") << "x.npy" << npy(header("<f4", "False", "(2,)"), two, 9);
        QTest::newRow("negative") << "x.npy" << shape("(-1,)");
        QTest::newRow("two negatives") << "x.npy" << shape("(-1, -2)");
        QTest::newRow("product that wraps to 2") << "x.npy" << shape("(2, 9223372036854775809)");
        QTest::newRow("product that wraps to 0") << "x.npy" << shape("(4294967296, 4294967296)");
        QTest::newRow("huge") << "x.npy" << shape("(4611686018427387904,)");
        QTest::newRow("huge times nothing") << "x.npy" << npy(header("<f4", "False", "(0, 4611686018427387904)"), "");
        QTest::newRow("huge beside nothing") << "x.npy" << npy(header("<f4", "False", "(0, 1099511627776, 2)"), "");
        QTest::newRow("beyond int64") << "x.npy" << shape("(99999999999999999999,)");
        QTest::newRow("fraction") << "x.npy" << shape("(2.0,)");
        QTest::newRow("no tuple") << "x.npy" << shape("2");
        QTest::newRow("open tuple") << "x.npy" << shape("(2");
        QTest::newRow("33 dims") << "x.npy"
                                 << shape("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)");
        QTest::newRow("objects") << "x.npy" << npy(header("|O", "False", "(1,)"), two);
        QTest::newRow("structure") << "x.npy"
                                   << npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", two);
        QTest::newRow("several arrays") << "x.npz" << std::string("PK\x03\x04 and so on", 13);
        QTest::newRow("no order") << "x.npy" << npy("{'descr': '<f4', 'shape': (2,)}", two);
        QTest::newRow("odd key") << "x.npy"
                                 << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'a': 1}", two);
        QTest::newRow("behind the header")
            << "x.npy" << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} 1", two);
        QTest::newRow("a zero behind the header")
            << "x.npy" << npy(std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\0\n", 57), two);
        QTest::newRow("text behind a zero")
            << "x.npy" << npy(std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\0 1\n", 59), two);
        QTest::newRow("garbage") << "x.pb" << std::string("no tensor");
        QTest::newRow("pb: negative") << "x.pb" << pb(1, {-1}, 8);
        QTest::newRow("pb: two negatives") << "x.pb" << pb(1, {-1, -2}, 8);
        QTest::newRow("pb: product that wraps") << "x.pb" << pb(1, {int64_t{1} << 32, int64_t{1} << 32}, 0);
        QTest::newRow("pb: huge") << "x.pb" << pb(1, {int64_t{1} << 62}, 0);
        QTest::newRow("pb: huge times nothing") << "x.pb" << pb(1, {0, int64_t{1} << 62}, 0);
        QTest::newRow("pb: huge beside nothing") << "x.pb" << pb(1, {0, int64_t{1} << 40, 2}, 0);
        QTest::newRow("pb: too few bytes") << "x.pb" << pb(1, {3}, 8);
        QTest::newRow("pb: too many bytes") << "x.pb" << pb(1, {1}, 8);
        QTest::newRow("pb: unknown type") << "x.pb" << pb(99, {2}, 8);
        QTest::newRow("pb: no type") << "x.pb" << pb(0, {2}, 8);
    }
    void refused() {
        QFETCH(QString, name);
        QFETCH(std::string, bytes);
        const auto tensor = read(name.toLatin1(), bytes);
        QVERIFY(!tensor);
        QVERIFY(tensor.error().file.ends_with(name.toStdString()));
        QVERIFY(!tensor.error().what.empty());
    }

    void noFile() {
        QVERIFY(!driver::readTensorFile("/no/such/file.npy"));
        QVERIFY(!driver::readTensorFile(folder_.path().toStdString())); // a folder
        QVERIFY(!driver::readTensorFile("/dev/zero"));                  // never ends
    }

    void everyDamagedByteIsAnswered() {
        const std::string good = npy(header("<f4", "False", "(2, 3)"), std::string(24, '\1'));
        std::mt19937 random(5);
        for (size_t at = 0; at < good.size(); ++at)
            for (int round = 0; round < 8; ++round) {
                std::string bytes = good;
                bytes[at] = static_cast<char>(random());
                if (const auto tensor = read("x.npy", bytes))
                    QCOMPARE(tensor->bytes.size(), static_cast<size_t>(tensor->elements() * tensor->dtype.bytes()));
            }
    }

    void nothingHalfWritten() {
        const HostTensor tensor{types::Int8, {2}, std::vector<std::byte>(2), {}};
        QVERIFY(!driver::writeNpy("/no/such/folder/x.npy", tensor));
        QTemporaryDir empty;
        const std::string folder = empty.path().toStdString();
        std::filesystem::create_directory(folder + "/x.npy");
        QVERIFY(!driver::writeNpy(folder + "/x.npy", tensor));
        QVERIFY(std::filesystem::is_directory(folder + "/x.npy"));
        QVERIFY(!std::filesystem::exists(folder + "/x.npy.part"));
    }

    /// Of a type that NumPy lacks, in several parts: each element is the one of its place.
    void longTensorsAreWrittenInParts() {
        constexpr size_t count = 5'000'001; // 10 MB, and as much again
        HostTensor tensor{types::BFloat16, {int64_t(count)}, std::vector<std::byte>(2 * count), {}};
        const auto bits = [](size_t i) { return static_cast<uint16_t>(0x3f80 + i % 127); }; // 1 + (i % 127) / 128
        for (size_t i = 0; i < count; ++i) {
            const uint16_t value = bits(i);
            std::memcpy(tensor.bytes.data() + 2 * i, &value, 2);
        }
        const std::filesystem::path path = folder_.filePath("long.npy").toStdString();
        QVERIFY(driver::writeNpy(path, tensor));
        const auto back = driver::readTensorFile(path);
        QVERIFY2(back, back ? "" : toString(back.error()).c_str());
        QVERIFY(back->dtype == types::Float32);
        QCOMPARE(back->shape, tensor.shape);
        for (size_t i = 0; i < count; ++i) {
            float value = 0;
            std::memcpy(&value, back->bytes.data() + 4 * i, 4);
            if (value != 1 + float(i % 127) / 128)
                QFAIL(qPrintable(QString("element %1 is %2").arg(i).arg(value)));
        }
    }

    /// What stood there before still does, and nothing beside it.
    void whatIsCancelledIsNotWritten() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("x.npy").toStdString();
        const HostTensor old{types::Int8, {2}, std::vector<std::byte>(2), {}};
        QVERIFY(driver::writeNpy(path, old));
        const std::vector<std::byte> bytes(20'000'000);
        const std::vector<int64_t> shape{int64_t(bytes.size())};
        int asked = 0;
        const auto written =
            guarded([&] { return driver::writeNpy(path, {types::Int8, shape, bytes}, [&] { return ++asked == 3; }); });
        QVERIFY(!written && written.error().kind == ErrorKind::Cancelled);
        QCOMPARE(asked, 3); // it ended there
        const auto left = driver::readTensorFile(path);
        QVERIFY(left && *left == old);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }

    void differentNamesHaveDifferentFiles() {
        std::vector<std::string> names = {"",    "a",   "a/b", "a_b",  "a%b",  "a%2Fb", ".",         "..",
                                          "%",   ".a",  "/",   "//",   "a\nb", "é",     "a\x01\x02", "a b",
                                          "%25", "%2F", "%2E", "%2E.", "a.b",  "_"};
        for (const size_t length : {200, 300, 301})
            names.emplace_back(length, 'a');
        names.push_back(std::string(199, 'a') + "é");
        names.emplace_back(165, '/');
        std::set<std::string> files;
        for (const std::string& name : names) {
            const std::string file = driver::fileNameOf(name);
            QVERIFY2(file.find('/') == std::string::npos && !file.starts_with('.') && !file.empty(), file.c_str());
            QVERIFY2(file.size() <= 200, file.c_str());
            QCOMPARE(QString::fromStdString(file).toStdString(), file); // whole characters
            files.insert(file);
        }
        QCOMPARE(files.size(), names.size());
        QCOMPARE(driver::fileNameOf("encoder.layer_0.y"), std::string("encoder.layer_0.y"));
    }
};

Test test() {
    return {makes<TestTensorFiles>};
}

} // namespace lathe::testing::test_tensor_files

#include "test_tensor_files.moc"
