// SPDX-License-Identifier: Apache-2.0
// The recipe that dense layers stand on: packed weights, register tile, fused epilogue, tails under predicates.
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_matmul {

using arith::Expr;
using schedule::Schedule;

namespace {

/// D = max(C + bias, 0), C[m, n] = sum over k of A[m, k] * packed[n / 16, k, n % 16].
tir::PrimFuncPtr dense(const Expr& m, const Expr& n, const Expr& k, const std::vector<arith::Var>& scalars) {
    auto a = te::placeholder("A", types::Float32, {m, k});
    auto packed = te::placeholder("packed", types::Float32, {ceilDiv(n, 16), k, 16});
    auto bias = te::placeholder("bias", types::Float32, {n});
    auto c = te::reduce(
        "C", {m, n}, te::ReduceKind::Sum, {k},
        [&](auto& i, auto& r) {
            return (*a)({i[0], r[0]}) * (*packed)({floorDiv(i[1], 16), r[0], floorMod(i[1], 16)});
        },
        0);
    auto d = te::compute(
        "D", {m, n},
        [&](auto& i) { return arith::max((*c)({i[0], i[1]}) + (*bias)({i[1]}), arith::zero(types::Float32)); }, 1);
    return te::toTir("dense", {a, packed, bias}, {d}, scalars);
}

void recipe(Schedule& s, bool inlineCopy) {
    auto loops = s.loops({"C"});
    auto m = s.split(loops[0], {-1, 6});
    auto n = s.split(loops[1], {-1, 16});
    auto k = loops[2];
    s.reorder({n[0], m[0], k, m[1], n[1]});
    auto copy = s.cacheWrite({"C"}, 0, tir::Scope::Local);
    if (inlineCopy) {
        s.computeInline(copy);
        s.reverseComputeAt({"D"}, m[0]);
    } else {
        s.reverseComputeAt(copy, m[0]);
        s.reverseComputeInline({"D"});
    }
    auto init = s.decomposeReduction({"C"}, k);
    s.unroll(m[1]);
    s.vectorize(n[1]);
    for (const auto& block : {init, schedule::BlockRef{inlineCopy ? "D" : "C_cache"}}) {
        auto around = s.loops(block);
        s.unroll(around[around.size() - 2]);
        s.vectorize(around.back());
    }
    s.parallel(s.fuse({n[0], m[0]}));
}

} // namespace

class TestMatmul : public QObject {
    Q_OBJECT

private slots:
    void keepsMeaning_data() {
        QTest::addColumn<bool>("inlineCopy");
        QTest::newRow("copy inlined into the epilogue") << true;
        QTest::newRow("epilogue inlined into the copy") << false;
    }

    void keepsMeaning() {
        QFETCH(bool, inlineCopy);
        arith::Var m = arith::symbol("m");
        for (int64_t n : {32, 40, 5}) {
            auto before = dense(m, n, 7, {m});
            Schedule s(before);
            recipe(s, inlineCopy);
            SAME(*before, *s.function(), {{0}, {1}, {6}, {7}, {17}});
        }
        auto fixed = dense(12, 32, 5, {});
        Schedule s(fixed);
        recipe(s, inlineCopy);
        QVERIFY(!s.get(schedule::BlockRef{"C"}).predicate);
        SAME(*fixed, *s.function());
    }

    void accumulatorsAreARegisterTile() {
        arith::Var m = arith::symbol("m");
        Schedule s(dense(m, 40, 7, {m}));
        recipe(s, true);
        const tir::Buffer& tile = *s.get(schedule::BlockRef{"C"}).writes[0].buffer;
        QVERIFY(tile.scope == tir::Scope::Local);
        QCOMPARE(tile.shape.size(), size_t(2));
        QVERIFY(arith::isConst(tile.shape[0], 6) && arith::isConst(tile.shape[1], 16));
        std::string text = tir::print(*s.function());
        if (qEnvironmentVariableIsSet("LATHE_SHOW"))
            qInfo("%s\n%s", text.c_str(), print(s.trace()).c_str());
    }

    void symbolicEverything() {
        arith::Var m = arith::symbol("m"), n = arith::symbol("n"), k = arith::symbol("k");
        auto before = dense(m, n, k, {m, n, k});
        Schedule s(before);
        recipe(s, true);
        SAME(*before, *s.function(), {{0, 0, 0}, {1, 1, 1}, {7, 17, 3}, {6, 16, 0}, {13, 40, 9}});
    }
};

Test test() {
    return {makes<TestMatmul>};
}

} // namespace lathe::testing::test_matmul

#include "test_matmul.moc"
