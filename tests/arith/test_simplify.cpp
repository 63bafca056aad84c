// SPDX-License-Identifier: Apache-2.0
// The simplifier against evaluation: random expressions have the same value before and after, lie in their bounds and
// in their residue class. Beside that, the forms that schedules and shapes rely on.
#include "arith/analysis.h"
#include "support/cpu_time.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

namespace lathe::testing::test_simplify {

using namespace lathe::arith;

namespace {

/// Random index expressions over a few Vars with small ranges.
class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {
        vars_ = {var("i", types::Index, 0, 15), var("j", types::Index, 0, 3), var("n", types::Index, 1, 40),
                 var("x", types::Index, -20, 20)};
    }

    int64_t below(int64_t limit) { return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_); }

    Expr index(int depth) {
        if (depth == 0 || below(6) == 0)
            return below(3) == 0 ? Expr(below(41) - 20) : Expr(vars_[static_cast<size_t>(below(4))]);
        Expr a = index(depth - 1);
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
            return a + index(depth - 1);
        case 3:
            return a - index(depth - 1);
        case 4:
            return a * Expr(below(13) - 4);
        case 5:
            return a * index(depth - 1);
        case 6:
            return floorDiv(a, divisor(depth));
        case 7:
            return floorMod(a, divisor(depth));
        case 8:
            return min(a, index(depth - 1));
        case 9:
            return max(a, index(depth - 1));
        case 10:
            return select(condition(depth - 1), a, index(depth - 1));
        default:
            return below(2) == 0 ? div(a, divisor(depth)) : mod(a, divisor(depth));
        }
    }

    Expr condition(int depth) {
        Expr a = index(depth / 2);
        Expr b = index(depth / 2);
        switch (below(9)) {
        case 0:
            return lt(a, b);
        case 1:
            return le(a, b);
        case 2:
            return gt(a, b);
        case 3:
            return ge(a, b);
        case 4:
            return eq(a, b);
        case 5:
            return ne(a, b);
        case 6:
            return depth > 0 ? logicalAnd(condition(depth - 1), condition(depth - 1)) : lt(a, b);
        case 7:
            return depth > 0 ? logicalOr(condition(depth - 1), condition(depth - 1)) : eq(a, b);
        default:
            return depth > 0 ? logicalNot(condition(depth - 1)) : ge(a, b);
        }
    }

    std::unordered_map<const ExprNode*, int64_t> assignment() {
        std::unordered_map<const ExprNode*, int64_t> values;
        for (const Var& var : vars_)
            values[var.get()] = var->lower + below(var->upper - var->lower + 1);
        return values;
    }

private:
    Expr divisor(int depth) {
        static constexpr int64_t divisors[] = {1, 2, 3, 4, 6, 8, 16, -3, -4};
        if (below(5) == 0)
            return below(2) == 0 ? Expr(vars_[2]) : index(depth - 1);
        return Expr(divisors[below(9)]);
    }

    std::mt19937 random_;
    std::vector<Var> vars_;
};

} // namespace

class TestSimplify : public QObject {
    Q_OBJECT

private slots:
    void valuesStay() {
        for (unsigned seed = 0; seed < 4000; ++seed) {
            Generator generator(seed);
            Expr expr = generator.index(2 + static_cast<int>(seed % 4));
            Expr simple = simplify(expr);
            Interval interval = bounds(expr);
            Congruence residue = congruence(expr);
            for (int i = 0; i < 12; ++i) {
                auto values = generator.assignment();
                auto before = evaluate(expr, values);
                if (!before)
                    continue; // a division by zero in it
                auto after = evaluate(simple, values);
                auto message = [&] { return QByteArray::fromStdString(toString(expr) + "  ->  " + toString(simple)); };
                QVERIFY2(after == before, message());
                QVERIFY2(interval.lower <= *before && *before <= interval.upper, message());
                if (residue.modulus == 0)
                    QVERIFY2(*before == residue.remainder, message());
                else
                    QVERIFY2((*before - residue.remainder) % residue.modulus == 0, message());
            }
        }
    }

    /// What the values are is said by mathematics, not by the evaluation that `valuesStay` asks.
    void floorDivisionsByTheirDefinition() {
        const auto floored = [](int64_t a, int64_t b) {
            return static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
        };
        for (const auto& [lower, upper] : {std::pair<int64_t, int64_t>{-13, -2}, {-7, 5}, {0, 11}, {4, 4}}) {
            const Var x = var("x", types::Index, lower, upper);
            for (const int64_t scale : {-6, -1, 1, 4})
                for (const int64_t offset : {-5, 0, 8})
                    for (int64_t b = -8; b <= 8; ++b) {
                        if (b == 0)
                            continue;
                        const Expr a = x * Expr(scale) + Expr(offset);
                        for (const bool isRest : {false, true}) {
                            const Expr expr = isRest ? floorMod(a, Expr(b)) : floorDiv(a, Expr(b));
                            const Expr simple = simplify(expr);
                            const Interval interval = bounds(expr);
                            const Congruence residue = congruence(expr);
                            for (int64_t value = lower; value <= upper; ++value) {
                                const int64_t dividend = value * scale + offset, quotient = floored(dividend, b);
                                const int64_t expected = isRest ? dividend - quotient * b : quotient;
                                const auto message = [&] {
                                    return QString("%1 at x = %2 is %3")
                                        .arg(toString(expr).c_str())
                                        .arg(value)
                                        .arg(expected)
                                        .toUtf8();
                                };
                                QVERIFY2(evaluate(simple, {{x.get(), value}}) == expected, message());
                                QVERIFY2(interval.lower <= expected && expected <= interval.upper, message());
                                QVERIFY2(residue.modulus == 0 ? expected == residue.remainder
                                                              : (expected - residue.remainder) % residue.modulus == 0,
                                         message());
                            }
                        }
                    }
        }
    }

