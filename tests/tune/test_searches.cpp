// SPDX-License-Identifier: Apache-2.0
//
// Each search on a space whose best is known: it proposes only what is new and legal, the same for the same seed, until
// nothing is left; grid goes through all; those that learn from times find the best in fewer trials than chance.
#include "support/program_of_tests.h"
#include "tune/made_up.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_searches {

using namespace lathe::tune;

namespace {

constexpr int64_t legal = 8 * 8 * 4 - 2 * 4; // without a + b = 13: (6, 7), (7, 6)

StudyResult study(std::string_view search, uint64_t seed, MadeUpBench& bench, int64_t trials) {
    Plan plan;
    plan.search = search;
    plan.seed = seed;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    return runStudy({madeUpTask("one")}, madeUpSpace(), plan, bench);
}

/// Trials until the best one; all if it was not found. A study would end a task before, once nothing is gained.
int64_t trialsToBest(std::string_view name, uint64_t seed) {
    MadeUpBench bench;
    Explorer explorer(madeUpSpace(), nullptr);
    const auto search = makeSearch(name, seed);
    const Candidate first = *explorer.make({}, std::nullopt, Made::Default);
    std::vector<Trial> trials = *bench.screen(madeUpTask("one"), nullptr, {first});
    for (std::vector<Candidate> more; !(more = (*search)->propose(16, explorer, trials)).empty();)
        for (Trial& trial : *bench.screen(madeUpTask("one"), &first, std::move(more))) {
            trials.push_back(std::move(trial));
            if (madeUpTime(trials.back().candidate) == 1)
                return std::ssize(trials);
        }
    return std::max(legal, std::ssize(trials));
}

int64_t median(std::vector<int64_t> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

int64_t medianTrials(std::string_view search) {
    std::vector<int64_t> counts;
    for (uint64_t seed = 0; seed < 20; ++seed)
        counts.push_back(trialsToBest(search, seed));
    return median(std::move(counts));
}

} // namespace

class TestSearches : public QObject {
    Q_OBJECT

private slots:
    void every_data() {
        QTest::addColumn<QString>("search");
        for (const std::string_view name : searchNames())
            QTest::newRow(std::string(name).c_str()) << QString::fromUtf8(name.data(), qsizetype(name.size()));
    }
    void every() {
        QFETCH(QString, search);
        const std::string name = search.toStdString();
        MadeUpBench bench, again, other;
        const StudyResult found = study(name, 3, bench, 40);
        QVERIFY(!found.failed);
        std::set<Hash128> programs;
        for (const Candidate& candidate : bench.seen) {
            QVERIFY(programs.insert(candidate.program).second);
            for (const schedule::Question& question : candidate.questions)
                QVERIFY(schedule::objection(question, candidate.answers.at(question.name)).empty());
            QCOMPARE(candidate.answers.size(), size_t(3));
        }
        study(name, 3, again, 40);
        QVERIFY(std::ranges::equal(bench.seen, again.seen, {}, &Candidate::program, &Candidate::program));
        if (name != "grid" && name != "descent" && name != "replay") { // these draw nothing
            study(name, 4, other, 40);
            QVERIFY(!std::ranges::equal(bench.seen, other.seen, {}, &Candidate::program, &Candidate::program));
        }
    }

    void whatWasAskedForIsNotMadeAgain() {
        int generated = 0;
        Space space = madeUpSpace();
        space.generate = [&generated, generate = space.generate](const auto& computation, const auto& chooser) {
            ++generated;
            return generate(computation, chooser);
        };
        Explorer explorer(space, nullptr);
        const schedule::Answers legal{{"a", {2}}}, bad{{"a", {6}}, {"b", {7}}};
        const auto first = explorer.make(legal, std::nullopt, Made::Changed);
        QVERIFY(first && !explorer.make(bad, std::nullopt, Made::Changed));
        QCOMPARE(generated, 2);
        QVERIFY(!explorer.make(legal, std::nullopt, Made::Changed) && !explorer.make(bad, std::nullopt, Made::Changed));
        QCOMPARE(generated, 2);
        QVERIFY(explorer.make(legal, 1, Made::Random)); // what is not held is drawn
        explorer.release(*first);
        const auto again = explorer.make(legal, std::nullopt, Made::Changed);
        QVERIFY(again && again->program == first->program);
        QCOMPARE(generated, 4);
    }

    void unknownNamesAreRefused() {
        const auto made = makeSearch("luck", 0);
        QVERIFY(!made);
        QVERIFY(made.error().kind == ErrorKind::Usage);
        QVERIFY(made.error().hint.find("evolution") != std::string::npos);
    }

    void gridGoesThroughAll() {
        Explorer explorer(madeUpSpace(), nullptr);
        auto grid = makeSearch("grid", 0);
        QVERIFY(grid);
        std::set<Hash128> programs;
        for (std::vector<Candidate> more; !(more = (*grid)->propose(7, explorer, {})).empty();)
            for (const Candidate& candidate : more)
                QVERIFY(programs.insert(candidate.program).second);
        QCOMPARE(int64_t(programs.size()), legal);
    }

