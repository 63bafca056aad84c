// SPDX-License-Identifier: Apache-2.0
//
// .npz files: what NumPy has written is read by the names of its arrays, and what others made of one is refused with the file's
// name.
#include "base/limits.h"
#include "data/npz.h"
#include "driver/tensor_files.h"
#include "support/host_tensor.h"
#include "support/npz_file.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>

namespace lathe::testing::test_npz {

using model::HostTensor;

namespace {

/// numpy.savez_compressed(file, x=numpy.arange(6, dtype="f4").reshape(2, 3), größe=numpy.array([1, -2], "i1"))
const QByteArray compressed = QByteArray::fromBase64(
    "UEsDBC0AAAAIAAAAIQBP6QAq//////////"
    "8FABQAeC5ucHkBABAAmAAAAAAAAABVAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TZqKuo6Cell9U"
    "UpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6CsaaOgq1CmQDLgYwaLAHEg5ABMQNQLzAAQBQSwMELQAACAgAAAAhAPmb8xL//////////"
    "wsAFABncsO2"
    "w59lLm5weQEAEACCAAAAAAAAAEYAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgXpNpqK6joJ6WX1RSlJgXn1+"
    "UkgoSd0vMKU4FihdnJBakAvkaRjqa"
    "Ogq1ChQALsZ/AFBLAQItAy0AAAAIAAAAIQBP6QAqVQAAAJgAAAAFAAAAAAAAAAAAAACAAQAAAAB4Lm5weVBLAQItAy0AAAgIAAAAIQD5m/"
    "MSRgAAAIIA"
    "AAALAAAAAAAAAAAAAACAAYwAAABncsO2w59lLm5weVBLBQYAAAAAAgACAGwAAAAPAQAAAAA=");
/// numpy.savez(file, numpy.arange(3, dtype="i8"))
const QByteArray one =
    QByteArray::fromBase64("UEsDBC0AAAAAAAAAIQD3QBLq//////////"
                           "8JABQAYXJyXzAubnB5AQAQAJgAAAAAAAAAmAAAAAAAAACTTlVNUFkBAHYAeydkZXNjcic6ICc8aTgnLCAn"
                           "Zm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMywpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
                           "gICAgICAgICAgICAgICAgICAg"
                           "ICAgICAgICAgICAgCgAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAFBLAQItAy0AAAAAAAAAIQD3QBLqmAAAAJgAAAAJAAA"
                           "AAAAAAAAAAACAAQAAAABhcnJf"
                           "MC5ucHlQSwUGAAAAAAEAAQA3AAAA0wAAAAAA");

std::string array(const std::string& shape, size_t bytes) {
    const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header +
           std::string(bytes, '\1');
}

} // namespace

class TestNpz : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path file(const std::string& bytes) {
        const std::filesystem::path path = folder_.filePath("some.npz").toStdString();
        writeFile(path, bytes);
        return path;
    }

    /// How many elements each part of the list x has; -1: an optional without value.
    static std::vector<int64_t> partsOf(const Result<HostTensor>& value) {
        std::vector<int64_t> counts;
        for (const HostTensor& part : value ? value->parts : std::vector<HostTensor>())
            counts.push_back(!part.isComposed() ? part.shape[0] : part.parts.empty() ? -1 : part.parts[0].shape[0]);
        return counts;
    }

private slots:
    void partsOfLists() {
        const auto part = [](std::string name, int64_t count) {
            return std::pair(std::move(name), tensorOf<float>(types::Float32, {count}, std::vector<float>(count)));
        };
        const auto read = [&](const data::NamedTensors& parts, std::string_view form) {
            return driver::readValueFile(file(npzOf(parts)), {types::Float32, "x", form});
        };
        data::NamedTensors eleven; // "x.10" comes before "x.2" in the order of names
        std::vector<int64_t> expected;
        for (int64_t i = 0; i < 11; ++i) {
            eleven.push_back(part(fmt::format("x.{}", i), i + 1));
            expected.push_back(i + 1);
        }
        QCOMPARE(partsOf(read(eleven, "l")), expected);
        QCOMPARE(partsOf(read({part("y.0", 1), part("x", 1), part("xx.0", 1)}, "l")), std::vector<int64_t>());
        QCOMPARE(partsOf(read({part("x.0", 1), part("x.2", 3)}, "lo")), (std::vector<int64_t>{1, -1, 3}));
        const auto nested = read({part("x.0.0", 1), part("x.1.0", 2), part("x.1.1", 3)}, "ll");
        QVERIFY2(nested, nested ? "" : toString(nested.error()).c_str());
        QCOMPARE(nested->parts[1].parts.size(), size_t{2});
        for (const auto& [parts, form] : std::vector<std::pair<data::NamedTensors, std::string>>{
                 {{part("x.0", 1), part("x.2", 3)}, "l"}, // what is behind a gap would be lost
                 {{part("x.0.0", 1), part("x.2.0", 3)}, "ll"},
                 {{part("x.1000000000000", 1)}, "lo"},
                 {{part("x.0.0", 1)}, "l"}}) {
            const auto refused = read(parts, form);
            QVERIFY(!refused);
            QVERIFY2(refused.error().what.contains("'x"), toString(refused.error()).c_str());
            QVERIFY(!refused.error().hint.empty() && !refused.error().file.empty());
        }
    }

