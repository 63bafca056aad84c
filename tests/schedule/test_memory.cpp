// SPDX-License-Identifier: Apache-2.0
// Accumulators that go on, memory that is asked for early, rows apart: they keep meaning at every size, and refuse what would
// not.
#include "harness.h"
#include "support/program_of_tests.h"
#include "tir/structure.h"

#include <QTest>
#include <functional>
#include <set>

namespace lathe::testing::test_memory {

using schedule::Schedule;

namespace {

/// A product in blocks of the reduction: rows and columns of a tile, so many steps at a time.
struct Blocked {
    Schedule schedule;
    schedule::LoopRef rows, columns, step, tileRow, tileColumn;
    Schedule::Inplace copies;
};
Blocked blocked(const tir::PrimFuncPtr& function, int64_t rows, int64_t columns, int64_t steps) {
    Blocked made{Schedule(function), {}, {}, {}, {}, {}, {}};
    Schedule& s = made.schedule;
    const auto loops = s.loops({"C"});
    const auto m = s.split(loops[0], {-1, rows}), n = s.split(loops[1], {-1, columns}),
               k = s.split(loops[2], {-1, steps});
    s.reorder({n[0], k[0], m[0], k[1], m[1], n[1]});
    s.decomposeReduction({"C"}, k[0]);
    made.rows = m[0], made.columns = n[0], made.step = k[1], made.tileRow = m[1], made.tileColumn = n[1];
    made.copies = s.cacheInplace({"C"}, m[0], tir::Scope::Local);
    return made;
}

std::vector<int64_t> shapeOf(const tir::Buffer& buffer) {
    std::vector<int64_t> shape;
    for (const arith::Expr& extent : buffer.shape)
        shape.push_back(arith::asInt(extent).value_or(-1));
    return shape;
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private slots:
    void accumulatorsGoOn() {
        arith::Var m = arith::symbol("m"), n = arith::symbol("n"), k = arith::symbol("k");
        for (const int64_t steps : {1, 4, 7}) {
            const auto before = matmul(m, n, k, false, {m, n, k});
            Blocked it = blocked(before, 3, 4, steps);
            Schedule& s = it.schedule;
            const tir::Buffer& tile = *s.get(schedule::BlockRef{"C"}).writes[0].buffer;
            QVERIFY(tile.scope == tir::Scope::Local);
            QCOMPARE(shapeOf(tile), (std::vector<int64_t>{3, 4}));
            SAME(*before, *s.function(), {{0, 3, 2}, {1, 1, 1}, {2, 0, 3}, {5, 9, 0}, {7, 5, 13}, {6, 8, 14}});
            s.vectorize(it.tileColumn);
            s.unroll(it.tileRow);
            s.parallel(it.columns);
            SAME(*before, *s.function(), {{7, 5, 13}, {3, 4, 8}});
            Schedule again(before);
            QVERIFY(again.replay(*schedule::parseTrace(print(s.trace()))));
            QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
        }
    }

    /// Of floats whose sum depends on its order: blocks keep it.
    void theOrderOfTheSumStays() {
        const auto before = matmul(2, 4, 40, false);
        const Blocked it = blocked(before, 2, 4, 8);
        const auto sums = [](const tir::PrimFunc& function) {
            std::vector<float> a(2 * 40), b(40 * 4), c(2 * 4);
            for (size_t i = 0; i < a.size(); ++i)
                a[i] = 1.0F / static_cast<float>(i + 1);
            for (size_t i = 0; i < b.size(); ++i)
                b[i] = static_cast<float>(i % 7) + 0.1F;
            const auto bytes = [](auto& values) { return tir::Argument{std::as_writable_bytes(std::span(values)), 0}; };
            const std::vector<tir::Argument> arguments = {bytes(a), bytes(b), bytes(c)};
            if (!tir::interpret(function, arguments))
                throw std::runtime_error("not interpreted");
            return c;
        };
        QVERIFY(sums(*before) == sums(*it.schedule.function()));
    }

    void accumulatorsRefuse() {
        const auto function = matmul(8, 8, 8, true);
        Schedule s(function);
        const auto loops = s.loops({"C"});
        REFUSED(s, "has to stand apart", s.cacheInplace({"C"}, loops[0], tir::Scope::Local));
        REFUSED(s, "is not around", s.cacheInplace({"D"}, loops[0], tir::Scope::Local));
        s.decomposeReduction({"C"}, loops[2]);
        REFUSED(s, "is used by block 'C_init' under the loop too", s.cacheInplace({"C"}, loops[1], tir::Scope::Local));
        REFUSED(s, "local or workspace", s.cacheInplace({"C"}, loops[2], tir::Scope::Global));
        s.cacheInplace({"C"}, loops[2], tir::Scope::Local);
        SAME(*function, *s.function());
        Schedule t(function);
        const auto rows = t.loops({"D"});
        REFUSED(t, "does not go on with its result", t.cacheInplace({"D"}, rows[0], tir::Scope::Local));
        Schedule u(function);
        const auto unrolled = u.loops({"C"});
        u.unroll(unrolled[1]);
        u.decomposeReduction({"C"}, unrolled[0]);
        REFUSED(u, "is vectorized or unrolled", u.cacheInplace({"C"}, unrolled[2], tir::Scope::Local));
        Schedule v(function);
        const auto around = v.loops({"D"});
        v.computeAt({"C"}, around[0]);
        v.decomposeReduction({"C"}, v.loops({"C"})[2]);
        REFUSED(v, "is memory of one iteration already", v.cacheInplace({"C"}, around[0], tir::Scope::Local));
    }

    void memoryIsAskedForEarly() {
        arith::Var m = arith::symbol("m");
        const auto before = matmul(m, 40, 24, false, {m});
        Schedule s(before);
        const auto loops = s.loops({"C"});
        const auto n = s.split(loops[1], {-1, 32});
        s.reorder({n[0], loops[0], loops[2], n[1]});
        s.decomposeReduction({"C"}, loops[2]);
        const auto asking = s.prefetch({"C"}, 1, loops[2], 4096);
        QCOMPARE(asking.name, std::string("C_prefetch"));
        // 32 floats of a row are two lines; 4,096 bytes are 1,024 floats.
        const std::string text = tir::print(*s.function());
        QVERIFY2(holds(text, "for line1 in 2 unrolled"), text.c_str());
        QVERIFY2(holds(text, "eval prefetch:int32(B[") && holds(text, "+ 1024]"), text.c_str());
        SAME(*before, *s.function(), {{0}, {1}, {5}});
        s.vectorize(n[1]);
        s.parallel(s.fuse({n[0], loops[0]}));
        SAME(*before, *s.function(), {{5}});
        auto read = tir::parsePrimFunc(tir::print(*s.function()));
        QVERIFY2(read, read ? "" : toString(read.error()).c_str());
        QVERIFY(tir::structurallyEqual(**read, *s.function()));
        Schedule again(before);
        QVERIFY(again.replay(*schedule::parseTrace(print(s.trace()))));
        QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
    }

    void askingRefuses() {
        Schedule s(matmul(8, 4096, 8, true));
        const auto loops = s.loops({"C"});
        REFUSED(s, "there is no number 2", s.prefetch({"C"}, 2, loops[2], 4096));
        REFUSED(s, "no distance between elements", s.prefetch({"C"}, 1, loops[2], 6));
        REFUSED(s, "no distance between elements", s.prefetch({"C"}, 1, loops[2], 0));
        const auto after = s.loops({"D"});
        REFUSED(s, "is not around block 'D'", s.prefetch({"D"}, 0, loops[0], 4096));
        REFUSED(s, "reads more than 64 lines", s.prefetch({"C"}, 1, loops[0], 4096));
        REFUSED(s, "is made in this function", s.prefetch({"D"}, 0, after[1], 4096));
        s.unroll(loops[2]);
        REFUSED(s, "is vectorized or unrolled", s.prefetch({"C"}, 1, loops[2], 4096));
    }

    /// The iterations of one panel ask for each line of the next, and for nothing else, whether they are many or few.
    void theNextPanelIsAskedFor_data() {
        QTest::addColumn<int>("rows"); // 0: known while running alone
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("loop");
        for (const int rows : {1, 5, 12, 40, 0})
            for (const int steps : {1, 24, 37})
                for (const int loop : {1, 2})
                    QTest::addRow("%d rows, %d steps, loop %d", rows, steps, loop) << rows << steps << loop;
    }
    void theNextPanelIsAskedFor() {
        QFETCH(int, rows);
        QFETCH(int, steps);
        QFETCH(int, loop);
        const arith::Var m = arith::symbol("m");
        const auto before = rows > 0 ? dense(rows, 64, steps) : dense(m, 64, steps, {m});
        Schedule s(before);
        const auto loops = s.loops({"sum"});
        const auto n = s.split(loops[1], {-1, 16});
        const std::vector<schedule::LoopRef> nest = {n[0], loops[0], loops[2], n[1]};
        s.reorder(nest);
        s.decomposeReduction({"sum"}, loops[2]);
        const auto asking = s.prefetchNext({"sum"}, 1, n[0], nest[static_cast<size_t>(loop)]);
        const std::vector<std::vector<int64_t>> sizes =
            rows > 0 ? std::vector<std::vector<int64_t>>{{}} : std::vector<std::vector<int64_t>>{{0}, {1}, {13}};
        SAME(*before, *s.function(), sizes);
        const tir::Block& block = s.get(asking);
        const arith::Expr load = block.body->as<tir::Evaluate>()->value->args[0];
        const std::vector<arith::Expr>& extents = tir::bufferOf(load).shape;
        for (const std::vector<int64_t>& size : sizes) {
            std::unordered_map<const arith::ExprNode*, int64_t> values;
            if (rows == 0)
                values[m.get()] = size[0];
            std::set<int64_t> asked;
            const std::function<void(size_t)> each = [&](size_t at) {
                if (at < block.iters.size()) {
                    const int64_t extent = arith::evaluate(block.iters[at].extent, values).value();
                    const bool isPanel = arith::mentions(load->args[0], block.iters[at].var);
                    for (int64_t i = 0; i < (isPanel ? 1 : extent); ++i) {
                        values[block.iters[at].var.get()] = i;
                        each(at + 1);
                    }
                    return;
                }
                int64_t element = 0;
                for (size_t d = 0; d < extents.size(); ++d)
                    element = element * *arith::asInt(extents[d]) + arith::evaluate(load->args[d], values).value();
                asked.insert(element);
            };
            each(0);
            std::set<int64_t> next;
            if (rows > 0 || size[0] > 0)
                for (int64_t line = 0; line < steps; ++line)
                    next.insert((steps + line) * 16);
            QCOMPARE(asked, next);
        }
        auto read = tir::parsePrimFunc(tir::print(*s.function()));
        QVERIFY2(read, read ? "" : toString(read.error()).c_str());
        QVERIFY(tir::structurallyEqual(**read, *s.function()));
        Schedule again(before);
        QVERIFY(again.replay(*schedule::parseTrace(print(s.trace()))));
        QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
    }

    void askingForTheNextRefuses() {
        Schedule s(dense(12, 64, 4096));
        const auto loops = s.loops({"sum"});
        const auto n = s.split(loops[1], {-1, 16});
        s.reorder({n[0], loops[0], loops[2], n[1]});
        REFUSED(s, "is not around", s.prefetchNext({"sum"}, 1, loops[2], loops[0]));
        REFUSED(s, "is not around", s.prefetchNext({"sum"}, 1, n[0], n[0]));
        REFUSED(s, "there is no number 2", s.prefetchNext({"sum"}, 2, n[0], loops[2]));
        REFUSED(s, "more than 64 lines", s.prefetchNext({"sum"}, 1, n[0], loops[0]));
        const auto after = s.loops({"y"});
        REFUSED(s, "is made in this function", s.prefetchNext({"y"}, 0, after[0], after[1]));
        s.unroll(n[0]);
        REFUSED(s, "is vectorized or unrolled", s.prefetchNext({"sum"}, 1, n[0], loops[2]));
        const arith::Var k = arith::symbol("k");
        Schedule t(matmul(8, 32, k, false, {k}));
        const auto rows = t.loops({"C"});
        REFUSED(t, "is not known", t.prefetchNext({"C"}, 0, rows[0], rows[2]));
        Schedule u(matmul(8, 32, 24, false));
        const auto columns = u.split(u.loops({"C"})[1], {-1, 16});
        REFUSED(u, "lies apart", u.prefetchNext({"C"}, 1, columns[0], u.loops({"C"})[3]));
    }

    void rowsAreApart() {
        arith::Var n = arith::symbol("n", 1);
        const auto before = chain(n, 64, {n});
        Schedule s(before);
        s.storageAlign({"B"}, 0, 0, 64, 16);
        const tir::Buffer& buffer = *s.get(schedule::BlockRef{"B"}).writes[0].buffer;
        QCOMPARE(toString(buffer.strides[0]), std::string("80"));
        QCOMPARE(toString(buffer.strides[1]), std::string("1"));
        SAME(*before, *s.function(), {{1}, {5}});
        s.computeAt({"B"}, s.loops({"C"})[0]);
        s.parallel(s.loops({"C"})[0]);
        SAME(*before, *s.function(), {{1}, {5}});
        REFUSED(s, "has strides", s.storageAlign({"B"}, 0, 0, 64, 16));
        REFUSED(s, "is the caller's", s.storageAlign({"C"}, 0, 0, 64, 16));

        Schedule t(chain(8, 64));
        REFUSED(t, "no rows", t.storageAlign({"B"}, 0, 1, 64, 0));
        REFUSED(t, "no rows", t.storageAlign({"B"}, 0, 7, 64, 0));
        REFUSED(t, "no alignment", t.storageAlign({"B"}, 0, 0, 64, 64));
        REFUSED(t, "no alignment", t.storageAlign({"B"}, 0, 0, 0, 0));
        t.storageAlign({"B"}, 0, 0, 64, 0); // rows that are a multiple already
        QCOMPARE(toString(t.get(schedule::BlockRef{"B"}).writes[0].buffer->strides[0]), std::string("64"));
        arith::Var empty = arith::symbol("n");
        Schedule u(chain(empty, 64, {empty}));
        REFUSED(u, "may have no elements", u.storageAlign({"B"}, 0, 0, 64, 16));
    }
};

Test test() {
    return {makes<TestMemory>};
}

} // namespace lathe::testing::test_memory

#include "test_memory.moc"
