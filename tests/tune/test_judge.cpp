// SPDX-License-Identifier: Apache-2.0
//
// In release alone: it fits models to times again and again, a minute of work there and many under sanitizers.
// Runs: release
//
// Opinions on candidates before they are tried: who is asked when, what is noted of them, and what they are worth to the
// search, on real schedules of two products whose times are made up: evolution with the model finds fast ones in fewer trials
// than without it, and a model that says nonsense costs little.
#include "codegen/target.h"
#include "support/program_of_tests.h"
#include "te/te.h"
#include "tune/features.h"
#include "tune/made_up.h"
#include "tune/xgb_model.h"
#include "tuning/tune_model.h"

#include <QTest>
#include <algorithm>
#include <ranges>
#include <unordered_map>

namespace lathe::testing::test_judge {

using namespace lathe::tune;
using arith::Expr;

namespace {

/// D = max((A B) C + bias, 0): two products in one kernel, each scheduled by answers of its own.
tir::PrimFuncPtr product() {
    constexpr int64_t m = 60, n = 112, k = 96, p = 48;
    auto a = te::placeholder("A", types::Float32, {m, k}), b = te::placeholder("B", types::Float32, {k, n}),
         c = te::placeholder("C", types::Float32, {n, p}), bias = te::placeholder("bias", types::Float32, {p});
    auto first = te::reduce(
        "first", {Expr(m), Expr(n)}, te::ReduceKind::Sum, {Expr(k)},
        [&](auto& i, auto& r) { return (*a)({i[0], r[0]}) * (*b)({r[0], i[1]}); }, 0);
    auto second = te::reduce(
        "second", {Expr(m), Expr(p)}, te::ReduceKind::Sum, {Expr(n)},
        [&](auto& i, auto& r) { return (*first)({i[0], r[0]}) * (*c)({r[0], i[1]}); }, 1);
    auto d = te::compute(
        "D", {Expr(m), Expr(p)},
        [&](auto& i) { return max((*second)({i[0], i[1]}) + (*bias)({i[1]}), arith::zero(types::Float32)); }, 2);
    return te::toTir("product", {a, b, c, bias}, {d}, {});
}

/// The sizes of register tiles are answered, the rest is preferred: few enough programs to time them all.
class TileSizes final : public schedule::Chooser {
public:
    explicit TileSizes(std::shared_ptr<const schedule::Chooser> chooser) : chooser_(std::move(chooser)) {}
    static bool decides(const std::string& name) { return name.ends_with(".width") || name.ends_with(".rows"); }
    std::vector<int64_t> answer(const schedule::Question& question) const override {
        return decides(question.name) ? chooser_->answer(question) : question.preferred;
    }

private:
    std::shared_ptr<const schedule::Chooser> chooser_;
};

MachineModel machine() {
    return machineModel(*codegen::parseTarget("x86-64-v4"));
}

/// The template of the product, with a time for each program that is no estimate of ours. What the same answers lead to is made
/// once: a tree of what was asked and answered.
class Landscape {
public:
    tir::PrimFuncPtr computation = product();

    Space space() {
        return {"timed", 1, [this](const auto&, const auto& chooser) { return candidate(chooser); }};
    }
    double operator()(const Candidate& candidate) const { return times_.at(candidate.program).real; }
    /// Without what nobody can know.
    double expected(const Candidate& candidate) const { return times_.at(candidate.program).expected; }
    double least() const { return std::ranges::min(std::views::transform(std::views::values(times_), &Time::real)); }
    size_t size() const { return times_.size(); }

private:
    struct Time {
        double expected = 0, real = 0;
    };
    struct Place {
        std::optional<Result<Candidate>> made;
        std::optional<schedule::Question> asks;
        std::map<std::vector<int64_t>, std::unique_ptr<Place>> ways;
    };

    Result<Candidate> candidate(const std::shared_ptr<const schedule::Chooser>& whoAnswers) {
        const auto chooser = std::make_shared<TileSizes>(whoAnswers);
        Place* place = &root_;
        while (place->asks) {
            auto& next = place->ways[chooser->answer(*place->asks)];
            if (!next)
                next = std::make_unique<Place>();
            place = next.get();
        }
        if (place->made)
            return *place->made;
        const auto noting = std::make_shared<schedule::Noting>(chooser);
        Result<Candidate> made = inner_.generate(computation, noting);
        place = &root_;
        for (const schedule::Question& question : noting->asked()) {
            place->asks = question;
            auto& next = place->ways[chooser->answer(question)];
            if (!next)
                next = std::make_unique<Place>();
            place = next.get();
        }
        if (made) {
            std::erase_if(made->questions, [](const auto& question) { return !TileSizes::decides(question.name); });
            std::erase_if(made->answers, [](const auto& answer) { return !TileSizes::decides(answer.first); });
            times_.try_emplace(made->program, timeOf(*made));
            Judge(machine(), nullptr).rate(std::span(&*made, 1), {});
        }
        place->made = made;
        return made;
    }

