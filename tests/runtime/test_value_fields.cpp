// SPDX-License-Identifier: Apache-2.0
//
// Values in the runner's frames: what is written is read again, and what a frame says of strings is their text, never an
// address, which a client could name as it likes.
// Runs: sanitized
// Links: lathe_runner_server
#include "runtime/runner/value_fields.h"

#include "abi/packed_strings.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace lathe::testing::test_value_fields {

using namespace lathe::runtime::runner;
using lathe::runtime::protocol::Reader;
using lathe::runtime::protocol::Writer;

namespace {

using namespace std::string_literals;

constexpr uint8_t stringCode = 3, stringBits = 128; // as runtime/lathe_rt.h says

/// A tensor of strings of one dim, as a frame has it.
Writer stringsFrame(int64_t count, const std::vector<std::byte>& bytes) {
    Writer frame;
    frame.number(uint8_t{LATHE_TENSOR});
    frame.number(stringCode);
    frame.number(stringBits);
    frame.number(uint32_t{1});
    frame.number(count);
    frame.number(uint64_t{bytes.size()});
    frame.raw(bytes.data(), bytes.size());
    return frame;
}

bool isRead(const Writer& frame) {
    Reader reader(frame.bytes());
    ReadValue read;
    lathe_value value{};
    return read.read(reader, value) && reader.finished();
}

} // namespace

class TestValueFields : public QObject {
    Q_OBJECT

private slots:
    void stringsAreTheirText() {
        const std::array texts = {"a\0b"s, ""s, "\xff!"s};
        const Writer frame = stringsFrame(3, abi::packStrings(texts));
        Reader reader(frame.bytes());
        ReadValue read;
        lathe_value value{};
        QVERIFY(read.read(reader, value) && reader.finished());
        const auto* elements = static_cast<const lathe_string*>(value.tensor.data);
        for (size_t i = 0; i < texts.size(); ++i)
            QCOMPARE(std::string(elements[i].data, elements[i].size), texts[i]);
        Writer again;
        writeValue(again, value);
        QVERIFY(std::ranges::equal(again.bytes(), frame.bytes()));
        QVERIFY(writtenBytes(value) >= frame.bytes().size());
    }

    void addressesAreNoStrings() {
        const char secret[] = "secret";
        const lathe_string element = {secret, sizeof secret};
        std::vector<std::byte> bytes(sizeof element);
        std::memcpy(bytes.data(), &element, sizeof element);
        QVERIFY(!isRead(stringsFrame(1, bytes)));
    }

    void countsOfStringsAreChecked() {
        const std::vector<std::byte> two = abi::packStrings(std::array{"a"s, "bc"s});
        QVERIFY(isRead(stringsFrame(2, two)));
        for (const int64_t count : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{3}, int64_t{1} << 60})
            QVERIFY(!isRead(stringsFrame(count, two)));
    }

    void listsAreReadAgain() {
        const std::array numbers = {1.5F, -2.0F};
        Writer frame;
        frame.number(uint8_t{LATHE_LIST});
        frame.number(uint32_t{2});
        for (const float number : numbers) {
            frame.number(uint8_t{LATHE_OPTIONAL});
            frame.number(uint32_t{1});
            frame.number(uint8_t{LATHE_TENSOR});
            frame.number(uint8_t{2}); // float
            frame.number(uint8_t{32});
            frame.number(uint32_t{0});
            frame.number(uint64_t{sizeof number});
            frame.number(number);
        }
        Reader reader(frame.bytes());
        ReadValue read;
        lathe_value value{};
        QVERIFY(read.read(reader, value) && reader.finished());
        QCOMPARE(value.count, int64_t{2});
        QCOMPARE(value.elements[1].form, LATHE_OPTIONAL);
        float second = 0;
        std::memcpy(&second, value.elements[1].elements[0].tensor.data, sizeof second);
        QCOMPARE(second, numbers[1]);
        Writer again;
        writeValue(again, value);
        QVERIFY(std::ranges::equal(again.bytes(), frame.bytes()));
    }

    void nestingIsBounded() {
        Writer frame;
        for (int depth = 0; depth < 100; ++depth) {
            frame.number(uint8_t{LATHE_LIST});
            frame.number(uint32_t{1});
        }
        frame.number(uint8_t{LATHE_LIST});
        frame.number(uint32_t{0});
        QVERIFY(!isRead(frame));
    }
};

Test test() {
    return {makes<TestValueFields>};
}

} // namespace lathe::testing::test_value_fields

#include "test_value_fields.moc"
