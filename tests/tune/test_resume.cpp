// SPDX-License-Identifier: Apache-2.0
//
// How far a task has come follows from its trials: a study that goes on stands where it stood. And seeds: what was best
// before is tried first, and has to win like any other.
#include "support/program_of_tests.h"
#include "tune/made_up.h"
#include "tune/resume.h"

#include <QTest>

namespace lathe::testing::test_resume {

using namespace lathe::tune;

namespace {

StudyResult studyOf(int64_t trials, MadeUpBench& bench, Task task = madeUpTask("one"),
                    const char* search = "evolution") {
    Plan plan;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    plan.search = search;
    return runStudy({std::move(task)}, madeUpSpace(), plan, bench);
}

/// As records have them: without questions.
Task withTrials(const TaskState& state) {
    Task task = state.task;
    task.known.trials = state.trials;
    for (Trial& trial : task.known.trials)
        trial.candidate.questions.clear();
    task.known.seconds = 7;
    return task;
}

} // namespace

class TestResume : public QObject {
    Q_OBJECT

private slots:
    /// What is excluded stays so in the study of what layouts made of the model.
    void wishesGoOn() {
        MadeUpBench bench;
        const TaskState before = studyOf(100, bench).study.tasks.front();
        QVERIFY(before.isTaken());
        Task task = withTrials(before);
        task.known.wish = Wish::Excluded;
        task.known.priority = 3;
        Explorer explorer(madeUpSpace(), nullptr);
        const TaskState after = resumed(std::move(task), explorer);
        QVERIFY(after.best > 0 && !after.isTaken());
        QCOMPARE(after.priority, 3.0);
        QVERIFY(after.wish == Wish::Excluded);
    }

    void standsWhereItStood_data() {
        QTest::addColumn<int>("trials");
        for (const int trials : {1, 16, 40, 64, 160, 240})
            QTest::newRow(qPrintable(QString::number(trials))) << trials;
    }
    void standsWhereItStood() {
        QFETCH(int, trials);
        MadeUpBench bench;
        TaskState before = studyOf(trials, bench).study.tasks.front();
        if (before.trials.size() > 1)
            before.trials[1].candidate.predicted = 0.25; // by a model of then
        Explorer explorer(madeUpSpace(), nullptr);
        const TaskState after = resumed(withTrials(before), explorer);
        QCOMPARE(after.trials.size(), before.trials.size());
        QCOMPARE(after.known, before.trials.size());
        QCOMPARE(after.best, before.best);
        QVERIFY(std::abs(after.bestRatio - before.bestRatio) < 1e-12);
        QCOMPARE(after.rounds, before.rounds);
        QCOMPARE(after.sinceGain, before.sinceGain);
        QCOMPARE(after.gains.size(), before.gains.size());
        QCOMPARE(after.judgements.size(), before.judgements.size());
        for (size_t i = 0; i < after.gains.size(); ++i)
            QVERIFY(std::abs(after.gains[i] - before.gains[i]) < 1e-9);
        QCOMPARE(after.done == Done::Settled, before.done == Done::Settled);
        QCOMPARE(after.seconds, 7.0);
        QVERIFY(after.task.known.trials.empty());
        for (size_t i = 0; i < after.trials.size(); ++i) {
            QVERIFY(after.trials[i].candidate.made == before.trials[i].candidate.made);
            QVERIFY(after.trials[i].candidate.predicted == before.trials[i].candidate.predicted);
            QCOMPARE(after.trials[i].seconds, before.trials[i].seconds);
            QCOMPARE(after.trials[i].candidate.questions.size(), before.trials[i].candidate.questions.size());
            QVERIFY(!explorer.make(before.trials[i].candidate.answers, std::nullopt, Made::Random)); // known
        }
    }

    /// Two of a batch may win one after the other, in whatever order they stand in it: the last to win is the fastest.
    void theLastToWinIsTheBest() {
        MadeUpBench bench;
        TaskState before = studyOf(32, bench).study.tasks.front();
        for (Trial& trial : before.trials)
            trial.accepted = false;
        for (const auto& [at, ratio] : {std::pair(5, 0.7), {3, 0.5}, {20, 0.4}, {18, 0.3}}) {
            before.trials[size_t(at)].accepted = true;
            before.trials[size_t(at)].ratio = {ratio, ratio, ratio};
        }
        Explorer explorer(madeUpSpace(), nullptr);
        const TaskState after = resumed(withTrials(before), explorer);
        QCOMPARE(after.best, size_t(18));
        QCOMPARE(after.bestRatio, 0.3);
        QVERIFY(std::abs(after.gains[0] - 0.5 * after.defaultUs()) < 1e-9);
        QVERIFY(std::abs(after.gains[1] - 0.2 * after.defaultUs()) < 1e-9);
    }

