// SPDX-License-Identifier: Apache-2.0
//
// Records as lines: what is exported is imported again, joining is the same in any order and however often, and a line that
// no measurement gives is skipped and counted.
#include "base/json.h"
#include "records/lines.h"
#include "records/sample.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <random>
#include <sstream>

namespace lathe::testing::test_lines {

using nlohmann::json;
using records::Batch;
using records::File;
using Access = records::File::Access;

namespace {

std::vector<std::string> linesOf(const File& file) {
    std::vector<std::string> lines;
    const auto done = records::exportLines(file, [&](const std::string& line) { lines.push_back(line); });
    return done ? lines : std::vector<std::string>();
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

/// Studies that other files have too, further along or not.
Batch randomBatch(std::mt19937& random) {
    Batch all;
    for (int i = 0; i < 4; ++i) {
        const int study = 1 + int(random() % 3);
        const int64_t columns = 8 + int64_t(random() % 2);
        std::vector<double> ratios{1};
        for (int trials = int(random() % 6); trials > 0; --trials)
            ratios.push_back(0.5 + 0.1 * double(random() % 10));
        Batch one = sampleBatch(ratios, study, columns, records::InPlace(random() % 3));
        one.studies[0].state = records::StudyState(random() % 3);
        one.workloads[0].kernel = fmt::format("kernel {}", random() % 2);
        one.tasks[0].seconds = double(random() % 3);
        for (records::Trial& trial : one.trials)
            if (random() % 4 == 0 && !trial.accepted)
                trial.verdict = tune::Verdict::Wrong;
        all.workloads.push_back(one.workloads[0]);
        all.studies.push_back(one.studies[0]);
        all.tasks.push_back(one.tasks[0]);
        for (const char* of : {"prior", "model"})
            all.rounds.push_back(sampleRound(one.tasks[0], 1 + int(random() % 2), of, random() % 2 == 0));
        if (random() % 2 == 0)
            all.graphs.push_back(
                sampleGraph(one.studies[0], one.tasks[0].workload, fmt::format("variant {}", random() % 3)));
        all.trials.insert(all.trials.end(), one.trials.begin(), one.trials.end());
    }
    return all;
}

} // namespace

class TestLines : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;

    std::filesystem::path fresh() { return folder_.filePath(QString("%1.db").arg(++files_)).toStdString(); }
    File made(const Batch& batch) {
        auto file = File::open(fresh(), Access::Write);
        if (!file || !file->write(batch))
            throw std::runtime_error("a file of records cannot be made");
        return std::move(*file);
    }
    static records::Imported imported(const std::string& text, File& into) {
        std::istringstream stream(text);
        const auto done = records::importLines(stream, into);
        if (!done)
            throw std::runtime_error(toString(done.error()));
        return *done;
    }

private slots:
    void whatIsExportedIsImported() {
        Batch batch = sampleBatch({1, 0.8, 1.25});
        batch.rounds = {sampleRound(batch.tasks[0], 1, "prior", true)};
        batch.graphs = {sampleGraph(batch.studies[0], batch.tasks[0].workload)};
        const File file = made(batch);
        const std::vector<std::string> lines = linesOf(file);
        QCOMPARE(lines.size(), size_t(1 + 1 + 1 + 1 + 1 + 3 + 1));
        File other = made({});
        const records::Imported done = imported(joined(lines), other);
        QCOMPARE(done.lines, 8);
        QCOMPARE(done.skipped, 0);
        QVERIFY(linesOf(other) == lines);
        QVERIFY(other.workloads() == file.workloads()); // with the family, which no line has
        QCOMPARE(other.best()->size(), size_t(1));
        QVERIFY(other.graphs() == batch.graphs);
    }

