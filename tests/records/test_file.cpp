// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
//
// The file of records: what is best follows from the trials, who is killed loses a batch at most, and what is no such file,
// damaged, locked, read-only or full is a diagnostic that leaves it as it was.
#include "records/sample.h"
#include "records/study_graph.h"
#include "support/full_disk.h"
#include "support/program_of_tests.h"
#include "support/sql.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <random>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::testing::test_file {

using records::Batch;
using records::File;
using Access = records::File::Access;

namespace {

constexpr int trialsABatch = 16;

/// The child that is killed: a batch of trials, a line, and so on.
int writeForEver(const QString& path) {
    auto file = File::open(path.toStdString(), Access::Write);
    if (!file)
        return 1;
    const Batch first = sampleBatch({1});
    if (!file->write(first))
        return 1;
    const auto begun = file->trialsOf(first.tasks[0].study, first.tasks[0].workload);
    for (int number = begun ? static_cast<int>(begun->size()) : 1;; number += trialsABatch) {
        Batch batch;
        for (int i = 0; i < trialsABatch; ++i)
            batch.trials.push_back(sampleTrial(first.tasks[0], number + i));
        if (!file->write(batch))
            return 1;
        std::printf("%d\n", number + trialsABatch);
        std::fflush(stdout);
    }
}

} // namespace

