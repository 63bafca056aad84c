// SPDX-License-Identifier: GPL-3.0-or-later
//
// A study on its way to the window: the log has what the study has, told at intervals; what changes later is told as changed;
// a hundred thousand trials cost what they add, and no more.
// Runs: release sanitized
#include "support/program_of_tests.h"
#include "tune/made_up.h"
#include "views/models/tuning/study_log.h"

#include <QSignalSpy>
#include <QTest>

namespace lathe::testing::test_study_log {

using namespace lathe::tune;
using views::models::StudyGrowth;
using views::models::StudyLog;
using views::models::StudyUpdate;
using views::models::updateOf;

namespace {

Plan planOf(int64_t trials) {
    Plan plan;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    return plan;
}

} // namespace

class TestStudyLog : public QObject {
    Q_OBJECT

private slots:
    void hasWhatTheStudyHas() {
        StudyLog log;
        QSignalSpy grown(&log, &StudyLog::grown);
        log.begin({});
        MadeUpBench bench;
        bench.verdicts[Hash128{1, 100}] = Verdict::Crashed;
        const StudyResult found =
            runStudy({madeUpTask("one", 3), madeUpTask("two")}, madeUpSpace(), planOf(96), bench,
                     [&](const Study& study, const Event& event) { log.add(updateOf(study, event)); });
        log.flush();
        QVERIFY(grown.size() >= 1 && grown.size() <= 3); // not one for each event
        QCOMPARE(log.tasks().size(), size_t(2));
        QCOMPARE(log.points().size(), size_t(96 + 2));
        for (int t = 0; t < 2; ++t) {
            const TaskState& state = found.study.tasks[size_t(t)];
            QCOMPARE(log.trialsOf(t).size(), state.trials.size());
            for (size_t i = 0; i < state.trials.size(); ++i) {
                const int index = log.trialsOf(t)[i];
                const auto& point = log.points()[size_t(index)];
                const Trial& trial = state.trials[i];
                QVERIFY(log.trial(index).candidate.program == trial.candidate.program);
                QVERIFY(log.trial(index).candidate.answers == trial.candidate.answers);
                QCOMPARE(int(point.task), t);
                QCOMPARE(point.number, int(i));
                QVERIFY(point.verdict == trial.verdict && point.accepted == trial.accepted);
                QCOMPARE(point.us, float(trial.us));
                QCOMPARE(int(point.round), trial.round);
                QCOMPARE(log.find(t, trial.candidate.program), index);
            }
            QCOMPARE(log.tasks()[size_t(t)].best, int(state.best));
        }
        QVERIFY(std::abs(log.bestUs() - found.study.bestUs()) < 1e-9);
        QVERIFY(std::abs(log.defaultUs() - (3 * 10.0 + 10.0)) < 1e-9);
        // Each task begins with its default and ends with its best.
        QVERIFY(std::ranges::is_sorted(log.bests(), {}, &views::models::BestPoint::seconds));
        for (int t = 0; t < 2; ++t) {
            std::vector<double> ratios;
            for (const auto& best : log.bests())
                if (best.task == t)
                    ratios.push_back(best.ratio);
            QCOMPARE(ratios.front(), 1.0);
            QVERIFY(std::abs(ratios.back() - found.study.tasks[size_t(t)].bestRatio) < 1e-6);
            QVERIFY(std::ranges::is_sorted(ratios, std::ranges::greater()));
        }
        QCOMPARE(log.judged().size(), size_t(6));
    }

