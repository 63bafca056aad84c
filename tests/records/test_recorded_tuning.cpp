// SPDX-License-Identifier: Apache-2.0
//
// Tuning with its study recorded, on a bench without kernels: what is told stands in the records, what stands there goes into
// the next study, and a study that cannot be recorded is made or refused as it was wished.
#include "base/guarded.h"
#include "records/recorded_tuning.h"
#include "records/sample.h"
#include "records/study_graph.h"
#include "support/program_of_tests.h"
#include "tune/made_up.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <set>

namespace lathe::testing::test_recorded_tuning {

using records::File;

namespace {

/// In place of tuneModel: two kernels of the sample, of which what was fastest is kept.
struct MadeUpTuner {
    MadeUpBench bench;
    std::vector<tune::Known> known = {};               // what was said of the tasks
    bool hasRecorded = false;                          // a schedule of the first kernel was offered
    std::optional<Diagnostic> failed = {};             // how it ends
    std::function<void()> atEnd = {};                  // may throw
    std::optional<driver::Decisions> chosen = {};      // in the graph, with the first kernel alone
    bool isTaken = true;                               // else they were no faster
    std::map<std::string, tune::TaskState> found = {}; // by workload

    static tune::Task task(int64_t columns) {
        tune::Task made;
        made.computation = doubled(columns);
        made.workload = sampleWorkload(columns).key;
        made.kernel = "doubled";
        return made;
    }

    records::Tuner tuner() {
        return [this](const tuning::TuneOptions& options, const auto& told) -> Result<tuning::Tuned> {
            std::vector<tune::Task> tasks = {task(8), task(16)};
            for (tune::Task& each : tasks)
                if (options.known)
                    each.known = known.emplace_back(options.known(each));
            hasRecorded = options.recorded.contains(tasks[0].workload);
            tuning::Tuned tuned;
            tuned.study = tune::runStudy(std::move(tasks), madeUpSpace(), options.plan, bench, told).study;
            for (tune::TaskState& state : tuned.study.tasks) {
                if (state.isTaken())
                    state.trials[state.best].inPlace = tune::InPlace::Kept;
                found.emplace(state.task.workload, state);
            }
            if (chosen) {
                tuned.graph.emplace();
                tuned.graph->isTaken = isTaken;
                tuned.graph->workloadsBefore = {task(16).workload};
                tuned.graph->workloads = {task(8).workload};
                tuned.graph->schedulesMs = 3;
                tuned.graph->wholeMs = 2;
                tuned.decisions = isTaken ? *chosen : options.decisions;
            }
            tuned.failed = failed;
            if (atEnd)
                atEnd();
            return tuned;
        };
    }
};

/// All that a caller is told.
struct Heard {
    std::vector<std::string> ids; // of the study that it is recorded as; "": it is not
    size_t events = 0;
    std::vector<Diagnostic> warnings;

    records::ToldOfTuning told() {
        return {.opened =
                    [this](const records::StudyRecords* records) {
                        ids.push_back(records ? records->study().id : std::string());
                    },
                .told = [this](const tune::Study&, const tune::Event&) { ++events; },
                .warned =
                    [this](const std::vector<Diagnostic>& more) {
                        warnings.insert(warnings.end(), more.begin(), more.end());
                    }};
    }
};

} // namespace

class TestRecordedTuning : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    records::StudyWish wish(const char* file) const {
        return {.model = at("model"), .file = file ? at(file) : std::filesystem::path(), .name = {}, .id = {}};
    }
    static tuning::TuneOptions options(int64_t trials = 64) {
        tuning::TuneOptions options;
        options.compile.target = Target(); // of the sample workloads
        options.plan.trials = trials;
        options.plan.time = std::chrono::hours(1);
        return options;
    }
    static File opened(const std::filesystem::path& path) {
        auto file = File::open(path, File::Access::Read);
        if (!file)
            throw std::runtime_error(toString(file.error()));
        return std::move(*file);
    }

private slots:
    void initTestCase() {
        std::ofstream(at("model")) << "a model";
        qputenv("LATHE_RECORDS", folder_.filePath("default.db").toUtf8());
    }

    void whatIsToldIsRecorded() {
        MadeUpTuner tuner;
        Heard heard;
        const auto tuned = recordedTuningBy(tuner.tuner(), wish("a.db"), options(), heard.told());
        QVERIFY2(tuned, tuned ? "" : toString(tuned.error()).c_str());
        QVERIFY(heard.warnings.empty() && heard.events > 2);
        const File file = opened(at("a.db"));
        const auto studies = file.studies();
        QCOMPARE(studies->size(), size_t(1));
        QCOMPARE(heard.ids, std::vector<std::string>{studies->front().id});
        QCOMPARE(studies->front().name, std::string("model")); // its file's, where none was wished
        QVERIFY(studies->front().state == records::StudyState::Ended);
        QCOMPARE(tuner.found.size(), size_t(2));
        for (const auto& [workload, state] : tuner.found) {
            const auto rows = file.trialsOf(studies->front().id, workload);
            QCOMPARE(rows->size(), state.trials.size());
            for (const records::Trial& row : *rows) {
                const tune::Trial& trial = state.trials[size_t(row.number)];
                QCOMPARE(row.program, toString(trial.candidate.program));
                QVERIFY(row.inPlace == trial.inPlace);
            }
        }
        QCOMPARE(file.best()->size(), size_t(2)); // both were kept
    }

