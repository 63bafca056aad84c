// SPDX-License-Identifier: Apache-2.0
// Moving blocks under loops: regions, halos, tails, memory that shrinks with them, and what is refused.
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_compute_at {

using arith::Expr;
using schedule::Schedule;

namespace {

const tir::Buffer& resultOf(const Schedule& s, const std::string& block) {
    return *s.get(schedule::BlockRef{block}).writes[0].buffer;
}

/// blur[i] = A[i] + A[i+1] + A[i+2] of A = 2 * input.
tir::PrimFuncPtr stencil(const Expr& n, const std::vector<arith::Var>& scalars) {
    auto in = te::placeholder("in", types::Float32, {n + 2});
    auto a = te::compute("A", {n + 2}, [&](auto& i) { return (*in)({i[0]}) + (*in)({i[0]}); }, 0);
    auto blur =
        te::compute("blur", {n}, [&](auto& i) { return (*a)({i[0]}) + (*a)({i[0] + 1}) + (*a)({i[0] + 2}); }, 1);
    return te::toTir("stencil", {in}, {blur}, scalars);
}

} // namespace

class TestComputeAt : public QObject {
    Q_OBJECT

private slots:
    void producerUnderARow() {
        arith::Var n = arith::symbol("n"), m = arith::symbol("m");
        auto before = chain(n, m, {n, m});
        Schedule s(before);
        s.computeAt({"B"}, s.loops({"C"})[0]);
        QCOMPARE(toString(resultOf(s, "B").shape[0]), std::string("1"));
        QCOMPARE(toString(resultOf(s, "B").shape[1]), std::string("m"));
        QVERIFY(!s.get(schedule::BlockRef{"B"}).predicate);
        SAME(*before, *s.function(), {{0, 3}, {4, 0}, {5, 7}});
    }

    void producerUnderATileWithTail() {
        arith::Var n = arith::symbol("n");
        auto before = chain(n, 20, {n});
        Schedule s(before);
        auto loops = s.loops({"C"});
        auto rows = s.split(loops[0], {-1, 4});
        auto columns = s.split(loops[1], {-1, 8});
        s.reorder({rows[0], columns[0], rows[1], columns[1]});
        s.computeAt({"B"}, columns[0]);
        QCOMPARE(toString(resultOf(s, "B").shape[0]), std::string("4"));
        QCOMPARE(toString(resultOf(s, "B").shape[1]), std::string("8"));
        SAME(*before, *s.function(), {{0}, {1}, {4}, {9}});
    }

    void haloIsRecomputed() {
        arith::Var n = arith::symbol("n");
        auto before = stencil(n, {n});
        Schedule s(before);
        auto parts = s.split(s.loops({"blur"})[0], {-1, 8});
        s.computeAt({"A"}, parts[0]);
        QCOMPARE(toString(resultOf(s, "A").shape[0]), std::string("10"));
        SAME(*before, *s.function(), {{0}, {1}, {8}, {19}});
        // Each iteration has its own tile, outside of the parallel loop as a slice.
        s.parallel(parts[0]);
        QCOMPARE(resultOf(s, "A").shape.size(), size_t(2));
        SAME(*before, *s.function(), {{1}, {19}});
    }

    void reductionUnderItsConsumer() {
        arith::Var m = arith::symbol("m");
        auto before = matmul(m, 9, 5, true, {m});
        Schedule s(before);
        auto loops = s.loops({"D"});
        auto columns = s.split(loops[1], {-1, 4});
        s.computeAt({"C"}, columns[0]);
        QCOMPARE(toString(resultOf(s, "C").shape[0]), std::string("1"));
        QCOMPARE(toString(resultOf(s, "C").shape[1]), std::string("4"));
        QCOMPARE(s.loops({"C"}).size(), size_t(5));
        SAME(*before, *s.function(), {{0}, {3}});
    }

    void consumerUnderItsProducer() {
        arith::Var m = arith::symbol("m");
        auto before = matmul(m, 9, 5, true, {m});
        Schedule s(before);
        auto loops = s.loops({"C"});
        REFUSED(s, "still reduces along loop k0", s.reverseComputeAt({"D"}, loops[2]));
        auto rows = s.split(loops[0], {-1, 3});
        s.reorder({rows[0], loops[1], loops[2], rows[1]});
        s.reverseComputeAt({"D"}, rows[0]);
        QCOMPARE(toString(resultOf(s, "C").shape[0]), std::string("3"));
        SAME(*before, *s.function(), {{0}, {2}, {3}, {7}});
        s.setScope({"C"}, 0, tir::Scope::Local);
        s.parallel(rows[0]);
        SAME(*before, *s.function(), {{7}});
    }

    void softmaxIsOneRowLoop() {
        arith::Var n = arith::symbol("n"), m = arith::symbol("m", 1);
        auto x = te::placeholder("x", types::Float32, {n, m});
        auto top =
            te::reduce("top", {n}, te::ReduceKind::Max, {m}, [&](auto& i, auto& k) { return (*x)({i[0], k[0]}); }, 0);
        auto shifted = te::compute("shifted", {n, m}, [&](auto& i) { return (*x)({i[0], i[1]}) - (*top)({i[0]}); }, 0);
        auto sum = te::reduce(
            "sum", {n}, te::ReduceKind::Sum, {m}, [&](auto& i, auto& k) { return (*shifted)({i[0], k[0]}); }, 0);
        auto out = te::compute("out", {n, m}, [&](auto& i) { return (*shifted)({i[0], i[1]}) * (*sum)({i[0]}); }, 0);
        auto before = te::toTir("rows", {x}, {out}, {n, m});
        Schedule s(before);
        auto row = s.loops({"out"})[0];
        s.computeAt({"sum"}, row);
        s.computeAt({"shifted"}, row);
        s.computeAt({"top"}, row);
        QCOMPARE(toString(resultOf(s, "sum").shape[0]), std::string("1"));
        s.setScope({"top"}, 0, tir::Scope::Local);
        s.setScope({"sum"}, 0, tir::Scope::Local);
        s.parallel(row);
        SAME(*before, *s.function(), {{0, 1}, {1, 1}, {3, 5}});
    }

    void consumerOfAStencilIsRefused() {
        auto before = stencil(16, {});
        Schedule s(before);
        auto parts = s.split(s.loops({"A"})[0], {-1, 6});
        REFUSED(s, "of which one iteration makes a part only", s.reverseComputeAt({"blur"}, parts[0]));
    }

    void blockedConsumerFollowsItsProducer() {
        auto in = te::placeholder("in", types::Float32, {6, 32});
        auto flat = te::compute("flat", {6, 32}, [&](auto& i) { return (*in)({i[0], i[1]}) + (*in)({i[0], i[1]}); }, 0);
        auto blocked =
            te::compute("blocked", {2, 6, 16}, [&](auto& i) { return (*flat)({i[1], i[0] * 16 + i[2]}); }, 1);
        auto before = te::toTir("pack", {in}, {blocked}, {});
        Schedule s(before);
        auto loops = s.loops({"flat"});
        auto columns = s.split(loops[1], {-1, 16});
        s.reorder({columns[0], loops[0], columns[1]});
        s.reverseComputeAt({"blocked"}, columns[0]);
        QCOMPARE(toString(resultOf(s, "flat").shape[1]), std::string("16"));
        SAME(*before, *s.function());

        auto again = te::compute(
            "again", {6, 32}, [&](auto& i) { return (*blocked)({floorDiv(i[1], 16), i[0], floorMod(i[1], 16)}); }, 1);
        auto unpack = te::toTir("unpack", {in}, {again}, {});
        Schedule t(unpack);
        t.computeInline({"flat"});
        t.reverseComputeAt({"again"}, t.loops({"blocked"})[0]);
        QCOMPARE(toString(resultOf(t, "blocked").shape[0]), std::string("1"));
        SAME(*unpack, *t.function());
    }

    /// The steps of a reduction are one at least where they are computed apart, also of none; a copy of an operand has none then.
    void moreIterationsThanAreWritten() {
        const arith::Var k = arith::symbol("k");
        const auto before = matmul(4, 6, k, false, {k});
        Schedule s(before);
        const schedule::BlockRef steps = s.rfactor(s.loops({"C"})[2], 1);
        const schedule::BlockRef copy = s.cacheRead(steps, 0, tir::Scope::Workspace);
        const auto loops = s.loops(copy);
        REFUSED(s, "of which one iteration makes a part only", s.reverseComputeAt(steps, loops[1]));
        s.reverseComputeAt(steps, loops[0]);
        SAME(*before, *s.function(), {{0}, {1}, {5}});
    }

    void refusals() {
        Schedule s(chain(4, 4));
        auto b = s.loops({"B"});
        auto c = s.loops({"C"});
        REFUSED(s, "makes the result", s.computeAt({"C"}, b[0]));
        REFUSED(s, "under that loop already", s.computeAt({"B"}, b[0]));
        REFUSED(s, "comes before", s.reverseComputeAt({"B"}, c[0]));
        REFUSED(s, "there is no block", s.computeAt({"X"}, b[0]));

        auto in = te::placeholder("in", types::Float32, {8});
        auto a = te::compute("a", {8}, [&](auto& i) { return (*in)({i[0]}); }, 0);
        auto p = te::compute("p", {8}, [&](auto& i) { return (*a)({i[0]}); }, 0);
        auto q = te::compute("q", {8}, [&](auto& i) { return (*a)({i[0]}) + (*p)({i[0]}); }, 0);
        Schedule t(te::toTir("two", {in}, {q}, {}));
        auto loopA = t.loops({"a"}), loopQ = t.loops({"q"});
        REFUSED(t, "is used outside of", t.computeAt({"a"}, loopQ[0]));
        REFUSED(t, "needs block 'p', which comes after", t.reverseComputeAt({"q"}, loopA[0]));
    }
};

Test test() {
    return {makes<TestComputeAt>};
}

} // namespace lathe::testing::test_compute_at

#include "test_compute_at.moc"
