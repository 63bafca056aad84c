// SPDX-License-Identifier: Apache-2.0
//
// Orders of axes as what they are, permutations: held against the laws of those, and reshapes against counting by
// hand.
#include "relay/axis_order.h"
#include "relay/transform/minimum_cut.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <algorithm>
#include <bit>
#include <random>

namespace lathe::testing::test_axis_orders {

using namespace lathe::relay;
using transform::MinimumCut;

namespace {

const arith::Expr n = arith::symbol("n", 1, 64), h = arith::symbol("h", 1, 64);

/// A graph with few enough nodes that all ways to cut it can be tried.
struct SmallGraph {
    struct Edge {
        int from, to;
        double cost;
    };
    int nodes;
    std::vector<Edge> edges;

    explicit SmallGraph(std::mt19937& random) : nodes(2 + static_cast<int>(random() % 5)) {
        for (int i = 0; i < 3 * nodes; ++i) {
            const auto pick = [&] { return static_cast<int>(random() % static_cast<unsigned>(nodes + 2)); };
            const int from = pick(), to = pick();
            const bool mayForbid = from > MinimumCut::change && to > MinimumCut::change;
            if (from != to)
                edges.push_back({from, to, mayForbid && random() % 4 == 0 ? MinimumCut::never : 1.0 + random() % 9});
        }
    }
    /// Of the cut in which those nodes change whose bits are set: MinimumCut::change is among them.
    double costOf(unsigned changing) const {
        double cost = 0;
        for (const Edge& edge : edges)
            if ((changing >> edge.from & 1) == 0 && (changing >> edge.to & 1) == 1)
                cost += edge.cost;
        return cost;
    }
};

} // namespace

class TestAxisOrders : public QObject {
    Q_OBJECT

private slots:
    void permutationsAreAGroup() {
        std::mt19937 random(1);
        for (size_t rank = 0; rank <= 6; ++rank)
            for (int turn = 0; turn < 20; ++turn) {
                Axes a = identityAxes(rank), b = a, c = a;
                for (Axes* axes : {&a, &b, &c})
                    std::ranges::shuffle(*axes, random);
                QVERIFY(isIdentity(compose(a, inverse(a))) && isIdentity(compose(inverse(a), a)));
                QCOMPARE(compose(a, compose(b, c)), compose(compose(a, b), c));
                QCOMPARE(inverse(compose(a, b)), compose(inverse(b), inverse(a)));
                QCOMPARE(compose(a, identityAxes(rank)), a);
                for (size_t i = 0; i < rank; ++i)
                    QCOMPARE(placeOf(a[i], a), static_cast<int64_t>(i));
            }
    }

    void takingTwiceIsTakingTheComposed() {
        const std::vector<std::string> dims{"n", "h", "w", "c"};
        const Axes toChannelsFirst{0, 3, 1, 2}, turn{0, 1, 3, 2};
        QCOMPARE(permuted(dims, toChannelsFirst), (std::vector<std::string>{"n", "c", "h", "w"}));
        QCOMPARE(permuted(permuted(dims, toChannelsFirst), turn), permuted(dims, compose(toChannelsFirst, turn)));
    }

    void keptDimsAreCountedAnew() {
        // [n, c, h, w] of [n, h, w, c], without h and w: [n, c] of [n, c].
        QCOMPARE(ofKept({0, 3, 1, 2}, {true, false, false, true}), (Axes{0, 1}));
        // Without c: [n, h, w]. Without n: [c, h, w] of [h, w, c].
        QCOMPARE(ofKept({0, 3, 1, 2}, {true, true, true, false}), (Axes{0, 1, 2}));
        QCOMPARE(ofKept({0, 3, 1, 2}, {false, true, true, true}), (Axes{2, 0, 1}));
    }

    void onlyOnesMoveFreely() {
        const std::vector<Expr> pooled{2, 1, 1, 8}, alike{4, 4, 4, 4};
        QVERIFY(sameSequence(modelOrder(4), {{0, 3, 1, 2}}, pooled));
        QVERIFY(sameSequence({{1, 0, 2, 3}}, {{0, 3, 1, 2}}, pooled));
        QVERIFY(!sameSequence({{3, 0, 1, 2}}, {{0, 3, 1, 2}}, pooled));
        QVERIFY(!sameSequence(modelOrder(4), {{0, 3, 1, 2}}, alike));
    }

