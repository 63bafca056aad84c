// SPDX-License-Identifier: Apache-2.0
// Text of expressions: what is printed reads back, precedence decides, a language refuses what it has not, and hostile
// text is refused without deep recursion.
#include "arith/parse.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_parse {

using namespace lathe::arith;

namespace {

const Expr& known(const std::string& name) {
    static const std::unordered_map<std::string, Expr> all = {{"a", symbol("a")}, {"b", symbol("b")}};
    static const Expr none;
    const auto found = all.find(name);
    return found == all.end() ? none : found->second;
}

/// Without products, and with bools out of compares alone.
class Sums : ScannedExprParser {
public:
    explicit Sums(Scanner& in) : ScannedExprParser(in, 1000) {}
    using ScannedExprParser::expr;

private:
    bool has(ExprKind kind) const override { return kind != ExprKind::Mul; }
    Expr named(const std::string& word) override {
        if (Expr name = known(word))
            return name;
        Expr result = function(word);
        if (!result)
            fail("unknown name");
        return result ? result : Expr(0);
    }
};

/// The expression's text, or the line of the error.
QString parsed(const std::string& text) {
    Scanner in(text, {.comment = '#'});
    Expr result = Sums(in).expr();
    if (!in.atEnd())
        in.fail("expected the end");
    return in.failed() ? QString("line %1").arg(in.error().line) : QString::fromStdString(toString(result));
}

} // namespace

class TestParse : public QObject {
    Q_OBJECT

private slots:
    void texts_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) { QTest::newRow(text) << text << expected; };
        const auto same = [&](const char* text) { row(text, text); };
        same("a - b - 3");
        same("a - (b - 3)");
        same("a <= b && a + 1 != b || !(a < 3)");
        same("min(a, max(b, 2)) + floordiv(a, 4) - floormod(b, 3)");
        same("select(a == b, a, 7)");
        same("a << 2 & b >> 1");
        row("( a )+((b))", "a + b");
        row("a -1", "a - 1");
        row("a - -1", "a - (-1)");
        row("a # the rest of a line\n + b", "a + b");
        row("a + -9223372036854775808", "a + (-9223372036854775808)");
        row("a + 9223372036854775808", "line 1");
        row("a +\n b *\n a", "line 2");
        row("a + c", "line 1");
        row("a && b", "line 1");
        row("!a", "line 1");
        row("a + (a < b)", "line 1");
        row("select(a, a, b)", "line 1");
        row("min(a)", "line 1");
        row("min(a, b", "line 1");
        row("a -> b", "line 1");
        row("a b", "line 1");
        row("- 1", "line 1");
        row("", "line 1");
    }

    void texts() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(parsed(text.toStdString()), expected);
    }

    void deepTextIsRefused() {
        QCOMPARE(parsed(std::string(200, '(') + "a" + std::string(200, ')')), QString("a"));
        std::string sum = "a", functions;
        for (int i = 0; i < 100'000; ++i) {
            sum += " + b";
            functions += "min(a, ";
        }
        for (const std::string& text : {std::string(100'000, '('), std::string(100'000, '!'), sum, functions})
            QCOMPARE(parsed(text), QString("line 1"));
    }

    void quotedTexts() {
        const auto rest = [](std::string_view text, Scanner::Quoting quoting) {
            Scanner in(text);
            std::string result;
            return in.quotedRest('"', quoting, result) && in.atEnd() ? QString::fromStdString(result) : QString("-");
        };
        QCOMPARE(rest("a\\x41\"", {.hex = true}), QString("aA"));
        QCOMPARE(rest("a\\x4\"", {.hex = true}), QString("-"));
        QCOMPARE(rest("a\\q\"", {.hex = true}), QString("-"));
        QCOMPARE(rest("a\\q\\n\"", {.any = true}), QString("aqn"));
        QCOMPARE(rest("a\\\"\\n\"", {.any = true, .newlines = true}), QString("a\"\n"));
        QCOMPARE(rest("a\nb\"", {.any = true}), QString("-"));
        QCOMPARE(rest("a\nb\"", {.lines = true}), QString("a\nb"));
        QCOMPARE(rest("a\\", {.any = true}), QString("-"));
        QCOMPARE(rest("a", {}), QString("-"));
    }
};

Test test() {
    return {makes<TestParse>};
}

} // namespace lathe::testing::test_parse

#include "test_parse.moc"