    /// A tensor is what an optional one may hold, and no list; what is no file is not waited for.
    void arraysForOptionals() {
        const std::filesystem::path array = folder_.filePath("some.npy").toStdString();
        QVERIFY(driver::writeNpy(array, tensorOf<float>(types::Float32, {3}, {1, 2, 3})));
        const auto read = [](const std::filesystem::path& path, std::string_view form) {
            return driver::readValueFile(path, {types::Float32, "x", form});
        };
        const auto held = read(array, "o");
        QVERIFY2(held, held ? "" : toString(held.error()).c_str());
        QVERIFY(held->form == HostTensor::Form::Optional);
        QCOMPARE(partsOf(held), std::vector<int64_t>{3});
        QVERIFY(!read(array, "l"));
        const QString pipe = folder_.filePath("pipe");
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        for (const char* form : {"o", "l"}) {
            const auto refused = read(pipe.toStdString(), form);
            QVERIFY(!refused);
            QVERIFY2(refused.error().what.contains("cannot be read"), toString(refused.error()).c_str());
        }
    }

    void byName() {
        const auto path = file(compressed.toStdString());
        const auto names = data::arraysIn(path);
        QVERIFY2(names, names ? "" : toString(names.error()).c_str());
        QCOMPARE(*names, (std::vector<std::string>{"x", "größe"}));
        const auto x = driver::readTensorFile(path, {.name = "x"});
        QVERIFY2(x, x ? "" : toString(x.error()).c_str());
        QVERIFY(*x == (tensorOf<float>(types::Float32, {2, 3}, {0, 1, 2, 3, 4, 5})));
        const auto other = driver::readTensorFile(path, {.name = "größe"});
        QVERIFY(other && *other == (tensorOf<int8_t>(types::Int8, {2}, {1, -2})));
        for (const std::string_view name : {"y", ""}) {
            const auto none = driver::readTensorFile(path, {.name = name});
            QVERIFY(!none && none.error().file == path.string());
            QVERIFY2(none.error().what.contains("2 arrays") && none.error().hint.contains("x, größe"),
                     toString(none.error()).c_str());
        }
    }

    void theOnlyOne() {
        const auto path = file(one.toStdString());
        for (const std::string_view name : {"x", ""}) {
            const auto x = driver::readTensorFile(path, {.name = name});
            QVERIFY2(x, x ? "" : toString(x.error()).c_str());
            QVERIFY(*x == (tensorOf<int64_t>(types::Int64, {3}, {0, 1, 2})));
        }
        // What is no array stands beside it.
        const auto beside = file(zipOf({{"read.me", "hello"}, {"folder/", ""}, {"a/b.npy", array("(2,)", 2)}}));
        QCOMPARE(*data::arraysIn(beside), std::vector<std::string>{"a/b"});
        QVERIFY(driver::readTensorFile(beside)->shape == std::vector<int64_t>{2});
        // Its elements are what is meant, as those of a file of their own.
        const auto narrow = driver::readTensorFile(beside, {.dtype = types::Int4});
        QVERIFY(narrow && narrow->dtype == types::Int4);
    }

