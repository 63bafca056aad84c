// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators against values worked out by hand or known from NumPy: types, wrap-around, NaN, broadcasting.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

#include <cmath>
#include <limits>

namespace lathe::testing::test_elementwise {

using relay::Op;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
} // namespace

class TestElementwise : public QObject {
    Q_OBJECT
private slots:
    void unaryFloats() {
        const Value x = f32({6}, {-1.5, -0.5, 0.5, 1.5, 2.5, notANumber});
        EXPECT(run(Op::Round, {x}), ({6}), {-2, -0.0, 0, 2, 2, notANumber});
        EXPECT(run(Op::Floor, {x}), ({6}), {-2, -1, 0, 1, 2, notANumber});
        EXPECT(run(Op::Ceil, {x}), ({6}), {-1, 0, 1, 2, 3, notANumber});
        EXPECT(run(Op::Relu, {x}), ({6}), {0, 0, 0.5, 1.5, 2.5, notANumber});
        EXPECT(run(Op::Sign, {x}), ({6}), {-1, -1, 1, 1, 1, notANumber});
        EXPECT(run(Op::Abs, {x}), ({6}), {1.5, 0.5, 0.5, 1.5, 2.5, notANumber});
        EXPECT(run(Op::Negative, {x}), ({6}), {1.5, 0.5, -0.5, -1.5, -2.5, notANumber});
        EXPECT(run(Op::Reciprocal, {f32({3}, {2, 0, -4})}), ({3}), {0.5, inf, -0.25});
        EXPECT(run(Op::Sigmoid, {f32({3}, {0, 100, -100})}), ({3}), {0.5, 1, 0});
        EXPECT(run(Op::Erf, {f32({3}, {0, 1, -2})}), ({3}), {0, 0.8427007929, -0.9953222650});
        EXPECT(run(Op::Tanh, {f32({2}, {0.5, -20})}), ({2}), {0.46211715726, -1});
    }
    void negationKeepsTheSignOfZero() {
        const Outcome y = run(Op::Negative, {f32({2}, {0.0, -0.0})});
        QVERIFY2(y.error.empty(), y.error.c_str());
        QVERIFY(std::signbit(y[0].data[0]) && !std::signbit(y[0].data[1]));
    }
    void unaryIntegers() {
        EXPECT(run(Op::Abs, {typed(types::Int8, {3}, {-5, 5, -128})}), ({3}), {5, 5, -128});
        EXPECT(run(Op::Sign, {typed(types::UInt8, {2}, {0, 200})}), ({2}), {0, 1});
        EXPECT(run(Op::BitwiseNot, {typed(types::UInt8, {2}, {0, 200})}), ({2}), {255, 55});
        EXPECT(run(Op::Negative, {typed(types::Int32, {2}, {7, -2147483648.0})}), ({2}), {-7, -2147483648.0});
    }
    void testsForNanAndInfinity() {
        const Value x = f32({4}, {inf, -inf, notANumber, 1});
        EXPECT(run(Op::IsNan, {x}), ({4}), {0, 0, 1, 0});
        EXPECT(run(Op::IsInf, {x}), ({4}), {1, 1, 0, 0});
        relay::IsInfAttrs attrs;
        attrs.positive = false;
        EXPECT(run(Op::IsInf, {x}, attrs), ({4}), {0, 1, 0, 0});
    }
    void narrowFloatsRoundOnceAtTheEnd() {
        // 2049 is not a float16: 2048 + 1 rounds to even.
        EXPECT(run(Op::Add, {typed(types::Float16, {2}, {2048, 1}), typed(types::Float16, {1}, {1})}), ({2}), {2048, 2},
               0);
        EXPECT(run(Op::Exp, {typed(types::BFloat16, {1}, {1})}), ({1}), {2.71875}, 0);
    }
    void broadcasting() {
        for (Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown}) {
            EXPECT(run(Op::Add, {counting({2, 3}), f32({3}, {10, 20, 30})}, nullptr, dims), ({2, 3}),
                   {10, 21, 32, 13, 24, 35});
            EXPECT(run(Op::Multiply, {f32({2, 1}, {1, 2}), f32({1, 3}, {1, 2, 3})}, nullptr, dims), ({2, 3}),
                   {1, 2, 3, 2, 4, 6});
            EXPECT(run(Op::Subtract, {f32({}, {1}), f32({2}, {1, 2})}, nullptr, dims), ({2}), {0, -1});
            EXPECT(run(Op::Add, {f32({0, 3}, {}), f32({3}, {1, 2, 3})}, nullptr, dims), ({0, 3}), {});
        }
    }
    void integerDivision() {
        const Value a = typed(types::Int32, {4}, {7, -7, 7, -7}), b = typed(types::Int32, {4}, {2, 2, -2, -2});
        EXPECT(run(Op::Divide, {a, b}), ({4}), {3, -3, -3, 3});
        relay::ModAttrs attrs;
        EXPECT(run(Op::Mod, {a, b}, attrs), ({4}), {1, 1, -1, -1});
        attrs.fmod = true;
        EXPECT(run(Op::Mod, {a, b}, attrs), ({4}), {1, -1, 1, -1});
        EXPECT(run(Op::Divide, {typed(types::Int32, {1}, {-2147483648.0}), typed(types::Int32, {1}, {-1})}), ({1}),
               {-2147483648.0});
        QVERIFY(run(Op::Divide, {a, typed(types::Int32, {1}, {0})}).error.find("division by zero") !=
                std::string::npos);
        QVERIFY(run(Op::Mod, {a, typed(types::Int32, {4}, {1, 1, 0, 1})}, attrs).error.find("division by zero") !=
                std::string::npos);
    }
    void floatModulo() {
        relay::ModAttrs attrs;
        const Value a = f32({4}, {5.5, -5.5, 5.5, -6}), b = f32({4}, {2, 2, -2, 2});
        EXPECT(run(Op::Mod, {a, b}, attrs), ({4}), {1.5, 0.5, -0.5, 0});
        attrs.fmod = true;
        EXPECT(run(Op::Mod, {a, b}, attrs), ({4}), {1.5, -1.5, 1.5, 0});
    }
    void powers() {
        EXPECT(run(Op::Power, {typed(types::Int32, {3}, {2, -3, 7}), typed(types::Int64, {3}, {10, 3, 0})}), ({3}),
               {1024, -27, 1});
        EXPECT(run(Op::Power, {f32({2}, {2, 9}), f32({1}, {0.5})}), ({2}), {1.41421356, 3});
        EXPECT(run(Op::Power, {typed(types::Int32, {2}, {4, 3}), f32({2}, {0.5, 2})}), ({2}), {2, 9});
        EXPECT(run(Op::Power, {typed(types::UInt8, {1}, {2}), typed(types::Int64, {1}, {9})}), ({1}), {0});
    }
    void minimaOfNan() {
        EXPECT(run(Op::Maximum, {f32({3}, {1, notANumber, 3}), f32({3}, {2, 0, notANumber})}), ({3}),
               {2, notANumber, notANumber});
        EXPECT(run(Op::Minimum, {f32({3}, {1, notANumber, 3}), f32({3}, {2, 0, notANumber})}), ({3}),
               {1, notANumber, notANumber});
    }
    void comparesAndLogic() {
        const Value a = f32({3}, {1, 2, notANumber}), b = f32({3}, {2, 2, notANumber});
        EXPECT(run(Op::Less, {a, b}), ({3}), {1, 0, 0});
        EXPECT(run(Op::GreaterEqual, {a, b}), ({3}), {0, 1, 0});
        EXPECT(run(Op::Equal, {a, b}), ({3}), {0, 1, 0});
        EXPECT(run(Op::NotEqual, {a, b}), ({3}), {1, 0, 1});
        const Value p = typed(types::Bool, {4}, {0, 0, 1, 1}), q = typed(types::Bool, {4}, {0, 1, 0, 1});
        EXPECT(run(Op::LogicalAnd, {p, q}), ({4}), {0, 0, 0, 1});
        EXPECT(run(Op::LogicalOr, {p, q}), ({4}), {0, 1, 1, 1});
        EXPECT(run(Op::LogicalXor, {p, q}), ({4}), {0, 1, 1, 0});
        EXPECT(run(Op::LogicalNot, {p}), ({4}), {1, 1, 0, 0});
    }
    void bits() {
        const Value a = typed(types::UInt8, {3}, {12, 255, 1}), b = typed(types::UInt8, {3}, {10, 4, 8});
        EXPECT(run(Op::BitwiseAnd, {a, b}), ({3}), {8, 4, 0});
        EXPECT(run(Op::BitwiseOr, {a, b}), ({3}), {14, 255, 9});
        EXPECT(run(Op::BitwiseXor, {a, b}), ({3}), {6, 251, 9});
        EXPECT(run(Op::LeftShift, {a, b}), ({3}), {0, 240, 0});
        EXPECT(run(Op::RightShift, {a, b}), ({3}), {0, 15, 0});
    }
    void where() {
        EXPECT(run(Op::Where, {typed(types::Bool, {2, 1}, {1, 0}), f32({3}, {1, 2, 3}), f32({}, {9})}), ({2, 3}),
               {1, 2, 3, 9, 9, 9});
    }
    void casts() {
        relay::CastAttrs attrs;
        attrs.dtype = types::Int32;
        EXPECT(run(Op::Cast, {f32({4}, {-1.9, 1.9, 1e20, notANumber})}, attrs), ({4}), {-1, 1, 2147483647, 0}, 0);
        attrs.dtype = types::Bool;
        EXPECT(run(Op::Cast, {f32({3}, {0, 0.5, notANumber})}, attrs), ({3}), {0, 1, 1});
        attrs.dtype = types::UInt8;
        EXPECT(run(Op::Cast, {typed(types::Int32, {2}, {-1, 300})}, attrs), ({2}), {255, 44});
        attrs.dtype = {TypeCode::Float8E4M3FN, 8};
        EXPECT(run(Op::Cast, {f32({3}, {1e6, 0.3, -17})}, attrs), ({3}), {448, 0.3125, -16}, 0);
        attrs.saturate = false;
        EXPECT(run(Op::Cast, {f32({2}, {1e6, 1})}, attrs), ({2}), {notANumber, 1}, 0);
        attrs.dtype = types::Int32;
        EXPECT(run(Op::BitCast, {f32({1}, {1})}, attrs), ({1}), {1065353216});
    }
};

Test test() {
    return {makes<TestElementwise>};
}

} // namespace lathe::testing::test_elementwise

#include "test_elementwise.moc"
