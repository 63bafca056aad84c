// SPDX-License-Identifier: Apache-2.0
//
// A study that is recorded while it goes on: what is written is what it found, one that was killed goes on where it stood and
// measures nothing twice, the next one begins with what was best, and one whose records fail finds the same.
#include "records/recorder.h"
#include "records/row_lines.h"
#include "records/sample.h"
#include "records/study_records.h"
#include "support/full_disk.h"
#include "support/program_of_tests.h"
#include "support/sql.h"
#include "tune/features.h"
#include "tune/made_up.h"
#include "tune/xgb_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace lathe::testing::test_recorder {

using records::File;
using records::Recorder;
using Access = records::File::Access;

namespace {

tune::Task task(int64_t columns = 8) {
    tune::Task made;
    made.computation = doubled(columns);
    made.workload = sampleWorkload(columns).key;
    made.kernel = "doubled";
    made.calls = 3;
    made.flops = double(columns);
    return made;
}

tune::Plan planOf(int64_t trials) {
    tune::Plan plan;
    plan.trials = trials;
    plan.time = std::chrono::hours(1);
    return plan;
}

/// The study as lathe tune runs it.
tune::StudyResult run(Recorder& recorder, tune::Bench& bench, const tune::Plan& plan,
                      std::vector<tune::Task> tasks = {task()}) {
    for (tune::Task& each : tasks)
        each.known = recorder.known(each);
    return tune::runStudy(std::move(tasks), madeUpSpace(), plan, bench,
                          [&](const tune::Study& study, const tune::Event& event) { recorder.tell(study, event); });
}

/// A study of the same model, whatever its id.
records::Study likeSample() {
    records::Study study = sampleStudy();
    study.id.clear();
    return study;
}

/// What the model says of the fastest of a task.
records::HeldTrial heldOf(const tune::TaskState& state, records::InPlace inPlace = records::InPlace::Kept) {
    return {{}, state.task.workload, toString(state.trials[state.best].candidate.program), inPlace};
}

template <class Row>
std::vector<std::string> linesOf(const std::vector<Row>& rows) {
    std::vector<std::string> lines;
    for (const Row& row : rows)
        lines.push_back(lineOf(row));
    return lines;
}

} // namespace

class TestRecorder : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    static File opened(const std::filesystem::path& path) {
        auto file = File::open(path, Access::Write);
        if (!file)
            throw std::runtime_error(toString(file.error()));
        return std::move(*file);
    }

