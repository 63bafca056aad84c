// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions in RE2's syntax: what they match, as Python's re.fullmatch says of those that both read alike, what they
// refuse, and that the time to match does not explode.
#include "frontend/common/regular_expression.h"
#include "runtime/text_match.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_regular_expression {

class TestRegularExpression : public QObject {
    Q_OBJECT

private slots:
    void matches_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("expected");
        const auto row = [](const char* expression, const char* text, bool expected) {
            QTest::addRow("%s on %s", expression, text) << QString(expression) << QString(text) << expected;
        };
        row(R"(www\.[\w.-]+\.\bcom\b)", "www.google.com", true);
        row(R"(www\.[\w.-]+\.\bcom\b)", "www.bbc.co.uk", false);
        row("a*", "", true);
        row("a*", "ab", false);
        row("(ab|cd)+e?", "abcde", true);
        row("(ab|cd)+e?", "", false);
        row("x{2,4}", "x", false);
        row("x{2,4}", "xxxx", true);
        row("x{2,4}", "xxxxx", false);
        row("x{3}?", "xxx", true);
        row("(a|b){2,}c", "bbbac", true);
        row("(a|b){2,}c", "ac", false);
        row("[^a-c]+", "xyz", true);
        row("[^a-c]+", "xbz", false);
        row("[]a]+", "]a]", true);
        row(R"([a\-z]+)", "a-z", true);
        row(R"([a\-z]+)", "b", false);
        row(".+", "a\nb", false);
        row("(?s).+", "a\nb", true);
        row("(?i)hello", "HeLLo", true);
        row("(?i)hello", "help", false);
        row("(?i:a)b", "AB", false);
        row("é+[à-ü]", "ééú", true);
        row("é+[à-ü]", "ee", false);
        row("[^é]", "é", false);
        row("[^é]", "😀", true);
        row("[[:alpha:]]+[[:^alpha:]]", "abc1", true);
        row(R"(\d{3}-\d{4})", "555-1234", true);
        row(R"(\d{3}-\d{4})", "5555-123", false);
        row(R"((?P<year>\d+)-(?:\w+))", "2024-may", true);
        row("^abc$", "abc", true);
        row("a$b", "ab", false);
        row(R"((?m)a$\n^b)", "a\nb", true);
        row(R"(\bfoo\b.*)", "foo bar", true);
        row(R"(\bfoo\b.*)", "foobar", false);
        row(R"(.*\Boo)", "foo", true);
        row(R"(.*\Boo)", "oo", false);
        row(R"(\x41\x{e9}\t)", "Aé\t", true);
        row(R"(\Qa.b\E+)", "a.bb", true);
        row(R"(\Qa.b\E)", "axb", false);
        row("a|", "", true);
        row("a|", "b", false);
        row("(a*)*b", "aaab", true);
        row("(a*)*b", "aaa", false);
        row("a{b", "a{b", true);
    }

    void matches() {
        QFETCH(QString, expression);
        QFETCH(QString, text);
        QFETCH(bool, expected);
        const auto program = frontend::compileExpression(expression.toStdString());
        QVERIFY2(program, program ? "" : program.error().what.c_str());
        runtime::TextMatcher matcher;
        QCOMPARE(matcher.matches(text.toStdString(), *program), expected);
    }

    void refuses_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<bool>("isRight"); // in RE2, but not done
        for (const char* wrong : {"(", "a)", "[a", "*a", "a**", "a{3,2}", "a{1001}", R"(\1)", R"(\y)", "[z-a]", "(?<a",
                                  "(?!a)", "[[:nothing:]]", R"(\x{110000})", "a\\"})
            QTest::newRow(wrong) << QString(wrong) << false;
        for (const char* right : {R"(\pL)", R"([\P{Greek}])", "(?i)é", "(a{1000}){1000}"})
            QTest::newRow(right) << QString(right) << true;
    }

    void refuses() {
        QFETCH(QString, expression);
        QFETCH(bool, isRight);
        const auto program = frontend::compileExpression(expression.toStdString());
        QVERIFY(!program);
        QVERIFY(program.error().kind == (isRight ? ErrorKind::Unsupported : ErrorKind::Invalid));
        QVERIFY(program.error().what.contains(expression.toStdString()));
    }

    void deepOnesAreRefused() {
        const std::string deep = std::string(100'000, '(') + std::string(100'000, ')');
        QVERIFY(!frontend::compileExpression(deep));
    }

    /// A matcher that tries one way after another needs 2^30 steps.
    void timeIsThatOfTheText() {
        const auto program = frontend::compileExpression("(a?){30}a{30}");
        QVERIFY(program);
        runtime::TextMatcher matcher;
        QVERIFY(matcher.matches(std::string(30, 'a'), *program));
        QVERIFY(!matcher.matches(std::string(61, 'a'), *program));
    }

    /// Nothing takes no instruction, so their limit does not end its repetitions: these are 1000^20.
    void repetitionsOfNothingEnd() {
        for (const std::string nothing : {"()", "(a{0})"}) {
            std::string expression = nothing;
            for (int i = 0; i < 20; ++i)
                expression = "(" + expression + "{1000})";
            const auto program = frontend::compileExpression(expression);
            QVERIFY(program);
            runtime::TextMatcher matcher;
            QVERIFY(matcher.matches("", *program));
            QVERIFY(!matcher.matches("a", *program));
        }
    }

    void bytesThatAreNoProgramMatchNothing() {
        runtime::TextMatcher matcher;
        QVERIFY(!matcher.matches("", ""));
        QVERIFY(!matcher.matches("abc", "no program"));
        QVERIFY(!matcher.matches("abc", std::string(1200, '\1'))); // splits that lead out of it
    }
};

Test test() {
    return {makes<TestRegularExpression>};
}

} // namespace lathe::testing::test_regular_expression

#include "test_regular_expression.moc"