    /// Of whoever calls it: the study can be applied from its records alone.
    void whatTheGraphChoseIsRecorded() {
        MadeUpTuner tuner;
        driver::Decisions chosen;
        chosen.variants = {{{"c", "conv", 0}, "winograd4"}};
        chosen.layouts = {{{"c", "conv", 0}, relay::choose::StoredPart::Panels, 32}};
        chosen.apart = {{{"c", "conv", 0}, {"r", "relu", 0}}};
        tuner.chosen = chosen;
        tuner.chosen->kernels["w"].answers["b0.rows"] = {6}; // which is no choice of the graph
        tuning::TuneOptions with = options();
        with.decisions.layouts = {{{"c", "conv", 0}, relay::choose::StoredPart::Blocks, 8}};
        with.decisions.skipPasses = {"fuse"};
        Heard heard;
        QVERIFY(recordedTuningBy(tuner.tuner(), wish("graph.db"), with, heard.told()));
        const auto graph = opened(at("graph.db")).graphOf(heard.ids[0]);
        QVERIFY(graph && *graph);
        QVERIFY((*graph)->schedulesMs == 3 && (*graph)->wholeMs == 2);
        const auto read = records::foundIn(**graph);
        QVERIFY2(read, read ? "" : toString(read.error()).c_str());
        QVERIFY(read->found == chosen && read->given.layouts == with.decisions.layouts);
        QVERIFY(read->given.skipPasses.empty());
        const std::string first = MadeUpTuner::task(8).workload, second = MadeUpTuner::task(16).workload;
        QVERIFY(read->workloads == std::set<std::string>{first} &&
                read->workloadsBefore == std::set<std::string>{second});
        auto all = records::foundBy(opened(at("graph.db")), heard.ids[0]);
        QVERIFY(all);
        const tune::TaskState& kept = tuner.found.at(first);
        QVERIFY(kept.isTaken() && all->decisions.kernels.size() == 1);
        QVERIFY(all->decisions.kernels.at(first).trace == kept.trials[kept.best].candidate.trace);
        all->decisions.kernels.clear();
        QVERIFY(all->decisions == chosen);
        // It goes on, and finds nothing: what was chosen stays.
        MadeUpTuner next;
        records::StudyWish again = wish("graph.db");
        again.resume = true;
        QVERIFY(recordedTuningBy(next.tuner(), again, options(), heard.told()));
        QCOMPARE(heard.ids[1], heard.ids[0]);
        QVERIFY(opened(at("graph.db")).graphOf(heard.ids[0]) == graph);
        // What was no faster is not recorded: all kernels that were kept are found.
        MadeUpTuner slow;
        slow.chosen = chosen;
        slow.isTaken = false;
        QVERIFY(recordedTuningBy(slow.tuner(), wish("slow.db"), options(), heard.told()));
        const auto without = records::foundBy(opened(at("slow.db")), heard.ids[2]);
        QVERIFY(without && !without->graph && without->decisions.variants.empty());
        QCOMPARE(without->decisions.kernels.size(), size_t(2));
    }

    void whatIsRecordedGoesIn() {
        MadeUpTuner first, next, without;
        Heard heard;
        QVERIFY(recordedTuningBy(first.tuner(), wish("next.db"), options(), heard.told()));
        QVERIFY(!first.hasRecorded && first.known[0].seeds.empty());
        QVERIFY(recordedTuningBy(next.tuner(), wish("next.db"), options(8), heard.told()));
        QVERIFY(next.hasRecorded && !next.known[0].seeds.empty());
        QVERIFY(next.known[0].trials.empty()); // it is another study
        QVERIFY(heard.ids[0] != heard.ids[1]);
        tuning::TuneOptions schedules = options(8);
        schedules.graph = false;
        QVERIFY(recordedTuningBy(without.tuner(), wish("next.db"), schedules, heard.told()));
        QVERIFY(!without.hasRecorded); // only another graph has kernels that they are for
    }