    /// After other layouts are chosen their kernels are tuned, and those of before may go on: all stand in one log.
    void aLaterStepHasTasksOfItsOwn() {
        StudyLog log;
        log.begin({});
        Study first, second;
        const auto add = [](Study& study, const char* workload, size_t trials) {
            TaskState& state = study.tasks.emplace_back();
            state.task.workload = state.task.kernel = workload;
            state.trials.resize(trials);
            for (size_t i = 0; i < trials; ++i) {
                state.trials[i].candidate.program = {study.tasks.size(), i};
                state.trials[i].us = 10;
                state.trials[i].ratio = {1, 1, 1};
            }
        };
        add(first, "a", 2);
        add(first, "b", 2);
        for (size_t task : {0, 1})
            log.add(updateOf(first, {Event::Kind::TaskBegun, task, 0}));
        add(second, "c", 3);
        add(second, "b", 4);
        for (size_t task : {0, 1})
            log.add(updateOf(second, {Event::Kind::TaskBegun, task, 0}));
        log.flush();
        QCOMPARE(log.tasks().size(), size_t(3));
        QCOMPARE(log.taskOf("c"), 2);
        QCOMPARE(log.trialsOf(0).size(), size_t(2));
        QCOMPARE(log.trialsOf(1).size(), size_t(4)); // those of before are the same
        QCOMPARE(log.trialsOf(2).size(), size_t(3));
    }

    void whatChangesIsToldAsChanged() {
        StudyLog log;
        log.begin({});
        Study study;
        study.tasks.resize(1);
        TaskState& state = study.tasks.front();
        state.trials.resize(3);
        for (size_t i = 0; i < 3; ++i) {
            state.trials[i].candidate.program = {0, i};
            state.trials[i].us = 10 - double(i);
            state.trials[i].ratio = {0.1, (10 - double(i)) / 10, 2};
        }
        StudyGrowth last;
        connect(&log, &StudyLog::grown, this, [&](const StudyGrowth& growth) { last = growth; });
        log.add(updateOf(study, {Event::Kind::TaskBegun, 0, 0}));
        QCOMPARE(last.firstTrial, 0);
        QVERIFY(last.changed.empty());
        state.trials[2].accepted = true;
        state.trials[2].ratio.middle = 0.8;
        state.best = 2;
        state.bestRatio = 0.8;
        log.add(updateOf(study, {Event::Kind::Accepted, 0, 2}));
        log.flush();
        QCOMPARE(last.firstTrial, 3);
        QCOMPARE(last.changed, std::vector<int>{2});
        QVERIFY(log.points()[2].accepted);
        QCOMPARE(log.bests().back().ratio, double(0.8F));
        const auto noted = updateOf(study, {Event::Kind::Note, 0, 0, "the machine is busy"});
        QCOMPARE(noted.note, QString("the machine is busy"));
        QVERIFY(noted.trials.empty() && noted.tasks.empty() && !noted.waits);
        log.add(noted);
        log.flush();
        QVERIFY(log.tasks().size() == 1 && log.points().size() == 3); // all is as it was
        log.clear();
        QVERIFY(log.isEmpty() && log.points().empty() && log.bests().empty());
    }

    void aTrialOfNoTaskIsLeftOut() {
        StudyLog log;
        log.begin({});
        StudyUpdate update;
        update.tasks.resize(1);
        auto trial = std::make_shared<const Trial>();
        for (const auto& [task, number] : {std::pair(7, 0), {0, 4}, {0, 0}}) {
            views::models::TrialPoint point;
            point.task = uint16_t(task);
            point.number = number;
            update.trials.push_back({point, trial});
        }
        log.add(std::move(update));
        QCOMPARE(log.points().size(), size_t(1));
    }

    void manyTrialsCostWhatTheyAdd() {
        StudyLog log;
        log.begin({});
        constexpr int batches = 100, batch = 1000;
        size_t told = 0;
        connect(&log, &StudyLog::grown, this, [&](const StudyGrowth& growth) {
            QCOMPARE(size_t(growth.firstTrial), told);
            told = log.points().size();
        });
        for (int b = 0; b < batches; ++b) {
            StudyUpdate update;
            update.tasks.resize(1);
            for (int i = 0; i < batch; ++i) {
                auto trial = std::make_shared<Trial>();
                trial->candidate.program = {0, uint64_t(b * batch + i)};
                update.trials.push_back({views::models::pointOf(*trial, 0, size_t(b * batch + i)), trial});
            }
            log.add(std::move(update));
            log.flush();
        }
        QCOMPARE(told, size_t(batches * batch));
        QCOMPARE(log.find(0, {0, 99'999}), 99'999);
    }
};

Test test() {
    return {makes<TestStudyLog>};
}

} // namespace lathe::testing::test_study_log

#include "test_study_log.moc"