class TestFile : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    static QString said(const Diagnostic& problem) { return QString::fromStdString(toString(problem)); }
    static QByteArray bytesOf(const std::filesystem::path& path) {
        QFile file(QString::fromStdString(path.string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// A closed file with a trial or more.
    void make(const std::filesystem::path& path, const Batch& batch = sampleBatch({1, 0.8})) const {
        std::filesystem::remove(path);
        auto file = File::open(path, Access::Write);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QVERIFY(file->write(batch));
    }

private slots:
    void whatIsWrittenIsReadBack() {
        Batch batch = sampleBatch({1, 0.8, 1.2});
        batch.trials[2].verdict = tune::Verdict::Crashed;
        batch.trials[2].message = "it's \"dead\"; DROP TABLE trial; \xf0\x9f\x98\x80";
        batch.trials[2].parent = batch.trials[1].program;
        make(at("a.db"), batch);
        const auto file = File::open(at("a.db"), Access::Read);
        QVERIFY(file && file->warnings().empty());
        QVERIFY(file->workloads() == batch.workloads);
        QVERIFY(file->studies() == batch.studies);
        QVERIFY(file->tasks() == batch.tasks);
        const auto trials = file->trialsOf(batch.tasks[0].study, batch.tasks[0].workload);
        QVERIFY(trials && trials->size() == 3);
        QCOMPARE((*trials)[2].message, batch.trials[2].message);
        QCOMPARE((*trials)[2].parent, batch.trials[1].program);
        QVERIFY((*trials)[2].verdict == tune::Verdict::Crashed);
        QCOMPARE((*trials)[1].us, 8.0);
        QCOMPARE((*trials)[1].ratio.high, 0.8 * 1.01);
        QVERIFY((*trials)[1].accepted && !(*trials)[0].accepted);
        QVERIFY((*trials)[2].seconds == 1 && (*trials)[2].prior == 12 && (*trials)[2].predicted == 0.5);
        QVERIFY(!(*trials)[0].predicted);
        QVERIFY((*trials)[0].inPlace == records::InPlace::Unknown && (*trials)[1].inPlace == records::InPlace::Kept);
        const auto brief = file->trialsOf(batch.tasks[0].study, batch.tasks[0].workload, File::Traces::Leave);
        QVERIFY(brief && brief->size() == 3 && (*brief)[1].trace.empty() &&
                (*brief)[1].answers == (*trials)[1].answers);
        const records::Trial& second = (*trials)[1];
        QCOMPARE(*file->traceOf(second.study, second.workload, second.program), second.trace);
        QVERIFY(!file->traceOf(second.study, second.workload, std::string(32, '9')));
        QVERIFY(file->problems()->empty());
    }

    void roundsAreReadBack() {
        Batch batch = sampleBatch({1, 0.8});
        const records::Task& task = batch.tasks[0];
        batch.rounds = {sampleRound(task, 2, "model", true), sampleRound(task, 1, "prior", true),
                        sampleRound(task, 1, "model", false)};
        make(at("rounds.db"), batch);
        auto file = File::open(at("rounds.db"), Access::Write);
        const auto rounds = file->roundsOf(task.study, task.workload);
        QVERIFY(rounds && rounds->size() == 3 && file->rounds()->size() == 3);
        const records::Round& first = (*rounds)[0]; // in order: model, prior of the first, then the second
        QCOMPARE(first.of, "model");
        QVERIFY(!first.asked && first.quality == batch.rounds[2].quality);
        const std::vector<tune::Judgement> judgements = records::judgementsOf(*rounds);
        QCOMPARE(judgements.size(), size_t(2));
        QVERIFY(judgements[0].asked == tune::Opinion::Prior && judgements[1].asked == tune::Opinion::Model);
        QVERIFY(judgements[0].prior == batch.rounds[1].quality && judgements[1].prior.count == 0);
        QVERIFY(records::rowsOf(judgements[0], task.study, task.workload, 1)[1].quality == first.quality);
    }

    void whatTheGraphChoseIsReadBack() {
        Batch batch = sampleBatch({1, 0.8});
        const std::string study = batch.studies[0].id, workload = batch.tasks[0].workload;
        batch.graphs = {sampleGraph(batch.studies[0], workload)};
        make(at("graph.db"), batch);
        auto file = File::open(at("graph.db"), Access::Write);
        QVERIFY(*file->graphOf(study) == batch.graphs[0]);
        QVERIFY(!*file->graphOf(sampleStudy(2).id));
        const auto found = records::foundIn(batch.graphs[0]);
        QVERIFY2(found, found ? "" : qPrintable(said(found.error())));
        QVERIFY(found->given == driver::Decisions());
        QCOMPARE(found->found.variants.at(0).variant, "winograd4");
        QCOMPARE(found->found.layouts.at(0).width, 16);
        QCOMPARE(found->found.apart.at(0).consumer.node, "r");
        QVERIFY(found->workloads == std::set<std::string>{workload} &&
                found->workloadsBefore == std::set<std::string>{"before"});
        // As decisions: with the schedule that the model kept.
        auto all = records::foundBy(*file, study);
        QVERIFY(all && all->graph == batch.graphs[0] && all->decisions.variants == found->found.variants);
        QCOMPARE(all->decisions.kernels.size(), size_t(1));
        QVERIFY(all->decisions.kernels.at(workload).trace == *schedule::parseTrace(batch.trials[1].trace));
        // A study has one; of a study that is not there nothing is kept.
        Batch again;
        again.graphs = {sampleGraph(batch.studies[0], "another"), sampleGraph(sampleStudy(2), workload)};
        QVERIFY(file->write(again));
        QCOMPARE(file->graphs()->size(), size_t(1));
        all = records::foundBy(*file, study);
        QVERIFY(all && all->decisions.kernels.empty()); // its kernels are of other choices
        QVERIFY(file->problems()->empty());
    }

    /// Put there behind our back.
    void choicesThatAreNone() {
        const auto path = at("choices.db");
        Batch batch = sampleBatch({1, 0.8});
        batch.graphs = {sampleGraph(batch.studies[0], batch.tasks[0].workload)};
        for (const char* set :
             {"found = ''", "found = '[]'", "found = '{\"skip\":[\"fuse\"]}'", "given = '{\"variants\":[{}]}'",
              "found = '{\"schedules\":{\"w\":\"loops blocks(#0) gives(0)\"}}'", "workloads = '{}'",
              "workloads_before = '[1]'", "workloads = replace(hex(zeroblob(50000)), '0', '[')"}) {
            make(path, batch);
            QVERIFY(records::foundBy(*File::open(path, Access::Read), batch.studies[0].id));
            executeSql(path, (std::string("UPDATE graph SET ") + set).c_str());
            const auto found = records::foundBy(*File::open(path, Access::Read), batch.studies[0].id);
            QVERIFY2(!found && found.error().kind == ErrorKind::Invalid, set);
            QVERIFY2(said(found.error()).contains("choices.db"), qPrintable(said(found.error())));
        }
    }

    void whatModelsHaveLearnedIsKept() {
        const std::string bytes("a\0b\xff", 4);
        make(at("model.db"));
        auto file = File::open(at("model.db"), Access::Write);
        QVERIFY(!*file->model("key"));
        Batch first, then;
        first.models = {{"key", "x"}, {"other", "y"}};
        then.models = {{"key", bytes}};
        QVERIFY(file->write(first) && file->write(then));
        QVERIFY(**file->model("key") == bytes);
        const records::Setting one{"a machine", 1, "default"}, two{"a machine", 2, "default"},
            strict{"a machine", 4, "strict"}, elsewhere{"another", 2, "default"};
        QVERIFY(records::modelKey(two) == records::modelKey(strict)); // several threads, whatever the numerics
        QVERIFY(records::modelKey(one) != records::modelKey(two) &&
                records::modelKey(two) != records::modelKey(elsewhere));
    }

    void anEarlierFormat_data() {
        QTest::addColumn<int>("format");
        QTest::newRow("1") << 1;
        QTest::newRow("2") << 2;
    }
    /// Reading leaves the file as it is; who writes makes it one of this format, with a copy beside it. What was kept in the
    /// whole model is the fastest of its task, and nothing else is.
    void anEarlierFormat() {
        QFETCH(int, format);
        const auto path = at(qPrintable(QString("earlier%1.db").arg(format))),
                   copy = at(qPrintable(QString("earlier%1.db.format%1").arg(format)));
        QFile sql(QString(LATHE_SOURCE_DIR "/tests/records/format%1.sql").arg(format));
        QVERIFY(sql.open(QIODevice::ReadOnly));
        executeSql(path, sql.readAll().constData());
        const QByteArray before = bytesOf(path);
        const auto isWhole = [format](const File& file) {
            size_t count = 0, kept = 0;
            return file.eachTrial([&](const records::Trial& trial) {
                const bool hasPredictions = trial.seconds == 0.5 * double(trial.number) && trial.prior == 12;
                count += format == 1 ? trial.seconds == 0 && trial.prior == 0 && !trial.predicted : hasPredictions;
                kept += trial.inPlace != records::InPlace::Unknown;
            }) && count == 3 &&
                   kept == 1 && file.best()->size() == 1 && file.best()->front().trial.ratio.middle == 0.81 &&
                   file.rounds()->size() == (format == 1 ? 0 : 1) && file.model("key")->has_value() == (format > 1) &&
                   file.problems()->empty() &&
                   records::workloadOf(**tir::parsePrimFunc(file.workloads()->front().text), Target()).family ==
                       file.workloads()->front().family;
        };
        {
            const auto read = File::open(path, Access::Read);
            QVERIFY2(read, read ? "" : qPrintable(said(read.error())));
            QVERIFY(read->warnings().empty() && isWhole(*read));
            QCOMPARE(read->stats()->format, format);
        }
        QCOMPARE(bytesOf(path), before);
        {
            const FullDisk full(8192); // not even the copy
            const auto file = File::open(path, Access::Write);
            QVERIFY(!file);
        }
        QVERIFY(!std::filesystem::exists(copy));
        QVERIFY(isWhole(*File::open(path, Access::Read)));
        std::filesystem::copy_file(path, copy);
        {
            const FullDisk full(8192); // there is a copy, and no room to change the file
            const auto file = File::open(path, Access::Write);
            QVERIFY(!file);
        }
        std::filesystem::remove(copy);
        QCOMPARE(File::open(path, Access::Read)->stats()->format, format);
        QVERIFY(isWhole(*File::open(path, Access::Read)));
        auto file = File::open(path, Access::Write);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QVERIFY(isWhole(*file));
        QCOMPARE(file->stats()->format, 4);
        QVERIFY(file->write(sampleBatch({1, 0.7})));
        const auto kept = File::open(copy, Access::Read);
        QVERIFY(kept && isWhole(*kept));
        QCOMPARE(kept->stats()->format, format);
        QVERIFY(File::open(path, Access::Write)); // and again: nothing is left to do
    }

    /// Format 3 had nothing of the graph, and all else as it is now.
    void format3() {
        const auto path = at("earlier3.db"), copy = at("earlier3.db.format3");
        Batch batch = sampleBatch({1, 0.8});
        batch.rounds = {sampleRound(batch.tasks[0], 1, "prior", true)};
        make(path, batch);
        executeSql(path, "DROP TABLE graph; PRAGMA user_version = 3; PRAGMA journal_mode = DELETE");
        const QByteArray before = bytesOf(path);
        const auto isWhole = [&](const File& file) {
            return file.studies() == batch.studies && file.tasks() == batch.tasks && file.best()->size() == 1 &&
                   file.rounds()->size() == 1 && file.problems()->empty();
        };
        {
            const auto read = File::open(path, Access::Read);
            QVERIFY2(read, read ? "" : qPrintable(said(read.error())));
            QVERIFY(read->warnings().empty() && isWhole(*read) && read->graphs()->empty());
            QCOMPARE(read->stats()->format, 3);
        }
        QCOMPARE(bytesOf(path), before);
        auto file = File::open(path, Access::Write);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QVERIFY(isWhole(*file));
        QCOMPARE(file->stats()->format, 4);
        Batch chosen;
        chosen.graphs = {sampleGraph(batch.studies[0], batch.tasks[0].workload)};
        QVERIFY(file->write(chosen));
        QVERIFY(file->graphs() == chosen.graphs);
        const auto kept = File::open(copy, Access::Read);
        QVERIFY(kept && isWhole(*kept) && kept->graphs()->empty());
        QCOMPARE(kept->stats()->format, 3);
        QVERIFY(File::open(path, Access::Write)); // and again: nothing is left to do
    }

    void theBestIsAcceptedKeptAndFastest() {
        const auto path = at("best.db");
        make(path, sampleBatch({1, 0.9, 0.7}, 1));
        auto file = File::open(path, Access::Write);
        QVERIFY(file && file->write(sampleBatch({1, 0.8}, 2)));
        QVERIFY(file->write(sampleBatch({1, 0.5}, 3, 8, records::InPlace::TakenBack)));
        QVERIFY(file->write(sampleBatch({1, 0.4}, 4, 8, records::InPlace::Unknown)));
        Batch wrong = sampleBatch({1, 0.3}, 5);
        wrong.trials[1].verdict = tune::Verdict::Wrong;
        Batch unaccepted = sampleBatch({1, 0.2}, 6), strict = sampleBatch({1, 0.95}, 7);
        unaccepted.trials[1].accepted = false;
        strict.studies[0].setting.numerics = "strict";
        QVERIFY(file->write(wrong) && file->write(unaccepted) && file->write(strict));
        const records::Setting here = sampleStudy().setting;
        const auto best = file->best(&here);
        QVERIFY(best);
        QCOMPARE(best->size(), size_t(1));
        QCOMPARE(best->front().trial.study, sampleStudy(1).id);
        QCOMPARE(best->front().trial.ratio.middle, 0.7);
        QCOMPARE(best->front().workload.key, sampleWorkload().key);
        QCOMPARE(file->best()->size(), size_t(2)); // and that of strict numerics
        for (const auto& other : {records::Setting{"another machine", 2, "default"}, {"a machine", 1, "default"}})
            QVERIFY(file->best(&other)->empty());
    }

    /// A faster one that the model was not asked about, or refused, takes nothing from the one that it kept.
    void theBestIsWhatTheModelKept() {
        const auto path = at("kept.db");
        Batch batch = sampleBatch({1, 0.9, 0.8, 0.7, 0.6}, 1, 8, records::InPlace::Unknown);
        batch.trials[4].ratio.high = 0.85; // the fastest of the task all the same
        make(path, batch);
        auto file = File::open(path, Access::Write);
        QVERIFY(file && file->best()->empty());
        const auto say = [&](size_t trial, records::InPlace inPlace) {
            const records::Trial& row = batch.trials[trial];
            Batch held;
            held.held = {{row.study, row.workload, row.program, inPlace}};
            return file->write(held).has_value();
        };
        const auto chosen = [&] { return file->best()->empty() ? 0 : file->best()->front().trial.ratio.middle; };
        QVERIFY(say(2, records::InPlace::Kept));
        QCOMPARE(chosen(), 0.8);
        QVERIFY(say(3, records::InPlace::TakenBack));
        QCOMPARE(chosen(), 0.8);
        QVERIFY(say(4, records::InPlace::Kept));
        QCOMPARE(chosen(), 0.6);
        QVERIFY(say(4, records::InPlace::TakenBack) && say(2, records::InPlace::TakenBack));
        QCOMPARE(chosen(), 0.0);
    }

    void seedsAreTheNearestFirst() {
        const auto path = at("seeds.db");
        make(path, sampleBatch({1, 0.9}, 1, 64)); // the same family
        auto file = File::open(path, Access::Write);
        Batch here = sampleBatch({1, 1, 1, 0.8}, 2), threads = sampleBatch({1, 1, 0.7}, 3),
              farther = sampleBatch({1, 1, 1, 1, 0.5}, 4, 6400),
              back = sampleBatch({1, 1, 1, 1, 1, 0.3}, 5, 8, records::InPlace::TakenBack),
              strict = sampleBatch({1, 1, 1, 1, 1, 1, 0.3}, 6);
        threads.studies[0].setting.threads = 1;
        strict.studies[0].setting.numerics = "strict";
        for (const Batch& batch : {here, threads, farther, back, strict})
            QVERIFY(file->write(batch));
        const auto seeds = file->seedsFor(sampleWorkload(), sampleStudy().setting, 10);
        QVERIFY2(seeds, seeds ? "" : qPrintable(said(seeds.error())));
        const std::vector<std::string> expected = {"{\"b0.rows\":[3]}", "{\"b0.rows\":[2]}", "{\"b0.rows\":[1]}",
                                                   "{\"b0.rows\":[4]}"};
        QVERIFY(*seeds == expected);
        QCOMPARE(file->seedsFor(sampleWorkload(), sampleStudy().setting, 2)->size(), size_t(2));
    }

    void aTaskIsWhatItIsSinceItsDefault() {
        Batch batch = sampleBatch({1, 0.9, 0.8, 1, 0.7});
        std::vector<records::Trial>& rows = batch.trials;
        QCOMPARE(records::sinceItBegan(rows).size(), size_t(5));
        rows[3].made = tune::Made::Default; // another one by now
        QCOMPARE(records::sinceItBegan(rows).size(), size_t(2));
        QCOMPARE(records::sinceItBegan(rows).front().program, rows[3].program);
        QCOMPARE(records::sinceItBegan(std::span(rows).subspan(1, 2)).size(), size_t(2)); // of a file without
        QVERIFY(records::sinceItBegan({}).empty());
    }

    void pruningKeepsWhatMatters() {
        const auto path = at("prune.db");
        std::vector<double> ratios(400, 1.5);
        for (size_t i = 1; i < ratios.size(); ++i)
            ratios[i] = 1.5 + 0.01 * double(i);
        Batch batch = sampleBatch(ratios);
        batch.trials[0].ratio = {9, 9, 9}; // the default stays, however slow
        batch.trials[350].accepted = true;
        batch.trials[360].verdict = tune::Verdict::Crashed;
        make(path, batch);
        auto file = File::open(path, Access::Write);
        const auto removed = file->prune(20);
        QVERIFY(removed && *removed > 200);
        const auto left = file->trialsOf(batch.tasks[0].study, batch.tasks[0].workload);
        QCOMPARE(left->size() + size_t(*removed), size_t(400));
        const auto has = [&](int64_t number) {
            return std::ranges::find(*left, number, &records::Trial::number) != left->end();
        };
        QVERIFY(has(0) && has(350) && has(360));
        for (int i = 1; i <= 20; ++i)
            QVERIFY(has(i));
        QCOMPARE(file->prune(20), 0);
        QVERIFY(file->problems()->empty());
    }

    void whatAreNoRecordsIsRefused_data() {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("words");
        QTest::newRow("text") << QByteArray("this is a text of some length, no database\n").repeated(40) << ""
                              << "no file of records";
        QTest::newRow("another's") << QByteArray() << "PRAGMA application_id = 1" << "no file of records";
        QTest::newRow("a trigger") << QByteArray()
                                   << "CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM trial; END"
                                   << "not of their format";
        QTest::newRow("another view") << QByteArray()
                                      << "DROP VIEW best; CREATE VIEW best AS WITH RECURSIVE n(workload) AS (SELECT 1 "
                                         "UNION ALL SELECT workload FROM n) SELECT * FROM n"
                                      << "not of their format";
        QTest::newRow("a table less") << QByteArray() << "DROP TABLE trial" << "not of their format";
    }
    void whatAreNoRecordsIsRefused() {
        QFETCH(QByteArray, contents);
        QFETCH(QString, sql);
        QFETCH(QString, words);
        const auto path = at("bad.db");
        if (sql.isEmpty()) {
            std::filesystem::remove(path);
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size());
        } else {
            make(path);
            executeSql(path, qPrintable(sql));
        }
        const QByteArray before = bytesOf(path);
        for (const Access access : {Access::Read, Access::Write}) {
            const auto file = File::open(path, access);
            QVERIFY(!file);
            QVERIFY2(said(file.error()).contains(words), qPrintable(said(file.error())));
            QVERIFY(said(file.error()).contains("bad.db"));
        }
        QCOMPARE(bytesOf(path), before);
    }

    void aLaterFormatIsReadOnly() {
        const auto path = at("newer.db");
        make(path);
        executeSql(path, "PRAGMA user_version = 9; ALTER TABLE trial ADD COLUMN mood TEXT");
        const auto file = File::open(path, Access::Read);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QCOMPARE(file->warnings().size(), size_t(1));
        QVERIFY(said(file->warnings()[0]).contains("format 9"));
        QCOMPARE(file->best()->size(), size_t(1));
        const auto written = File::open(path, Access::Write);
        QVERIFY(!written);
        QVERIFY2(said(written.error()).contains("format 9"), qPrintable(said(written.error())));
        executeSql(path, "DROP VIEW best");
        QVERIFY(!File::open(path, Access::Read)->best()); // as far as that goes
    }

    void damagedAtAnyPlace() {
        const auto path = at("damaged.db");
        std::vector<double> ratios(40, 0.9);
        make(path, sampleBatch(ratios));
        const QByteArray good = bytesOf(path);
        QVERIFY(good.size() > 10'000);
        std::mt19937 random(3);
        int noticed = 0;
        for (int i = 0; i < 300; ++i) {
            QByteArray bad = good;
            const int count = 1 + int(random() % 40);
            for (int j = 0; j < count; ++j)
                bad[qsizetype(random() % unsigned(bad.size()))] = char(random());
            if (i % 5 == 0)
                bad.truncate(qsizetype(random() % unsigned(bad.size())));
            for (const char* journal : {"-wal", "-shm"})
                std::filesystem::remove(path.string() + journal);
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bad) == bad.size());
            file.close();
            const auto read = File::open(path, Access::Read); // whatever it says, it says it
            bool whole = false;
            if (read) {
                const auto problems = read->problems();
                whole = problems && problems->empty() && read->best() && read->stats() && read->workloads() &&
                        read->eachTrial([](const records::Trial&) {});
            }
            noticed += !whole;
            auto written = File::open(path, Access::Write);
            if (written)
                (void)written->write(sampleBatch({1, 0.5}, 2));
        }
        QVERIFY2(noticed > 60, qPrintable(QString::number(noticed))); // each fifth is cut off
    }

    void lockedByAnother() {
        const auto path = at("locked.db");
        make(path);
        sqlite3* other = nullptr;
        QCOMPARE(sqlite3_open(path.c_str(), &other), SQLITE_OK);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        auto file = File::open(path, Access::Write);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        const auto written = file->write(sampleBatch({1}, 2));
        QVERIFY(!written);
        QVERIFY2(said(written.error()).contains("another program"), qPrintable(said(written.error())));
        QCOMPARE(file->best()->size(), size_t(1)); // it can be read all the while
        QCOMPARE(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(other);
        QVERIFY(file->write(sampleBatch({1}, 2)));
    }

    void whatMayNotBeWrittenIsRead() {
        const std::filesystem::path inner = at("readonly");
        std::filesystem::create_directory(inner);
        const auto path = inner / "r?#.db"; // characters of a URI
        make(path);
        ::chmod(path.c_str(), 0444);
        ::chmod(inner.c_str(), 0555);
        ::chmod(folder_.path().toLocal8Bit(), 0755);
        const bool superuser = geteuid() == 0; // may write everything
        QVERIFY(!superuser || seteuid(65534) == 0);
        const auto read = File::open(path, Access::Read);
        const auto written = File::open(path, Access::Write);
        const auto best = read ? read->best() : Failure(read.error());
        QVERIFY(!superuser || seteuid(0) == 0);
        ::chmod(inner.c_str(), 0755);
        QVERIFY2(best, best ? "" : qPrintable(said(best.error())));
        QCOMPARE(best->size(), size_t(1));
        QVERIFY(!written);
        QVERIFY2(said(written.error()).contains("may not be written"), qPrintable(said(written.error())));
    }

    /// Figures that no measurement gives, put there behind our back: nothing is best by them.
    void impossibleFiguresAreNotTheBest() {
        const auto path = at("figures.db");
        for (const char* set : {"us = 0", "us = -1", "ratio_low = 0", "ratio_low = -5, ratio = -4, ratio_high = -3",
                                "ratio = 0.1", "us = 9e999", "us = 'soon'", "ratio_low = 'a', ratio = 'b'"}) {
            make(path);
            QCOMPARE(File::open(path, Access::Read)->best()->size(), size_t(1));
            executeSql(path, (std::string("UPDATE trial SET ") + set + " WHERE accepted = 1").c_str());
            const auto best = File::open(path, Access::Read)->best();
            QVERIFY2(best && best->empty(), set);
        }
    }

    /// Wherever in a batch it fills up: what was there stays, and there is no half of anything.
    void aFullDiskAtEachWrite() {
        const Batch batch = sampleBatch(std::vector<double>(60, 1.0), 2);
        const auto path = at("each.db");
        int failed = 0;
        for (rlim_t bytes = 1024;; bytes += 4096) {
            for (const char* journal : {"", "-wal", "-shm"})
                std::filesystem::remove(path.string() + journal);
            make(path);
            auto file = File::open(path, Access::Write);
            QVERIFY(file);
            const bool written = [&] {
                const FullDisk full(bytes);
                return file->write(batch).has_value();
            }();
            QVERIFY(file->problems()->empty());
            QCOMPARE(file->studies()->size(), size_t(written ? 2 : 1));
            QCOMPARE(file->trialsOf(batch.tasks[0].study, batch.tasks[0].workload)->size(), size_t(written ? 60 : 0));
            if (written)
                break;
            ++failed;
            QVERIFY(file->write(batch)); // there is room again
        }
        QVERIFY(failed > 5);
    }

    void aFullDiskLeavesWhatWasThere() {
        const auto path = at("full.db");
        make(path);
        auto file = File::open(path, Access::Write);
        QVERIFY(file);
        const auto written = [&] {
            const FullDisk full(16384);
            return file->write(sampleBatch(std::vector<double>(300, 1.0), 2));
        }();
        QVERIFY(!written);
        QCOMPARE(file->studies()->size(), size_t(1));
        QVERIFY(file->problems()->empty());
        QVERIFY(file->write(sampleBatch({1}, 2))); // there is room again
        QCOMPARE(file->studies()->size(), size_t(2));
    }

    void whereNoFileCanBe() {
        const auto missing = File::open(at("none.db"), Access::Read);
        QVERIFY(!missing && said(missing.error()).contains("lathe tune"));
        QVERIFY(!std::filesystem::exists(at("none.db")));
        QVERIFY(!File::open(folder_.path().toStdString(), Access::Write));
        const auto pipe = at("pipe.db");
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY(!File::open(pipe, Access::Read) && !File::open(pipe, Access::Write));
        QVERIFY(!File::open("/proc/no/such.db", Access::Write));
        QVERIFY(File::open(at("made/on/the/way.db"), Access::Write)); // folders are made
    }

    void namesOfTheDefaultFile() {
        qputenv("LATHE_RECORDS", "/a/b.db");
        qputenv("XDG_DATA_HOME", "/data");
        qputenv("HOME", "/home/me");
        QCOMPARE(records::defaultFile(), std::filesystem::path("/a/b.db"));
        qunsetenv("LATHE_RECORDS");
        QCOMPARE(records::defaultFile(), std::filesystem::path("/data/lathe/records.db"));
        qunsetenv("XDG_DATA_HOME");
        QCOMPARE(records::defaultFile(), std::filesystem::path("/home/me/.local/share/lathe/records.db"));
    }

    /// The writer is killed at random moments: the file is whole, batches too, and the last that was told of is there.
    void killedAtAnyMoment() {
        const auto path = at("killed.db");
        std::mt19937 random(5);
        const Batch sample = sampleBatch({1});
        size_t last = 0;
        for (int i = 0; i < 60; ++i) {
            QProcess writer;
            writer.start(QCoreApplication::applicationFilePath(), childOfTest(QString::fromStdString(path.string())));
            QVERIFY(writer.waitForStarted());
            QVERIFY(writer.waitForReadyRead(30'000));
            QTest::qSleep(int(random() % 15));
            writer.kill();
            QVERIFY(writer.waitForFinished());
            const QList<QByteArray> told = writer.readAllStandardOutput().split('\n');
            size_t acknowledged = last;
            for (const QByteArray& line : told.mid(0, told.size() - 1)) // a line without its end was cut
                acknowledged = std::max(acknowledged, size_t(line.toInt()));
            const auto file = File::open(path, i % 2 ? Access::Read : Access::Write);
            QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
            QVERIFY(file->problems()->empty());
            const auto trials = file->trialsOf(sample.tasks[0].study, sample.tasks[0].workload);
            QVERIFY(trials);
            last = trials->size();
            QVERIFY2(last >= acknowledged, qPrintable(QString("%1 of %2").arg(last).arg(acknowledged)));
            QCOMPARE((last - 1) % trialsABatch, size_t(0));
        }
        QVERIFY(last > 60);
    }
};

Test test() {
    return {makes<TestFile>, Application::Core, writeForEver};
}

} // namespace lathe::testing::test_file

#include "test_file.moc"
