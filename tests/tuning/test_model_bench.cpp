// SPDX-License-Identifier: Apache-2.0
//
// Compilations of a small network with everything that choosing by costs tries in it: they are accepted, each site has what was
// decided and the calls that are its own, and all of them compute the same.
// In release alone: it compiles one network many times over, as other tests do once under sanitizers.
// Needs: lathe-runner
// Links: onnx
// Timeout: 600
// Runs: release
#include "data/compare.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/targets.h"
#include "tuning/choose_by_costs.h"
#include "tuning/cut_groups.h"
#include "tuning/model_bench.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <random>

namespace lathe::testing::test_model_bench {

using namespace lathe::tuning;

class TestModelBench : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path model_;
    driver::Options options_;

    /// Outputs on the same random inputs.
    std::vector<model::HostTensor> outputsOf(driver::Session& session, const driver::Decisions& decisions) const {
        const auto whole = wholeModel(session, decisions, options_, {.threads = 1});
        if (!whole)
            qFatal("%s", whole.error().what.c_str());
        if (const auto ran = (*whole)->runner->run(); !ran)
            qFatal("%s", ran.error().what.c_str());
        return *(*whole)->runner->outputs();
    }

    static void compareOutputs(const std::vector<model::HostTensor>& got, const std::vector<model::HostTensor>& right) {
        QCOMPARE(got.size(), right.size());
        for (size_t i = 0; i < got.size(); ++i) {
            data::CompareRules rules;
            rules.absoluteOfRange = 1e-5; // sums in another order
            const data::Comparison compared = data::compare(got[i], right[i], rules);
            QVERIFY2(compared.right, compared.message.c_str());
        }
    }

private slots:
    /// Two 3×3 convolutions with a pooling between them, one of 1×1 beside the second, and a classifier.
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx").toStdString();
        auto model =
            parseModel(R"(<ir_version: 10, opset_import: ["" : 21]> g (float[1,16,12,12] x) => (float[1,64] y) {
          [first] a = Conv<pads=[1,1,1,1]>(x, w0)
          [act] b = Relu(a)
          [pool] p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b)
          [second] c = Conv<pads=[1,1,1,1]>(p, w1)
          [short] s = Conv(p, w2)
          [sum] d = Add(c, s)
          [gate] e = Sigmoid(d)
          [mul] f = Mul(d, e)
          [mean] m = GlobalAveragePool(f)
          [flat] h = Flatten(m)
          [product] y = MatMul(h, w3)
        })");
        std::mt19937_64 random(5);
        const auto weights = [&](const char* name, const std::vector<int64_t>& dims, double scale) {
            addWeights(model, name, dims, [&](int64_t) {
                return static_cast<float>(scale * (static_cast<double>(random() % 2001) / 1000 - 1));
            });
        };
        weights("w0", {32, 16, 3, 3}, 0.1);
        weights("w1", {32, 32, 3, 3}, 0.1);
        weights("w2", {32, 32, 1, 1}, 0.1);
        weights("w3", {32, 64}, 0.3);
        writeFile(model_, model.SerializeAsString());
        options_.target = *codegen::parseTarget(targetsThatRunHere().front());
    }

    void sitesAndWhatTheyRead() {
        driver::Session session(model_);
        ModelBench bench(session, {}, {}, options_, {.threads = 1});
        const auto run = bench.measure({});
        QVERIFY2(run, run.error().what.c_str());
        QStringList names;
        double sum = 0, functions = 0;
        for (const auto& [name, site] : run->sites) {
            names += QString::fromStdString(name);
            QVERIFY(site.taken.ms > 0);
            QVERIFY(site.taken.spread >= 0);
            sum += site.taken.ms;
        }
        for (const auto& [name, taken] : run->functions)
            functions += taken.ms;
        QCOMPARE(names, (QStringList{"first", "product", "second", "short"}));
        QVERIFY(sum <= run->ms * 1.0001);
        QVERIFY(std::abs(functions - run->ms) <= run->ms * 1e-9);
        QVERIFY(run->sites.at("first").reads.empty());
        QCOMPARE(run->sites.at("second").reads.contains("first"), true); // through the pooling
        QCOMPARE(run->sites.at("short").reads, std::set<std::string>{"first"});
        QCOMPARE(run->sites.at("product").reads.contains("first"), false);
        QCOMPARE(run->sites.at("first").bytes, 4.0 * 32 * 12 * 12);
    }

    void sweepsComputeTheSame() {
        driver::Session session(model_);
        ModelBench bench(session, {}, {}, options_, {.threads = 1});
        const auto right = outputsOf(session, {});
        const auto sweeps = sweepsOf(bench, {});
        QVERIFY2(sweeps, sweeps.error().what.c_str());
        QVERIFY(sweeps->size() >= 4);
        std::vector<GraphRun> runs{*bench.measure({})};
        for (const driver::Decisions& sweep : *sweeps) {
            const auto run = bench.measure(sweep);
            QVERIFY2(run, run.error().what.c_str());
            for (const driver::VariantDecision& pin : sweep.variants)
                QCOMPARE(run->sites.at(pin.of.node).option.variants, std::vector{pin});
            for (const driver::LayoutDecision& pin : sweep.layouts) {
                const auto& chosen = run->sites.at(pin.of.node).option.layouts;
                QVERIFY(std::ranges::find(chosen, pin) != chosen.end());
            }
            compareOutputs(outputsOf(session, sweep), right);
            runs.push_back(*run);
        }
        // Any options side by side: each site takes its i-th, then the one after that.
        const GraphProblem problem = problemOf(runs, 10, {});
        QCOMPARE(problem.sites.size(), size_t(4));
        QVERIFY(problem.costs.edges.size() >= 2);
        for (size_t i = 0; i < 6; ++i) {
            std::vector<size_t> chosen;
            for (size_t site = 0; site < problem.sites.size(); ++site)
                chosen.push_back((i + site * (i + 1)) % problem.options[site].size());
            const auto mixed = withOptions(bench, {}, problem, chosen);
            QVERIFY2(mixed, mixed.error().what.c_str());
            const auto run = bench.measure(*mixed);
            QVERIFY2(run, run.error().what.c_str());
            for (size_t site = 0; site < problem.sites.size(); ++site)
                QCOMPARE(
                    QString::fromStdString(problem.sites[site] + ": " +
                                           toString(run->sites.at(problem.sites[site]).option)),
                    QString::fromStdString(problem.sites[site] + ": " + toString(problem.options[site][chosen[site]])));
            compareOutputs(outputsOf(session, *mixed), right);
        }
    }

    void cutsComputeTheSame() {
        driver::Session session(model_);
        ModelBench bench(session, {}, {}, options_, {.threads = 1});
        const auto right = outputsOf(session, {});
        const GraphRun start = *bench.measure({});
        const std::vector<FusedGroup> groups = groupsOf(start);
        QVERIFY(!groups.empty()); // d is read twice
        for (const FusedGroup& group : groups)
            for (const driver::ApartDecision& cut : group.cuts) {
                driver::Decisions decisions;
                decisions.apart = {cut};
                const auto run = bench.measure(decisions);
                QVERIFY2(run, run.error().what.c_str());
                const auto [before, after] = takenBy(group.members, start, *run);
                QVERIFY(before.ms > 0 && after.ms > 0);
                compareOutputs(outputsOf(session, decisions), right);
            }
    }

    /// A sum without one of its kernels is that of no model.
    void aKernelWithoutATimeCountsForNothing() {
        int asked = 0, untimed = 0;
        const auto measure = [&](const std::vector<inspect::Measured>& models, const inspect::Measuring& measuring,
                                 const driver::Progress& progress) {
            auto profiles = inspect::profileByTurns(models, measuring, progress);
            if (profiles && ++asked <= untimed)
                profiles->back().rows.front().ms = 0; // the longest
            return profiles;
        };
        driver::Session session(model_);
        ModelBench bench(session, {}, {}, options_, {.threads = 1}, {}, measure);
        untimed = 1;
        const auto passed = bench.measure({});
        QVERIFY2(passed, passed ? "" : passed.error().what.c_str());
        QCOMPARE(asked, 2);
        for (const auto& [name, taken] : passed->functions)
            QVERIFY2(taken.ms > 0, name.c_str());
        untimed = 1000;
        driver::Decisions cut;
        cut.skipPasses = {"fuse"};
        for (const driver::Decisions& decisions : {driver::Decisions(), cut}) {
            asked = 0;
            const auto failed = bench.measure(decisions);
            QVERIFY(!failed);
            QCOMPARE(asked, 3);
            QVERIFY2(failed.error().what.contains("no time"), failed.error().what.c_str());
        }
        QVERIFY(!chooseByCosts(bench, {}, {}));
    }

    void whatIsWrongIsSaid() {
        driver::Session session(model_);
        ModelBench bench(session, {}, {}, options_, {.threads = 1});
        driver::Decisions decisions;
        decisions.variants = {{{"pool", "", -1}, "winograd2"}};
        QVERIFY(!bench.measure(decisions));
        QVERIFY(!bench.look(decisions));
        QVERIFY(bench.measure({}));
        driver::Session missing(folder_.filePath("missing.onnx").toStdString());
        ModelBench none(missing, {}, {}, options_, {.threads = 1});
        QVERIFY(!chooseByCosts(none, {}, {}));
    }
};

Test test() {
    return {makes<TestModelBench>};
}

} // namespace lathe::testing::test_model_bench

#include "test_model_bench.moc"