    void choicesThatAreNone() {
        Batch batch = sampleBatch({1});
        batch.graphs = {sampleGraph(batch.studies[0], batch.tasks[0].workload)};
        const std::vector<std::string> good = linesOf(made(batch));
        QVERIFY(good[3].find("\"graph\"") != std::string::npos);
        for (const auto& [key, value] : {std::pair("graph", json("x")),
                                         {"graph", std::string(32, '0')}, // of no study
                                         {"given", json::array()},
                                         {"found", json::parse(R"({"skip": ["fuse"]})")},
                                         {"found", json::parse(R"({"layouts": [{"node": "c", "blocks": "wide"}]})")},
                                         {"found", nullptr},
                                         {"workloads", json::object()},
                                         {"workloads_before", json::array({1})},
                                         {"ms", json::array({1})},
                                         {"ms", json::array({-1, 1})}}) {
            std::vector<std::string> lines = good;
            json line = json::parse(good[3]);
            line[key] = value;
            lines[3] = dump(line);
            File into = made({});
            const records::Imported done = imported(joined(lines), into);
            QVERIFY2(done.skipped == 1 && done.first.starts_with("line 4: "), dump(line).c_str());
            QVERIFY(into.graphs()->empty());
        }
    }

    void joiningCommutesAndRepeats() {
        std::mt19937 random(11);
        for (int i = 0; i < 12; ++i) {
            const Batch a = randomBatch(random), b = randomBatch(random), c = randomBatch(random);
            const auto join = [&](std::initializer_list<const Batch*> batches) {
                File all = made({});
                for (const Batch* batch : batches)
                    if (!records::merge(made(*batch), all))
                        return std::vector<std::string>();
                return linesOf(all);
            };
            const std::vector<std::string> abc = join({&a, &b, &c});
            QVERIFY(abc.size() > 4);
            QVERIFY(join({&c, &b, &a}) == abc);
            QVERIFY(join({&b, &a, &b, &c, &a}) == abc);
            // Grouped otherwise: c into b, that into a.
            File bc = made(b), abcAgain = made(a);
            QVERIFY(records::merge(made(c), bc) && records::merge(bc, abcAgain));
            QVERIFY(linesOf(abcAgain) == abc);
        }
    }

    void whatIsDecidedOutlastsWhatIsNot() {
        Batch early = sampleBatch({1, 0.8}, 1, 8, records::InPlace::Unknown), late = sampleBatch({1, 0.8});
        early.studies[0].state = records::StudyState::Running;
        late.studies[0].state = records::StudyState::Ended;
        for (const bool first : {true, false}) {
            File all = made(first ? early : late);
            QVERIFY(records::merge(made(first ? late : early), all));
            QVERIFY(all.studies()->front().state == records::StudyState::Ended);
            QCOMPARE(all.best()->size(), size_t(1));
        }
    }

    /// What was said of a task is said of the fastest of its trials.
    void linesOfFormat1() {
        const Batch batch = sampleBatch({1, 0.7, 0.8, 1.2, 0.75}, 1, 8, records::InPlace::Unknown);
        std::vector<std::string> lines = linesOf(made(batch));
        for (std::string& line : lines) {
            json object = json::parse(line);
            object.erase("in_place");
            if (object.contains("lathe_records"))
                object["lathe_records"] = 1;
            if (object.contains("task"))
                object["in_place"] = "kept";
            line = dump(object);
        }
        File file = made({});
        QCOMPARE(imported(joined(lines), file).skipped, 0);
        const auto trials = file.trialsOf(batch.tasks[0].study, batch.tasks[0].workload);
        QCOMPARE(trials->size(), batch.trials.size());
        for (const records::Trial& trial : *trials)
            QVERIFY(trial.inPlace == (trial.number == 1 ? records::InPlace::Kept : records::InPlace::Unknown));
        QCOMPARE(file.best()->size(), size_t(1));
        QCOMPARE(file.best()->front().trial.ratio.middle, 0.7);
    }

