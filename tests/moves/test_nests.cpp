// SPDX-License-Identifier: Apache-2.0
// Moves around tiles: packed operands, accumulators, transposes, stages together. The nest is the one that each is said to make,
// and computes what it did.
// Links: lathe_tests_schedule
#include "arith/analysis.h"
#include "moves/inlining.h"
#include "moves/registers.h"
#include "moves/rows_together.h"
#include "moves/storage.h"
#include "moves/vectors.h"
#include "schedule/harness.h"
#include "support/program_of_tests.h"
#include "tir/access.h"
#include "tir/transposed_tile.h"

#include <QTest>

namespace lathe::testing::test_nests {

using arith::Expr;
using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

std::vector<int64_t> numbersOf(const std::vector<Expr>& extents) {
    std::vector<int64_t> numbers;
    for (const Expr& extent : extents)
        numbers.push_back(arith::asInt(extent).value_or(-1));
    return numbers;
}

std::vector<int64_t> extentsAround(Schedule& s, const BlockRef& block) {
    std::vector<Expr> extents;
    for (const LoopRef loop : s.loops(block))
        extents.push_back(s.get(loop).extent);
    return numbersOf(extents);
}

std::vector<int64_t> shapeOf(const Schedule& s, const BlockRef& block) {
    return numbersOf(onlyStore(s.get(block))->buffer->shape);
}

/// The operand of a block by its name.
tir::BufferPtr operandOf(const Schedule& s, const BlockRef& block, const std::string& name) {
    for (const tir::Region& read : s.get(block).reads)
        if (read.buffer->name == name)
            return read.buffer;
    return nullptr;
}

/// sum[i] = sum over k of x[i, k], and y of `shape`, each element less by a sum: that of index `along`.
tir::PrimFuncPtr lessSums(int64_t rows, int64_t columns, const std::vector<Expr>& shape, size_t along) {
    auto x = te::placeholder("x", types::Float32, {Expr(rows), Expr(columns)});
    auto sum = te::reduce(
        "sum", {Expr(rows)}, te::ReduceKind::Sum, {Expr(columns)}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); },
        0);
    auto y = te::compute("y", shape, [&](auto& i) { return arith::one(types::Float32) - (*sum)({i[along]}); }, 1);
    return te::toTir("less_sums", {x}, {y}, {});
}

} // namespace

class TestNests : public QObject {
    Q_OBJECT

private slots:
    /// A[i, k] is stored with i innermost; vectors are written along k as it lies in A, of all i one after the other.
    void aPackedOperand() {
        const auto before = matmul(4, 6, 16, false);
        for (const bool across : {true, false}) {
            Schedule s(before);
            const BlockRef block{"C"};
            const BlockRef copy = moves::packOperand(s, block, operandOf(s, block, "A"), 0, tir::Scope::Workspace);
            QCOMPARE(shapeOf(s, copy), (std::vector<int64_t>{16, 4}));
            QVERIFY(onlyStore(s.get(copy))->buffer->scope == tir::Scope::Workspace);
            const LoopRef columns = s.loops(copy)[0];
            moves::vectorizePacking(s, copy, across ? std::optional(columns) : std::nullopt, Target{});
            QCOMPARE(extentsAround(s, copy),
                     across ? (std::vector<int64_t>{2, 4, 8}) : (std::vector<int64_t>{4, 2, 8}));
            QVERIFY(s.get(s.loops(copy).back()).kind == tir::ForKind::Vectorized);
            QVERIFY(s.decisions().empty());
            SAME(*before, *s.function());
        }
    }

    void aShortOperandHasNoVectors() {
        const auto before = matmul(4, 6, 7, false); // 8 lanes
        Schedule s(before);
        const BlockRef copy = moves::packOperand(s, {"C"}, operandOf(s, {"C"}, "A"), 0, tir::Scope::Local);
        moves::vectorizePacking(s, copy, s.loops(copy)[0], Target{});
        QCOMPARE(extentsAround(s, copy), (std::vector<int64_t>{4, 7}));
        QVERIFY(s.get(s.loops(copy).back()).kind == tir::ForKind::Serial);
        SAME(*before, *s.function());
    }