    /// Of a round nothing is left: what is known of the others stays with them.
    void roundsKeepTheirJudgements() {
        MadeUpBench bench;
        Task task = withTrials(studyOf(48, bench).study.tasks.front());
        task.known.judgements.resize(3);
        for (size_t i = 0; i < 3; ++i)
            task.known.judgements[i].prior.count = i + 1;
        for (Trial& trial : task.known.trials)
            if (trial.round == 2)
                trial.candidate.program = {9, 9};
        Explorer explorer(madeUpSpace(), nullptr);
        const TaskState after = resumed(std::move(task), explorer);
        QCOMPARE(after.rounds, 2);
        QCOMPARE(after.judgements.size(), size_t(2));
        QCOMPARE(after.judgements[0].prior.count, size_t(1));
        QCOMPARE(after.judgements[1].prior.count, size_t(3));
        QCOMPARE(after.trials.back().round, 2);
    }

    void whateverSearchesGoesOn_data() {
        QTest::addColumn<QString>("search");
        for (const std::string_view name : searchNames())
            if (name != "replay") // it searches nothing
                QTest::newRow(std::string(name).c_str()) << QString::fromUtf8(name.data(), qsizetype(name.size()));
    }
    void whateverSearchesGoesOn() {
        QFETCH(QString, search);
        const std::string name = search.toStdString();
        MadeUpBench first, second;
        const TaskState before = studyOf(32, first, madeUpTask("one"), name.c_str()).study.tasks.front();
        const StudyResult after = studyOf(32, second, withTrials(before), name.c_str());
        QVERIFY(!after.failed);
        QVERIFY(after.study.tasks.front().trials.size() > before.trials.size() ||
                after.study.tasks.front().done != Done::No);
        if (name != "descent") // which may have ended on its hill
            QCOMPARE(second.seen.size(), size_t(32));
        for (const Candidate& candidate : second.seen)
            QVERIFY(std::ranges::none_of(first.seen,
                                         [&](const Candidate& one) { return one.program == candidate.program; }));
        QVERIFY(after.study.tasks.front().bestRatio <= before.bestRatio);
        // Their seconds go on, too.
        for (size_t i = before.trials.size(); i < after.study.tasks.front().trials.size(); ++i)
            QVERIFY(after.study.tasks.front().trials[i].seconds >= 7);
    }

    void whatIsAnotherProgramNowIsLeftOut() {
        MadeUpBench bench;
        Task task = withTrials(studyOf(32, bench).study.tasks.front());
        task.known.trials[3].candidate.program = {9, 9};
        task.known.trials[4].candidate.answers = {{"a", {7}}, {"b", {6}}}; // illegal by now
        Explorer explorer(madeUpSpace(), nullptr);
        QCOMPARE(resumed(task, explorer).trials.size(), size_t(31));
        task.known.trials[0].candidate.program = {9, 9}; // another default: nothing is as it was
        Explorer other(madeUpSpace(), nullptr);
        QVERIFY(resumed(task, other).trials.empty());
        MadeUpBench again;
        QVERIFY(studyOf(16, again, task).study.tasks.front().trials.front().candidate.made == Made::Default);
        QCOMPARE(again.seen.size(), size_t(17));
    }

    void seedsComeFirst() {
        MadeUpBench bench;
        Task task = madeUpTask("one");
        const schedule::Answers best{{"a", {6}}, {"b", {4}}, {"c", {3}}}, slow{{"a", {0}}, {"b", {0}}},
            illegal{{"a", {7}}, {"b", {6}}}, foreign{{"b9.rows", {3}}};
        task.known.seeds = {illegal, foreign, slow, best, best};
        const StudyResult found = studyOf(16, bench, task);
        const TaskState& state = found.study.tasks.front();
        // The illegal one makes nothing; the one that answers other questions is the default, which is known.
        QVERIFY(bench.seen[1].made == Made::Recorded && bench.seen[1].answers.at("a") == slow.at("a"));
        QVERIFY(bench.seen[2].made == Made::Recorded && bench.seen[2].answers.at("b") == best.at("b"));
        QVERIFY(bench.seen[3].made != Made::Recorded);
        QCOMPARE(bench.seen.size(), size_t(17));
        QCOMPARE(state.best, size_t(2));
        QVERIFY(std::abs(state.bestUs() - 1) < 1e-9); // by the formula of the made-up times
        QVERIFY(!state.trials[1].accepted);
    }

    void aSeedThatIsWrongIsNotTaken() {
        MadeUpBench bench;
        bench.verdicts[{1, 643}] = Verdict::Wrong;
        Task task = madeUpTask("one");
        task.known.seeds = {{{"a", {6}}, {"b", {4}}, {"c", {3}}}};
        const StudyResult found = studyOf(16, bench, task);
        QVERIFY(found.study.tasks.front().trials[1].verdict == Verdict::Wrong);
        QVERIFY(found.study.tasks.front().best != 1);
    }

    void namesAreReadBack() {
        for (const Verdict verdict : {Verdict::BuildError, Verdict::Crashed, Verdict::Measured})
            QVERIFY(verdictOf(toString(verdict)) == verdict);
        for (const Made made : {Made::Default, Made::Changed, Made::Recorded})
            QVERIFY(madeOf(toString(made)) == made);
        QVERIFY(!verdictOf("") && !verdictOf("Measured") && !madeOf("dreamt"));
    }
};

Test test() {
    return {makes<TestResume>};
}

} // namespace lathe::testing::test_resume

#include "test_resume.moc"