private slots:
    void whatIsFoundIsWritten() {
        MadeUpBench bench;
        Recorder recorder(opened(at("a.db")), sampleStudy(), Target());
        const tune::StudyResult found = run(recorder, bench, planOf(64), {task(), task(16)});
        QVERIFY(recorder.problems().empty());
        const File file = opened(at("a.db"));
        QCOMPARE(file.studies()->size(), size_t(1));
        QVERIFY(file.studies()->front().state == records::StudyState::Running);
        QVERIFY(file.studies()->front().id != sampleStudy().id); // drawn
        QVERIFY(file.best()->empty());                           // nothing was held against a model yet
        for (const tune::TaskState& state : found.study.tasks) {
            const auto trials = file.trialsOf(recorder.study().id, state.task.workload);
            QCOMPARE(trials->size(), state.trials.size());
            for (size_t i = 0; i < trials->size(); ++i) {
                const records::Trial &row = (*trials)[i],
                                     expected = records::rowOf(state.trials[i], row.study, row.workload, int64_t(i));
                QCOMPARE(row.program, expected.program);
                QCOMPARE(row.answers, expected.answers);
                QCOMPARE(row.ratio.middle, expected.ratio.middle);
                QCOMPARE(row.accepted, expected.accepted);
                QCOMPARE(row.round, expected.round);
                QVERIFY(row.seconds > 0 && row.seconds == expected.seconds && row.prior == expected.prior);
                QVERIFY(row.made == expected.made && row.verdict == expected.verdict && row.parent == expected.parent);
            }
            const auto rounds = file.roundsOf(recorder.study().id, state.task.workload);
            QVERIFY(records::judgementsOf(*rounds) == state.judgements);
            QVERIFY(!state.judgements.empty());
        }
        recorder.end(records::StudyState::Ended,
                     {heldOf(found.study.tasks[0]), heldOf(found.study.tasks[1], records::InPlace::TakenBack)});
        QVERIFY(file.studies()->front().state == records::StudyState::Ended);
        const auto best = file.best();
        QCOMPARE(best->size(), size_t(1));
        QCOMPARE(best->front().workload.key, task().workload);
        const tune::TaskState& kept = found.study.tasks.front();
        QCOMPARE(best->front().trial.ratio.middle, kept.bestRatio);
        QVERIFY(kept.bestRatio < 1);
    }

    /// And what is recorded stays: rounds, and trials with their numbers, also those that are no candidates any more.
    void aStudyThatWasKilledGoesOn() {
        const auto path = at("killed.db");
        std::set<Hash128> before;
        double bestRatio = 1;
        int rounds = 0;
        std::string id;
        {
            MadeUpBench bench;
            bench.failAfter = 3; // batches
            Recorder recorder(opened(path), sampleStudy(), Target());
            const tune::StudyResult cut = run(recorder, bench, planOf(200));
            QVERIFY(cut.failed);
            for (const tune::Candidate& candidate : bench.seen)
                before.insert(candidate.program);
            QCOMPARE(before.size(), size_t(49));
            bestRatio = cut.study.tasks.front().bestRatio;
            rounds = cut.study.tasks.front().rounds;
            id = recorder.study().id;
        } // and no end
        const auto trialsNow = [&] { return linesOf(*opened(path).trialsOf(id, task().workload)); };
        const auto roundsNow = [&] { return linesOf(*opened(path).roundsOf(id, task().workload)); };
        // Two are illegal by now, and one leads to another program; the last of them has the last number.
        const auto isLeftOut = [](const records::Trial& row) {
            return row.number == 20 || row.number == 21 || row.number == 48;
        };
        for (const records::Trial& row : *opened(path).trialsOf(id, task().workload))
            QVERIFY(!isLeftOut(row) || !row.accepted); // else the best would be another
        executeSql(path, "UPDATE trial SET program = printf('%032d', number) WHERE number IN (20, 21, 48);"
                         "UPDATE trial SET answers = '{\"a\":[7],\"b\":[6]}' WHERE number IN (20, 48)");
        const std::vector<std::string> recorded = trialsNow(), recordedRounds = roundsNow();
        QCOMPARE(recorded.size(), size_t(49));
        QCOMPARE(recordedRounds.size(), size_t(3 * 3)); // of the prior, the model, and what was drawn
        MadeUpBench bench;
        {
            auto recorder = Recorder::resume(opened(path), likeSample(), Target());
            QVERIFY(recorder);
            bool begun = false;
            std::vector<tune::Task> tasks{task()};
            tasks[0].known = recorder->known(tasks[0]);
            const tune::StudyResult found = tune::runStudy(tasks, madeUpSpace(), planOf(32), bench,
                                                           [&](const tune::Study& study, const tune::Event& event) {
                                                               if (event.kind == tune::Event::Kind::TaskBegun) {
                                                                   begun = true;
                                                                   QCOMPARE(study.tasks[0].trials.size(), size_t(46));
                                                                   QCOMPARE(study.tasks[0].bestRatio, bestRatio);
                                                                   QCOMPARE(study.tasks[0].rounds, rounds);
                                                               }
                                                               recorder->tell(study, event);
                                                           });
            QVERIFY(begun && !found.failed);
            QCOMPARE(found.study.trials, 32); // of those that are new
            QCOMPARE(found.study.tasks[0].trials.size(), size_t(46 + 32));
            QVERIFY(found.study.tasks[0].bestRatio <= bestRatio);
        } // killed again
        std::ptrdiff_t again = 0; // the three may be tried as what they were
        for (const tune::Candidate& candidate : bench.seen)
            again += before.contains(candidate.program) ? 1 : 0;
        QVERIFY2(again <= 3, qPrintable(QString::number(again)));
        const File file = opened(path);
        QCOMPARE(file.studies()->size(), size_t(1));
        const std::vector<std::string> now = trialsNow(), nowRounds = roundsNow();
        QCOMPARE(now.size(), size_t(49 + 32));
        for (const std::string& line : recorded)
            QVERIFY2(std::ranges::find(now, line) != now.end(), line.c_str());
        QCOMPARE(nowRounds.size(), size_t(5 * 3));
        for (const std::string& line : recordedRounds)
            QVERIFY2(std::ranges::find(nowRounds, line) != nowRounds.end(), line.c_str());
        std::set<int64_t> numbers;
        std::map<int, int> ofRound;
        for (const records::Trial& row : *file.trialsOf(id, task().workload)) {
            numbers.insert(row.number);
            if (row.number >= 49)
                ++ofRound[row.round];
        }
        QCOMPARE(numbers.size(), now.size());
        QCOMPARE(*numbers.rbegin(), int64_t(49 + 32 - 1));
        QVERIFY((ofRound == std::map<int, int>{{4, 16}, {5, 16}}));
    }

    /// The default is another program by now: the task begins anew, behind what is recorded, and goes on from there.
    void aTaskThatBeginsAnewLosesNothing() {
        const auto path = at("anew.db");
        records::HeldTrial held;
        std::string id;
        {
            MadeUpBench bench;
            Recorder recorder(opened(path), sampleStudy(), Target());
            held = heldOf(run(recorder, bench, planOf(32)).study.tasks[0]);
            recorder.end(records::StudyState::Ended, {held});
            id = recorder.study().id;
        }
        executeSql(path, "UPDATE trial SET program = '99999999999999999999999999999999' WHERE number = 0");
        const std::vector<records::Trial> before = *opened(path).trialsOf(id, task().workload);
        const std::vector<std::string> rounds = linesOf(*opened(path).roundsOf(id, task().workload));
        MadeUpBench bench;
        {
            auto recorder = Recorder::resume(opened(path), likeSample(), Target());
            const tune::StudyResult found = run(*recorder, bench, planOf(16));
            QCOMPARE(found.study.tasks[0].trials.size(), size_t(17));
        }
        std::set<std::string> tried;
        for (const tune::Candidate& candidate : bench.seen)
            tried.insert(toString(candidate.program));
        const std::vector<records::Trial> after = *opened(path).trialsOf(id, task().workload);
        for (const records::Trial& row : before) // under the number that it had, unless it was tried again
            if (!tried.contains(row.program)) {
                const auto there = std::ranges::find(after, row.program, &records::Trial::program);
                QVERIFY(there != after.end());
                QCOMPARE(lineOf(*there), lineOf(row));
            }
        const auto stillKept = std::ranges::find(after, held.program, &records::Trial::program);
        QVERIFY(stillKept != after.end() && stillKept->inPlace == tune::InPlace::Kept); // tried again or not
        const auto begun = std::ranges::find(after, int64_t(33), &records::Trial::number);
        QVERIFY(begun != after.end() && begun->made == tune::Made::Default && begun->round == 0);
        QCOMPARE(after.back().number, int64_t(33 + 16));
        QCOMPARE(after.back().round, 3);
        const std::vector<std::string> roundsAfter = linesOf(*opened(path).roundsOf(id, task().workload));
        QCOMPARE(roundsAfter.size(), rounds.size() + 3);
        for (const std::string& line : rounds)
            QVERIFY(std::ranges::find(roundsAfter, line) != roundsAfter.end());
        auto recorder = Recorder::resume(opened(path), likeSample(), Target());
        const tune::Known known = recorder->known(task());
        QCOMPARE(known.trials.size(), size_t(17));
        QVERIFY(toString(known.trials[0].candidate.program) == begun->program);
        MadeUpBench further;
        const tune::StudyResult found = run(*recorder, further, planOf(16));
        QCOMPARE(found.study.tasks[0].trials.size(), size_t(17 + 16));
        QCOMPARE(opened(path).trialsOf(id, task().workload)->back().number, int64_t(33 + 16 + 16));
    }

    /// A kernel that the model kept, in a study that goes on, finds a faster one and is killed: what was kept is chosen still,
    /// until another one is held against the model.
    void whatTheModelKeptStaysChosen() {
        const auto path = at("kept.db");
        std::set<Hash128> before;
        std::string kept;
        {
            MadeUpBench bench;
            Recorder recorder(opened(path), sampleStudy(), Target());
            const tune::StudyResult found = run(recorder, bench, planOf(32));
            for (const tune::Candidate& candidate : bench.seen)
                before.insert(candidate.program);
            const records::HeldTrial held = heldOf(found.study.tasks[0]);
            kept = held.program;
            recorder.end(records::StudyState::Ended, {held});
        }
        const auto chosen = [&] {
            const auto best = opened(path).best();
            return best->empty() ? std::string() : best->front().trial.program;
        };
        QCOMPARE(chosen(), kept);
        const auto goOn = [&](int trials, double speed) {
            MadeUpBench bench;
            bench.time = [&, speed](const tune::Candidate& candidate) {
                return madeUpTime(candidate) / (before.contains(candidate.program) ? 1 : speed);
            };
            auto recorder = Recorder::resume(opened(path), likeSample(), Target());
            tune::StudyResult found = run(*recorder, bench, planOf(trials));
            return std::pair(*std::move(recorder), std::move(found.study.tasks[0]));
        };
        goOn(16, 0.5); // finds nothing
        QCOMPARE(chosen(), kept);
        {
            auto [recorder, state] = goOn(16, 0.5);
            recorder.end(records::StudyState::Failed,
                         {}); // the machine failed before it could be held against the model
        }
        QCOMPARE(chosen(), kept);
        {
            const auto [recorder, state] = goOn(16, 100); // and is killed
            QVERIFY(heldOf(state).program != kept);
        }
        QCOMPARE(chosen(), kept);
        auto [recorder, state] = goOn(16, 100);
        recorder.end(records::StudyState::Ended, {heldOf(state, records::InPlace::TakenBack)});
        QCOMPARE(chosen(), kept);
        recorder.end(records::StudyState::Ended, {heldOf(state)});
        QCOMPARE(chosen(), heldOf(state).program);
    }

    /// Where the graph is looked at last, a faster schedule may be found that is not applied.
    void whatIsAppliedIsKept() {
        const auto path = at("applied.db"), model = at("model");
        std::ofstream(model) << "a model";
        tuning::TuneOptions options;
        options.compile.target = Target(); // of the sample workloads
        auto study = records::StudyRecords::begin({.model = model, .file = path, .name = {}, .id = {}, .resume = false},
                                                  options);
        QVERIFY2(study, study ? "" : toString(study.error()).c_str());
        MadeUpBench bench;
        tuning::Tuned tuned;
        tuned.study = tune::runStudy({task(), task(16)}, madeUpSpace(), planOf(200), bench,
                                     [&](const tune::Study& now, const tune::Event& event) { study->tell(now, event); })
                          .study;
        std::vector<tune::TaskState>& tasks = tuned.study.tasks;
        const auto first = std::ranges::find_if(tasks[0].trials, &tune::Trial::accepted);
        QVERIFY(first != tasks[0].trials.begin() + std::ptrdiff_t(tasks[0].best)); // there is a slower one
        first->inPlace = tune::InPlace::Kept;
        tasks[1].trials[tasks[1].best].inPlace = tune::InPlace::TakenBack;
        study->end(tuned);
        QVERIFY(study->newProblems().empty());
        const File file = opened(path);
        QCOMPARE(file.best()->size(), size_t(1));
        QCOMPARE(file.best()->front().trial.program, toString(first->candidate.program));
        for (const tune::TaskState& state : tasks)
            for (const records::Trial& row : *file.trialsOf(study->study().id, state.task.workload))
                QVERIFY(row.inPlace == state.trials[size_t(row.number)].inPlace);
    }

    void goesOnWithNoOther() {
        const auto path = at("others.db");
        const auto write = [&](int number) {
            File file = opened(path);
            records::Batch batch = sampleBatch({1}, number);
            QVERIFY(file.write(batch));
        };
        write(1);
        write(2);
        records::Study like = likeSample();
        like.name.clear();
        QCOMPARE(Recorder::resume(opened(path), like, Target())->study().id, sampleStudy(2).id); // the newest
        like.id = sampleStudy(1).id;
        QCOMPARE(Recorder::resume(opened(path), like, Target())->study().id,
                 sampleStudy(1).id); // the one that is named
        like.id = std::string(32, 'c');
        QVERIFY(!Recorder::resume(opened(path), like, Target()));
        like.id.clear();
        like.name = "study 1";
        QCOMPARE(Recorder::resume(opened(path), like, Target())->study().id, sampleStudy(1).id);
        for (const auto change : {+[](records::Study& s) { s.name = "no such"; },
                                  +[](records::Study& s) { s.modelHash = std::string(32, 'b'); },
                                  +[](records::Study& s) { s.setting.threads = 1; },
                                  +[](records::Study& s) { s.setting.numerics = "strict"; },
                                  +[](records::Study& s) { s.setting.machine = "another"; },
                                  +[](records::Study& s) { s.search = "random in sketch"; }}) {
            records::Study other = likeSample();
            change(other);
            const auto none = Recorder::resume(opened(path), other, Target());
            QVERIFY(!none);
            QVERIFY(none.error().kind == ErrorKind::Usage);
            if (other.search != like.search)
                QCOMPARE(none.error().hint, std::string("go on with it by --space template, or begin another one"));
        }
        records::Study searched = likeSample(); // by another search, it goes on
        searched.search = "grid";
        QVERIFY(Recorder::resume(opened(path), searched, Target()));
    }

    /// Whatever their names and ids are, and whichever ended last.
    void goesOnWithTheLastOfOneSecond_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("last");
        QTest::newRow("ascending ids") << 1 << 2;
        QTest::newRow("descending ids") << 2 << 1;
    }
    void goesOnWithTheLastOfOneSecond() {
        QFETCH(int, first);
        QFETCH(int, last);
        const auto path = at(("second" + std::to_string(first)).c_str());
        for (const int number : {first, last, first}) {
            records::Batch batch = sampleBatch({1}, number);
            batch.studies[0].started = 1'700'000'000;
            QVERIFY(opened(path).write(batch));
        }
        records::Study like = likeSample();
        like.name.clear();
        QCOMPARE(Recorder::resume(opened(path), like, Target())->study().id, sampleStudy(last).id);
    }

    /// One that could not begin is none to go on with.
    void ofNothingToldNothingIsRecorded() {
        const auto path = at("nothing.db");
        Recorder(opened(path), sampleStudy(), Target()).end(records::StudyState::Failed, {});
        QVERIFY(opened(path).studies()->empty());
        QVERIFY(opened(path).write(sampleBatch({1})));
        const records::StudyState before = opened(path).studies()->front().state;
        QVERIFY(before != records::StudyState::Failed);
        Recorder::resume(opened(path), likeSample(), Target())->end(records::StudyState::Failed, {});
        QVERIFY(opened(path).studies()->front().state == before);
    }

    void theNextStudyBeginsWithTheBest() {
        const auto path = at("seeds.db");
        MadeUpBench first;
        Recorder recorder(opened(path), sampleStudy(), Target());
        const tune::StudyResult found = run(recorder, first, planOf(200));
        const tune::TaskState& state = found.study.tasks[0];
        recorder.end(records::StudyState::Ended, {heldOf(state)});
        for (const int64_t columns : {8, 32}) { // the same, and one alike
            MadeUpBench bench;
            Recorder next(opened(path), sampleStudy(), Target());
            const tune::StudyResult again = run(next, bench, planOf(16), {task(columns)});
            const tune::TaskState& now = again.study.tasks[0];
            QVERIFY(bench.seen[0].made == tune::Made::Default);
            QVERIFY(bench.seen[1].made == tune::Made::Recorded);
            QVERIFY(bench.seen[1].program == state.trials[state.best].candidate.program);
            QCOMPARE(now.best, size_t(1));
        }
        // Where it is slow it is a candidate that lost.
        MadeUpBench other;
        other.time = [](const tune::Candidate& candidate) {
            return candidate.made == tune::Made::Recorded ? 20.0 : madeUpTime(candidate);
        };
        Recorder next(opened(path), sampleStudy(), Target());
        const tune::StudyResult again = run(next, other, planOf(16));
        QVERIFY(!again.study.tasks[0].trials[1].accepted);
    }

    /// What was accepted in each of six studies, which differ in what is fast; and nothing else.
    void replayTriesAllThatIsRecorded() {
        const auto path = at("replay.db");
        std::set<Hash128> recorded;
        for (int study = 0; study < 6; ++study) {
            MadeUpBench bench;
            bench.time = [study](const tune::Candidate& candidate) {
                return candidate.answers.at("a").front() == 2 + study ? 1 : 10 + madeUpTime(candidate);
            };
            Recorder recorder(opened(path), sampleStudy(), Target());
            const tune::StudyResult found = run(recorder, bench, planOf(100));
            const tune::TaskState& state = found.study.tasks[0];
            QVERIFY(state.best > 0);
            recorded.insert(state.trials[state.best].candidate.program);
            recorder.end(records::StudyState::Ended, {heldOf(state)});
        }
        QVERIFY(recorded.size() == 6);
        MadeUpBench bench;
        Recorder recorder(opened(path), sampleStudy(), Target());
        tune::Plan plan = planOf(100);
        plan.search = "replay";
        const tune::StudyResult found = run(recorder, bench, plan, {task(), task(16)});
        QVERIFY(found.study.tasks[0].done == tune::Done::Exhausted);
        std::set<Hash128> tried;
        for (const tune::TaskState& state : found.study.tasks)
            for (const tune::Trial& trial : std::span(state.trials).subspan(1)) {
                QVERIFY(trial.candidate.made == tune::Made::Recorded);
                tried.insert(trial.candidate.program);
            }
        QVERIFY(tried == recorded);
    }

    /// With the next study of the class of machine; what is damaged, or of other features, is as if it was not there.
    void whatTheModelLearnedIsThereForTheNext() {
        const auto path = at("learned.db");
        const auto learnedOf = [](size_t columns) {
            std::vector<tune::Sample> samples;
            for (int i = 0; i < 40; ++i)
                samples.push_back({std::vector<float>(columns, static_cast<float>(i)), 1.0F / float(1 + i)});
            const auto model = tune::makeTreeModel(1);
            model->fit(std::vector<std::vector<tune::Sample>>{samples});
            return model->save();
        };
        const std::string learned = learnedOf(tune::featureNames().size());
        {
            Recorder recorder(opened(path), sampleStudy(), Target());
            QVERIFY(recorder.learned().empty() && recorder.problems().empty());
            recorder.end(records::StudyState::Ended, {}, learned);
            recorder.end(records::StudyState::Ended, {}); // one that learned nothing takes nothing away
        }
        const auto found = [&](int threads, size_t problems) {
            records::Study study = sampleStudy();
            study.setting.threads = threads;
            Recorder recorder(opened(path), study, Target());
            std::string found = recorder.learned();
            if (recorder.problems().size() != problems)
                return std::string("other problems");
            for (const Diagnostic& problem : recorder.problems())
                if (problem.severity != Severity::Warning || problem.file != path.string() || problem.hint.empty())
                    return std::string("no such problem");
            return found;
        };
        QVERIFY(found(2, 0) == learned && found(4, 0) == learned && found(1, 0).empty());
        executeSql(path, "UPDATE model SET blob = substr(blob, 1, 900)");
        QCOMPARE(found(2, 1), std::string());
        {
            Recorder recorder(opened(path), sampleStudy(), Target());
            recorder.end(records::StudyState::Ended, {}, learnedOf(3));
        }
        QCOMPARE(found(2, 1), std::string());
    }

    /// Another program holds the file all the while: the study is the same, and is written in the end.
    void aLockedFileIsWrittenInTheEnd() {
        const auto path = at("locked.db");
        MadeUpBench bench;
        Recorder recorder(opened(path), sampleStudy(), Target());
        sqlite3* other = nullptr;
        QCOMPARE(sqlite3_open(path.c_str(), &other), SQLITE_OK);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        const tune::StudyResult found = run(recorder, bench, planOf(48));
        QVERIFY(!found.failed);
        QCOMPARE(recorder.problems().size(), size_t(1)); // said once, after one wait
        QVERIFY(recorder.problems()[0].what.find("another program") != std::string::npos);
        QCOMPARE(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(other);
        recorder.end(records::StudyState::Ended, {});
        QCOMPARE(opened(path).trialsOf(recorder.study().id, task().workload)->size(),
                 found.study.tasks[0].trials.size());
    }

    void recordsThatFailEndNoStudy() {
        const auto path = at("full.db");
        MadeUpBench with, without;
        Recorder recorder(opened(path), sampleStudy(), Target());
        const tune::StudyResult found = [&] {
            const FullDisk full(4096);
            return run(recorder, with, planOf(100));
        }();
        const tune::StudyResult same = tune::runStudy({task()}, madeUpSpace(), planOf(100), without);
        QVERIFY(!found.failed);
        QCOMPARE(with.seen.size(), without.seen.size());
        for (size_t i = 0; i < with.seen.size(); ++i)
            QVERIFY(with.seen[i].program == without.seen[i].program);
        QCOMPARE(recorder.problems().size(), size_t(1)); // said once
        QVERIFY(recorder.problems()[0].severity == Severity::Warning);
        recorder.end(records::StudyState::Ended,
                     {heldOf(found.study.tasks[0])}); // there is room again: nothing is lost
        const File file = opened(path);
        QVERIFY(file.problems()->empty());
        QCOMPARE(file.trialsOf(recorder.study().id, task().workload)->size(), found.study.tasks[0].trials.size());
        QCOMPARE(file.best()->size(), size_t(1));
    }

    /// Rows that are damaged, or of a space that is another by now, are as if they were not there.
    void whatCannotBeReadIsLeftOut() {
        const auto path = at("odd.db");
        {
            MadeUpBench bench;
            Recorder recorder(opened(path), sampleStudy(), Target());
            run(recorder, bench, planOf(32));
            File file = opened(path);
            auto trials = file.trialsOf(recorder.study().id, task().workload);
            records::Batch batch;
            for (const size_t i : {5, 6, 7, 8, 9})
                batch.trials.push_back((*trials)[i]);
            batch.trials[0].answers = "{";
            batch.trials[1].answers = "{\"a\":[7],\"b\":[6]}";           // illegal: 13
            batch.trials[2].answers = "{\"a\":[0],\"b\":[0],\"c\":[2]}"; // another program
            batch.trials[3].us = -1;
            batch.trials[4].ratio = {0, 0, 0}; // faster than anything
            QVERIFY(file.write(batch));
        }
        auto recorder = Recorder::resume(opened(path), likeSample(), Target());
        QVERIFY(recorder);
        MadeUpBench bench;
        const tune::StudyResult found = run(*recorder, bench, planOf(16));
        QCOMPARE(found.study.tasks[0].trials.size(), size_t(33 - 5 + 16));
    }
};

Test test() {
    return {makes<TestRecorder>};
}

} // namespace lathe::testing::test_recorder

#include "test_recorder.moc"