    void accumulatorsAreLocal() {
        for (const bool follows : {true, false})
            for (const size_t column : {0, 1}) {
                const auto before = matmul(4, 6, 5, follows);
                Schedule s(before);
                const arith::Var var = s.get(BlockRef{"C"}).iters[column].var;
                const BlockRef consumer =
                    moves::accumulate(s, {"C"}, follows ? std::optional(BlockRef{"D"}) : std::nullopt, var);
                QCOMPARE(consumer.name == "D", follows);
                QVERIFY(isOutput(s.get(consumer)));
                QVERIFY(onlyStore(s.get(BlockRef{"C"}))->buffer->scope == tir::Scope::Local);
                QCOMPARE(shapeOf(s, {"C"}), column == 1 ? (std::vector<int64_t>{4, 6}) : (std::vector<int64_t>{6, 4}));
                SAME(*before, *s.function());
            }
    }

    /// Registers: accumulators of `rows` rows, the vectors of a step, one for what is broadcast.
    void rowsThatFitTheRegisters() {
        for (const int64_t registers : {16, 32})
            for (const int64_t vectors : {1, 2, 3, 4}) {
                const int64_t rows = moves::accumulatedRows(vectors, registers);
                QVERIFY(rows * vectors + vectors + 1 <= registers);
                QVERIFY((rows + 1) * vectors + vectors + 1 > registers);
            }
    }

    void rowsOfATranspose() {
        const int64_t many = 4 * tir::mostRows;
        auto x = te::placeholder("x", types::Float32, {32, Expr(many)});
        auto y = te::compute("y", {Expr(many), 32}, [&](auto& i) { return (*x)({i[1], i[0]}); }, 0);
        const auto before = te::toTir("transpose", {x}, {y}, {});
        for (const int64_t rows : {tir::mostRows, 2 * tir::mostRows}) {
            Schedule s(before);
            std::vector<LoopRef> loops = s.loops({"y"});
            loops[1] = moves::vectorizeBy(s, loops[1], 8);
            moves::tileTranspose(s, loops, 0, rows);
            QCOMPARE(extentsAround(s, {"y"}), (std::vector<int64_t>{many / rows, 4, rows, 8}));
            const std::vector<LoopRef> nest = s.loops({"y"});
            QCOMPARE(loops[0].id, nest[0].id);
            QCOMPARE(loops[1].id, nest[1].id);
            QCOMPARE(s.get(nest[2]).kind == tir::ForKind::Unrolled, rows == tir::mostRows);
            QVERIFY(s.get(nest[3]).kind == tir::ForKind::Vectorized);
            SAME(*before, *s.function());
        }
    }

    void stagesShareRows() {
        const auto before = lessSums(6, 40, {6, 40}, 0);
        Schedule s(before);
        QCOMPARE(moves::sharedAxes(s, s.blocks()), size_t{1});
        const LoopRef rows = moves::fuseOutermost(s, {"y"}, 1);
        moves::computeTogether(s, {{"sum"}, {"y"}}, rows);
        QCOMPARE(s.loops({"sum"}).front().id, rows.id);
        SAME(*before, *s.function());
    }

    void otherAxesAreNotShared() {
        const Schedule others(lessSums(4, 40, {6, 4}, 1));
        QCOMPARE(moves::sharedAxes(others, others.blocks()), size_t{0});
        const Schedule all(chain(4, 6)); // nothing is left to the last block
        QCOMPARE(moves::sharedAxes(all, all.blocks()), size_t{0});
    }

    /// Values that are used twice double a tree: what is read once stays small, what is read twice does not.
    void inliningDoubles() {
        for (const bool twice : {false, true}) {
            auto x = te::placeholder("x", types::Float32, {16});
            auto made = te::compute(
                "made", {16},
                [&](auto& i) {
                    Expr value = (*x)({i[0]});
                    for (int doubled = 0; doubled < 8; ++doubled)
                        value = value + value;
                    return value;
                },
                0);
            auto reader = te::compute(
                "reader", {16},
                [&](auto& i) { return (*made)({i[0]}) * (twice ? (*made)({i[0]}) : arith::one(types::Float32)); }, 1);
            const Schedule s(te::toTir("doubling", {x}, {reader}, {}));
            QCOMPARE(moves::staysSmall(*onlyStore(s.get(BlockRef{"reader"})), *onlyStore(s.get(BlockRef{"made"}))),
                     !twice);
        }
    }
};

Test test() {
    return {makes<TestNests>};
}

} // namespace lathe::testing::test_nests

#include "test_nests.moc"
