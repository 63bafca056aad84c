// SPDX-License-Identifier: Apache-2.0
// Random sequences of primitives: whatever is accepted keeps meaning at every size, and its trace replays to the same
// function. Refusals change nothing.
// Timeout: 600
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <random>

namespace lathe::testing::test_random {

using arith::Expr;
using schedule::Schedule;

namespace {

struct Subject {
    tir::PrimFuncPtr function;
    std::vector<std::vector<int64_t>> sizes;
};

/// Rows of x, scaled, reduced and combined again, with a stencil and a packed copy: every kind of access.
Subject mixed() {
    arith::Var n = arith::symbol("n"), m = arith::symbol("m");
    auto x = te::placeholder("x", types::Float32, {n, m});
    auto scaled = te::compute("scaled", {n, m}, [&](auto& i) { return (*x)({i[0], i[1]}) + (*x)({i[0], i[1]}); }, 0);
    auto sum =
        te::reduce("sum", {n}, te::ReduceKind::Sum, {m}, [&](auto& i, auto& k) { return (*scaled)({i[0], k[0]}); }, 1);
    auto padded = te::compute(
        "padded", {n, m + 2},
        [&](auto& i) {
            Expr inside = logicalAnd(ge(i[1], 1), le(i[1], m));
            Expr at = max(min(i[1] - 1, m - 1), 0);
            return select(logicalAnd(inside, gt(m, 0)), (*scaled)({i[0], at}), arith::zero(types::Float32));
        },
        2);
    auto blur = te::reduce(
        "blur", {n, m}, te::ReduceKind::Sum, {3}, [&](auto& i, auto& k) { return (*padded)({i[0], i[1] + k[0]}); }, 3);
    auto out = te::compute("out", {n, m}, [&](auto& i) { return (*blur)({i[0], i[1]}) - (*sum)({i[0]}); }, 4);
    return {te::toTir("mixed", {x}, {out}, {n, m}), {{0, 1}, {1, 1}, {3, 5}, {7, 4}, {2, 17}}};
}

Subject packed() {
    arith::Var n = arith::symbol("n");
    auto in = te::placeholder("in", types::Float32, {n, 32});
    auto flat = te::compute("flat", {n, 32}, [&](auto& i) { return (*in)({i[0], i[1]}) + (*in)({i[0], 0}); }, 0);
    auto blocked = te::compute("blocked", {4, n, 8}, [&](auto& i) { return (*flat)({i[1], i[0] * 8 + i[2]}); }, 1);
    auto sum = te::reduce(
        "sum", {4, n}, te::ReduceKind::Sum, {8}, [&](auto& i, auto& k) { return (*blocked)({i[0], i[1], k[0]}); }, 2);
    auto out = te::compute(
        "out", {n, 32},
        [&](auto& i) {
            return (*blocked)({floorDiv(i[1], 8), i[0], floorMod(i[1], 8)}) * (*sum)({floorDiv(i[1], 8), i[0]});
        },
        3);
    return {te::toTir("packed", {in}, {out}, {n}), {{0}, {1}, {6}, {9}}};
}

Subject product() {
    arith::Var m = arith::symbol("m"), k = arith::symbol("k");
    return {matmul(m, 18, k, true, {m, k}), {{0, 2}, {1, 0}, {5, 3}, {8, 8}, {13, 1}}};
}

Subject fixedProduct() {
    return {matmul(12, 18, 8, true), {{}}};
}

void randomStep(Schedule& s, std::mt19937& random) {
    auto pick = [&](size_t count) { return random() % count; };
    auto blocks = s.blocks();
    auto block = blocks[pick(blocks.size())];
    auto loops = s.loops(block);
    auto other = s.loops(blocks[pick(blocks.size())]);
    static const std::vector<std::vector<schedule::Number>> factors{{-1, 2}, {-1, 4},    {-1, 6},
                                                                    {2, -1}, {-1, 3, 2}, {-1, 1}};
    auto scope = pick(2) ? tir::Scope::Local : tir::Scope::Workspace;
    auto any = [&](const std::vector<schedule::LoopRef>& from) {
        return from.empty() ? schedule::LoopRef{} : from[pick(from.size())];
    };
    switch (pick(25)) {
    case 0:
    case 1:
    case 2:
        s.split(any(loops), factors[pick(factors.size())]);
        return;
    case 3:
        if (loops.size() >= 2) {
            size_t first = pick(loops.size() - 1);
            s.fuse({loops[first], loops[first + 1]});
        }
        return;
    case 4:
    case 5:
        std::ranges::shuffle(loops, random);
        loops.resize(std::min<size_t>(loops.size(), 2 + pick(3)));
        s.reorder(loops);
        return;
    case 6:
        return s.parallel(any(loops));
    case 7:
        return s.vectorize(any(loops));
    case 8:
        return s.unroll(any(loops));
    case 9:
    case 10:
    case 11:
        return s.computeAt(block, any(other));
    case 12:
    case 13:
        return s.reverseComputeAt(block, any(other));
    case 14:
        return pick(2) ? s.computeInline(block) : s.reverseComputeInline(block);
    case 15:
        s.cacheRead(block, static_cast<int>(pick(2)), scope);
        return;
    case 16:
        s.cacheWrite(block, 0, scope);
        return;
    case 17:
        s.decomposeReduction(block, any(loops));
        return;
    case 18:
        s.rfactor(any(loops), static_cast<int>(pick(2)));
        return;
    case 19:
        return s.annotate(any(loops), "grain", 4096);
    case 20:
        if (loops.size() >= 2) {
            size_t inner = 1 + pick(loops.size() - 1);
            if (s.get(block).init)
                s.decomposeReduction(block, loops[pick(inner + 1)]);
            s.cacheInplace(block, loops[inner], scope);
        }
        return;
    case 21:
        s.prefetch(block, static_cast<int>(pick(2)), any(loops), 64);
        return;
    case 22:
        if (loops.size() >= 2) {
            const size_t inner = 1 + pick(loops.size() - 1);
            s.prefetchNext(block, static_cast<int>(pick(2)), loops[pick(inner)], loops[inner]);
        }
        return;
    case 23:
        return s.storageAlign(block, 0, static_cast<int>(pick(2)), 8, static_cast<int64_t>(pick(3)));
    default:
        return s.setScope(block, 0, scope);
    }
}

} // namespace

class TestRandom : public QObject {
    Q_OBJECT

private slots:
    void keepsMeaning_data() {
        QTest::addColumn<int>("subject");
        QTest::newRow("mixed") << 0;
        QTest::newRow("packed") << 1;
        QTest::newRow("product") << 2;
        QTest::newRow("product of fixed size") << 3;
    }