    void badLinesAreSkippedAndCounted_data() {
        QTest::addColumn<int>("row"); // of the export: 1 workload, 2 study, 3 task, 4 and 5 trials, 6 a round
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value"); // JSON; empty: the key is missing
        QTest::addColumn<int>("skipped");   // with what names it
        const auto row = [](const char* name, int line, const char* key, const char* value, int skipped) {
            QTest::newRow(name) << line << key << value << skipped;
        };
        row("a time of 0", 5, "us", "0", 1);
        row("a time below 0", 5, "us", "-3", 1);
        row("no number", 5, "us", "null", 1);
        row("a time without end", 5, "us", "1e300", 1);
        row("a text for a time", 5, "us", "\"10\"", 1);
        row("a ratio of 0", 5, "ratio", "[0,0,0]", 1);
        row("an interval upside down", 5, "ratio", "[0.9,0.8,0.7]", 1);
        row("half an interval", 5, "ratio", "[0.9,0.8]", 1);
        row("answers with a leading 0", 5, "answers", "{\"b0.rows\":[01]}", 1);
        row("seconds below 0", 5, "seconds", "-1", 1);
        row("an estimate below 0", 5, "prior_us", "-1", 1);
        row("a score beyond all", 5, "predicted", "1e300", 1);
        row("a text for a score", 5, "predicted", "\"1\"", 1);
        row("an accepted crash", 5, "verdict", "\"crashed\"", 1);
        row("no such verdict", 5, "verdict", "\"splendid\"", 1);
        row("no such origin", 5, "made", "\"dreamt\"", 1);
        row("a trace that is none", 5, "trace", "\"split the loops\"", 1);
        row("answers that are none", 5, "answers", "{\"b0.rows\":[1.5]}", 1);
        row("answers as a list", 5, "answers", "[1]", 1);
        row("a number beyond all", 5, "number", "1e30", 1);
        row("a round below 0", 5, "round", "-1", 1);
        row("a program that is none", 5, "program", "\"x\"", 1);
        row("no program", 5, "program", "", 1);
        row("a parent that is none", 5, "parent", "\"x\"", 1);
        row("a round of no task", 6, "round", "[\"x\",\"y\"]", 1);
        row("a round before the first", 6, "number", "0", 1);
        row("a round beyond all", 6, "number", "2000000", 1);
        row("an opinion that is none", 6, "of", "\"hope\"", 1);
        row("a correlation that is none", 6, "spearman", "1.5", 1);
        row("a share that is none", 6, "recall5", "-0.5", 1);
        row("a trial of no task", 5, "trial", "[\"x\",\"y\"]", 1);
        row("a task of no study", 3, "task", "[\"x\",\"y\"]", 4);
        row("calls below 0", 3, "calls", "-1", 4);
        row("no such place", 5, "in_place", "\"elsewhere\"", 1);
        row("kept without being accepted", 5, "accepted", "false", 1);
        row("no threads", 2, "threads", "0", 5);
        row("numerics that are none", 2, "numerics", "\"loose\"", 5);
        row("a study's id that is none", 2, "study", "\"'; DROP TABLE study; --\"", 5);
        row("a text of something else", 1, "text", "\"primfunc f(m) outputs 1 {\\n}\\n\"", 5);
        row("another workload's hash", 1, "workload", "\"00-00\"", 5);
        row("another target", 1, "target", "\"abacus\"", 5);
        row("work without end", 1, "flops", "1e400", 5);
    }
    void badLinesAreSkippedAndCounted() {
        QFETCH(int, row);
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(int, skipped);
        Batch batch = sampleBatch({1, 0.8});
        batch.rounds = {sampleRound(batch.tasks[0], 1, "prior", true)};
        std::vector<std::string> lines = linesOf(made(batch));
        QCOMPARE(lines.size(), size_t(7));
        std::string& line = lines[size_t(row)];
        json changed = json::parse(line);
        QVERIFY(changed.contains(key.toStdString()));
        changed[key.toStdString()] = "a mark";
        line = dump(changed);
        const std::string pair = fmt::format("\"{}\":\"a mark\"", key.toStdString());
        const size_t at = line.find(pair);
        QVERIFY(at != std::string::npos);
        line.replace(at, pair.size(),
                     value.isEmpty() ? std::string("\"other\":0")
                                     : fmt::format("\"{}\":{}", key.toStdString(), value.toStdString()));
        File into = made({});
        const records::Imported done = imported(joined(lines), into);
        QCOMPARE(done.skipped, skipped);
        QCOMPARE(done.lines, 6 - skipped);
        QVERIFY2(done.first.starts_with(fmt::format("line {}: ", row + 1)), done.first.c_str());
        QVERIFY(row == 6 || into.best()->empty());
        QVERIFY(into.problems()->empty());
    }

