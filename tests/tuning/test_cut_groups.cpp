// SPDX-License-Identifier: Apache-2.0
//
// Fused groups and their cuts by costs that are made up: which groups are open to it, that operators which move along are
// counted on both sides, and that a cut stays only where its parts take less.
#include "support/program_of_tests.h"
#include "tuning/cut_groups.h"

#include <QTest>

namespace lathe::testing::test_cut_groups {

using namespace lathe::tuning;
using relay::transform::FusionOutcome;

namespace {

/// Two groups: "norm" is mean, subtract and divide, where subtract reads the mean and the mean's value is read twice; "chain" is
/// add and relu, where nothing is open. Cut apart, the second operator of a pair begins a function of its own.
class MadeUpGroups final : public GraphBench {
public:
    std::map<std::string, double> ms{{"norm", 3}, {"chain", 2}};
    std::vector<std::string> names{"mean", "subtract", "divide", "add", "relu"};
    double others = 0; // beside it all, where anything is cut
    std::vector<driver::Decisions> measured;

    Result<GraphChoices> look(const driver::Decisions&) override { return GraphChoices{}; }
    Result<GraphRun> measure(const driver::Decisions& decisions) override {
        measured.push_back(decisions);
        GraphRun run;
        const std::vector<std::string> ops{"reduce", "subtract", "divide", "add", "relu"};
        for (size_t i = 0; i < names.size(); ++i)
            run.fusion.operators.push_back({{names[i], ops[i], 0}, i < 3 ? "norm" : "chain", {}});
        run.fusion.edges = {{0, 1, FusionOutcome::Joined, {}},
                            {0, 2, FusionOutcome::Joined, {}},
                            {1, 2, FusionOutcome::Joined, {}},
                            {3, 4, FusionOutcome::Joined, {}}};
        for (const driver::ApartDecision& pin : decisions.apart)
            for (auto& edge : run.fusion.edges) {
                auto& consumer = run.fusion.operators[edge.consumer];
                if (run.fusion.operators[edge.producer].name == pin.producer && consumer.name == pin.consumer) {
                    edge.outcome = FusionOutcome::KeptApart;
                    consumer.function += "/" + consumer.name.node;
                }
            }
        for (const auto& each : run.fusion.operators)
            run.functions[each.function] = {0, 0};
        for (auto& [name, taken] : run.functions)
            if (const auto found = ms.find(name); found != ms.end())
                taken.ms = found->second;
        if (!decisions.apart.empty())
            run.ms = others;
        for (const auto& [name, taken] : run.functions)
            run.ms += taken.ms;
        return run;
    }
};

driver::ApartDecision pair(const char* producer, const char* producerOp, const char* consumer, const char* consumerOp) {
    return {{producer, producerOp, 0}, {consumer, consumerOp, 0}};
}

} // namespace

class TestCutGroups : public QObject {
    Q_OBJECT

private slots:
    void whatIsOpen() {
        MadeUpGroups bench;
        const GraphRun run = *bench.measure({});
        const std::vector<FusedGroup> groups = groupsOf(run);
        QCOMPARE(groups.size(), size_t(1));
        QCOMPARE(groups[0].ms, 3.0);
        QCOMPARE(groups[0].members.size(), size_t(3));
        QCOMPARE(groups[0].cuts.size(), size_t(3));
        QCOMPARE(groups[0].cuts[0], pair("mean", "reduce", "subtract", "subtract")); // of several users first
        QCOMPARE(groups[0].cuts[2], pair("subtract", "subtract", "divide", "divide"));
        QCOMPARE(groupsOf(run, 10, 2)[0].cuts.size(), size_t(2));
        QVERIFY(groupsOf(run, 0).empty());
    }