    void reshapesAreTakenApart() {
        const auto groups = groupsOfReshape({n, 4, 4, 4}, {n, 16, 4});
        QVERIFY(groups);
        QCOMPARE(groups->size(), 3u);
        QCOMPARE(groups->at(1).from, 1u);
        QCOMPARE(groups->at(1).fromEnd, 3u);
        QCOMPARE(groups->at(1).to, 1u);
        QCOMPARE(groups->at(1).toEnd, 2u);
        QVERIFY(!groupsOfReshape({n, 4}, {h, 4})); // that n is h is not known
        QCOMPARE(groupsOfReshape({n, h}, {h, n}) ? groupsOfReshape({n, h}, {h, n})->size() : 0, 1u);
    }

    void ordersGoThroughReshapes() {
        const Axes first{0, 3, 1, 2};
        // Height and width become one dim: they stand together in both orders.
        QCOMPARE(throughReshape({n, 4, 4, 4}, {n, 16, 4}, first), (Axes{0, 2, 1}));
        QCOMPARE(throughReshape({n, 16, 4}, {n, 4, 4, 4}, {0, 2, 1}), first);
        // Width and channels do not, and height before width is not width before height.
        QVERIFY(!throughReshape({n, 4, 4, 4}, {n, 4, 16}, first));
        QVERIFY(!throughReshape({n, 4, 4, 4}, {n, 16, 4}, {0, 3, 2, 1}));
        // Dims of size 1 come and go.
        QCOMPARE(throughReshape({n, 1, 1, 8}, {n, 8}, first), (Axes{0, 1}));
        QCOMPARE(throughReshape({n, h, 8}, {n, h, 8, 1}, {0, 2, 1}), (Axes{0, 2, 3, 1}));
        // All become one: the elements are in another order then.
        QVERIFY(!throughReshape({n, 4, 4, 4}, {n, 64}, first));
        const auto within = withinReshape({n, 4, 4, 4}, {n, 64}, first);
        QVERIFY(within);
        QCOMPARE(within->axes, first);
        QCOMPARE(within->parts.size(), 4u);
        QVERIFY(!withinReshape({4, 4, 4}, {4, 16}, {1, 0, 2})); // a dim that stays changes places with a part
    }

    void cutsAreTheCheapest() {
        std::mt19937 random(1);
        for (int turn = 0; turn < 300; ++turn) {
            const SmallGraph graph(random);
            MinimumCut cut;
            for (int i = 0; i < graph.nodes; ++i)
                cut.add();
            for (const SmallGraph::Edge& edge : graph.edges)
                cut.edge(edge.from, edge.to, edge.cost);
            int64_t steps = 1'000'000;
            const auto changes = cut.solve(steps);
            QVERIFY(changes);
            unsigned chosen = 0;
            for (size_t i = 0; i < changes->size(); ++i)
                chosen |= static_cast<unsigned>((*changes)[i]) << i;
            QVERIFY((chosen >> MinimumCut::change & 1) == 1 && (chosen >> MinimumCut::keep & 1) == 0);
            for (unsigned other = 0; other < 1U << graph.nodes; ++other) {
                const unsigned changing = other << 2 | 1U << MinimumCut::change;
                const double difference = graph.costOf(changing) - graph.costOf(chosen);
                QVERIFY(difference > 0 || (difference == 0 && std::popcount(changing) >= std::popcount(chosen)));
            }
        }
    }

    void cutsGiveUp() {
        MinimumCut cut;
        const int node = cut.add();
        cut.edge(MinimumCut::keep, node, 1);
        cut.edge(node, MinimumCut::change, 2);
        int64_t steps = 1;
        QVERIFY(!cut.solve(steps));
    }
};

Test test() {
    return {makes<TestAxisOrders>};
}

} // namespace lathe::testing::test_axis_orders

#include "test_axis_orders.moc"