    /// As JSON has it, however it is written.
    void answersAsText() {
        using schedule::Answers;
        const auto is = [](std::string_view text, const Answers& expected) {
            const auto answers = records::parseAnswers(text);
            return answers && *answers == expected && *records::parseAnswers(records::textOf(expected)) == expected;
        };
        QVERIFY(is("{\"a\":[1,-2],\"b.c\":[3]}", {{"a", {1, -2}}, {"b.c", {3}}}));
        QVERIFY(is("{ \"a\" : [1 , 2] } ", {{"a", {1, 2}}}));
        QVERIFY(is("{\"a\":[9223372036854775807,-9223372036854775808,-0]}", {{"a", {INT64_MAX, INT64_MIN, 0}}}));
        QVERIFY(is("{\"a\\\"b\":[1]}", {{"a\"b", {1}}}));
        QVERIFY(is("{\"\xc3\xa9\":[1]}", {{"\xc3\xa9", {1}}}));
        QVERIFY(is("{}", {}));
        for (const char* text : {"", "{", "[]", "{\"a\":[1]", "{\"a\":[1],}", "{\"a\":[01]}", "{\"a\":[+1]}",
                                 "{\"a\":[9223372036854775808]}", "{\"a\":[1.5]}", "{\"a\":1}", "{\"a\":[1]}x",
                                 "{\"\xff\":[1]}", "{a:[1]}", "{\"a\":[1,]}"})
            QVERIFY2(!records::parseAnswers(text), text);
    }

    void linesThatAreNone() {
        std::vector<std::string> lines = linesOf(made(sampleBatch({1, 0.8})));
        const std::vector<std::string> good = lines;
        for (const std::string& bad :
             {std::string("{"), std::string("[]"), std::string("3"), std::string(100'000, '['), std::string("\xff\xfe"),
              std::string("{\"trial\":null}"), std::string("{}"), std::string(20 << 20, 'x')})
            lines.insert(lines.begin() + 3, bad);
        lines.insert(lines.begin() + 2, "");
        File into = made({});
        const records::Imported done = imported(joined(lines), into);
        QCOMPARE(done.skipped, 8);
        QVERIFY(linesOf(into) == good);
    }

    /// Cut off at any place: whole lines are taken, the rest of one is skipped.
    void whatIsCutOff() {
        const std::string good = joined(linesOf(made(sampleBatch({1, 0.8, 1.2}))));
        const size_t header = good.find('\n');
        for (size_t end = header + 1; end < good.size(); end += 97) {
            File into = made({});
            const std::string cut = good.substr(0, end);
            const records::Imported done = imported(cut, into);
            const int64_t whole = std::ranges::count(cut, '\n') - 1;
            QVERIFY(done.lines >= whole && done.lines <= whole + 1 &&
                    done.skipped <= 1); // the last may lack its end alone
            QVERIFY(into.problems()->empty());
        }
    }

    void whatHasNoHeaderIsNoExport() {
        for (const char* text : {"", "\n", "{}\n", "{\"lathe_records\":3}\n", "{\"lathe_records\":\"1\"}\n", "x\n"}) {
            File into = made({});
            std::istringstream stream(text);
            QVERIFY(!records::importLines(stream, into));
        }
    }

    /// Bytes of an export turned over: whatever it says, it says it, and the file stays whole.
    void anyBytes() {
        const std::string good = joined(linesOf(made(sampleBatch({1, 0.8, 1.2}))));
        std::mt19937 random(2);
        File into = made({});
        for (int i = 0; i < 200; ++i) {
            std::string bad = good;
            for (int j = 1 + int(random() % 5); j > 0; --j)
                bad[random() % bad.size()] = char(random());
            std::istringstream stream(bad);
            (void)records::importLines(stream, into);
        }
        QVERIFY(into.problems()->empty());
        for (const records::Best& best : *into.best())
            QVERIFY(best.trial.us > 0 && best.trial.ratio.high < 1);
    }
};

Test test() {
    return {makes<TestLines>};
}

} // namespace lathe::testing::test_lines

#include "test_lines.moc"