    void whatMovesAlongIsCounted() {
        MadeUpGroups bench;
        const GraphRun start = *bench.measure({});
        GraphRun cut = start; // divide now stands in the other group
        cut.fusion.operators[2].function = "chain";
        const auto [before, after] = takenBy({start.fusion.operators[0].name}, start, cut);
        QCOMPARE(before.ms, 5.0);
        QCOMPARE(after.ms, 5.0);
        const auto [own, same] = takenBy({start.fusion.operators[3].name}, start, start);
        QCOMPARE(own.ms, 2.0);
        QCOMPARE(same.ms, 2.0);
    }

    void aCutThatPays() {
        MadeUpGroups bench;
        bench.ms["norm/divide"] = 0.5;
        class Halved final : public GraphBench { // its first part takes less than the whole did
        public:
            explicit Halved(MadeUpGroups& bench) : bench_(bench) {}
            Result<GraphChoices> look(const driver::Decisions& decisions) override { return bench_.look(decisions); }
            Result<GraphRun> measure(const driver::Decisions& decisions) override {
                const bool pays = decisions.apart.size() == 1 && decisions.apart[0].producer.node == "subtract";
                bench_.ms["norm"] = pays ? 1.5 : 3;
                return bench_.measure(decisions);
            }

        private:
            MadeUpGroups& bench_;
        } halved(bench);
        driver::Decisions base;
        base.skipPasses = {"fold scale"};
        const auto found = cutGroups(halved, base, {});
        QVERIFY(found);
        QCOMPARE(found->groups, size_t(1));
        QCOMPARE(found->cut, size_t(1));
        QCOMPARE(found->decisions.apart,
                 std::vector<driver::ApartDecision>{pair("subtract", "subtract", "divide", "divide")});
        QCOMPARE(found->decisions.skipPasses, base.skipPasses);
        QCOMPARE(found->startMs, 5.0);
        QCOMPARE(found->predictedMs, 4.0);
        QCOMPARE(found->measuredMs, 4.0);
        QCOMPARE(bench.measured.size(), size_t(1 + 3 + 1));
        bench.others = 2; // the model as a whole is slower with it
        const auto none = cutGroups(halved, base, {});
        QVERIFY(none);
        QCOMPARE(none->decisions, base);
        QCOMPARE(none->cut, size_t(0));
    }

    void nothingPays() {
        MadeUpGroups bench;
        bench.ms["norm/divide"] = bench.ms["norm/subtract"] = 0.1; // and the first part as much as before
        const auto found = cutGroups(bench, {}, {});
        QVERIFY(found);
        QCOMPARE(found->decisions, driver::Decisions());
        QCOMPARE(bench.measured.size(), size_t(1 + 3));
    }

    /// Faster when it was tried, slower when it was tried again.
    void whatDoesNotHoldGoesBack() {
        MadeUpGroups bench;
        class Lucky final : public GraphBench {
        public:
            explicit Lucky(MadeUpGroups& bench) : bench_(bench) {}
            Result<GraphChoices> look(const driver::Decisions& decisions) override { return bench_.look(decisions); }
            Result<GraphRun> measure(const driver::Decisions& decisions) override {
                bench_.ms["norm"] = bench_.measured.size() == 1 ? 1 : 3;
                return bench_.measure(decisions);
            }

        private:
            MadeUpGroups& bench_;
        } lucky(bench);
        const auto found = cutGroups(lucky, {}, {});
        QVERIFY(found);
        QCOMPARE(found->decisions, driver::Decisions());
        QCOMPARE(bench.measured.size(), size_t(1 + 3 + 1));
    }

    void cancelled() {
        MadeUpGroups bench;
        CostSearch search;
        search.cancelled = [&] { return !bench.measured.empty(); };
        const auto found = cutGroups(bench, {}, search);
        QVERIFY(found);
        QCOMPARE(found->decisions, driver::Decisions());
        QCOMPARE(bench.measured.size(), size_t(1));
    }
};

Test test() {
    return {makes<TestCutGroups>};
}

} // namespace lathe::testing::test_cut_groups

#include "test_cut_groups.moc"
