// SPDX-License-Identifier: Apache-2.0
// Folding of constants by the rules in arith/expr.h, types, comparison, hashing and text of expressions.
#include "arith/expr.h"
#include "arith/scalar.h"
#include "base/result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::testing::test_expr {

using namespace lathe::arith;

namespace {

Expr i8(int64_t value) {
    return intImm(value, types::Int8);
}

Expr f32(double value) {
    return floatImm(value, types::Float32);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

} // namespace

class TestExpr : public QObject {
    Q_OBJECT

private slots:
    void integersWrap() {
        QVERIFY(asInt(i8(127) + i8(1)) == -128);
        QVERIFY(asInt(div(i8(-128), i8(-1))) == -128);
        QVERIFY(asInt(intImm(250, types::UInt8) + intImm(10, types::UInt8)) == 4);
        QVERIFY(!asInt(intImm(-1, types::UInt64)));
        QVERIFY(asInt(div(intImm(-1, types::UInt64), intImm(2, types::UInt64))) == std::numeric_limits<int64_t>::max());
        QVERIFY(asInt(intImm(9, types::Int4)) == -7);
    }

    void divisionsRoundAsStated() {
        QVERIFY(asInt(div(Expr(-7), Expr(2))) == -3);
        QVERIFY(asInt(mod(Expr(-7), Expr(2))) == -1);
        QVERIFY(asInt(floorDiv(Expr(-7), Expr(2))) == -4);
        QVERIFY(asInt(floorMod(Expr(-7), Expr(2))) == 1);
        QVERIFY(asInt(floorMod(Expr(7), Expr(-2))) == -1);
        QVERIFY(asInt(ceilDiv(Expr(7), Expr(2))) == 4);
        QVERIFY(!isConst(div(Expr(1), Expr(0))));
    }

    /// Quotient and remainder by their definition in mathematics, for either sign of both.
    void floorDivisionByItsDefinition() {
        for (int64_t a = -30; a <= 30; ++a)
            for (int64_t b = -9; b <= 9; ++b) {
                if (b == 0)
                    continue;
                const auto quotient = static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
                const int64_t rest = a - quotient * b;
                const QByteArray message = QByteArray::number(qint64(a)) + " by " + QByteArray::number(qint64(b));
                QVERIFY2(std::abs(rest) < std::abs(b) && rest * b >= 0, message); // of the divisor's sign
                QVERIFY2(floorDivide(a, b) == quotient, message);
                QVERIFY2(floorModulo(a, b) == rest, message);
                for (const DataType type : {types::Index, types::Int8, types::Int64}) {
                    QVERIFY2(isConst(floorDiv(intImm(a, type), intImm(b, type)), quotient), message);
                    QVERIFY2(isConst(floorMod(intImm(a, type), intImm(b, type)), rest), message);
                }
            }
    }

    void indexOverflowStaysUnfolded() {
        Expr most(std::numeric_limits<int64_t>::max());
        QVERIFY(!isConst(most + 1));
        QVERIFY(!isConst(most * 2));
        QVERIFY(asInt(most - 1) == std::numeric_limits<int64_t>::max() - 1);
    }

    void shiftsBeyondTheWidth() {
        auto i32 = [](int64_t value) { return intImm(value, types::Int32); };
        QVERIFY(asInt(binary(ExprKind::Shl, i32(1), i32(32))) == 0);
        QVERIFY(asInt(binary(ExprKind::Shr, i32(-5), i32(40))) == -1);
        QVERIFY(asInt(binary(ExprKind::Shr, intImm(128, types::UInt8), intImm(1, types::UInt8))) == 64);
    }

    void floatsFollowIeee() {
        QVERIFY(asFloat(div(f32(1), f32(3))) == static_cast<double>(1.0f / 3.0f));
        QVERIFY(asFloat(f32(16777216) + f32(1)) == 16777216.0);
        QVERIFY(std::isnan(*asFloat(min(f32(notANumber), f32(1)))));
        QVERIFY(std::isnan(*asFloat(max(f32(1), f32(notANumber)))));
        QVERIFY(asFloat(div(f32(1), f32(0))) == infinity);
        QVERIFY(std::signbit(*asFloat(-f32(0))));
    }

    void castsAsStated() {
        QVERIFY(asInt(cast(f32(-1.9), types::Int32)) == -1);
        QVERIFY(asInt(cast(f32(1e20), types::Int32)) == 2147483647);
        QVERIFY(asInt(cast(f32(notANumber), types::Int64)) == 0);
        QVERIFY(asInt(cast(f32(-3), types::UInt8)) == 0);
        QVERIFY(asInt(cast(f32(300), types::UInt8)) == 255);
        QVERIFY(asInt(cast(f32(9), types::Int4)) == -7);
        QVERIFY(asInt(cast(f32(0.25), types::Bool)) == 1);
        QVERIFY(asInt(cast(intImm(300, types::Int32), types::UInt8)) == 44);
        QVERIFY(asFloat(cast(intImm((int64_t{1} << 24) + 1, types::Int64), types::Float32)) == 16777216.0);
    }

    void limitsOfTypes() {
        QVERIFY(asInt(lowest(types::Int16)) == -32768);
        QVERIFY(asInt(highest(types::UInt8)) == 255);
        QVERIFY(asFloat(lowest(types::Float32)) == -infinity);
        QVERIFY(asFloat(highest({TypeCode::Float8E4M3FN, 8})) == 448.0);
        QVERIFY(asInt(lowest(types::Index)) == std::numeric_limits<int64_t>::min());
    }

