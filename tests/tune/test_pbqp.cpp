// SPDX-License-Identifier: Apache-2.0
//
// Choices by costs against all of them tried out, on random graphs of every kind that reductions treat otherwise: chains and
// trees, rings, cliques, infinities. What it takes is counted in costs that were looked at, not in time.
#include "tune/pbqp.h"

#include "base/result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

namespace lathe::testing::test_pbqp {

using namespace lathe::tune;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whole numbers, so that sums are exact; of `impossible` in a hundred, infinity.
class Draw {
public:
    explicit Draw(uint64_t seed, int impossible = 0) : random_(seed), impossible_(impossible) {}

    int below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
    std::vector<double> costs(size_t count) {
        std::vector<double> all(count);
        for (double& cost : all)
            cost = below(100) < impossible_ ? infinity : below(41) - 10;
        return all;
    }
    Pbqp nodes(int count, int mostOptions) {
        Pbqp problem;
        for (int i = 0; i < count; ++i)
            problem.nodes.push_back(costs(1 + static_cast<size_t>(below(mostOptions))));
        return problem;
    }
    void join(Pbqp& problem, int a, int b) {
        const auto at = [](int node) { return static_cast<size_t>(node); };
        const bool turned = below(2) == 0;
        Pbqp::Edge edge{at(turned ? b : a), at(turned ? a : b), {}};
        edge.costs = costs(problem.nodes[edge.a].size() * problem.nodes[edge.b].size());
        problem.edges.push_back(std::move(edge));
    }

private:
    std::mt19937_64 random_;
    int impossible_;
};

double leastOf(const Pbqp& problem) {
    std::vector<size_t> chosen(problem.nodes.size(), 0);
    double best = problem.cost(chosen);
    for (size_t i = 0; i < chosen.size();) {
        if (++chosen[i] == problem.nodes[i].size()) {
            chosen[i++] = 0;
            continue;
        }
        i = 0;
        best = std::min(best, problem.cost(chosen));
    }
    return best;
}

Pbqp chain(int length, int options) {
    Draw draw(3);
    Pbqp problem;
    for (int i = 0; i < length; ++i)
        problem.nodes.push_back(draw.costs(static_cast<size_t>(options)));
    for (int i = 1; i < length; ++i)
        draw.join(problem, i - 1, i);
    return problem;
}

Pbqp grid(int side, int options) {
    Draw draw(4);
    Pbqp problem;
    for (int i = 0; i < side * side; ++i)
        problem.nodes.push_back(draw.costs(static_cast<size_t>(options)));
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            if (x > 0)
                draw.join(problem, y * side + x - 1, y * side + x);
            if (y > 0)
                draw.join(problem, (y - 1) * side + x, y * side + x);
        }
    return problem;
}

uint64_t sizeOf(const Pbqp& problem) {
    uint64_t size = 0;
    for (const auto& costs : problem.nodes)
        size += costs.size();
    for (const Pbqp::Edge& edge : problem.edges)
        size += edge.costs.size();
    return size;
}

} // namespace

class TestPbqp : public QObject {
    Q_OBJECT

private slots:
    void isTheBest_data() {
        QTest::addColumn<int>("edges"); // of a hundred pairs
        QTest::addColumn<int>("impossible");
        for (const int edges : {0, 15, 30, 60, 100})
            for (const int impossible : {0, 10, 40})
                QTest::addRow("%d edges, %d impossible", edges, impossible) << edges << impossible;
    }
    void isTheBest() {
        QFETCH(int, edges);
        QFETCH(int, impossible);
        for (uint64_t seed = 0; seed < 400; ++seed) {
            Draw draw(seed, impossible);
            const int count = 1 + draw.below(seed < 20 ? 10 : 8);
            Pbqp problem = draw.nodes(count, seed < 20 ? 4 : 3);
            for (int a = 0; a < count; ++a)
                for (int b = a + 1; b < count; ++b)
                    for (int twice = 0; twice < 2; ++twice) // some pairs have two edges
                        if (draw.below(100) < (twice == 0 ? edges : edges / 10))
                            draw.join(problem, a, b);
            const PbqpSolution solution = solve(problem);
            QVERIFY(solution.optimal);
            QCOMPARE(solution.chosen.size(), problem.nodes.size());
            QCOMPARE(solution.cost, leastOf(problem));
            QCOMPARE(problem.cost(solution.chosen), solution.cost);
        }
    }

