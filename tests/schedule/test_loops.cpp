// SPDX-License-Identifier: Apache-2.0
// Split, fuse, reorder and the kinds of loops keep meaning and refuse what would not.
#include "harness.h"
#include "support/program_of_tests.h"
#include "tir/structure.h"

#include <QTest>

namespace lathe::testing::test_loops {

using schedule::Schedule;

namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

class TestLoops : public QObject {
    Q_OBJECT

private slots:
    void splitsWhatDividesWithoutPredicate() {
        auto before = chain(12, 16);
        Schedule s(before);
        auto loops = s.loops({"B"});
        QCOMPARE(loops.size(), size_t(2));
        auto parts = s.split(loops[1], {-1, 8});
        QCOMPARE(s.loops({"B"}).size(), size_t(3));
        QVERIFY(!s.get(schedule::BlockRef{"B"}).predicate);
        QVERIFY(arith::isConst(s.get(parts[0]).extent, 2));
        SAME(*before, *s.function());
    }

    void splitsTailsUnderAPredicate() {
        auto before = chain(13, 7);
        Schedule s(before);
        auto loops = s.loops({"C"});
        s.split(loops[0], {-1, 4});
        s.split(loops[1], {2, -1, 2});
        QVERIFY(s.get(schedule::BlockRef{"C"}).predicate);
        SAME(*before, *s.function());
    }

    void splitsSymbolicExtents() {
        arith::Var n = arith::symbol("n"), m = arith::symbol("m");
        auto before = chain(n, m, {n, m});
        Schedule s(before);
        auto loops = s.loops({"C"});
        auto rows = s.split(loops[0], {-1, 6});
        auto outer = s.split(rows[0], {-1, 4}); // nested: one condition is enough
        s.split(loops[1], {-1, 16});
        SAME(*before, *s.function(), {{0, 3}, {1, 1}, {6, 16}, {13, 33}, {24, 5}, {25, 17}});
        const arith::Expr& predicate = s.get(schedule::BlockRef{"C"}).predicate;
        QCOMPARE(count(toString(predicate), "<"), size_t(2));
        QVERIFY(outer.size() == 2);
    }

    void splitRefusesWhatDoesNotCover() {
        arith::Var n = arith::symbol("n");
        Schedule s(chain(n, 8, {n}));
        auto loops = s.loops({"B"});
        REFUSED(s, "may be less than the extent", s.split(loops[1], {2, 3}));
        REFUSED(s, "may be less than the extent", s.split(loops[0], {2, 3}));
        REFUSED(s, "only one factor", s.split(loops[0], {-1, -1}));
        REFUSED(s, "no factor", s.split(loops[0], {-1, 0}));
        REFUSED(s, "there is no loop #99", s.split({99}, {-1, 2}));
        s.split(loops[0], {-1, 2});
        REFUSED(s, "does not exist any more", s.split(loops[0], {-1, 2}));
    }

    void fusesChains() {
        arith::Var n = arith::symbol("n");
        auto before = chain(n, 5, {n});
        Schedule s(before);
        auto fused = s.fuse(s.loops({"C"}));
        QCOMPARE(s.loops({"C"}).size(), size_t(1));
        s.split(fused, {-1, 4});
        SAME(*before, *s.function(), {{0}, {1}, {7}, {8}});
    }

    void fuseRefusesOtherOrders() {
        Schedule s(chain(4, 4));
        auto b = s.loops({"B"});
        auto c = s.loops({"C"});
        REFUSED(s, "not directly inside", s.fuse({b[1], b[0]}));
        REFUSED(s, "not directly inside", s.fuse({b[0], c[1]}));
        s.vectorize(b[1]);
        REFUSED(s, "already parallel, vectorized or unrolled", s.fuse(b));
    }

    void reordersReductionsAndTiles() {
        arith::Var m = arith::symbol("m");
        auto before = matmul(m, 10, 7, false, {m});
        Schedule s(before);
        auto loops = s.loops({"C"});
        auto rows = s.split(loops[0], {-1, 4});
        auto columns = s.split(loops[1], {-1, 4});
        s.reorder({columns[0], rows[0], loops[2], rows[1], columns[1]});
        auto now = s.loops({"C"});
        QCOMPARE(now[0].id, columns[0].id);
        QCOMPARE(now[2].id, loops[2].id);
        SAME(*before, *s.function(), {{0}, {1}, {4}, {9}});
        s.reorder({rows[1], columns[0]}); // the others stay in place
        QCOMPARE(s.loops({"C"})[0].id, rows[1].id);
        SAME(*before, *s.function(), {{5}});
    }

    void reorderRefusesOtherChains() {
        Schedule s(chain(4, 4));
        auto b = s.loops({"B"});
        auto c = s.loops({"C"});
        REFUSED(s, "do not nest in one chain", s.reorder({b[0], c[1]}));
        REFUSED(s, "is named twice", s.reorder({b[0], b[0]}));
    }

    void kindsAreChecked() {
        arith::Var n = arith::symbol("n");
        auto before = matmul(4, n, 8, false, {n});
        Schedule s(before);
        auto loops = s.loops({"C"});
        REFUSED(s, "reduces along k0", s.parallel(loops[2]));
        REFUSED(s, "reduces along k0", s.vectorize(loops[2]));
        REFUSED(s, "is not constant", s.vectorize(loops[1]));
        REFUSED(s, "is not an innermost loop", s.vectorize(loops[0]));
        REFUSED(s, "iterations can be unrolled", s.unroll(loops[1]));
        s.parallel(loops[0]);
        REFUSED(s, "already has a kind", s.unroll(loops[0]));
        REFUSED(s, "stands under serial loops only", s.parallel(loops[1]));
        s.unroll(loops[2]);
        QVERIFY(s.get(loops[2]).kind == tir::ForKind::Unrolled);
        SAME(*before, *s.function(), {{3}});
    }

    void chunksHaveAGrain() {
        auto before = chain(8, 8);
        Schedule s(before);
        auto loops = s.loops({"B"});
        REFUSED(s, "is not parallel", s.annotate(loops[0], "grain", 4096));
        s.parallel(loops[0]);
        REFUSED(s, "there is no annotation 'color'", s.annotate(loops[0], "color", 4096));
        REFUSED(s, "no amount of work", s.annotate(loops[0], "grain", 0));
        const Hash128 plain = tir::structuralHash(*s.function());
        const schedule::Number grain = s.choose({"B"}, "grain", {4096, tir::parallelGrain}, 4096);
        s.annotate(loops[0], "grain", grain);
        QCOMPARE(s.get(loops[0]).grain, int64_t{4096});
        QVERIFY(tir::structuralHash(*s.function()) != plain);
        QVERIFY(holds(tir::print(*s.function()), "parallel grain 4096 @0 {"));
        SAME(*before, *s.function());
        // The number is the decision's, so the trace replays with another one; the default leaves no mark.
        const std::string text = print(s.trace());
        QVERIFY2(holds(text, "annotate loops(0) numbers($b0.grain) texts(\"grain\")"), text.c_str());
        auto other = schedule::withAnswers(*schedule::parseTrace(text), {{"b0.grain", {tir::parallelGrain}}});
        QVERIFY(other);
        Schedule t(before);
        QVERIFY(t.replay(*other));
        QVERIFY(tir::structuralHash(*t.function()) == plain);
    }
};

Test test() {
    return {makes<TestLoops>};
}

} // namespace lathe::testing::test_loops

#include "test_loops.moc"
