// SPDX-License-Identifier: Apache-2.0
//
// Variants and layouts by costs that are made up: where another option pays, exactly that is decided; where nothing pays, the
// rules' choice stays. The best choices are worked out by hand.
#include "made_up_graph.h"
#include "support/program_of_tests.h"
#include "tuning/choose_by_costs.h"

#include <QTest>
#include <limits>

namespace lathe::testing::test_choose_by_costs {

using namespace lathe::tuning;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ChosenByCosts chosen(MadeUpGraph& graph, const driver::Decisions& base = {}, const CostSearch& search = {}) {
    auto found = chooseByCosts(graph, base, search);
    if (!found)
        qFatal("%s", found.error().what.c_str());
    return *std::move(found);
}

/// "a winograd4, b blocks 32"
std::string pinsOf(const driver::Decisions& decisions) {
    std::vector<std::string> pins;
    for (const driver::VariantDecision& each : decisions.variants)
        pins.push_back(each.of.node + " " + each.variant);
    for (const driver::LayoutDecision& each : decisions.layouts)
        pins.push_back(each.of.node + " " + std::string(driver::toString(each.part)) + " " +
                       std::to_string(each.width));
    std::ranges::sort(pins);
    std::string text;
    for (const std::string& pin : pins)
        text += (text.empty() ? "" : ", ") + pin;
    return text;
}

} // namespace

class TestChooseByCosts : public QObject {
    Q_OBJECT

private slots:
    void everyOptionIsTried() {
        MadeUpGraph graph;
        const auto sweeps = sweepsOf(graph, {});
        QVERIFY(sweeps);
        std::set<std::string> options;
        for (const driver::Decisions& sweep : *sweeps) {
            const auto run = graph.measure(sweep);
            for (const auto& [node, site] : run->sites)
                options.insert(toString(site.option));
            QCOMPARE(run->sites.size(), size_t(4));
        }
        QCOMPARE(options, (std::set<std::string>{"winograd2", "winograd4", "direct, blocks 32",
                                                 "direct, blocks 0, panels 0", "direct, blocks 0, panels 16"}));
        QCOMPARE(sweeps->size(), size_t(5)); // blocks of 16 are the start
    }

    void nothingPays() {
        MadeUpGraph graph;
        graph.ms = {{"winograd2", 1.5}, {"winograd4", 1.001}, {"direct, blocks 32", 0.995}}; // 0.5 %: too little
        driver::Decisions base;
        base.skipPasses = {"fold scale"};
        const ChosenByCosts found = chosen(graph, base);
        QCOMPARE(found.decisions, base);
        QCOMPARE(found.changed, size_t(0));
        QCOMPARE(found.sites, size_t(4));
        QCOMPARE(found.startMs, 5.0);
        QCOMPARE(found.measuredMs, 0.0);
        QCOMPARE(found.planned, size_t(6));
        QCOMPARE(found.measured, size_t(6)); // the start and the sweeps: no solution was left to measure
    }

    void noChoices() {
        MadeUpGraph graph;
        graph.nodes = {};
        QCOMPARE(chosen(graph).decisions, driver::Decisions());
        QVERIFY(graph.measured.empty());
    }

    void whatPaysIsDecided() {
        MadeUpGraph graph;
        graph.ms = {{"b winograd4", 0.5}, {"c winograd4", 0.9}, {"c winograd2", 0.8}};
        const ChosenByCosts found = chosen(graph);
        QCOMPARE(pinsOf(found.decisions), std::string("b winograd4, c winograd2"));
        QCOMPARE(found.changed, size_t(2));
        QCOMPARE(found.startMs, 5.0);
        QCOMPARE(found.predictedMs, 4.3);
        QCOMPARE(found.measuredMs, 4.3);
        QVERIFY(found.optimal);
    }

