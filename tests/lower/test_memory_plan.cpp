// SPDX-License-Identifier: Apache-2.0
//
// The memory plan: buffers that live at the same time never share a byte, whatever the sizes turn out to be; dead places
// serve again.
#include "lower/memory_plan.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <random>

namespace lathe::testing::test_memory_plan {

using namespace lathe::lower;

namespace {

struct Buffer {
    Expr bytes, offset;
    int begin = 0, end = 0; // steps
};

using Values = std::unordered_map<const arith::ExprNode*, int64_t>;

/// Findings at these values: overlaps of buffers that live together, what does not fit the frame, misalignment.
QString wrongIn(const std::vector<Buffer>& buffers, const arith::VarMap& offsets, const Expr& total,
                const Values& values) {
    const auto number = [&](const Expr& expr) {
        return arith::evaluate(arith::substitute(expr, offsets), values).value();
    };
    const int64_t size = number(total);
    for (size_t i = 0; i < buffers.size(); ++i) {
        const int64_t offset = number(buffers[i].offset), bytes = number(buffers[i].bytes);
        if (offset % 64 != 0 || offset < 0 || offset + bytes > size)
            return QString("buffer %1 lies at %2 in a frame of %3").arg(i).arg(offset).arg(size);
        for (size_t j = 0; j < i; ++j) {
            const bool together = buffers[i].begin < buffers[j].end && buffers[j].begin < buffers[i].end;
            const int64_t other = number(buffers[j].offset), otherBytes = number(buffers[j].bytes);
            if (together && offset < other + otherBytes && other < offset + bytes)
                return QString("buffers %1 and %2 overlap").arg(i).arg(j);
        }
    }
    return {};
}

} // namespace

class TestMemoryPlan : public QObject {
    Q_OBJECT

private slots:
    void deadPlacesServeAgain() {
        MemoryPlan plan;
        const Expr a = plan.allocate(1000);
        plan.release(a);
        const Expr b = plan.allocate(900);
        QVERIFY(a.same(b));
        plan.allocate(64);
        arith::VarMap offsets;
        QCOMPARE(arith::asInt(plan.finish(offsets)).value(), int64_t{1024 + 64});
    }

    void aDeadPlaceGrows() {
        MemoryPlan plan;
        plan.release(plan.allocate(64));
        plan.allocate(6400);
        arith::VarMap offsets;
        QCOMPARE(arith::asInt(plan.finish(offsets)).value(), int64_t{6400});
    }

    void symbolicSizesShareWhereProvable() {
        const arith::Var n = arith::symbol("n", 1, 1 << 20);
        MemoryPlan plan;
        const Expr a = plan.allocate(n * 8);
        plan.release(a);
        QVERIFY(plan.allocate(n * 4).same(a));
    }

    void liveBuffersNeverOverlap() {
        for (uint32_t seed = 0; seed < 60; ++seed) {
            std::mt19937 random(seed);
            const std::vector<arith::Var> symbols = {arith::symbol("n", 0, 4096), arith::symbol("m", 1, 512)};
            MemoryPlan plan;
            std::vector<Buffer> buffers;
            std::vector<size_t> live;
            for (int step = 0; step < 60; ++step) {
                if (!live.empty() && random() % 2) {
                    const size_t at = random() % live.size();
                    plan.release(buffers[live[at]].offset);
                    buffers[live[at]].end = step;
                    live.erase(live.begin() + static_cast<int64_t>(at));
                    continue;
                }
                Expr bytes = static_cast<int64_t>(random() % 5000);
                if (random() % 2)
                    bytes = symbols[random() % 2] * static_cast<int64_t>(1 + random() % 16) + bytes;
                if (random() % 4 == 0)
                    bytes = symbols[0] * symbols[1];
                live.push_back(buffers.size());
                buffers.push_back({bytes, plan.allocate(bytes), step, 1000});
            }
            arith::VarMap offsets;
            const Expr total = plan.finish(offsets);
            for (const auto& [n, m] : {std::pair{0, 1}, {1, 1}, {7, 512}, {4096, 3}, {1000, 100}}) {
                const QString wrong = wrongIn(buffers, offsets, total, {{symbols[0].get(), n}, {symbols[1].get(), m}});
                QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(wrong)));
            }
        }
    }
};

Test test() {
    return {makes<TestMemoryPlan>};
}

} // namespace lathe::testing::test_memory_plan

#include "test_memory_plan.moc"
