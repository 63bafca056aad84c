// SPDX-License-Identifier: Apache-2.0
// Inlining, caches, layouts and reductions keep meaning and refuse what would not.
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_blocks {

using arith::Expr;
using schedule::Schedule;

class TestBlocks : public QObject {
    Q_OBJECT

private slots:
    void inlinesProducers() {
        arith::Var n = arith::symbol("n");
        auto before = chain(n, 3, {n});
        Schedule s(before);
        s.computeInline({"B"});
        QCOMPARE(s.blocks().size(), size_t(1));
        QVERIFY(!holds(tir::print(*s.function()), "allocate"));
        SAME(*before, *s.function(), {{0}, {5}});
        REFUSED(s, "makes the result", s.computeInline({"C"}));
    }

    void inlinesConsumers() {
        auto a = te::placeholder("A", types::Float32, {4, 6});
        auto b = te::compute("B", {4, 6}, [&](auto& i) { return (*a)({i[0], i[1]}) + (*a)({i[0], 0}); }, 0);
        auto c = te::compute("C", {6, 4}, [&](auto& i) { return (*b)({i[1], i[0]}) * (*a)({i[1], i[0]}); }, 1);
        auto before = te::toTir("transpose", {a}, {c}, {});
        Schedule s(before);
        s.split(s.loops({"B"})[1], {-1, 4});
        s.reverseComputeInline({"C"});
        QCOMPARE(s.blocks().size(), size_t(1));
        SAME(*before, *s.function());
    }

    void inlineRefuses() {
        auto function = matmul(4, 5, 6, true);
        Schedule s(function);
        REFUSED(s, "is a reduction", s.computeInline({"C"}));
        REFUSED(s, "is a reduction", s.reverseComputeInline({"D"}));
        auto a = te::placeholder("A", types::Float32, {8});
        auto b = te::compute("B", {8}, [&](auto& i) { return (*a)({i[0]}); }, 0);
        auto checked = te::checked(
            "checked", b, tir::CheckKind::InvalidValue, "negative",
            [&](auto&, Expr element) { return arith::ge(element, arith::floatImm(-100, types::Float32)); }, 0);
        auto c = te::compute("C", {7}, [&](auto& i) { return (*checked)({i[0] + 1}); }, 0);
        auto checks = te::toTir("checks", {a}, {c}, {});
        Schedule t(checks);
        REFUSED(t, "more than one store", t.computeInline({"checked"}));
        REFUSED(t, "more than one store", t.reverseComputeInline({"C"}));
        t.computeInline({"B"});
        SAME(*checks, *t.function());
    }

    /// Inlined, it would draw a seed for each element.
    void inlineRefusesCallsOfTheRuntime() {
        auto seed = te::compute(
            "seed", {}, [](auto&) { return arith::call(arith::Intrinsic::RtCall, {arith::intImm(0)}, types::UInt64); },
            0);
        auto a = te::placeholder("A", types::UInt64, {8});
        auto b = te::compute("B", {8}, [&](auto& i) { return (*a)({i[0]}) + (*seed)({}); }, 0);
        Schedule s(te::toTir("seeded", {a}, {b}, {}));
        REFUSED(s, "calls the runtime", s.computeInline({"seed"}));
    }

    void cachesOperands() {
        arith::Var m = arith::symbol("m");
        auto before = matmul(m, 8, 6, false, {m});
        Schedule s(before);
        auto copy = s.cacheRead({"C"}, 1, tir::Scope::Local);
        QCOMPARE(copy.name, std::string("B_cache"));
        auto loops = s.loops({"C"});
        s.reorder({loops[1], loops[0], loops[2]});
        s.computeAt(copy, loops[1]);
        QCOMPARE(toString(s.get(copy).writes[0].buffer->shape[1]), std::string("1"));
        SAME(*before, *s.function(), {{0}, {5}});
        REFUSED(s, "there is no number 7", s.cacheRead({"C"}, 7, tir::Scope::Local));
        REFUSED(s, "local or workspace", s.cacheRead({"C"}, 0, tir::Scope::Global));
    }

    void cachesResults() {
        arith::Var m = arith::symbol("m");
        auto before = matmul(m, 8, 6, false, {m});
        Schedule s(before);
        auto copy = s.cacheWrite({"C"}, 0, tir::Scope::Local);
        QCOMPARE(copy.name, std::string("C_cache"));
        s.computeAt({"C"}, s.loops(copy)[1]);
        QCOMPARE(toString(s.get(schedule::BlockRef{"C"}).writes[0].buffer->shape[1]), std::string("1"));
        SAME(*before, *s.function(), {{0}, {5}});
        s.parallel(s.loops(copy)[0]);
        SAME(*before, *s.function(), {{5}});
    }

    void localBuffersAreNotShared() {
        Schedule s(matmul(4, 8, 6, false));
        s.cacheWrite({"C"}, 0, tir::Scope::Local);
        auto loops = s.loops({"C"});
        REFUSED(s, "shared between iterations", s.parallel(loops[0]));
    }

    void layoutsAreRewritten() {
        arith::Var n = arith::symbol("n");
        auto before = chain(n, 20, {n});
        Schedule s(before);
        arith::Var i = arith::var("i"), j = arith::var("j");
        s.transformLayout({"B"}, 0, {i, j}, {floorDiv(j, 8), i, floorMod(j, 8)});
        const auto& shape = s.get(schedule::BlockRef{"B"}).writes[0].buffer->shape;
        QCOMPARE(toString(shape[0]), std::string("3"));
        QCOMPARE(toString(shape[2]), std::string("8"));
        SAME(*before, *s.function(), {{0}, {3}});
        REFUSED(s, "dimensions", s.transformLayout({"B"}, 0, {i, j}, {i, j}));
        REFUSED(s, "is the caller's", s.transformLayout({"C"}, 0, {i, j}, {j, i}));

        Schedule t(before);
        REFUSED(t, "keeps all elements apart", t.transformLayout({"B"}, 0, {i, j}, {i, floorMod(j, 8)}));
        REFUSED(t, "keeps all elements apart", t.transformLayout({"B"}, 0, {i, j}, {i + j}));
        t.transformLayout({"B"}, 0, {i, j}, {i * 20 + j});
        SAME(*before, *t.function(), {{3}});
    }

    void decomposesReductions() {
        arith::Var k = arith::symbol("k", 1);
        auto before = matmul(5, 8, k, false, {k});
        Schedule s(before);
        auto loops = s.loops({"C"});
        auto columns = s.split(loops[1], {-1, 4});
        s.reorder({columns[0], loops[0], loops[2], columns[1]});
        REFUSED(s, "outside of", s.decomposeReduction({"C"}, columns[1]));
        auto init = s.decomposeReduction({"C"}, loops[2]);
        QCOMPARE(init.name, std::string("C_init"));
        QCOMPARE(s.loops(init).size(), size_t(3));
        SAME(*before, *s.function(), {{1}, {7}});
        REFUSED(s, "has no initialisation", s.decomposeReduction({"C"}, loops[2]));
    }

    void emptyReductionsGiveTheIdentity() {
        arith::Var k = arith::symbol("k");
        auto before = matmul(2, 3, k, false, {k});
        for (float element : run(*before, {0}))
            QCOMPARE(element, 0.0f);
        Schedule s(before);
        auto loops = s.loops({"C"});
        s.decomposeReduction({"C"}, loops[2]);
        QVERIFY(!holds(tir::print(*s.function()), "max("));
        SAME(*before, *s.function(), {{0}, {1}, {4}});
    }

    void rfactorsReductions() {
        for (int64_t factor : {4, 8}) {
            arith::Var n = arith::symbol("n"), k = arith::symbol("k");
            auto a = te::placeholder("A", types::Float32, {n, k});
            auto sum =
                te::reduce("S", {n}, te::ReduceKind::Sum, {k}, [&](auto& i, auto& r) { return (*a)({i[0], r[0]}); }, 0);
            auto before = te::toTir("sums", {a}, {sum}, {n, k});
            Schedule s(before);
            auto loops = s.loops({"S"});
            auto parts = s.split(loops[1], {-1, factor});
            auto partial = s.rfactor(parts[1], 1);
            QCOMPARE(partial.name, std::string("S_rf"));
            QCOMPARE(s.get(partial).writes[0].buffer->shape.size(), size_t(2));
            s.vectorize(parts[1]);
            s.reverseComputeAt({"S"}, loops[0]);
            s.parallel(loops[0]);
            SAME(*before, *s.function(), {{0, 3}, {2, 0}, {3, 1}, {2, 8}, {3, 21}});
        }
        Schedule s(matmul(4, 5, 6, false));
        auto loops = s.loops({"C"});
        REFUSED(s, "does not reduce along", s.rfactor(loops[1], 0));
    }

    void scopes() {
        Schedule s(chain(4, 4));
        REFUSED(s, "is the caller's", s.setScope({"C"}, 0, tir::Scope::Local));
        s.setScope({"B"}, 0, tir::Scope::Local);
        QVERIFY(s.get(schedule::BlockRef{"B"}).writes[0].buffer->scope == tir::Scope::Local);
    }
};

Test test() {
    return {makes<TestBlocks>};
}

} // namespace lathe::testing::test_blocks

#include "test_blocks.moc"
