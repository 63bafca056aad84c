// SPDX-License-Identifier: Apache-2.0
//
// Text: case as Unicode's simple mappings have it, pieces as Python's str.split gives them, numbers in their forms.
// Runs: sanitized
#include "runtime/text.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>

namespace lathe::testing::test_text {

using namespace std::string_literals;

namespace {

std::string lower(std::string_view text) {
    std::string result;
    runtime::appendLower(text, result);
    return result;
}

std::string upper(std::string_view text) {
    std::string result;
    runtime::appendUpper(text, result);
    return result;
}

std::string asciiLower(std::string_view text) {
    std::string result;
    runtime::appendAsciiLower(text, result);
    return result;
}

std::string asciiUpper(std::string_view text) {
    std::string result;
    runtime::appendAsciiUpper(text, result);
    return result;
}

} // namespace

class TestText : public QObject {
    Q_OBJECT

private slots:
    void cases() {
        QCOMPARE(lower("ÀÉÎ ΑΩ ЖЯ Ǆ ẞ İ 𐐀"), "àéî αω жя ǆ ß i 𐐨"s);
        QCOMPARE(upper("àéî αως жя ÿ ſ ᾀ 𐐨 1"), "ÀÉÎ ΑΩΣ ЖЯ Ÿ S ᾈ 𐐀 1"s);
        QCOMPARE(upper("ß"), "ß"s);                                                      // which has no one upper case
        QCOMPARE(lower("A\xff\xc3"s + "B\xed\xa0\x80"), "a\xff\xc3"s + "b\xed\xa0\x80"); // no UTF-8 stays
        QCOMPARE(upper(""), ""s);
        QCOMPARE(asciiLower("@AZ[ É\xff 1"), "@az[ É\xff 1"s);
        QCOMPARE(asciiUpper("`az{ é\xff 1"), "`AZ{ é\xff 1"s);
    }

    void pieces() {
        using runtime::endOfPiece, runtime::skipTo;
        const std::string text = "  ab\u00a0c\u3000";
        QCOMPARE(skipTo(text, "", 0), int64_t{2});
        QCOMPARE(endOfPiece(text, "", 2), int64_t{4});
        QCOMPARE(skipTo(text, "", 4), int64_t{6});
        QCOMPARE(endOfPiece(text, "", 6), int64_t{7});
        QCOMPARE(skipTo(text, "", 7), std::ssize(text));
        QCOMPARE(endOfPiece("a--b-c", "--", 0), int64_t{1});
        QCOMPARE(skipTo("a--b", "--", 3), int64_t{3});
        QCOMPARE(endOfPiece("a--b", "--", 3), int64_t{4});
    }

    void numbers() {
        double value = 0;
        const std::pair<const char*, double> right[] = {
            {"3.14", 3.14}, {" 1e-5\n", 1e-5}, {"1E8", 1e8}, {"+.5", 0.5}, {"-7.", -7.0}};
        for (const auto& [text, expected] : right) {
            QVERIFY2(runtime::readFloat64(text, value), text);
            QCOMPARE(value, expected);
        }
        for (const char* text : {"INF", "+inf", "Infinity"})
            QVERIFY(runtime::readFloat64(text, value) && std::isinf(value) && value > 0);
        QVERIFY(runtime::readFloat64("-INF", value) && std::isinf(value) && value < 0);
        QVERIFY(runtime::readFloat64("NaN", value) && std::isnan(value));
        for (const char* text : {"", " ", "1,5", "0x10", "1e", "e5", ".", "1 2", "nan(1)", "+-1", "infinit"})
            QVERIFY2(!runtime::readFloat64(text, value), text);
        float narrow = 0; // a rounding to double on the way would give 1
        QVERIFY(runtime::readFloat32("1.00000005960464477539062500001", narrow));
        QVERIFY(narrow == std::nextafter(1.0f, 2.0f));
        int64_t integer = 0;
        QVERIFY(runtime::readInt(" +12 ", true, integer) && integer == 12);
        for (const char* text : {"", "1.0", "9223372036854775808", "+-1", "1e3", "--1"})
            QVERIFY2(!runtime::readInt(text, true, integer), text);
        QVERIFY(!runtime::readInt("-1", false, integer));
    }
};

Test test() {
    return {makes<TestText>};
}

} // namespace lathe::testing::test_text

#include "test_text.moc"
