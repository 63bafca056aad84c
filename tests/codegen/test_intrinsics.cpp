// SPDX-License-Identifier: Apache-2.0
//
// Accuracy of float functions against the C library in double precision, in ulp of the float32 result, over sampled
// floats of the whole range; and special values. The bounds are those that emit_math.cpp states.
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace lathe::testing::test_intrinsics {

using namespace lathe::codegen::testing;
using arith::Intrinsic;

namespace {

constexpr int count = 1 << 15;

/// out[i] = f(a[i]) (b[i] as second operand), vectorized by so many or serial.
tir::PrimFuncPtr map(Intrinsic which, DataType type, DataType result, bool binary, tir::ForKind kind,
                     std::optional<double> second = {}, int64_t lanes = 8) {
    auto a = tir::makeBuffer("a", type, {Expr(count)}), b = tir::makeBuffer("b", type, {Expr(count)});
    auto out = tir::makeBuffer("out", result, {Expr(count)});
    Var i = arith::var("i"), v = arith::var("v");
    Expr at = i * Expr(lanes) + v;
    std::vector<Expr> args{arith::load(a, {at})};
    if (binary)
        args.push_back(second ? arith::floatImm(*second, type) : arith::load(b, {at}));
    tir::Stmt body = store(out, {at}, arith::call(which, args, result));
    return kernel("map", {a, b, out}, {}, loop(i, Expr(count / lanes), loop(v, Expr(lanes), body, kind)));
}

/// Floats of the whole range: every 2^32 / count-th bit pattern, offset by a prime.
std::vector<float> sampledFloats() {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) {
        uint32_t bits = static_cast<uint32_t>(i) * (0xffffffffu / count) + 977u * static_cast<uint32_t>(i % 131);
        std::memcpy(&values[static_cast<size_t>(i)], &bits, 4);
    }
    return values;
}

std::vector<float> evenly(double low, double high) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i)
        values[static_cast<size_t>(i)] = static_cast<float>(low + (high - low) * i / (count - 1));
    return values;
}

double ulps(float got, double wanted) {
    if (std::isnan(wanted))
        return std::isnan(got) ? 0 : 1e9;
    if (static_cast<float>(wanted) == got || (std::isinf(got) && std::fabs(wanted) > 3.4028235e38))
        return 0;
    int exponent = std::max(std::ilogb(wanted == 0 ? 0x1p-149 : wanted), -126);
    return std::fabs(got - wanted) / std::ldexp(1.0, exponent - 23);
}

} // namespace

class TestIntrinsics : public QObject {
    Q_OBJECT

private slots:
    /// Machines that scale by a power of two in one instruction give the bits that the others give, subnormal results included.
    void exponentialsAreTheSameOnAll_data() {
        QTest::addColumn<int>("which");
        QTest::addRow("exp") << static_cast<int>(Intrinsic::Exp);
        QTest::addRow("sigmoid") << static_cast<int>(Intrinsic::Sigmoid);
    }
    void exponentialsAreTheSameOnAll() {
        QFETCH(int, which);
        for (std::vector<float> a : {evenly(-106, 91), sampledFloats()}) {
            std::vector<std::vector<float>> results;
            for (const char* name : {"native", "x86-64-v3"})
                for (const int64_t lanes : {8, 16, 32}) {
                    Pipeline pipeline;
                    pipeline.target = *codegen::parseTarget(name);
                    if (!codegen::checkRunsHere(pipeline.target))
                        continue;
                    Loaded loaded({lowered(map(static_cast<Intrinsic>(which), types::Float32, types::Float32, false,
                                               tir::ForKind::Vectorized, {}, lanes),
                                           pipeline)},
                                  pipeline.target);
                    std::vector<float> b(count), out(count);
                    QCOMPARE(loaded.call("map", {address(a), address(b), address(out)}), 0);
                    results.push_back(std::move(out));
                }
            for (const std::vector<float>& result : results)
                QVERIFY(std::memcmp(result.data(), results.front().data(), count * sizeof(float)) == 0);
        }
    }