    /// A machine with 26 registers, dear jumps, and something that follows from nothing that is known.
    static Time timeOf(const Candidate& candidate) {
        const std::vector<Nest> nests = nestsOf(candidate.scheduled, {});
        double time = 0;
        for (const NestCost& cost : costsOf(nests, machine())) {
            const double spilled = std::max(cost.accumulators + 2 * cost.operands - 26, 0.0);
            time += cost.arithmetic * (1 + 0.15 * spilled) * (1 + 6 / (1 + cost.accumulators)) + 1.5 * cost.loads +
                    3 * cost.stores + 12 * cost.bodies;
        }
        return {time, time * (1 + 0.05 * static_cast<double>(candidate.program.low % 1024) / 1024)};
    }

    Space inner_ = tuning::templateSpace(*codegen::parseTarget("x86-64-v4"));
    Place root_;
    std::unordered_map<Hash128, Time, HashOfHash128> times_;
};

/// Says the opposite of what is so, or anything.
class Nonsense final : public CostModel {
public:
    void fit(std::span<const std::vector<Sample>>) override { fitted_ = true; }
    std::vector<double> predict(std::span<const std::vector<float>> rows) const override {
        std::vector<double> scores;
        for (const std::vector<float>& row : rows)
            if (fitted_)
                scores.push_back(row[0]); // the logarithm of the estimate: the slowest first
        return scores;
    }
    std::vector<double> importance() const override { return {}; }
    std::string save() const override { return {}; }
    Result<void> load(std::string_view, size_t) override { return {}; }

private:
    bool fitted_ = false;
};

enum class With { Nothing, Prior, Trees, Nonsense };

std::unique_ptr<CostModel> modelOf(With with, uint64_t seed) {
    return with == With::Trees ? makeTreeModel(seed) : with == With::Nonsense ? std::make_unique<Nonsense>() : nullptr;
}

/// Trials until one takes at most `enough`; all if there are none left.
size_t trialsTo(double enough, Landscape& landscape, std::string_view name, With with, uint64_t seed) {
    Judge judge(machine(), modelOf(with, seed));
    Explorer explorer(landscape.space(), landscape.computation, with == With::Nothing ? nullptr : &judge);
    const auto search = makeSearch(name, seed);
    MadeUpBench bench;
    bench.time = std::ref(landscape);
    const Candidate first = *explorer.make({}, std::nullopt, Made::Default);
    std::vector<Trial> trials = *bench.screen({}, nullptr, {first});
    for (std::vector<Candidate> batch; !(batch = (*search)->propose(16, explorer, trials)).empty();) {
        explorer.rate(batch);
        const size_t from = trials.size();
        for (Trial& trial : *bench.screen({}, &first, std::move(batch))) {
            trials.push_back(std::move(trial));
            if (landscape(trials.back().candidate) <= enough)
                return trials.size();
        }
        judge.judgementOf(trials, from);
        judge.learn(std::vector{std::span<const Trial>(trials)});
    }
    return trials.size();
}

/// A trial of a candidate that is known by its features and estimate alone; it took `us`.
Trial trialOf(double us, double prior, std::vector<float> features, Verdict verdict = Verdict::Measured) {
    Trial trial;
    trial.us = us;
    trial.verdict = verdict;
    trial.ratio = {us, us, us}; // the first takes 1
    trial.candidate.prior = prior;
    trial.candidate.features = std::move(features);
    return trial;
}

/// Trials that take 1, 2, …, with the time as their one feature, as the judge thinks of them before they are tried.
std::vector<Trial> triedBy(const Judge& judge, int count, double (*prior)(double)) {
    std::vector<Trial> trials;
    for (int time = 1; time <= count; ++time) {
        trials.push_back(trialOf(time, prior(time), {static_cast<float>(time)}));
        judge.rate(std::span(&trials.back().candidate, 1), {});
    }
    return trials;
}
double right(double time) {
    return 10 * time;
}
double reversed(double time) {
    return 1 / time;
}
void learn(Judge& judge, const std::vector<Trial>& trials) {
    judge.learn(std::vector{std::span<const Trial>(trials)});
}

} // namespace

class TestJudge : public QObject {
    Q_OBJECT

