// SPDX-License-Identifier: Apache-2.0
//
// Whether records are still right: schedules that fit no more are marked and not offered, workloads are hashed anew, what was
// fastest is timed again, and what opinions on recorded trials are worth. And records that come with the program: those of the
// class of machine alone, each of which has to replay.
#include "codegen/target.h"
#include "records/best.h"
#include "records/evaluate.h"
#include "records/lines.h"
#include "records/sample.h"
#include "support/program_of_tests.h"
#include "support/sql.h"
#include "tune/made_up.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace lathe::testing::test_upkeep {

using records::Batch;
using records::File;
using Access = records::File::Access;

namespace {

/// Trials that do replay: doubled by its default, and with its loops split.
Batch replayingBatch(int study = 1, int64_t columns = 8, double ratio = 0.8) {
    Batch batch = sampleBatch({1, ratio}, study, columns);
    batch.trials[0].trace = "loops blocks(#0) gives(0, 1)\n";
    return batch;
}

} // namespace

class TestUpkeep : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    File made(const char* name, const Batch& batch) {
        auto file = File::open(at(name), Access::Write);
        if (!file || !file->write(batch))
            throw std::runtime_error("no records can be made");
        return std::move(*file);
    }
    records::Setting setting_ = sampleStudy().setting;

private slots:
    void whatFitsNoMoreIsMarkedAndNotOffered() {
        Batch batch = replayingBatch();
        batch.trials[1].trace = "loops blocks(#9) gives(0)\nparallel loops(0)\n";
        File file = made("stale.db", batch);
        QCOMPARE(records::offeredFor(file, setting_)->schedules.size(), size_t(1));
        QCOMPARE(records::verify(file)->bad.size(), size_t(1));
        const auto offered = records::offeredFor(file, setting_);
        QVERIFY(offered->schedules.empty() && offered->warnings.size() == 1);
        QVERIFY(offered->warnings[0].severity == Severity::Note);
        // It is so of this version of the program alone.
        executeSql(at("stale.db"), "UPDATE stale SET program = 'an earlier one'");
        QCOMPARE(records::offeredFor(file, setting_)->schedules.size(), size_t(1));
        QVERIFY(records::markStale(file, setting_, {sampleWorkload().key, "of another model"}));
        QVERIFY(records::offeredFor(file, setting_)->schedules.empty());
        // What fits again is offered again.
        batch.trials[1].trace = "loops blocks(#0) gives(0, 1)\nparallel loops(0)\n";
        QVERIFY(file.write(batch));
        QCOMPARE(records::verify(file)->good, 1);
        QCOMPARE(records::offeredFor(file, setting_)->schedules.size(), size_t(1));
        QVERIFY(file.prune(1) && file.problems()->empty());
    }

    /// Keys as another version made them: one is renamed, two become one, a text that is none stays.
    void hashingAnew() {
        Batch all = replayingBatch(1, 8), late = replayingBatch(2, 8, 0.7), other = replayingBatch(3, 16, 0.9);
        all.rounds = {sampleRound(all.tasks[0], 1, "prior", true)};
        all.graphs = {sampleGraph(all.studies[0], "old-key")};
        File file = made("rehash.db", all);
        QVERIFY(file.write(late) && file.write(other));
        const std::string key = sampleWorkload(8).key, key16 = sampleWorkload(16).key;
        QCOMPARE(records::rehash(file)->same, 2);
        // The first study's workload under another key, the last one's under that of the first: nothing gets mixed up.
        executeSql(at("rehash.db"),
                   ("INSERT INTO workload SELECT 99, 'old-key', 'old family', target, kernel, text, flops, bytes FROM "
                    "workload WHERE key = '" +
                    key +
                    "';"
                    "UPDATE task SET workload = 99 WHERE study = (SELECT id FROM study WHERE uid = '" +
                    sampleStudy(1).id +
                    "');"
                    "UPDATE workload SET key = 'older-key' WHERE key = '" +
                    key +
                    "';"
                    "UPDATE workload SET key = '" +
                    key + "' WHERE key = '" + key16 + "'")
                       .c_str());
        const auto done = records::rehash(file);
        QVERIFY2(done, done ? "" : toString(done.error()).c_str());
        QCOMPARE(done->renamed, 3);
        QCOMPARE(done->same, 0);
        QVERIFY(done->unread.empty() && file.problems()->empty());
        const auto workloads = file.workloads();
        QCOMPARE(workloads->size(), size_t(2));
        for (const records::Workload& workload : *workloads)
            QVERIFY(workload.key == key ? workload == sampleWorkload(8) : workload == sampleWorkload(16));
        QCOMPARE(file.trialsOf(sampleStudy(1).id, key)->size(), size_t(2));
        QCOMPARE(file.roundsOf(sampleStudy(1).id, key)->size(), size_t(1));
        QCOMPARE(file.trialsOf(sampleStudy(2).id, key)->size(), size_t(2));
        QCOMPARE(file.trialsOf(sampleStudy(3).id, key16)->size(), size_t(2));
        QVERIFY(*file.graphOf(sampleStudy(1).id) == sampleGraph(sampleStudy(1), key));
        for (const records::Best& best : *file.best())
            QCOMPARE(best.trial.ratio.middle, best.workload.key == key ? 0.7 : 0.9);
        executeSql(at("rehash.db"), "UPDATE workload SET text = 'no function'");
        QCOMPARE(records::rehash(file)->unread.size(), size_t(2));
        QCOMPARE(file.workloads()->size(), size_t(2));
    }

    void whatWasFastestIsTimedAgain() {
        Batch batch = replayingBatch(1, 8), wrong = replayingBatch(2, 16), gone = replayingBatch(3, 32);
        gone.trials[1].trace = "loops blocks(#9) gives(0)\n";
        File file = made("again.db", batch);
        QVERIFY(file.write(wrong) && file.write(gone));
        MadeUpBench bench;
        bench.time = [](const tune::Candidate& candidate) { return candidate.program == Hash128{} ? 10.0 : 9.0; };
        std::map<std::string, records::TimedAgain> found;
        const auto take = [&](const records::TimedAgain& timed) { found[timed.best.workload.key] = timed; };
        QVERIFY(records::timeAgain(file, setting_, bench, take));
        QCOMPARE(found.size(), size_t(3));
        const records::TimedAgain& first = found[sampleWorkload(8).key];
        QVERIFY(first.problem.empty() && std::abs(first.ratio.middle - 0.9) < 1e-9);
        QVERIFY(!found[sampleWorkload(32).key].problem.empty());
        bench.verdicts[*records::parseHash(wrong.trials[1].program)] = tune::Verdict::Wrong;
        QVERIFY(records::timeAgain(file, setting_, bench, take));
        QVERIFY(found[sampleWorkload(16).key].wrong);
        // At which sizes an open kernel was timed is not known.
        const arith::Var columns = arith::symbol("columns", 1, 1024);
        const auto x = te::placeholder("x", types::Float32, {4, arith::Expr(columns)});
        const auto y = te::compute("y", {4, arith::Expr(columns)}, [&](auto& i) { return (*x)({i[0], i[1]}); }, 0);
        const std::string text = tir::print(*te::toTir("open", {x}, {y}, {columns}));
        executeSql(at("again.db"), fmt::format("UPDATE workload SET text = '{}'", text).c_str());
        const size_t asked = bench.truths.size();
        QVERIFY(records::timeAgain(file, setting_, bench, take));
        QVERIFY(found[sampleWorkload(8).key].problem.find("open") != std::string::npos);
        QCOMPARE(bench.truths.size(), asked);
        QVERIFY(records::evaluate(file, setting_, {})->unread > 0);
        found.clear();
        const records::Setting elsewhere{"another machine", 2, "default"};
        QVERIFY(records::timeAgain(file, elsewhere, bench, take) && found.empty());
    }

    /// Of two workloads: the time is what the estimate says, or the opposite.
    void opinionsAreHeldAgainstRecords() {
        std::vector<std::string> traces{""}; // the default's
        for (const int64_t tile : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20, 24, 32, 48, 64})
            for (const char* kind : {"", "vectorize loops(3)\n", "unroll loops(3)\n"})
                if (std::string_view(kind).starts_with("v") ? (tile & (tile - 1)) == 0 : true)
                    traces.push_back(
                        fmt::format("loops blocks(#0) gives(0, 1)\nsplit loops(1) numbers(-1, {}) gives(2, 3)"
                                    "\n{}",
                                    tile, kind));
        const auto evaluated = [&](const char* name, double sign) {
            File file = made(name, {});
            for (const int64_t columns : {192, 384}) {
                Batch batch = sampleBatch(std::vector<double>(traces.size(), 1.0), int(columns), columns);
                std::vector<tune::Candidate> candidates(1);
                for (size_t i = 0; i < traces.size(); ++i) {
                    schedule::Schedule other(doubled(columns));
                    if (!other.replay(*schedule::parseTrace(traces[i])))
                        throw std::runtime_error("no such trace: " + traces[i]);
                    candidates[0] = {};
                    candidates[0].scheduled = other.function();
                    tune::Judge({}, nullptr).rate(candidates, {});
                    records::Trial& trial = batch.trials[i];
                    trial.trace = traces[i];
                    trial.us = std::pow(candidates[0].prior, sign);
                    trial.ratio = {trial.us, trial.us, trial.us};
                    trial.accepted = false;
                }
                if (!file.write(batch))
                    throw std::runtime_error("no records can be written");
            }
            return *records::evaluate(file, setting_, {});
        };
        const records::Evaluated right = evaluated("right.db", 1), reversed = evaluated("reversed.db", -1);
        QCOMPARE(right.heldOut.tasks, size_t(2));
        QCOMPARE(right.trials, int64_t(2 * traces.size()));
        QCOMPARE(right.unread, 0);
        QCOMPARE(right.heldOut.prior.pairs.right, 1.0);
        QCOMPARE(reversed.heldOut.prior.pairs.right, 0.0);
        QVERIFY2(right.heldOut.both.pairs.right > 0.75 && reversed.heldOut.both.pairs.right > 0.75,
                 qPrintable(QString::number(reversed.heldOut.both.pairs.right)));
        QVERIFY(std::abs(right.heldOut.random.pairs.right - 0.5) < 0.2);
        File one = made("one.db", replayingBatch());
        QCOMPARE(records::evaluate(one, setting_, {})->heldOut.tasks, size_t(0)); // nothing to learn from
    }

    void recordsThatComeWithTheProgram() {
        const std::filesystem::path shipped = at("shipped");
        std::filesystem::create_directory(shipped);
        QVERIFY(!*records::shippedFor(shipped, setting_)); // none
        const auto write = [&](const std::string& machine, const File& file, const char* more = "") {
            std::ofstream lines(shipped / records::shippedName(machine));
            QVERIFY(records::exportLines(file, [&](const std::string& line) { lines << line << '\n'; }));
            lines << more;
        };
        const File mine = made("mine.db", replayingBatch());
        write("a machine", mine);
        const auto found = records::shippedFor(shipped, setting_);
        QVERIFY2(found && *found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(records::offeredFor(**found, setting_)->schedules.size(), size_t(1));
        QVERIFY(!*records::shippedFor(shipped, {"another machine", 2, "default"}));
        write("a machine", mine, "{\"trial\":3}\n");
        const auto damaged = records::shippedFor(shipped, setting_);
        QVERIFY(!damaged && damaged.error().file.find("a-machine-") != std::string::npos);
        QVERIFY(records::shippedName("AMD EPYC(tm) 9; x86_64").starts_with("amd-epyc-tm-9-"));
        QVERIFY(records::shippedName("a; x") != records::shippedName("a; y"));
    }

    /// Those that do come with it: each replays, and is faster than the default by 3 % at least.
    void allThatComeWithItFit() {
        const QDir folder(LATHE_SOURCE_DIR "/resources/records");
        QVERIFY(folder.exists());
        for (const QFileInfo& entry : folder.entryInfoList({"*.jsonl"})) {
            File file = *File::inMemory(entry.fileName().toStdString());
            std::ifstream lines(entry.filePath().toStdString());
            const auto imported = records::importLines(lines, file);
            QVERIFY2(imported && imported->skipped == 0, qPrintable(entry.fileName()));
            const auto all = file.best();
            QVERIFY(!all->empty());
            for (const records::Best& best : *all) {
                QCOMPARE(entry.fileName().toStdString(), records::shippedName(best.setting.machine));
                QVERIFY(best.trial.ratio.high < 0.97);
            }
            const auto verified = records::verify(file);
            QVERIFY2(verified->bad.empty(), verified->bad.empty() ? "" : verified->bad.front().c_str());
        }
    }
};

Test test() {
    return {makes<TestUpkeep>};
}

} // namespace lathe::testing::test_upkeep

#include "test_upkeep.moc"