    void accuracy_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<double>("bound");
        auto row = [](const char* name, Intrinsic which, double low, double high, double bound) {
            QTest::addRow("%s", name) << static_cast<int>(which) << low << high << bound;
        };
        row("exp", Intrinsic::Exp, -105, 90, 1.0);
        row("log", Intrinsic::Log, 0.5, 2, 1.5);
        row("log large", Intrinsic::Log, 1e-3, 1e4, 1.5);
        row("log1p", Intrinsic::Log1p, -0.999, 3, 2.5);
        row("tanh", Intrinsic::Tanh, -10, 10, 2.0);
        row("erf", Intrinsic::Erf, -4.5, 4.5, 1.5);
        row("sigmoid", Intrinsic::Sigmoid, -104, 90, 2.5);
        row("sqrt", Intrinsic::Sqrt, 0, 100, 0.5);
        row("rsqrt", Intrinsic::Rsqrt, 1e-3, 100, 1.5);
        row("sin", Intrinsic::Sin, -100, 100, 0.6);
        row("sin before the runtime's", Intrinsic::Sin, 9e7, 1.1e8, 0.6);
        row("cos", Intrinsic::Cos, -100, 100, 0.6);
        row("tan", Intrinsic::Tan, -100, 100, 1.0); // 0.8 where the runtime computes
        row("expm1", Intrinsic::Expm1, -5, 5, 1.0);
    }
    void accuracy() {
        QFETCH(int, which);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, bound);
        const auto intrinsic = static_cast<Intrinsic>(which);
        auto exact = [&](double x) -> double {
            switch (intrinsic) {
            case Intrinsic::Exp:
                return std::exp(x);
            case Intrinsic::Log:
                return std::log(x);
            case Intrinsic::Log1p:
                return std::log1p(x);
            case Intrinsic::Tanh:
                return std::tanh(x);
            case Intrinsic::Erf:
                return std::erf(x);
            case Intrinsic::Sigmoid:
                return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
            case Intrinsic::Sqrt:
                return std::sqrt(x);
            case Intrinsic::Rsqrt:
                return 1 / std::sqrt(x);
            case Intrinsic::Sin:
                return std::sin(x);
            case Intrinsic::Cos:
                return std::cos(x);
            case Intrinsic::Tan:
                return std::tan(x);
            default:
                return std::expm1(x);
            }
        };
        for (const char* name : {"native", "x86-64-v2"}) {
            Target target = *codegen::parseTarget(name);
            const double allowed = target.hasFma ? bound : bound + 1.5; // separate roundings of products
            for (auto kind : {tir::ForKind::Vectorized, tir::ForKind::Serial}) {
                Pipeline pipeline;
                pipeline.target = target;
                Loaded loaded({lowered(map(intrinsic, types::Float32, types::Float32, false, kind), pipeline)}, target);
                for (std::vector<float> a : {evenly(low, high), sampledFloats()}) {
                    std::vector<float> b(count), out(count);
                    QCOMPARE(loaded.call("map", {address(a), address(b), address(out)}), 0);
                    double worst = 0;
                    float at = 0, gave = 0;
                    for (size_t i = 0; i < a.size(); ++i) {
                        double error = ulps(out[i], exact(a[i]));
                        if (error > worst) {
                            worst = error;
                            at = a[i];
                            gave = out[i];
                        }
                    }
                    QVERIFY2(worst <= allowed, qPrintable(QString("%1: %2 ulp at %3: %4, not %5")
                                                              .arg(name)
                                                              .arg(worst)
                                                              .arg(at, 0, 'g', 9)
                                                              .arg(gave, 0, 'g', 9)
                                                              .arg(exact(at), 0, 'g', 12)));
                }
            }
        }
    }

    void specialValues() {
        const float inf = INFINITY, nan = NAN;
        std::vector<float> a(count), b(count), out(count);
        const std::vector<float> inputs{inf, -inf, nan, 0.0f, -0.0f, 1e-42f, -1e-42f, 3e38f, -3e38f};
        std::copy(inputs.begin(), inputs.end(), a.begin());
        auto run = [&](Intrinsic which) {
            Loaded loaded({lowered(map(which, types::Float32, types::Float32, false, tir::ForKind::Vectorized))});
            loaded.call("map", {address(a), address(b), address(out)});
        };
        auto same = [](float x, float y) {
            return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
        };
        const std::vector<std::pair<Intrinsic, std::vector<float>>> expected{
            {Intrinsic::Exp, {inf, 0, nan, 1, 1, 1, 1, inf, 0}},
            {Intrinsic::Tanh, {1, -1, nan, 0, -0.0f, 1e-42f, -1e-42f, 1, -1}},
            {Intrinsic::Erf,
             {1, -1, nan, 0, -0.0f, static_cast<float>(std::erf(1e-42f)), static_cast<float>(std::erf(-1e-42f)), 1,
              -1}},
            {Intrinsic::Sigmoid, {1, 0, nan, 0.5f, 0.5f, 0.5f, 0.5f, 1, 0}},
            {Intrinsic::Log1p, {inf, nan, nan, 0, -0.0f, 1e-42f, -1e-42f, std::log1p(3e38f), nan}},
            {Intrinsic::Abs, {inf, inf, nan, 0, 0, 1e-42f, 1e-42f, 3e38f, 3e38f}},
            {Intrinsic::Sin,
             {nan, nan, nan, 0, -0.0f, 1e-42f, -1e-42f, static_cast<float>(std::sin(double{3e38f})),
              static_cast<float>(std::sin(-double{3e38f}))}},
            {Intrinsic::Cos,
             {nan, nan, nan, 1, 1, 1, 1, static_cast<float>(std::cos(double{3e38f})),
              static_cast<float>(std::cos(double{3e38f}))}},
            {Intrinsic::RoundEven, {inf, -inf, nan, 0, -0.0f, 0, -0.0f, 3e38f, -3e38f}},
        };
        for (const auto& [which, wanted] : expected) {
            run(which);
            for (size_t i = 0; i < wanted.size(); ++i)
                QVERIFY2(same(wanted[i], out[i]), qPrintable(QString("intrinsic %1 of %2: %3, not %4")
                                                                 .arg(static_cast<int>(which))
                                                                 .arg(inputs[i])
                                                                 .arg(out[i])
                                                                 .arg(wanted[i])));
        }
        run(Intrinsic::Log);
        QVERIFY(out[0] == inf && std::isnan(out[1]) && std::isnan(out[2]) && out[3] == -inf && out[4] == -inf &&
                std::isnan(out[6]));
        QVERIFY(std::fabs(out[5] - std::log(static_cast<double>(1e-42f))) < 1e-4);
    }

    void powers() {
        for (double e : {-1.0, 0.5, 1.0, 2.0, 3.0, 2.5}) {
            Loaded loaded(
                {lowered(map(Intrinsic::Pow, types::Float32, types::Float32, true, tir::ForKind::Vectorized, e))});
            std::vector<float> a = evenly(0, 50), b(count), out(count);
            a[0] = -0.0f;
            a[1] = -INFINITY;
            loaded.call("map", {address(a), address(b), address(out)});
            for (size_t i = 0; i < a.size(); ++i) {
                double wanted = std::pow(static_cast<double>(a[i]), e);
                QVERIFY2(ulps(out[i], wanted) <= 1.5,
                         qPrintable(QString("%1 ** %2: %3, not %4").arg(a[i]).arg(e).arg(out[i]).arg(wanted)));
            }
        }
    }

    /// The rest goes through the runtime's table; compare with the interpreter, which uses the C library too.
    void others() {
        for (Intrinsic which : {Intrinsic::Cos, Intrinsic::Tan, Intrinsic::Asin, Intrinsic::Acos, Intrinsic::Atan,
                                Intrinsic::Sinh, Intrinsic::Cosh, Intrinsic::Asinh, Intrinsic::Atanh, Intrinsic::Floor,
                                Intrinsic::Ceil, Intrinsic::Trunc, Intrinsic::CopySign})
            for (DataType type : {types::Float32, types::Float64}) {
                std::string message =
                    compare({map(which, type, type, which == Intrinsic::CopySign, tir::ForKind::Vectorized),
                             {},
                             1e-6,
                             -0.95,
                             0.95});
                QVERIFY2(message.empty(), message.c_str());
            }
        for (Intrinsic which : {Intrinsic::Exp, Intrinsic::Log, Intrinsic::Tanh, Intrinsic::Erf, Intrinsic::Sigmoid})
            QCOMPARE(
                compare(
                    {map(which, types::Float64, types::Float64, false, tir::ForKind::Vectorized), {}, 1e-14, 0.01, 3}),
                std::string());
    }

    /// Far behind the operand's end, where no memory need be: asked for, never read.
    void prefetchIsAHint() {
        for (const DataType type : {types::Float32, types::Float16, types::UInt8}) {
            auto a = tir::makeBuffer("a", type, {Expr(1024)}), out = tir::makeBuffer("out", type, {Expr(1024)});
            const Var i = arith::var("i");
            const Expr asked =
                arith::call(Intrinsic::Prefetch, {arith::load(a, {i + Expr(int64_t{1} << 30)})}, types::Int32);
            const tir::PrimFuncPtr function =
                kernel("asks", {a, out}, {},
                       loop(i, Expr(1024),
                            list({tir::makeStmt(tir::Evaluate{asked}, 0), store(out, {i}, arith::load(a, {i}))})));
            Case test;
            test.function = function;
            const std::string wrong = compare(test);
            QVERIFY2(wrong.empty(), wrong.c_str());
            const auto code = codegen::compileFunction(*lowered(function), {});
            QVERIFY(code.has_value());
            const auto instructions = codegen::disassembleWithLines(code->object);
            QVERIFY(instructions.has_value());
            if (codegen::nativeTarget().triple.starts_with("x86_64"))
                QCOMPARE(std::ranges::count_if(
                             *instructions,
                             [](const auto& each) { return each.text.find("prefetcht0") != std::string::npos; }),
                         1);
        }
    }
};

Test test() {
    return {makes<TestIntrinsics>};
}

} // namespace lathe::testing::test_intrinsics

#include "test_intrinsics.moc"