    void goesOnWithWhatWasTried() {
        records::StudyWish again = wish("resumed.db");
        again.resume = true;
        Heard heard;
        {
            MadeUpTuner none;
            const auto refused = recordedTuningBy(none.tuner(), again, options(), heard.told());
            QVERIFY(!refused && refused.error().kind == ErrorKind::Usage);
            QVERIFY(heard.ids.empty() && none.bench.seen.empty());
        }
        MadeUpTuner first, next;
        QVERIFY(recordedTuningBy(first.tuner(), wish("resumed.db"), options(64), heard.told()));
        QVERIFY(recordedTuningBy(next.tuner(), again, options(32), heard.told()));
        QCOMPARE(heard.ids.size(), size_t(2));
        QCOMPARE(heard.ids[0], heard.ids[1]);
        for (const tune::Known& known : next.known)
            QVERIFY(!known.trials.empty());
        for (const auto& [workload, state] : next.found) {
            const size_t before = first.found.at(workload).trials.size();
            QCOMPARE(state.known, before);
            std::set<Hash128> programs;
            for (const tune::Trial& trial : state.trials)
                QVERIFY(programs.insert(trial.candidate.program).second); // nothing twice
            QCOMPARE(opened(at("resumed.db")).trialsOf(heard.ids[0], workload)->size(), state.trials.size());
        }
    }

    void withoutRecordsNothingIsReadOrWritten() {
        records::StudyWish none = wish("none.db");
        none.isRecorded = false;
        MadeUpTuner tuner;
        Heard heard;
        QVERIFY(recordedTuningBy(tuner.tuner(), none, options(), heard.told()));
        QCOMPARE(heard.ids, std::vector<std::string>{""});
        QVERIFY(heard.events > 2 && heard.warnings.empty() && tuner.known.empty());
        QVERIFY(!std::filesystem::exists(at("none.db")));
    }

    /// The default file is no wish: the study is made without it. One that is named is.
    void whatCannotBeRecorded() {
        std::ofstream(at("bad.db")) << "no records\n";
        MadeUpTuner tuner;
        Heard heard;
        const auto refused = recordedTuningBy(tuner.tuner(), wish("bad.db"), options(), heard.told());
        QVERIFY(!refused && heard.ids.empty() && heard.warnings.empty());
        qputenv("LATHE_RECORDS", folder_.filePath("bad.db").toUtf8());
        const auto made = recordedTuningBy(tuner.tuner(), wish(nullptr), options(), heard.told());
        qputenv("LATHE_RECORDS", folder_.filePath("default.db").toUtf8());
        QVERIFY(made);
        QCOMPARE(heard.ids, std::vector<std::string>{""});
        QCOMPARE(heard.warnings.size(), size_t(1));
        QVERIFY(heard.warnings[0].severity == Severity::Warning);
        QVERIFY(heard.warnings[0].what.contains("not recorded"));
    }

    /// A search that is none makes no file.
    void whatIsNoSearchBeginsNothing() {
        MadeUpTuner tuner;
        Heard heard;
        tuning::TuneOptions odd = options();
        odd.plan.search = "luck";
        QVERIFY(!recordedTuningBy(tuner.tuner(), wish("odd.db"), odd, heard.told()));
        odd = options();
        odd.space = "nowhere";
        QVERIFY(!recordedTuningBy(tuner.tuner(), wish("odd.db"), odd, heard.told()));
        QVERIFY(heard.ids.empty() && !std::filesystem::exists(at("odd.db")));
    }

    /// By a problem, or by an exception: what was tried is there, and on a device it can be gone on with.
    void howItFailedIsRecorded() {
        const auto stateIn = [&](const char* name) { return opened(at(name)).studies()->at(0).state; };
        Heard heard;
        MadeUpTuner failing;
        failing.failed = error("the machine is gone", "look for it");
        tuning::TuneOptions onDevice = options();
        onDevice.device = tuning::StudyDevice{.processor = "a processor", .cores = 2};
        const auto failed = recordedTuningBy(failing.tuner(), wish("failed.db"), onDevice, heard.told());
        QVERIFY(failed && failed->failed);
        QCOMPARE(failed->failed->hint, std::string("look for it; then go on by lathe tune --resume"));
        QVERIFY(stateIn("failed.db") == records::StudyState::Failed);
        const auto here = recordedTuningBy(failing.tuner(), wish("here.db"), options(), heard.told());
        QVERIFY(here && here->failed);
        QCOMPARE(here->failed->hint, std::string("look for it"));
        MadeUpTuner throwing;
        throwing.atEnd = [] { throw Cancelled(); };
        const auto thrown = recordedTuningBy(throwing.tuner(), wish("thrown.db"), options(), heard.told());
        QVERIFY(!thrown && thrown.error().kind == ErrorKind::Cancelled);
        QVERIFY(stateIn("thrown.db") == records::StudyState::Failed);
        QVERIFY(!opened(at("thrown.db")).trialsOf(heard.ids.back(), sampleWorkload().key)->empty());
    }
};

Test test() {
    return {makes<TestRecordedTuning>};
}

} // namespace lathe::testing::test_recorded_tuning

#include "test_recorded_tuning.moc"