    /// The difference of the two is within 64 bits one way, and beyond them the other.
    void extremesAtTheEndOfTheRange() {
        const Var x = var("x", types::Index, 0, 10);
        const Expr least = x + Expr(std::numeric_limits<int64_t>::min());
        const std::unordered_map<const ExprNode*, int64_t> values{{x.get(), 3}};
        for (const auto& [a, b] : {std::pair(least, Expr(0)), std::pair(Expr(0), least)}) {
            QCOMPARE(evaluate(simplify(max(a, b)), values), std::optional<int64_t>(0));
            QCOMPARE(evaluate(simplify(min(a, b)), values),
                     std::optional<int64_t>(std::numeric_limits<int64_t>::min() + 3));
        }
    }

    void conditionsStay() {
        for (unsigned seed = 0; seed < 3000; ++seed) {
            Generator generator(seed);
            Expr expr = generator.condition(3);
            Facts facts;
            Expr truth = generator.condition(2);
            facts.truths.push_back(truth);
            Expr simple = simplify(expr, facts);
            for (int i = 0; i < 12; ++i) {
                auto values = generator.assignment();
                auto before = evaluate(expr, values);
                if (!before || evaluate(truth, values) != 1)
                    continue;
                QVERIFY2(evaluate(simple, values) == before,
                         qPrintable(QString::fromStdString(toString(truth) + " |- " + toString(expr) + "  ->  " +
                                                           toString(simple))));
            }
        }
    }

    void simplifyingAgainChangesNothing() {
        int differing = 0;
        for (unsigned seed = 0; seed < 500; ++seed) {
            Expr once = simplify(Generator(seed).index(4));
            differing += simplify(once).same(once) ? 0 : 1;
        }
        QVERIFY2(differing <= 15, qPrintable(QString::number(differing)));
    }

    void canonicalForms_data() {
        QTest::addColumn<QString>("actual");
        QTest::addColumn<QString>("expected");
        Var i = var("i", types::Index, 0, 15), j = var("j", types::Index, 0, 3), n = symbol("n", 1, 4096);
        Var x = var("x"), ko = var("ko", types::Index, 0, 7);
        Facts below;
        below.truths.push_back(lt(x, n));
        below.truths.push_back(ge(x, 0));
        auto row = [](const char* name, const Expr& expr, const char* expected, const Facts& facts = {}) {
            QTest::newRow(name) << QString::fromStdString(toString(simplify(expr, facts))) << expected;
        };
        row("like terms", x + n + x * 3 - n, "x * 4");
        row("distributes", (x + 2) * 3 - x, "x * 2 + 6");
        row("split div", floorDiv(x * 16 + i, 16), "x");
        row("split mod", floorMod(x * 16 + i, 16), "i");
        row("div by part", floorDiv(x * 16 + j, 8), "x * 2");
        row("mod by part", floorMod(x * 8 + j, 16), "floormod(x, 2) * 8 + j");
        row("nested div", floorDiv(floorDiv(x, 4), 8), "floordiv(x, 32)");
        row("div and mod join", floorDiv(x, 4) * 4 + floorMod(x, 4), "x");
        row("rest of a division", n - floorDiv(n, 6) * 6, "floormod(n, 6)");
        row("symbolic div", floorDiv(x * n + i, n), "x + floordiv(i, n)");
        row("symbolic div below", floorDiv(i * n + x, n), "i", below);
        row("symbolic mod below", floorMod(i * n + x, n), "x", below);
        row("fuse and split", floorMod(floorDiv(ko * 64 + i * 4 + j, 4), 16) * 4 + floorMod(ko * 64 + i * 4 + j, 4),
            "i * 4 + j");
        row("compare by bounds", lt(ko * 16 + i, 128), "true");
        row("compare scaled", lt(x * 4 + 3, n * 4), "x < n");
        row("equal parity", eq(x * 2, n * 2 + 1), "false");
        row("min by bounds", min(j, i + 3), "j");
        row("min stays", min(n, 6), "min(n, 6)");
        row("predicate dropped", logicalAnd(lt(x, 5), lt(x, 10)), "x < 5");
        row("select of equal", select(lt(x, n), x + 0, x * 1), "x");
        row("trunc of positive", div(i, 4) * 4 + mod(i, 4), "i");
        row("select of lanes alike", select(broadcast(lt(i, 99), 4), broadcast(x, 4), broadcast(n, 4)),
            "broadcast(x, 4)");
        row("logic of lanes alike", logicalAnd(logicalNot(broadcast(lt(n, x), 4)), broadcast(lt(i, 99), 4)),
            "broadcast(x < n + 1, 4)");
        row("ceildiv multiple", ceilDiv(n * 8, 8), "n");
    }

