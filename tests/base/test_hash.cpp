// SPDX-License-Identifier: Apache-2.0
// Content hashes against the reference values of xxHash (XXH3_128bits without seed, in its own self-test), each for the
// first N bytes of the generated input that they are stated for: one length a code path of the algorithm.
#include "base/hash.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <vector>

namespace lathe::testing::test_hash {

namespace {

/// The reference's input: the high bytes of 2654435761 * 11400714785074694797^i mod 2^64.
std::vector<std::byte> referenceInput(size_t size) {
    std::vector<std::byte> bytes(size);
    uint64_t state = 2654435761U;
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(state >> 56);
        state *= 11400714785074694797ULL;
    }
    return bytes;
}

} // namespace

class TestHash : public QObject {
    Q_OBJECT

private slots:
    void reference_data() {
        QTest::addColumn<int>("length");
        QTest::addColumn<Hash128>("expected");
        const auto row = [](int length, uint64_t low, uint64_t high) {
            QTest::addRow("%d bytes", length) << length << Hash128{high, low};
        };
        row(0, 0x6001c324468d497f, 0x99aa06d3014798d8);
        row(1, 0xc44bdff4074eecdb, 0xa6cd5e9392000f6a);
        row(6, 0x3e7039bdda43cfc6, 0x082afe0b8162d12a);
        row(12, 0x061a192713f69ad9, 0x6e3efd8fc7802b18);
        row(24, 0x1e7044d28b1b901d, 0x0ce966e4678d3761);
        row(48, 0xf942219aed80f67b, 0xa002ac4e5478227e);
        row(81, 0x5e8bafb9f95fb803, 0x4952f58181ab0042);
        row(222, 0xf1aebd597cec6b3a, 0x337e09641b948717);
        row(403, 0xcdeb804d65c6dea4, 0x1b6de21e332dd73d);
        row(512, 0x617e49599013cb6b, 0x18d2d110dcc9bca1);
        row(2048, 0xdd59e2c3a5f038e0, 0xf736557fd47073a5);
        row(2240, 0x6e73a90539cf2948, 0xccb134fbfa7ce49d);
        row(2367, 0xcb37aeb9e5d361ed, 0xe89c0f6ff369b427);
    }
    void reference() {
        QFETCH(int, length);
        QFETCH(Hash128, expected);
        const std::vector<std::byte> bytes = referenceInput(static_cast<size_t>(length));
        QCOMPARE(toString(hashBytes(bytes)), toString(expected));
    }

    void hexadecimal() { QCOMPARE(toString(Hash128{1, 0xabc}), std::string("00000000000000010000000000000abc")); }

    // A Hasher is the same algorithm over lengths and contents, so that ("ab", "c") and ("a", "bc") differ.
    void hasherFeedsLengthsAndContents() {
        const std::vector<std::byte> bytes = referenceInput(1000);
        std::vector<std::byte> fed;
        const auto addNumber = [&](uint64_t value) {
            const auto raw = std::bit_cast<std::array<std::byte, 8>>(value);
            fed.insert(fed.end(), raw.begin(), raw.end());
        };
        Hasher hasher;
        hasher.add(uint64_t{7});
        addNumber(7);
        hasher.addBytes(bytes);
        addNumber(bytes.size());
        fed.insert(fed.end(), bytes.begin(), bytes.end());
        hasher.add(Hash128{3, 4});
        addNumber(3);
        addNumber(4);
        QCOMPARE(toString(hasher.finish()), toString(hashBytes(fed)));
        Hasher first, second;
        first.add("ab");
        first.add("c");
        second.add("a");
        second.add("bc");
        QVERIFY(first.finish() != second.finish());
    }

    void speed() {
        const std::vector<std::byte> bytes = referenceInput(size_t{1} << 24);
        QBENCHMARK {
            hashBytes(bytes);
        }
    }
};

Test test() {
    return {makes<TestHash>};
}

} // namespace lathe::testing::test_hash

#include "test_hash.moc"
