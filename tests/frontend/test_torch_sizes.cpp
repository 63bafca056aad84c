// SPDX-License-Identifier: Apache-2.0
//
// Sizes as SymPy writes them: what they come to for numbers in place of symbols, as Python would compute it.
// Links: onnx
#include "arith/analysis.h"
#include "frontend/torch/size_expression.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <map>

namespace lathe::testing::test_torch_sizes {

using namespace frontend::torch;
using arith::Expr;

namespace {

std::optional<int64_t> value(std::string_view text, const std::map<std::string, int64_t>& numbers) {
    const Result<Expr> parsed = parseSize(text, [&](const std::string& name) -> Expr {
        const auto found = numbers.find(name);
        return found == numbers.end() ? Expr() : Expr(found->second);
    });
    return parsed && *parsed ? arith::asInt(*parsed) : std::nullopt;
}

bool isRefused(std::string_view text) {
    return !parseSize(text, [](const std::string&) -> Expr { return arith::symbol("s", 0, 100); });
}

} // namespace

class TestTorchSizes : public QObject {
    Q_OBJECT

private slots:
    void numbersComeOut_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("expected"); // of s0 = 7, s1 = 4
        const auto row = [](const char* text, int expected) { QTest::newRow(text) << QString(text) << expected; };
        row("s0", 7);
        row("12", 12);
        row("2*s0 + 1", 15);
        row("s0 - 1 - 1", 5);
        row("-s0 + 10", 3);
        row("(s0//2)", 3);
        row("((s0 - 8)//2)", -1);
        row("s0**2", 49);
        row("2*s0**2", 98);
        row("-2**2 + 10", 6);
        row("s0 % s1", 3);
        row("Mod(s0, 2)", 1);
        row("Max(1, s0, s1)", 7);
        row("Min(s0, s1)", 4);
        row("floor(s0/2)", 3);
        row("ceiling(s0/2)", 4);
        row("floor(s0/2 - 1/2) + 1", 4);
        row("s0/2 + 1/2", 4);
        row("Symbol('s0', positive=True, integer=True)", 7);
        row("Add(Symbol('s0', integer=True), Integer(1))", 8);
        row("Mul(Integer(4), Symbol('s1', positive=True, integer=True))", 16);
        row("FloorDiv(Symbol('s0', integer=True), Integer(2))", 3);
        row("floor(Mul(Rational(1, 2), Symbol('s0')))", 3);
        row("CeilDiv(s0, 2)", 4);
        row("Pow(Symbol('s0'), Integer(2))", 49);
        row("GreaterThan(Symbol('s0', integer=True), Integer(7))", 1);
        row("StrictLessThan(s0, s1)", 0);
        row("s0 >= 8", 0);
        row("s0 != s1", 1);
    }
    void numbersComeOut() {
        QFETCH(QString, text);
        QFETCH(int, expected);
        QCOMPARE(value(text.toStdString(), {{"s0", 7}, {"s1", 4}}), std::optional<int64_t>(expected));
    }

    void anUnknownSymbolIsNoFault() {
        const Result<Expr> parsed = parseSize("2*u0", [](const std::string&) { return Expr(); });
        QVERIFY(parsed && !*parsed);
    }

    void whatIsRefused_data() {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const QString& text) { QTest::newRow(name) << text; };
        row("empty", "");
        row("cut off", "s0 +");
        row("bracket", "(s0");
        row("more", "s0 s1");
        row("function", "sin(s0)");
        row("large", "99999999999999999999");
        row("division by what may be 0", "10 // s0");
        row("division by 0", "s0 // 0");
        row("remainder", "Mod(s0, s0)");
        row("large power", "s0**100");
        row("negative power", "s0**-2");
        row("condition in a sum", "(s0 > 1) + 1");
        row("deep brackets", QString("(").repeated(5000) + "s0" + QString(")").repeated(5000));
        row("deep minus", QString("-").repeated(5000) + "s0");
        row("deep calls", QString("floor(").repeated(5000) + "s0" + QString(")").repeated(5000));
        row("long", QString("s0 * s0 + ").repeated(10000) + "s0");
        row("quotes", "Symbol('s0)");
    }
    void whatIsRefused() {
        QFETCH(QString, text);
        QVERIFY(isRefused(text.toStdString()));
    }

    void symbolsAlone() {
        QCOMPARE(asSymbol("s0"), std::optional<std::string>("s0"));
        QCOMPARE(asSymbol("Symbol('s77', positive=True, integer=True)"), std::optional<std::string>("s77"));
        QVERIFY(!asSymbol("s0 + 1") && !asSymbol("7") && !asSymbol("s0 + s1") && !asSymbol("("));
    }

    void aSymbolIsSolvedFor() {
        const auto none = [](const std::string&) { return Expr(); };
        const std::optional<Solved> solved = solve("4*s0 + 1", 13, none);
        QVERIFY(solved);
        QCOMPARE(solved->symbol, std::string("s0"));
        QCOMPARE(arith::asInt(solved->value), std::optional<int64_t>(3));
        QVERIFY(arith::provablyTrue(solved->condition));
        const std::optional<Solved> odd = solve("4*s0", 13, none);
        QVERIFY(odd && arith::provablyFalse(odd->condition));
        QVERIFY(!solve("s0*s1", 12, none) && !solve("s0//2", 3, none) && !solve("7", 7, none));
        const auto known = [](const std::string& name) { return name == "s1" ? Expr(2) : Expr(); };
        QCOMPARE(arith::asInt(solve("s0*s1", 12, known)->value), std::optional<int64_t>(6));
    }
};

Test test() {
    return {makes<TestTorchSizes>};
}

} // namespace lathe::testing::test_torch_sizes

#include "test_torch_sizes.moc"