    void operandTypesMustAgree() {
        QVERIFY_THROWS_EXCEPTION(InternalError, f32(1) + Expr(1));
        QVERIFY(lt(broadcast(var("x"), 4), broadcast(Expr(1), 4)).dtype() == types::Bool.withLanes(4));
    }

    void rewritesKeepSharedNodes() {
        Var x = var("x");
        Expr deep = x;
        for (int i = 0; i < 60; ++i)
            deep = deep + deep; // 2^60 paths
        Expr replaced = substitute(deep, {{x.get(), var("y")}});
        QCOMPARE(freeVars(replaced).front()->name, std::string("y"));
        QVERIFY(substitute(deep, {{var("z").get(), x}}).same(deep));
        std::unordered_map<const void*, uint64_t> numbersA, numbersB;
        Hasher a, b;
        hashInto(a, deep, numbersA);
        hashInto(b, replaced, numbersB);
        QVERIFY(a.finish() == b.finish());
        VarMap vars;
        QVERIFY(structurallyEqual(deep, replaced, &vars, true));
    }

    void visitsOperandsFirst() {
        Var x = var("x"), y = var("y");
        const Expr shared = x * y;
        Expr deep = max(shared, x) + shared;
        for (int i = 0; i < 60; ++i)
            deep = deep * deep; // 2^60 paths
        std::vector<const ExprNode*> seen;
        visitUpwards(deep, [&](const Expr& node) {
            for (const Expr& arg : node->args)
                QVERIFY(std::ranges::find(seen, arg.get()) != seen.end());
            QVERIFY(std::ranges::find(seen, node.get()) == seen.end());
            seen.push_back(node.get());
        });
        QCOMPARE(seen.size(), size_t{65});
        QVERIFY(seen.back() == deep.get());
    }

    void equalityIsOneToOne() {
        Var x = var("x"), y = var("y"), u = var("u"), v = var("v");
        VarMap vars;
        QVERIFY(structurallyEqual(x + y, u + v, &vars, true));
        VarMap other;
        QVERIFY(!structurallyEqual(x + y, u + u, &other, true));
        VarMap another;
        QVERIFY(!structurallyEqual(x + x, u + v, &another, true));
        QVERIFY(!structurallyEqual(x + 1, x + 2));
    }

    void textHasTheBracketsItNeeds() {
        Var a = var("a"), b = var("b"), c = var("c");
        QCOMPARE(toString((a + b) * c), std::string("(a + b) * c"));
        QCOMPARE(toString(a - (b - c)), std::string("a - (b - c)"));
        QCOMPARE(toString((a - b) - c), std::string("a - b - c"));
        QCOMPARE(toString(a * Expr(-3)), std::string("a * (-3)"));
        QCOMPARE(toString(floorDiv(a + 3, 4)), std::string("floordiv(a + 3, 4)"));
        QCOMPARE(toString(select(lt(a, b), a, b)), std::string("select(a < b, a, b)"));
        QCOMPARE(toString(logicalNot(logicalAnd(lt(a, b), ge(b, c)))), std::string("!(a < b && b >= c)"));
        QCOMPARE(sizeText(floorDiv(a + 3, 4)), std::string("floordiv(a + 3, 4)"));
        QCOMPARE(sizeText(max(a, select(lt(a, b), a, b))), std::string("?"));
        Var x = var("x", types::Float32);
        QCOMPARE(toString(call(Intrinsic::Exp, {x}, types::Float32)), std::string("exp:float32(x)"));
        QCOMPARE(toString(x + floatImm(0.1, types::Float32)), std::string("x + 0.1:float32"));
        auto storage = std::make_shared<Storage>();
        storage->name = "A";
        storage->dtype = types::Float32;
        QCOMPARE(toString(load(storage, {a, b + 1})), std::string("A[a, b + 1]"));
    }

    void conditionsComeApart() {
        Expr a = symbol("a"), b = symbol("b");
        Expr first = lt(a, 4), second = eq(b, 2), third = le(a, b);
        auto parts = conjuncts(logicalAnd(first, logicalAnd(logicalAnd(second, boolImm(true)), third)));
        QCOMPARE(parts.size(), 3u);
        QVERIFY(parts[0].same(first) && parts[1].same(second) && parts[2].same(third));
        QVERIFY(structurallyEqual(conjunction(parts), logicalAnd(logicalAnd(first, second), third)));
        QVERIFY(conjuncts({}).empty() && conjuncts(boolImm(true)).empty() && !conjunction({}));
    }

    void varsInOrder() {
        Var a = symbol("a"), b = symbol("b"), c = symbol("c");
        Expr both = max(b, a) * b;
        QVERIFY(mentions(both, a) && !mentions(both, c) && !mentions({}, a));
        VarCollector vars;
        vars.leaveOut(c);
        for (const Expr& expr : {Expr(), both, Expr(1), a + c})
            vars.add(expr);
        QCOMPARE(vars.vars().size(), 2u);
        QVERIFY(vars.vars()[0].same(b) && vars.vars()[1].same(a));
    }

    void powersOfIntegersWrap() {
        QCOMPARE(intPower(3, 4), 81);
        QCOMPARE(intPower(-2, 63), std::numeric_limits<int64_t>::min());
        QCOMPARE(intPower(2, 64), 0);
        QCOMPARE(intPower(0, 0), 1);
        QCOMPARE(intPower(-1, -3), -1);
        QCOMPARE(intPower(2, -1), 0);
        QCOMPARE(intPower(0, -1), 0);
    }
};

Test test() {
    return {makes<TestExpr>};
}

} // namespace lathe::testing::test_expr

#include "test_expr.moc"