    /// Where nearly all settings lead to the same program, the way to the next is long.
    void gridStopsWhenTheTimeIsOver() {
        int made = 0;
        Space space;
        space.name = "alike";
        space.generate = [&made](const tir::PrimFuncPtr&,
                                 const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<Candidate> {
            Candidate candidate;
            for (const char* name : {"a", "b", "c", "d"}) {
                candidate.questions.push_back(numbers(name, 1000, 0));
                candidate.answers[name] = chooser->answer(candidate.questions.back());
            }
            ++made;
            return candidate;
        };
        Explorer explorer(space, nullptr);
        explorer.isOver = [&made] { return made >= 500; };
        auto grid = makeSearch("grid", 0);
        QVERIFY(grid);
        QCOMPARE((*grid)->propose(16, explorer, {}).size(), size_t(1));
        QVERIFY((*grid)->propose(16, explorer, {}).empty());
        QVERIFY(made < 520);
    }

    /// Recorded seeds leave less of the first batch to a search than it has later.
    void annealingFillsItsBatches() {
        MadeUpBench bench;
        Explorer explorer(madeUpSpace(), nullptr);
        auto annealing = makeSearch("annealing", 0);
        QVERIFY(annealing);
        const Candidate first = *explorer.make({}, std::nullopt, Made::Default);
        std::vector<Trial> trials = *bench.screen(madeUpTask("one"), nullptr, {first});
        for (const size_t count : {4, 16, 16}) {
            std::vector<Candidate> made = (*annealing)->propose(count, explorer, trials);
            QCOMPARE(made.size(), count);
            std::ranges::move(*bench.screen(madeUpTask("one"), &first, std::move(made)), std::back_inserter(trials));
        }
    }

    void randomComesToAlmostAll() {
        Explorer explorer(madeUpSpace(), nullptr);
        auto random = makeSearch("random", 0);
        QVERIFY(random);
        int64_t count = 0;
        for (std::vector<Candidate> more; !(more = (*random)->propose(16, explorer, {})).empty();)
            count += std::ssize(more);
        QVERIFY2(count > legal * 9 / 10 && count <= legal, qPrintable(QString::number(count)));
    }

    /// The default asks for the rule alone, and all but it are far slower: what was only glanced at is gone on from.
    void goesOnFromSlowOnes() {
        const Space plain = madeUpSpace();
        Space rules = plain;
        rules.generate = [&plain](const auto& computation, const auto& chooser) -> Result<Candidate> {
            schedule::Question way = numbers("way", 2, 0);
            way.kind = schedule::Question::Kind::Rule;
            way.weights = {0, 1};
            const std::vector<int64_t> answer = chooser->answer(way);
            Candidate first;
            first.program = {2, 0};
            Result<Candidate> made = answer.front() == 0 ? first : plain.generate(computation, chooser);
            if (made) {
                made->questions.insert(made->questions.begin(), way);
                made->answers["way"] = answer;
            }
            return made;
        };
        Explorer explorer(rules, nullptr);
        const auto search = makeSearch("evolution", 5);
        std::vector<Trial> trials(1);
        trials[0].candidate = *explorer.make({}, std::nullopt, Made::Default);
        trials[0].us = 0.1;
        trials[0].ratio = {1, 1, 1};
        double first = 0, last = 0; // means of batches
        for (int batch = 0; batch < 4; ++batch) {
            std::vector<Candidate> made = (*search)->propose(16, explorer, trials);
            const size_t before = trials.size();
            QVERIFY(made.size() > 8); // the space is small
            last = 0;
            for (Candidate& candidate : made) {
                Trial& trial = trials.emplace_back();
                trial.verdict = Verdict::Slow;
                trial.us = madeUpTime(candidate);
                trial.ratio = {trial.us / 0.1, trial.us / 0.1, trial.us / 0.1};
                trial.candidate = std::move(candidate);
                last += trial.us;
            }
            last /= static_cast<double>(trials.size() - before);
            first = batch == 0 ? last : first;
        }
        QVERIFY2(last < 0.7 * first, qPrintable(QString("%1, then %2").arg(first).arg(last)));
    }

    /// Of 20 seeds each.
    void learningBeatsChance() {
        const int64_t chance = medianTrials("random");
        for (const char* search : {"evolution", "descent", "genetic", "annealing"}) {
            const int64_t learned = medianTrials(search);
            qInfo("%s: %lld trials, chance %lld", search, static_cast<long long>(learned),
                  static_cast<long long>(chance));
            const bool half = std::string_view(search) == "evolution" || std::string_view(search) == "descent";
            QVERIFY2(half ? 2 * learned <= chance : learned < chance, search);
        }
    }
};

Test test() {
    return {makes<TestSearches>};
}

} // namespace lathe::testing::test_searches

#include "test_searches.moc"