    /// Another layout gains 0.3 ms at each of two nodes in the middle; its two borders cost a relayout each.
    void aBorderIsPaidFor() {
        MadeUpGraph graph;
        graph.ms = {{"b direct, blocks 32", 0.7}, {"c direct, blocks 32", 0.7}, {"direct, blocks 32", 2}};
        graph.bytes = 1e6; // 2·10^6 bytes over 10^9 a second: 2 ms, were it not measured
        CostSearch search;
        search.gbs = 1000;
        graph.relayoutMs = 0.2;
        const ChosenByCosts found = chosen(graph, {}, search);
        QCOMPARE(pinsOf(found.decisions), std::string("b blocks 32, b direct, c blocks 32, c direct"));
        QCOMPARE(found.measuredMs, 4.8);
        graph.relayoutMs = 0.4; // estimated 0.002: the solution is measured, and no more
        const ChosenByCosts none = chosen(graph, {}, search);
        QCOMPARE(none.decisions, driver::Decisions());
        QCOMPARE(none.changed, size_t(0));
        search.gbs = 1; // estimated 2 ms: not even tried
        graph.measured.clear();
        QCOMPARE(chosen(graph, {}, search).decisions, driver::Decisions());
        QCOMPARE(graph.measured.size(), size_t(6));
    }

    /// Where the rule would choose otherwise beside what is decided, what it chose before is decided too.
    void theRuleDoesNotFollow() {
        MadeUpGraph graph;
        graph.follow = true;
        graph.ms = {{"b direct, blocks 32", 0.5}, {"direct, blocks 32", 2}};
        const ChosenByCosts found = chosen(graph);
        QCOMPARE(pinsOf(found.decisions),
                 std::string("b blocks 32, b direct, c blocks 16, c direct, d blocks 16, d direct"));
        QCOMPARE(found.changed, size_t(1));
        QCOMPARE(found.measuredMs, 4.5);
    }

    /// What a solution shows of a pair of options corrects the next.
    void solutionsAreMeasured() {
        MadeUpGraph graph;
        graph.ms = {{"b direct, blocks 32", 0.7}, {"direct, blocks 32", 2}, {"d winograd4", 0.4}};
        graph.relayoutMs = 0.2; // b in blocks of 32 would cost 0.4
        CostSearch search;
        search.gbs = 1000;
        const ChosenByCosts found = chosen(graph, {}, search);
        QCOMPARE(pinsOf(found.decisions), std::string("d winograd4"));
        QCOMPARE(found.measuredMs, 4.4);
        QVERIFY(graph.measured.size() <= size_t(1 + 5 + search.mostSolutions));
    }