    void allOfThem() {
        const auto meant = [](std::string_view name) { return name == "x" ? types::BFloat16 : types::Void; };
        const auto all = data::readAllOfNpz(file(compressed.toStdString()), meant);
        QVERIFY2(all, all ? "" : toString(all.error()).c_str());
        QCOMPARE(all->size(), size_t(2));
        QCOMPARE(all->front().first, std::string("x"));
        QVERIFY(all->front().second.dtype == types::BFloat16); // 0 to 5 have few bits
        QCOMPARE(all->back().first, std::string("größe"));
        QVERIFY(all->back().second == (tensorOf<int8_t>(types::Int8, {2}, {1, -2})));
        const auto none = data::readAllOfNpz(file(zipOf({})), meant); // a model without inputs is given none
        QVERIFY(none && none->empty());
        const std::string good = array("(2,)", 2);
        for (const ZipFiles& files :
             {ZipFiles{{"x.npy", good}, {"x.npy", good}}, ZipFiles{{"y.npy", good}, {"x.npy", "hello"}}}) {
            const auto path = file(zipOf(files));
            const auto bad = data::readAllOfNpz(path, meant);
            QVERIFY(!bad && bad.error().file == path.string());
        }
        QVERIFY(!data::readAllOfNpz(folder_.path().toStdString(), meant));
    }

    void refused_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<QString>("what");
        const std::string good = array("(2,)", 2);
        QTest::newRow("empty") << std::string() << "does not begin as one";
        QTest::newRow("no zip") << good.substr(1) << "does not begin as one";
        QTest::newRow("without files") << zipOf({}) << "no array";
        QTest::newRow("without arrays") << zipOf({{"read.me", "hello"}}) << "no array";
        QTest::newRow("twice") << zipOf({{"x.npy", good}, {"x.npy", array("(1,)", 1)}}) << "'x' twice";
        QTest::newRow("no NumPy") << zipOf({{"x.npy", "hello"}}) << "'x' in it is no NumPy array";
        QTest::newRow("nothing") << zipOf({{"x.npy", ""}}) << "'x' in it is no NumPy array";
        QTest::newRow("more than it has") << zipOf({{"x.npy", array("(1099511627776,)", 2)}}) << "holds 2 bytes";
        QTest::newRow("less") << zipOf({{"x.npy", array("(1,)", 2)}}) << "holds 2 bytes";
        const std::string whole = one.toStdString();
        QTest::newRow("cut") << whole.substr(0, whole.size() / 2) << "damaged";
        std::string changed = whole;
        changed[150] ^= 1; // of the array, which has a checksum
        QTest::newRow("changed") << changed << "damaged";
        ZipFiles many;
        for (size_t i = 0; i <= limits::zipEntries; ++i)
            many.emplace_back(fmt::format("{}.npy", i), "");
        QTest::newRow("many") << zipOf(many) << "more than 10000 files";
    }
    void refused() {
        QFETCH(std::string, bytes);
        QFETCH(QString, what);
        const auto path = file(bytes);
        const auto tensor = driver::readTensorFile(path, {.name = "x"});
        QVERIFY(!tensor);
        QCOMPARE(tensor.error().file, path.string());
        QVERIFY2(tensor.error().what.contains(what.toStdString()), tensor.error().what.c_str());
    }

    void noFile() {
        QVERIFY(!data::arraysIn("/no/such/file.npz"));
        QVERIFY(!data::arraysIn(folder_.path().toStdString()));
        QVERIFY(!data::arraysIn("/dev/zero")); // never ends
    }

    void everyDamagedByteIsAnswered() {
        const std::string good = compressed.toStdString();
        std::mt19937 random(5);
        for (size_t at = 0; at < good.size(); ++at)
            for (int round = 0; round < 3; ++round) {
                std::string bytes = good;
                bytes[at] = static_cast<char>(random());
                if (const auto tensor = driver::readTensorFile(file(bytes), {.name = "x"}))
                    QCOMPARE(tensor->bytes.size(), static_cast<size_t>(tensor->elements() * tensor->dtype.bytes()));
            }
    }
};

Test test() {
    return {makes<TestNpz>};
}

} // namespace lathe::testing::test_npz

#include "test_npz.moc"