    Landscape landscape_;

    /// Of 20 seeds: trials until a time at most 2 % above the least.
    size_t median(std::string_view name, With with) {
        std::vector<size_t> counts;
        for (uint64_t seed = 0; seed < 20; ++seed)
            counts.push_back(trialsTo(1.02 * landscape_.least(), landscape_, name, with, seed));
        std::ranges::sort(counts);
        return counts[counts.size() / 2];
    }

private slots:
    void initTestCase() {
        Explorer explorer(landscape_.space(), landscape_.computation);
        const auto grid = *makeSearch("grid", 0);
        while (!grid->propose(64, explorer, {}).empty())
            continue;
        qInfo("%zu programs", landscape_.size());
    }

    void theEstimateIsAskedFirst() {
        Judge judge(machine(), makeTreeModel(1));
        QVERIFY(judge.asked() == Opinion::Prior);
        learn(judge, triedBy(judge, 31, right));
        QVERIFY(judge.asked() == Opinion::Prior); // too few
        std::vector<Candidate> two{trialOf(1, 20, {1}).candidate, trialOf(30, 10, {30}).candidate};
        std::vector<double> scores = judge.rate(two, {});
        QVERIFY(scores[1] > scores[0] && !two[0].predicted);
        learn(judge, triedBy(judge, 40, right));
        QVERIFY(judge.asked() == Opinion::Model);
        scores = judge.rate(two, {});
        QVERIFY(scores[0] > scores[1]);
        QVERIFY(two[0].predicted && *two[0].predicted == scores[0]);
    }

    void whoIsWrongIsNotAsked() {
        Judge judge(machine(), std::make_unique<Nonsense>());
        learn(judge, triedBy(judge, 40, right));
        QVERIFY(judge.asked() == Opinion::Model);
        // Its score is the feature, which is the time: the slowest first.
        const Judgement judgement = judge.judgementOf(triedBy(judge, 10, right), 0);
        QVERIFY(judgement.asked == Opinion::Model);
        QVERIFY(std::abs(judgement.model.spearman + 1) < 1e-9 && std::abs(judgement.prior.spearman - 1) < 1e-9);
        QVERIFY(judge.asked() == Opinion::Prior);
        for (int batch = 0; batch < 2; ++batch)
            judge.judgementOf(triedBy(judge, 10, reversed), 0);
        QVERIFY(judge.asked() == Opinion::None);
        for (int batch = 0; batch < 2; ++batch)
            judge.judgementOf(triedBy(judge, 10, right), 0);
        QVERIFY(judge.asked() == Opinion::Prior);
    }

    /// What was learned before is asked from the first candidate on, and no more after two batches that it was wrong of.
    void whatWasLearnedBeforeIsAskedFirst() {
        std::vector<Trial> trials;
        for (int time = 1; time <= 64; ++time) {
            std::vector<float> row(featureNames().size());
            row[3] = static_cast<float>(time);
            trials.push_back(trialOf(time, 65 - time, row));
        }
        Judge first(machine(), makeTreeModel(1));
        QVERIFY(first.learned().empty());
        learn(first, trials);
        const std::string learned = first.learned();
        QVERIFY(!learned.empty());
        Judge next(machine(), makeTreeModel(2), learned);
        QVERIFY(next.asked() == Opinion::Model && next.learned().empty());
        std::vector<Candidate> two{trials[3].candidate, trials[60].candidate};
        const std::vector<double> scores = next.rate(two, {});
        QVERIFY(scores[0] > scores[1]);
        for (Trial& trial : trials) { // here the order is the other, as the estimate says
            trial.us = 65 - trial.us;
            trial.ratio = {trial.us, trial.us, trial.us};
            next.rate(std::span(&trial.candidate, 1), {});
        }
        next.judgementOf(std::span(trials).first(16), 0);
        next.judgementOf(std::span(trials).first(32), 16);
        QVERIFY(next.asked() == Opinion::Prior);
        for (const std::string& bad : {std::string("no model"), learned.substr(0, learned.size() / 2)})
            QVERIFY(Judge(machine(), makeTreeModel(2), bad).asked() == Opinion::Prior);
    }