    /// By hand: b reads a. What b took in blocks of 32 was beside a in blocks of 32, and what it took in 16 beside 16.
    void costsOfPairs() {
        MadeUpGraph graph;
        graph.nodes = {"a", "b"};
        graph.ms = {{"a direct, blocks 32", 3}, {"b direct, blocks 32", 0.5}, {"b winograd4", 2}};
        graph.bytes = 5e6;
        graph.relayoutMs = 0.25;
        driver::Decisions wide;
        for (const char* node : {"a", "b"})
            wide.layouts.push_back({{node, "conv", 0}, relay::choose::StoredPart::Blocks, 32});
        std::vector<GraphRun> runs{*graph.measure({}), *graph.measure(wide)};
        GraphProblem problem = problemOf(runs, 10, {.leastGain = 0.1, .noises = 0});
        QCOMPARE(problem.sites, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(problem.restMs, 1.0);
        QCOMPARE(problem.costs.nodes[0], (std::vector{1, 3 * 1.1}));
        QCOMPARE(problem.costs.nodes[1], (std::vector{1, 0.5 * 1.1}));
        QCOMPARE(problem.costs.edges.size(), size_t(1));
        QCOMPARE(problem.costs.edges[0].a, size_t(0));
        QCOMPARE(problem.costs.edges[0].costs, (std::vector<double>{0, 1, 1, 0})); // 10^7 bytes at 10^10 a second
        problem = problemOf(runs, 10, {.estimates = false});
        QCOMPARE(problem.costs.edges[0].costs, (std::vector<double>{0, infinity, infinity, 0}));
        driver::Decisions mixed; // a in blocks of 16, b of 32: now it is known
        mixed.layouts = {wide.layouts[1]};
        runs.push_back(*graph.measure(mixed));
        problem = problemOf(runs, 10, {});
        QCOMPARE(problem.costs.edges[0].costs, (std::vector<double>{0, 0.25, 1, 0}));
        driver::Decisions other; // stores as the direct one in blocks of 16 does: what reads it takes as long
        other.variants = {{{"a", "conv", 0}, "winograd4"}};
        runs.push_back(*graph.measure(other));
        problem = problemOf(runs, 10, {});
        QCOMPARE(problem.options[0].size(), size_t(3));
        QCOMPARE(problem.costs.edges[0].costs, (std::vector<double>{0, 0.25, 1, 0, 0, 0.25}));
    }

    void noiseIsNoGain() {
        MadeUpGraph graph;
        graph.ms = {{"b winograd4", 0.9}};
        graph.spread = 0.3; // two of these: 0.15
        QCOMPARE(chosen(graph).decisions, driver::Decisions());
        graph.spread = 0.1;
        QCOMPARE(pinsOf(chosen(graph).decisions), std::string("b winograd4"));
    }

    void whatIsNoTimeIsNotChosen() {
        for (const double none : {infinity, std::nan(""), 0.0, -1.0}) {
            MadeUpGraph graph;
            graph.ms = {{"b winograd2", none}, {"b winograd4", 0.5}};
            QCOMPARE(pinsOf(chosen(graph).decisions), std::string("b winograd4"));
        }
    }

    void whatFailsIsLeftOut() {
        MadeUpGraph graph;
        graph.ms = {{"b winograd2", 0.1}, {"c winograd4", 0.5}};
        graph.broken = {"winograd2"};
        const ChosenByCosts found = chosen(graph);
        QCOMPARE(pinsOf(found.decisions), std::string("c winograd4"));
        QCOMPARE(found.message, std::string("cannot be compiled"));
        graph.broken = {"direct, blocks 16"}; // the start
        QVERIFY(!chooseByCosts(graph, {}, {}));
    }

    void whatIsDecidedStays() {
        MadeUpGraph graph;
        graph.ms = {{"winograd4", 0.5}};
        driver::Decisions base;
        base.variants = {{{"b", "conv", 0}, "winograd2"}};
        base.layouts = {{{"c", "conv", 0}, relay::choose::StoredPart::Blocks, 32}};
        QCOMPARE(pinsOf(chosen(graph, base).decisions),
                 std::string("a winograd4, b winograd2, c blocks 32, d winograd4"));
    }

    /// Whoever cancels keeps what was measured to be better; time that is up leaves one solution to measure.
    void endsEarly() {
        MadeUpGraph graph;
        graph.ms = {{"b winograd2", 0.5}, {"b direct, blocks 32", 0.1}};
        CostSearch search;
        search.isOver = [&] { return graph.measured.size() >= 2; }; // the start, winograd2
        QCOMPARE(pinsOf(chosen(graph, {}, search).decisions), std::string("b winograd2"));
        QCOMPARE(graph.measured.size(), size_t(3));
        graph.measured.clear();
        search.isOver = {};
        search.cancelled = [&] { return graph.measured.size() >= 2; };
        QCOMPARE(chosen(graph, {}, search).decisions, driver::Decisions());
        QCOMPARE(graph.measured.size(), size_t(2));
    }

    /// A solution that is slower as a whole than it was predicted, though none of its sites is, is not taken.
    void slowerInPlaceIsNotTaken() {
        MadeUpGraph graph;
        class Slower final : public GraphBench {
        public:
            explicit Slower(MadeUpGraph& graph) : graph_(graph) {}
            Result<GraphChoices> look(const driver::Decisions& decisions) override { return graph_.look(decisions); }
            Result<GraphRun> measure(const driver::Decisions& decisions) override {
                LATHE_TRY(GraphRun run, graph_.measure(decisions));
                run.ms += decisions.variants.size() == 1 ? 3 : 0;
                return run;
            }

        private:
            MadeUpGraph& graph_;
        } slower(graph);
        graph.ms = {{"b winograd4", 0.5}};
        const auto found = chooseByCosts(slower, {}, {});
        QVERIFY(found);
        QCOMPARE(found->decisions, driver::Decisions());
        QCOMPARE(found->changed, size_t(0));
    }

    void theSameTimesTheSameChoice() {
        MadeUpGraph graph;
        graph.ms = {{"b winograd4", 0.5}, {"c winograd2", 0.8}, {"a direct, blocks 32", 0.5}};
        QCOMPARE(chosen(graph).decisions, chosen(graph).decisions);
    }
};

Test test() {
    return {makes<TestChooseByCosts>};
}

} // namespace lathe::testing::test_choose_by_costs

#include "test_choose_by_costs.moc"