    void canonicalForms() {
        QFETCH(QString, actual);
        QFETCH(QString, expected);
        QCOMPARE(actual, expected);
    }

    void boundsOfTiles() {
        Var io = var("io"), m = symbol("m", 1, 1 << 20);
        QCOMPARE(bounds(min(Expr(6), m - io * 6)).upper, 6);
        QVERIFY(provablyTrue(le(min(Expr(6), m - io * 6) + io * 6, m)));
        QVERIFY(provablyTrue(ge(ceilDiv(m, 6) * 6, m)));
        QVERIFY(provablyTrue(lt(ceilDiv(m, 6) * 6 - m, 6)));
        QCOMPARE(bounds(floorMod(io, 5)), (Interval{0, 4}));
        QCOMPARE(bounds(io), Interval{});
        Facts facts;
        facts.bind(Var(io.node()), {0, 9});
        QCOMPARE(bounds(io * 6 + 5, facts), (Interval{5, 59}));
    }

    void divisibility() {
        Var x = var("x"), n = symbol("n");
        QVERIFY(divisible(x * 64 + n * 16 + 32, 16));
        QVERIFY(!divisible(x * 64 + n * 8, 16));
        QVERIFY(divisible(floorDiv(x * 64, 4), 16));
        QCOMPARE(congruence(x * 6 + 5).modulus, 6);
        QCOMPARE(congruence(x * 6 + 5).remainder, 5);
    }

    void affineForms() {
        Var i = var("i"), j = var("j"), n = symbol("n");
        std::vector<Var> vars{i, j};
        auto form = asAffine((i * n + j) * 4 + n, vars);
        QVERIFY(form.has_value());
        QCOMPARE(toString(form->base), std::string("n"));
        QCOMPARE(toString(form->coefficients[0]), std::string("n * 4"));
        QCOMPARE(toString(form->coefficients[1]), std::string("4"));
        QVERIFY(!asAffine(i * j, vars).has_value());
        QVERIFY(!asAffine(floorDiv(i, 2), vars).has_value());
    }

    void equalValues() {
        Var a = symbol("a"), b = symbol("b");
        QVERIFY(provablyEqual((a + b) * (a + b), a * a + a * b * 2 + b * b));
        QVERIFY(!provablyEqual(a, b));
        Facts facts;
        facts.truths.push_back(eq(a, b));
        QVERIFY(provablyEqual(a * 2, b * 2, facts));
    }

    void dataIntegersAndFloatsStayInOrder() {
        Var f = var("f", types::Float32), g = var("g", types::Int32);
        QCOMPARE(toString(simplify(f + floatImm(0, types::Float32))), std::string("f + 0:float32"));
        QVERIFY(simplify(f * floatImm(1, types::Float32)).same(f));
        QVERIFY(simplify(g + intImm(0, types::Int32)).same(g));
        QCOMPARE(toString(simplify(f - f)), std::string("f - f"));
        QVERIFY(simplify(cast(cast(symbol("n"), types::Int64), types::Index)).kind() == ExprKind::Var);
    }

    void manyTermsAndDeepSharingEndQuickly() {
        const double begin = cpuSeconds();
        Expr sum(0);
        for (int i = 0; i < 600; ++i)
            sum = sum + var("v" + std::to_string(i)) * Expr(i);
        simplify(sum);
        Expr deep = var("x");
        for (int i = 0; i < 40; ++i)
            deep = floorMod(deep + deep * 3 + 1, 7 + i) + floorDiv(deep, 3);
        simplify(deep);
        Expr product = var("y") + 1;
        for (int i = 0; i < 30; ++i)
            product = product * (var("z" + std::to_string(i)) + 1);
        simplify(product);
        Expr least = var("m0");
        for (int i = 1; i < 100; ++i)
            least = min(least, var("m" + std::to_string(i)) + i);
        simplify(least);
        Expr flat = 0; // a place in a tensor each dim of which is a sum
        for (int k = 0; k < 5; ++k) {
            Expr dim = symbol("d" + std::to_string(k));
            for (int i = 0; i < 6; ++i)
                dim = dim + select(eq(var("axis" + std::to_string(i)), k), var("pad" + std::to_string(i)), 0);
            flat = flat * dim + var("i" + std::to_string(k));
        }
        simplify(floorMod(flat, symbol("n")) + floorDiv(flat, 16));
        const double took =
            cpuSeconds() - begin; // where the work doubles with each level, or with each pair, it is minutes
        QVERIFY2(took < 30, qPrintable(QString::number(took)));
    }
};

Test test() {
    return {makes<TestSimplify>};
}

} // namespace lathe::testing::test_simplify

#include "test_simplify.moc"