    void keepsMeaning() {
        QFETCH(int, subject);
        int rounds = qEnvironmentVariableIntValue("LATHE_FUZZ_ROUNDS");
        rounds = rounds > 0 ? rounds : 40;
        std::map<std::string, int> applied;
        for (int seed = 0; seed < rounds; ++seed) {
            Subject it = subject == 0 ? mixed() : subject == 1 ? packed() : subject == 2 ? product() : fixedProduct();
            std::mt19937 random(static_cast<unsigned>(seed * 4 + subject));
            Schedule s(it.function);
            std::string history;
            for (int i = 0; i < 25; ++i) {
                size_t steps = s.trace().steps.size();
                (void)schedule::apply(s, [&](Schedule& inner) { randomStep(inner, random); });
                for (; steps < s.trace().steps.size(); ++steps)
                    ++applied[s.trace().steps[steps].primitive];
            }
            std::string wrong = difference(*it.function, *s.function(), it.sizes);
            if (!wrong.empty())
                std::fprintf(stderr, "seed %d: %s\n%s", seed, wrong.c_str(), print(s.trace()).c_str());
            QVERIFY2(wrong.empty(), "the text is above"); // Qt Test cuts long messages
            Schedule again(it.function);
            auto replayed = again.replay(s.trace());
            QVERIFY2(replayed, replayed ? "" : toString(replayed.error()).c_str());
            QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
        }
        for (const auto& [name, count] : applied)
            qDebug("%s: %d", name.c_str(), count);
        QVERIFY(applied["computeAt"] + applied["reverseComputeAt"] > 0);
        QVERIFY(applied["split"] > 0 && applied["reorder"] > 0);
        for (const char* rare : {"cacheInplace", "prefetch", "prefetchNext", "annotate"})
            rare_[rare] += applied[rare];
        ++subjects_;
    }

    void cleanupTestCase() {
        for (const auto& [name, count] : rare_)
            QVERIFY2(count > 0 || subjects_ < 4, name.c_str()); // in all subjects together
    }

private:
    std::map<std::string, int> rare_;
    int subjects_ = 0;
};

Test test() {
    return {makes<TestRandom>};
}

} // namespace lathe::testing::test_random

#include "test_random.moc"
