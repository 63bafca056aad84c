// SPDX-License-Identifier: Apache-2.0
//
// Casts between all data types, and integer arithmetic at its edges, against the interpreter (whose conversions are
// tested against the formats' definitions), scalar and vectorized, with and without hardware conversion of float16.
// In release alone: what is looked at are values that compiled kernels give, and sanitizers do not see into these.
// Runs: release
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_casts {

using namespace lathe::codegen::testing;
using arith::Intrinsic;

namespace {

constexpr int count = 512;

/// out_j[i] = cast(a[i], to_j), vectorized; at most 8 types at once.
tir::PrimFuncPtr convert(DataType from, const std::vector<DataType>& to, Intrinsic mode, int n = count) {
    auto a = tir::makeBuffer("a", from, {Expr(n)});
    std::vector<tir::BufferPtr> buffers{a};
    std::vector<tir::Stmt> stores;
    Var i = arith::var("i"), v = arith::var("v");
    Expr at = i * Expr(8) + v;
    for (DataType type : to) {
        buffers.push_back(tir::makeBuffer("to_" + toString(type), type, {Expr(n)}));
        Expr value = arith::load(a, {at});
        value = mode == Intrinsic::None ? arith::cast(value, type) : arith::call(mode, {value}, type);
        stores.push_back(store(buffers.back(), {at}, value));
    }
    return kernel("convert", buffers, {},
                  loop(i, Expr(n / 8), loop(v, Expr(8), list(stores), tir::ForKind::Vectorized)),
                  static_cast<int>(to.size()));
}

/// Several operations at once: out_k = a op_k b, or with a constant on the right.
tir::PrimFuncPtr binary(const std::vector<arith::ExprKind>& kinds, DataType type, std::optional<int64_t> constant) {
    using K = arith::ExprKind;
    auto a = tir::makeBuffer("a", type, {Expr(count)}), b = tir::makeBuffer("b", type, {Expr(count)});
    std::vector<tir::BufferPtr> buffers{a, b};
    std::vector<tir::Stmt> stores;
    Var i = arith::var("i"), v = arith::var("v");
    Expr at = i * Expr(8) + v;
    for (K kind : kinds) {
        buffers.push_back(tir::makeBuffer("kind_" + std::to_string(static_cast<int>(kind)), type, {Expr(count)}));
        Expr right = constant ? arith::intImm(*constant, type) : arith::load(b, {at});
        const bool division = kind == K::Div || kind == K::Mod || kind == K::FloorDiv || kind == K::FloorMod;
        if (division && !constant)
            right = arith::select(arith::eq(right, arith::zero(type)), arith::one(type), right);
        stores.push_back(store(buffers.back(), {at}, arith::binary(kind, arith::load(a, {at}), right)));
    }
    return kernel("binary", buffers, {},
                  loop(i, Expr(count / 8), loop(v, Expr(8), list(stores), tir::ForKind::Vectorized)),
                  static_cast<int>(kinds.size()));
}

const std::vector<DataType>& allTypes() {
    static const std::vector<DataType> types{types::Bool,
                                             types::Int2,
                                             types::UInt2,
                                             types::Int4,
                                             types::UInt4,
                                             types::Int8,
                                             types::UInt8,
                                             types::Int16,
                                             types::UInt16,
                                             types::Int32,
                                             types::UInt32,
                                             types::Int64,
                                             types::UInt64,
                                             types::Float16,
                                             types::BFloat16,
                                             types::Float32,
                                             types::Float64,
                                             *parseDataType("float8_e4m3fn"),
                                             *parseDataType("float8_e4m3fnuz"),
                                             *parseDataType("float8_e5m2"),
                                             *parseDataType("float8_e5m2fnuz"),
                                             *parseDataType("float8_e8m0"),
                                             *parseDataType("float4_e2m1")};
    return types;
}

} // namespace

class TestCasts : public QObject {
    Q_OBJECT

private slots:
    /// A chain of roundings is as long as it is, and no tree of what each asks for.
    void manyRoundings() {
        constexpr int roundings = 40;
        auto a = tir::makeBuffer("a", types::Float32, {Expr(count)}),
             b = tir::makeBuffer("b", types::Float32, {Expr(count)});
        Var i = arith::var("i"), v = arith::var("v");
        const Expr at = i * Expr(8) + v;
        Expr value = arith::load(a, {at});
        for (int k = 0; k < roundings; ++k)
            value = arith::cast(arith::cast(value, types::Float16), types::Float32) *
                    arith::floatImm(k % 2 == 0 ? 1.0 / 3 : 3.0, types::Float32);
        const auto function =
            kernel("chain", {a, b}, {},
                   loop(i, Expr(count / 8), loop(v, Expr(8), store(b, {at}, value), tir::ForKind::Vectorized)), 1);
        const std::string message = compare({function, {}, 0, -100, 100, INT64_MIN, INT64_MAX, true});
        QVERIFY2(message.empty(), message.c_str());
    }

    void everyPair_data() {
        QTest::addColumn<int>("from");
        for (size_t i = 0; i < allTypes().size(); ++i)
            QTest::addRow("%s", toString(allTypes()[i]).c_str()) << static_cast<int>(i);
    }
    void everyPair() {
        QFETCH(int, from);
        DataType type = allTypes()[static_cast<size_t>(from)];
        for (size_t first = 0; first < allTypes().size(); first += 8) {
            auto begin = allTypes().begin() + static_cast<std::ptrdiff_t>(first);
            std::vector<DataType> to(begin, std::min(begin + 8, allTypes().end()));
            // Up to large values, for saturation and overflow.
            Case test{convert(type, to, Intrinsic::None), {}, 0, -70000, 70000, INT64_MIN, INT64_MAX, true};
            std::string message = compare(test);
            QVERIFY2(message.empty(), message.c_str());
        }
    }

    /// One element, and a constant: no vector and no load hides what it is.
    void constants() {
        for (DataType type : allTypes()) {
            const auto out = tir::makeBuffer("out", type, {Expr(2)});
            const Expr one = arith::cast(Expr(1), type);
            const tir::Stmt body = list({store(out, {Expr(0)}, one), store(out, {Expr(1)}, arith::zero(type))});
            const std::string message = compare({kernel("constants", {out}, {}, body, 1), {}});
            QVERIFY2(message.empty(), (toString(type) + ": " + message).c_str());
        }
    }

    /// All bit patterns of narrow floats.
    void allPatterns() {
        for (DataType type : allTypes()) {
            if (!type.isFloat() || type.bits > 16)
                continue;
            Case test{convert(type, {types::Float32, types::Float64, types::BFloat16, types::Int32}, Intrinsic::None,
                              1 << type.bits),
                      {}};
            test.everyPattern = true;
            std::string message = compare(test);
            QVERIFY2(message.empty(), (toString(type) + ": " + message).c_str());
        }
    }

    void modes() {
        std::vector<DataType> narrow;
        for (DataType to : allTypes())
            if (to.isFloat() && to.bits < 16)
                narrow.push_back(to);
        for (DataType from : {types::Float32, types::Float16, types::BFloat16}) {
            QCOMPARE(compare({convert(from, narrow, Intrinsic::CastNoSaturate), {}, 0, -60000, 60000, 0, 1, true}),
                     std::string());
            for (Intrinsic mode : {Intrinsic::CastE8M0Up, Intrinsic::CastE8M0Down})
                QCOMPARE(
                    compare({convert(from, {*parseDataType("float8_e8m0")}, mode), {}, 0, -60000, 60000, 0, 1, true}),
                    std::string());
        }
    }

    void integers() {
        using K = arith::ExprKind;
        for (DataType type : {types::Int8, types::UInt8, types::Int32, types::Int64, types::UInt64, types::Int4})
            for (std::optional<int64_t> constant : {std::optional<int64_t>(), std::optional<int64_t>(3),
                                                    std::optional<int64_t>(4), std::optional<int64_t>(-1)}) {
                if (constant == -1 && !type.isSigned())
                    continue;
                for (const std::vector<K>& kinds :
                     {std::vector<K>{K::Div, K::Mod, K::FloorDiv, K::FloorMod},
                      std::vector<K>{K::Add, K::Sub, K::Mul, K::Min, K::Max, K::BitAnd, K::Shl, K::Shr}}) {
                    std::string message =
                        compare({binary(kinds, type, constant), {}, 0, 0, 1, INT64_MIN, INT64_MAX, true});
                    QVERIFY2(message.empty(), (toString(type) + " " + message).c_str());
                }
            }
    }

    void floats() {
        using K = arith::ExprKind;
        for (DataType type : {types::Float32, types::Float64})
            QCOMPARE(
                compare(
                    {binary({K::Div, K::Mod, K::FloorDiv, K::FloorMod, K::Min, K::Max}, type, std::nullopt), {}, 1e-6}),
                std::string());
        for (DataType type :
             {types::Float16, types::BFloat16}) // rounded once, as the interpreter does after one operation
            QCOMPARE(compare({binary({K::Add, K::Mul, K::Min, K::Max}, type, std::nullopt), {}}), std::string());
    }
};

Test test() {
    return {makes<TestCasts>};
}

} // namespace lathe::testing::test_casts

#include "test_casts.moc"