    /// Two cliques that only one node joins: once it is fixed, each is for itself.
    void fallsApart() {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Draw draw(seed);
            Pbqp problem = draw.nodes(9, 3);
            for (int a = 1; a < 9; ++a) {
                draw.join(problem, 0, a);
                for (int b = a + 1; b < 9; ++b)
                    if ((a <= 4) == (b <= 4))
                        draw.join(problem, a, b);
            }
            const PbqpSolution solution = solve(problem);
            QVERIFY(solution.optimal);
            QCOMPARE(solution.cost, leastOf(problem));
        }
    }

    void byHand() {
        Pbqp problem;
        problem.nodes = {{0, 5}, {4, 0}, {0, 9}};
        problem.edges = {{0, 1, {0, 3, 3, 0}}, {2, 1, {0, 3, 3, 0}}}; // 3 where neighbours differ
        const PbqpSolution solution = solve(problem);                 // all 0: 4. The middle 1: 6. The first two 1: 8
        QCOMPARE(solution.chosen, (std::vector<size_t>{0, 0, 0}));
        QCOMPARE(solution.cost, 4.0);
        problem.nodes[1] = {7, 0};
        QCOMPARE(solve(problem).chosen, (std::vector<size_t>{0, 1, 0}));
        problem.edges[0].costs[1] = infinity;
        QCOMPARE(solve(problem).chosen, (std::vector<size_t>{0, 0, 0}));
    }

    void nothingAtAll() {
        QCOMPARE(solve({}).chosen.size(), size_t(0));
        QCOMPARE(solve({}).cost, 0.0);
        Pbqp problem;
        problem.nodes = {{infinity, infinity}, {1}};
        QCOMPARE(solve(problem).cost, infinity);
        QCOMPARE(solve(problem).chosen.size(), size_t(2));
    }

    void malformed() {
        Pbqp problem;
        problem.nodes = {{1, 2}, {}};
        QVERIFY_THROWS_EXCEPTION(lathe::InternalError, solve(problem));
        problem.nodes = {{1, 2}, {3}};
        problem.edges = {{0, 1, {1}}};
        QVERIFY_THROWS_EXCEPTION(lathe::InternalError, solve(problem));
        problem.edges = {{1, 1, {1}}};
        QVERIFY_THROWS_EXCEPTION(lathe::InternalError, solve(problem));
        problem.edges = {{0, 1, {1, std::nan("")}}};
        QVERIFY_THROWS_EXCEPTION(lathe::InternalError, solve(problem));
    }

    /// A chain and a ring are reduced whole: each cost is looked at a few times, however long they are.
    void longChains() {
        for (const bool ring : {false, true}) {
            Pbqp problem = chain(1000, 5);
            if (ring)
                problem.edges.push_back({999, 0, Draw(9).costs(25)});
            const PbqpSolution solution = solve(problem, 0);
            QVERIFY(solution.steps < 16 * sizeOf(problem));
            if (!ring)
                QCOMPARE(solution.cost, shortest(problem));
        }
    }

    /// A grid of a thousand nodes has no small core: it is no worse than each node's own best, in few steps, and says that it
    /// is not proved.
    void largeGrids() {
        const Pbqp problem = grid(32, 4);
        const PbqpSolution solution = solve(problem);
        QVERIFY(!solution.optimal);
        QVERIFY(solution.steps < 64 * sizeOf(problem));
        std::vector<size_t> own;
        for (const auto& costs : problem.nodes)
            own.push_back(static_cast<size_t>(std::ranges::min_element(costs) - costs.begin()));
        QVERIFY(solution.cost < problem.cost(own));
        QCOMPARE(solve(problem).chosen, solution.chosen);
    }

    void endsInTime() {
        const Pbqp problem = grid(10, 4); // few enough to try, too many to prove
        const PbqpSolution none = solve(problem, 0), some = solve(problem, 1 << 20);
        QVERIFY(!none.optimal && !some.optimal);
        QVERIFY(some.cost <= none.cost);
        QVERIFY(some.steps < (1 << 20) + 64 * sizeOf(problem));
        const PbqpSolution small = solve(grid(5, 3));
        QVERIFY(small.optimal);
    }

private:
    /// Of a chain, from its first node to its last.
    static double shortest(const Pbqp& problem) {
        std::vector<double> reached = problem.nodes[0];
        for (size_t n = 1; n < problem.nodes.size(); ++n) {
            const Pbqp::Edge& edge = problem.edges[n - 1];
            std::vector<double> next(problem.nodes[n].size(), infinity);
            for (size_t i = 0; i < reached.size(); ++i)
                for (size_t j = 0; j < next.size(); ++j) {
                    const double cost =
                        edge.a == n - 1 ? edge.costs[i * next.size() + j] : edge.costs[j * reached.size() + i];
                    next[j] = std::min(next[j], reached[i] + cost + problem.nodes[n][j]);
                }
            reached = next;
        }
        return *std::ranges::min_element(reached);
    }
};

Test test() {
    return {makes<TestPbqp>};
}

} // namespace lathe::testing::test_pbqp

#include "test_pbqp.moc"
