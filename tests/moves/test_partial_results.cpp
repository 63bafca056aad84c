// SPDX-License-Identifier: Apache-2.0
// Moves that take a reduction along a contiguous axis apart: which numbers of partial results fit it, how their loops lie, and
// that sums stay what they were.
// Links: lathe_tests_schedule
#include "moves/partial_results.h"

#include "arith/analysis.h"
#include "schedule/harness.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/ranges.h>

namespace lathe::testing::test_partial_results {

using arith::Expr;
using moves::Sums;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

const BlockRef sum{"sum"};

/// sum[i] = sum over k of x[i, k].
tir::PrimFuncPtr rowSums(int64_t rows, int64_t columns, DataType type = types::Float32) {
    auto x = te::placeholder("x", type, {Expr(rows), Expr(columns)});
    auto made = te::reduce(
        "sum", {Expr(rows)}, te::ReduceKind::Sum, {Expr(columns)}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); },
        0);
    return te::toTir("row_sums", {x}, {made}, {});
}

/// The numbers that fit, or why none does. Of vectors of 256 bits.
std::string countsOf(const tir::PrimFuncPtr& function) {
    Schedule s(function);
    const auto counts = moves::partialCounts(s, sum, Target{});
    return counts ? fmt::format("{}", fmt::join(*counts, " ")) : counts.error();
}

std::vector<int64_t> extentsAround(Schedule& s, const BlockRef& block) {
    std::vector<int64_t> extents;
    for (const LoopRef loop : s.loops(block))
        extents.push_back(arith::asInt(s.get(loop).extent).value_or(-1));
    return extents;
}

} // namespace

class TestPartialResults : public QObject {
    Q_OBJECT

private slots:
    /// 256 bits are 8 lanes of float32 and 4 of float64; each partial result is added to at least twice.
    void lanesOfVectorsThatFit() {
        QCOMPARE(countsOf(rowSums(3, 16)), std::string("8"));
        QCOMPARE(countsOf(rowSums(3, 31)), std::string("8"));
        QCOMPARE(countsOf(rowSums(3, 32)), std::string("8 16"));
        QCOMPARE(countsOf(rowSums(3, 64)), std::string("8 16 32"));
        QCOMPARE(countsOf(rowSums(3, 1000)), std::string("8 16 32"));
        QCOMPARE(countsOf(rowSums(3, 16, types::Float64)), std::string("4 8"));
        QVERIFY(holds(countsOf(rowSums(3, 15)), "shorter than two times 8"));
    }

    void noneWhereReadsDoNotFollow() {
        auto x = te::placeholder("x", types::Float32, {64, 5});
        auto made =
            te::reduce("sum", {5}, te::ReduceKind::Sum, {64}, [&](auto& i, auto& r) { return (*x)({r[0], i[0]}); }, 0);
        QVERIFY(holds(countsOf(te::toTir("column_sums", {x}, {made}, {})), "not contiguous"));
        Schedule s(rowSums(3, 64));
        s.split(s.loops(sum)[0], {-1, 3});
        const auto counts = moves::partialCounts(s, sum, Target{});
        QVERIFY(!counts && holds(counts.error(), "changed before"));
    }

    /// Six results, three of them in a loop of their own: the reduction stands within that loop, or around it.
    void sumsOfOneOrOfAll() {
        for (const int64_t columns : {40, 43}) {
            const auto before = rowSums(6, columns);
            for (const Sums sums : {Sums::OfOne, Sums::OfAll}) {
                Schedule s(before);
                const BlockRef partial = moves::makePartials(s, sum, 8);
                const std::vector<LoopRef> loops = s.loops(sum), rows = s.split(loops[0], {-1, 3});
                s.computeAt(partial, rows[0]);
                moves::vectorizePartials(s, partial, sums, sums == Sums::OfAll ? 1 : 0);
                moves::vectorizeCombination(s, sum);
                const int64_t steps = columns == 40 ? 5 : 6; // of 8 lanes
                QCOMPARE(extentsAround(s, partial), sums == Sums::OfOne ? (std::vector<int64_t>{2, 3, steps, 8})
                                                                        : (std::vector<int64_t>{2, steps, 3, 8}));
                const std::vector<LoopRef> own = s.loops(partial);
                QVERIFY(s.get(own[3]).kind == tir::ForKind::Vectorized);
                QCOMPARE(s.get(own[2]).kind == tir::ForKind::Unrolled, sums == Sums::OfAll);
                QVERIFY(s.get(s.loops(sum).back()).kind == tir::ForKind::Vectorized);
                QVERIFY(s.decisions().empty());
                SAME(*before, *s.function());
                Schedule again(before);
                QVERIFY(again.replay(*schedule::parseTrace(print(s.trace()))));
                QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
            }
        }
    }
};

Test test() {
    return {makes<TestPartialResults>};
}

} // namespace lathe::testing::test_partial_results

#include "test_partial_results.moc"