    void smallBatchesSayNothing() {
        Judge judge(machine(), nullptr);
        for (int batch = 0; batch < 3; ++batch)
            judge.judgementOf(triedBy(judge, 5, reversed), 0);
        QVERIFY(judge.asked() == Opinion::Prior);
    }

    /// The same times within an interval that holds them all: their order is chance.
    void noiseSaysNothing() {
        Judge judge(machine(), nullptr);
        for (int batch = 0; batch < 3; ++batch) {
            std::vector<Trial> trials = triedBy(judge, 10, reversed);
            for (Trial& trial : trials)
                trial.ratio = {1, trial.ratio.middle, 10};
            QVERIFY(judge.judgementOf(trials, 0).prior.spearman < -0.9);
        }
        QVERIFY(judge.asked() == Opinion::Prior);
    }

    void judgementsAreOfWhatRan() {
        Judge judge(machine(), nullptr);
        std::vector<Trial> trials = triedBy(judge, 4, right);
        trials.push_back(trialOf(7, 1, {7}, Verdict::Crashed));
        trials.push_back(trialOf(9, 1, {9}, Verdict::BuildError));
        trials.push_back(trialOf(5, 50, {5}, Verdict::Slow));
        trials.push_back(
            trialOf(6, 0.1, {6}, Verdict::Slow)); // timed in another moment than the default: it says nothing
        trials.back().ratio = {};
        const Judgement judgement = judge.judgementOf(trials, 1);
        QCOMPARE(judgement.prior.count, size_t(4)); // 2, 3, 4, 5
        QCOMPARE(judgement.prior.pairs.right, 1.0);
        QCOMPARE(judgement.model.count, size_t(0));
        QCOMPARE(judgement.random.count, size_t(0));
    }

    void functionsAreDropped() {
        Judge judge(machine(), nullptr);
        std::vector<Candidate> made{*tuning::templateSpace(*codegen::parseTarget("x86-64-v4"))
                                         .generate(product(), std::make_shared<schedule::Preferred>())};
        QVERIFY(made[0].scheduled && made[0].features.empty());
        judge.rate(made, {});
        QVERIFY(!made[0].scheduled && made[0].prior > 0);
        QCOMPARE(made[0].features.size(), featureNames().size());
    }

    /// Of 128 that are drawn it learns to order all others; the mean of some draws.
    void learnsFromFew() {
        constexpr int draws = 8;
        double pairs = 0, recall = 0, peak = 0;
        for (int draw = 0; draw < draws; ++draw) {
            std::vector<Candidate> all;
            Explorer explorer(landscape_.space(), landscape_.computation);
            const auto random = *makeSearch("random", uint64_t(draw));
            while (all.size() < 1500)
                std::ranges::move(random->propose(64, explorer, {}), std::back_inserter(all));
            std::vector<Trial> trials;
            for (size_t i = 0; i < 128; ++i) {
                trials.push_back(trialOf(landscape_(all[i]), all[i].prior, all[i].features));
                trials.back().ratio.middle /= trials.front().us;
            }
            Judge judge(machine(), makeTreeModel(uint64_t(draw)));
            learn(judge, trials);
            const std::span others = std::span(all).subspan(128);
            std::vector<Interval> times;
            for (const Candidate& candidate : others)
                times.push_back(
                    {landscape_.expected(candidate), landscape_.expected(candidate), landscape_.expected(candidate)});
            const Quality quality = qualityOf(judge.rate(others, {}), times);
            pairs += quality.pairs.right / draws;
            recall += quality.recall16 / draws;
            peak += quality.peak5 / draws;
        }
        qInfo("pairs %.2f, recall of 16 %.2f, peak of 5 %.2f", pairs, recall, peak);
        QVERIFY(pairs >= 0.85);
        QVERIFY(recall >= 0.3);
        QVERIFY(peak >= 0.9);
    }

    void modelsEarnTheirPlace() {
        const size_t chance = median("random", With::Nothing), none = median("evolution", With::Nothing),
                     prior = median("evolution", With::Prior), trees = median("evolution", With::Trees),
                     nonsense = median("evolution", With::Nonsense);
        qInfo("chance %zu, evolution %zu, with the prior %zu, with trees %zu, with nonsense %zu", chance, none, prior,
              trees, nonsense);
        QVERIFY(4 * trees <= 3 * none);
        QVERIFY(prior <= none);
        QVERIFY(nonsense <= chance);
    }
};

Test test() {
    return {makes<TestJudge>};
}

} // namespace lathe::testing::test_judge

#include "test_judge.moc"
