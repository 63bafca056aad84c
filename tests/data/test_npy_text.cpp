// SPDX-License-Identifier: Apache-2.0
//
// Strings in .npy files: files as numpy.save writes them are read, what is written is read back as it was, and what no file of
// NumPy can hold, or no file holds, is refused.
#include "data/npy.h"
#include "data/npy_text.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <sstream>

namespace lathe::testing::test_npy_text {

namespace {

using namespace std::string_literals;
using Texts = std::vector<std::string>;

Result<model::HostTensor> read(const std::string& file) {
    std::istringstream stream(file);
    stream.ignore(static_cast<std::streamsize>(data::npyMagic.size()));
    return data::readNpy("strings.npy", stream, file.size());
}

/// numpy.save's file of an array with this header, and its elements.
std::string fileOf(const std::string& header, const std::string& elements) {
    const std::string line = header + std::string(127 - 10 - header.size(), ' ') + "\n";
    return std::string(data::npyMagic) + "\1\0"s + static_cast<char>(line.size()) + '\0' + line + elements;
}

/// A character of UTF-32.
std::string wide(char32_t letter, bool turned = false) {
    std::string bytes;
    for (int i = 0; i < 4; ++i)
        bytes += static_cast<char>(letter >> 8 * (turned ? 3 - i : i));
    return bytes;
}

} // namespace

class TestNpyText : public QObject {
    Q_OBJECT

private slots:
    void unicodeIsRead() {
        const std::string elements = wide(U'a') + wide(U'é') + wide(0) + wide(U'😀') + wide(0) + wide(0);
        const auto got = read(fileOf("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", elements));
        QVERIFY2(got, got ? "" : toString(got.error()).c_str());
        QVERIFY(got->dtype == types::String);
        QCOMPARE(got->strings, (Texts{"aé", "😀"}));
        QVERIFY(got->bytes.empty());
    }

    void otherOrdersAreRead() {
        std::string elements;
        for (const char32_t letter : U"acbd"s) // columns first
            elements += wide(letter, true);
        const auto got = read(fileOf("{'descr': '>U1', 'fortran_order': True, 'shape': (2, 2), }", elements));
        QVERIFY2(got, got ? "" : toString(got.error()).c_str());
        QCOMPARE(got->strings, (Texts{"a", "b", "c", "d"}));
    }

    void bytesAreRead() {
        const auto got = read(fileOf("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", "ab\0\xff\0c"s));
        QVERIFY2(got, got ? "" : toString(got.error()).c_str());
        QCOMPARE(got->strings, (Texts{"ab", "\xff\0c"s}));
    }

    void whatIsWrittenIsRead() {
        const std::vector<int64_t> shape = {2, 2};
        for (const Texts& texts :
             {Texts{"", "aé", "😀\0x"s, "word"}, Texts{"\xff", "", "b", "\xc3\xa9"}, Texts{"", "", "", ""}}) {
            const auto file = data::npyOfStrings(shape, texts);
            QVERIFY(file);
            const auto got = read(*file);
            QVERIFY2(got, got ? "" : toString(got.error()).c_str());
            QCOMPARE(got->shape, shape);
            QCOMPARE(got->strings, texts);
        }
        QVERIFY(!data::npyOfStrings(std::vector<int64_t>{1}, {"a\0"s}));
    }

    void bytesAreThoseOfTheLongest() {
        QCOMPARE(data::npyBytesOf({}).value(), uint64_t{0});
        QCOMPARE(data::npyBytesOf({"", "é😀", "a"}).value(), uint64_t{3 * 2 * 4});
        QCOMPARE(data::npyBytesOf({"ab", "\xff", "é"}).value(), uint64_t{3 * 2});
        std::vector<std::string> strings(10'000);
        strings[7] = std::string(1'000'000, 'a'); // 40 GB of characters, nearly all of them none
        QVERIFY(!data::npyBytesOf(strings));
        QVERIFY(!data::npyOfStrings(std::vector<int64_t>{10'000}, strings));
    }

    void wrongFilesAreRefused() {
        const auto refused = [](const std::string& header, const std::string& elements) {
            return !read(fileOf(header, elements));
        };
        QVERIFY(refused("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", std::string(23, '\0')));
        QVERIFY(refused("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", wide(0xd800)));
        QVERIFY(refused("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", wide(0x110000)));
        QVERIFY(refused("{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000,), }", ""));
        QVERIFY(refused("{'descr': '<U4611686018427387904', 'fortran_order': False, 'shape': (4,), }", ""));
        QVERIFY(refused("{'descr': '<U-1', 'fortran_order': False, 'shape': (1,), }", ""));
        QVERIFY(refused("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", std::string(8, '\0')));
        QVERIFY(!refused("{'descr': '<U0', 'fortran_order': False, 'shape': (0,), }", ""));
    }
};

Test test() {
    return {makes<TestNpyText>};
}

} // namespace lathe::testing::test_npy_text

#include "test_npy_text.moc"
