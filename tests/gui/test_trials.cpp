// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trials as values and item models: the table, the language of its filter, what questions explain, lineage, failures, parallel
// axes, and predictions held against what came out. Figures are worked out by hand.
#include "gui/made_up_trials.h"
#include "support/program_of_tests.h"
#include "views/models/tuning/answer_importance.h"
#include "views/models/tuning/ascending.h"
#include "views/models/tuning/failure_model.h"
#include "views/models/tuning/feature_model.h"
#include "views/models/tuning/lineage_model.h"
#include "views/models/tuning/parallel_axes.h"
#include "views/models/tuning/predictions.h"
#include "views/models/tuning/trial_model.h"
#include "views/models/tuning/wrong_pair_model.h"

#include <QAbstractItemModelTester>
#include <QTest>
#include <bit>
#include <numeric>

namespace lathe::testing::test_trials {

using namespace lathe::views::models;

namespace {

schedule::Answers rows(int64_t number, int64_t order = 0) {
    return {{"b0.rows", {number}}, {"b1.order", {order}}};
}

/// 0: the default; 1: faster, accepted; 2: slow; 3: crashed; 4: of 1, accepted, the best; 5: two answers at once.
std::shared_ptr<TrialSet> someTrials() {
    auto trials = std::make_shared<TrialSet>();
    trials->add(madeUpTrial(0, 1, rows(6)));
    tune::Trial faster = madeUpTrial(1, 0.9, rows(9), 0);
    faster.accepted = true;
    faster.candidate.prior = 12.5;
    trials->add(faster);
    tune::Trial slow = madeUpTrial(2, 4, rows(1));
    slow.verdict = tune::Verdict::Slow;
    slow.ratio = {4, 4, 4};
    trials->add(slow);
    trials->add(failedTrial(3, tune::Verdict::Crashed, "ended by signal 11: \"x\"\nat 0x1234", rows(14)));
    tune::Trial best = madeUpTrial(4, 0.8, rows(9, 1), 1);
    best.accepted = true;
    best.candidate.predicted = 0.5;
    trials->add(best);
    trials->add(madeUpTrial(5, 0.85, {{"b0.rows", {9}}, {"tile", {-1, 8}}}, 77));
    return trials;
}

std::vector<int> allOf(const TrialSet& trials) {
    std::vector<int> all(trials.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

QString filtered(const QString& filter, const TrialSet& trials) {
    const auto parsed = parseTrialFilter(filter, trials);
    if (!parsed)
        return QStringLiteral("! ") + QString::fromStdString(parsed.error().what);
    TrialMatcher matcher(*parsed, trials);
    QStringList found;
    for (size_t i = 0; i < trials.size(); ++i)
        if (matcher.matches(i))
            found << QString::number(i);
    return found.join(' ');
}

} // namespace

class TestTrials : public QObject {
    Q_OBJECT

private slots:
    void aSetOfTrials() {
        const auto trials = someTrials();
        QCOMPARE(trials->size(), size_t(6));
        QCOMPARE(trials->best(), 4);
        QCOMPARE((*trials)[4].parent, 1);
        QCOMPARE((*trials)[5].parent, -1); // it is not there
        QCOMPARE((*trials)[2].ratio, 4.0); // 40 µs to the default's 10
        QVERIFY(std::isnan((*trials)[2].low) && std::isnan((*trials)[3].ratio));
        QVERIFY(trials->answersOf(4) == rows(9, 1));
        QCOMPARE(trials->answersOf(5).size(), size_t(2));
        // A paired test says more.
        tune::Trial wrong = madeUpTrial(4, 0.8, rows(9, 1), 1);
        wrong.verdict = tune::Verdict::Wrong;
        trials->change(4, wrong);
        QVERIFY(std::isnan((*trials)[4].ratio));
    }

    void trialsOfRecords() {
        records::Trial row;
        row.program = std::string(31, '0') + "5";
        row.parent = "no hash";
        row.answers = R"({"b0.rows":[8],"tile":[-1,4]})";
        row.us = 10;
        row.ratio = {0.9, 1, 1.1};
        TrialSet trials;
        trials.add(row);
        row.program = std::string(32, 'z');
        row.answers = "{";
        row.us = NAN;
        row.ratio = {-1, NAN, 2};
        trials.add(row);
        QVERIFY((trials.answersOf(0) == schedule::Answers{{"b0.rows", {8}}, {"tile", {-1, 4}}}));
        QVERIFY(trials.answersOf(1).empty() && !trials[1].isTimed() && std::isnan(trials[1].us));
    }

    void theTable() {
        TrialModel model;
        QAbstractItemModelTester tester(&model);
        model.setTrials(someTrials());
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(model.columnCount(), int(TrialModel::columns) + 3);
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(text(4, TrialModel::Id), QString("★ 4"));
        QCOMPARE(text(4, TrialModel::Verdict), QString("accepted"));
        QCOMPARE(text(4, TrialModel::Parent), QString("1"));
        QCOMPARE(text(4, TrialModel::Ratio), QString("0.800"));
        QCOMPARE(text(4, TrialModel::Interval), QString("0.784 to 0.816"));
        QCOMPARE(text(3, TrialModel::Us), QString("–"));
        QCOMPARE(text(3, TrialModel::Reason), QString("ended by signal 11: \"x\"\\nat 0x1234"));
        QCOMPARE(text(5, TrialModel::columns + 2), QString("-1,8"));
        QCOMPARE(model.headerData(TrialModel::columns, Qt::Horizontal, Qt::DisplayRole).toString(), QString("b0.rows"));

        model.sort(TrialModel::Ratio, Qt::AscendingOrder);
        QVERIFY((model.shown() == std::vector<int>{4, 5, 1, 0, 2, 3})); // what has none comes last
        model.sort(TrialModel::Ratio, Qt::DescendingOrder);
        QVERIFY((model.shown() == std::vector<int>{2, 0, 1, 5, 4, 3}));
        model.sort(TrialModel::columns, Qt::AscendingOrder); // by rows, as numbers: 1 6 9 9 9 14
        QVERIFY((model.shown() == std::vector<int>{2, 0, 1, 4, 5, 3}));
        QVERIFY(model.setFilter("verdict:measured"));
        QVERIFY((model.shown() == std::vector<int>{0, 1, 4, 5}));
        QVERIFY(!model.setFilter("rowz>1"));
        QVERIFY((model.shown() == std::vector<int>{0, 1, 4, 5}));
    }

    /// As std::stable_sort has it.
    void numbersInAscendingOrder() {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        std::vector<double> keys = {0.0, -0.0, infinite, -infinite, 1e-310, -1e-310, 5, -5, 0.0};
        std::mt19937_64 random(1);
        for (int i = 0; i < 5000; ++i) {
            const auto any = std::bit_cast<double>(random());
            for (const double key : {any, double(random() % 100), 1 + double(random() % 1000) / 1e6})
                keys.push_back(std::isnan(key) ? infinite : key);
        }
        std::vector<int> expected(keys.size());
        std::iota(expected.begin(), expected.end(), 0);
        std::ranges::stable_sort(expected, {}, [&](int place) { return keys[size_t(place)]; });
        QVERIFY(ascending(keys) == expected);
        QVERIFY(ascending({}).empty());
        QVERIFY((ascending(std::vector<double>{7, 7, 7}) == std::vector<int>{0, 1, 2}));
    }

    /// What comes in while a study runs goes where sorting would have put it.
    void theTableGrows() {
        TrialModel model;
        QAbstractItemModelTester tester(&model);
        model.setTrials(std::make_shared<TrialSet>());
        model.sort(TrialModel::Us, Qt::AscendingOrder);
        std::mt19937 random(5);
        for (int i = 0; i < 200; ++i) {
            model.add(searchedTrial(i, random));
            if (i == 50)
                QVERIFY(model.setFilter("rows>=6")); // failed ones, too
            if (i % 7 == 3) {
                tune::Trial accepted = madeUpTrial(i, 0.6 - 0.0001 * i, {});
                accepted.accepted = true;
                model.change(size_t(i), accepted);
                QCOMPARE(model.trials().best(), i);
            }
        }
        const std::vector<int> grown = model.shown();
        QVERIFY(grown.size() > 20 && grown.size() < 180);
        model.sort(TrialModel::Us, Qt::AscendingOrder);
        QVERIFY(model.shown() == grown);
    }

    void aSelectionStaysWithItsTrial() {
        TrialModel model;
        model.setTrials(someTrials());
        const QPersistentModelIndex crashed = model.index(3, TrialModel::Verdict);
        model.sort(TrialModel::Ratio, Qt::DescendingOrder);
        QCOMPARE(crashed.data().toString(), QString("crashed"));
        model.sort(TrialModel::columns, Qt::DescendingOrder);
        QCOMPARE(crashed.row(), 0);
    }

    void theFilter_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* filter, const char* found) { QTest::newRow(filter) << filter << found; };
        row("", "0 1 2 3 4 5");
        row("  \t ", "0 1 2 3 4 5");
        row("rows>8", "1 3 4 5");
        row("b0.rows>8 verdict:crashed", "3");
        row("ROWS>=9 Verdict:MEASURED", "1 4 5");
        row("ratio<0.95", "1 4 5");
        row("ratio<95%", "1 4 5");
        row("ratio>=4", "2");
        row("us<9 us>=8.5", "5");
        row("made:random", "2 3");
        row("made=changed parent=1", "4");
        row("parent:0", "1");
        row("verdict!=measured", "2 3");
        row("-verdict:measured", "2 3");
        row("rows!=9", "0 2 3");
        row("tile=-1,8", "5");
        row("tile>-1,4", "5");
        row("tile>-1,9", "");
        row("order=1", "4");
        row("is:best", "4");
        row("is:accepted", "1 4");
        row("is:failed", "3");
        row("-is:timed", "3");
        row("signal", "3");
        row("\"signal 11\"", "3");
        row("\"signal  11\"", "");
        row("\"signal 11: \\\"x\\\"\"", "3");
        row("0x1234", "3");
        row("b0.rows=14", "3");
        row("prior<13", "1");
        row("predicted>0", "4");
        row("round=0", "0");
        row("id>=4", "4 5");
        row("low>0.8 high<0.9", "5"); // 0.833 … 0.867
        row("seconds<=0.2", "0 1");
        row("-", "5"); // words of one letter: "tile=-1,8"
    }
    void theFilter() {
        QFETCH(QString, filter);
        QFETCH(QString, found);
        QCOMPARE(filtered(filter, *someTrials()), found);
    }

    void aBadFilterSaysWhy_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* filter, const char* words) { QTest::newRow(filter) << filter << words; };
        row("rowz>8", "Nothing is called “rowz”");
        row("us<", "After “us<” something is missing");
        row("us<fast", "a number has to stand, not “fast”");
        row("us<1e999", "a number has to stand");
        row("us<nan", "a number has to stand");
        row("us<inf", "a number has to stand");
        row("rows>8.5", "a whole number");
        row("rows>99999999999999999999", "a whole number");
        row("rows>1,,2", "a whole number");
        row("verdict<crashed", "ask for a part of it");
        row("verdict:blue", "none of: build error, build timeout");
        row("made:", "something is missing");
        row(">8", "a name is missing");
        row("us=!3", "not “!3”");
        row("us!3", "no comparison");
        row("\"signal", "has no other one");
        row("\"\"", "nothing between the quotation marks");
        row("is:blue", "best, accepted");
    }
    void aBadFilterSaysWhy() {
        QFETCH(QString, filter);
        QFETCH(QString, words);
        const QString said = filtered(filter, *someTrials());
        QVERIFY2(said.startsWith('!') && said.contains(words), qPrintable(said));
    }

    /// Whatever is typed, it is a filter or a sentence; nothing ends or hangs.
    void hostileFilters() {
        const auto trials = someTrials();
        const QString letters = QStringLiteral("-\"\\<>=!: \t,.%0129erows usid\u00e9\u202e\u0000");
        std::mt19937 random(3);
        for (int i = 0; i < 20'000; ++i) {
            QString text;
            for (int length = int(random() % 24); length > 0; --length)
                text += letters[qsizetype(random()) % letters.size()];
            const QString said = filtered(text, *trials);
            QVERIFY(!said.startsWith('!') || said.size() > 10);
            (void)withTerms(text, "ratio", {"ratio>1"});
        }
        QVERIFY(filtered(QString(1'000'000, 'x'), *trials).isEmpty());
        QVERIFY(filtered(QStringLiteral("us<9 ").repeated(100'000), *trials).contains("more than 100 terms"));
        QVERIFY(filtered(QString(1'000'000, 'x') + "<1", *trials).size() < 2000); // said shortly
    }

    void termsAreReplaced() {
        QCOMPARE(withTerms("b0.rows>4 us<9 b0.rows<=8", "b0.rows", {"b0.rows>=6"}), QString("us<9 b0.rows>=6"));
        QCOMPARE(withTerms("us<9 -panel \"a b\"", "ratio", {"ratio<1"}), QString("us<9 -panel \"a b\" ratio<1"));
        QCOMPARE(withTerms("RATIO<1", "ratio", {}), QString());
        for (const QString& text : {QStringLiteral("plain"), QStringLiteral("a b"), QStringLiteral("a\"b\\c"),
                                    QStringLiteral("x:y"), QStringLiteral("-1"), QStringLiteral("\\")}) {
            TrialSet trials;
            trials.add(failedTrial(0, tune::Verdict::Crashed, text.toStdString()));
            trials.add(failedTrial(1, tune::Verdict::Crashed, "other"));
            QCOMPARE(filtered(quoted(text), trials), QString("0"));
        }
    }

    /// Two groups, {0, 2} and {4, 6}: within 2 + 2 = 4, total 9 + 1 + 1 + 9 = 20; 1 - (4 / 2) / (20 / 3) = 0.7.
    void whatIsExplained() {
        const auto share = [](std::vector<std::vector<double>> groups) { return explainedShare(groups); };
        QVERIFY(std::abs(share({{0, 2}, {4, 6}}) - 0.7) < 1e-12);
        QVERIFY(std::abs(share({{0, 2}, {}, {4, 6}}) - 0.7) < 1e-12);
        QCOMPARE(share({{1, 1}, {3, 3}}), 1.0);
        QCOMPARE(share({{0, 2}, {0, 2}}), 0.0);
        QCOMPARE(share({{0}, {2}, {5}}), 0.0);          // as many groups as values: says nothing
        QCOMPARE(share({{0.1, 0.1}, {0.1, 0.1}}), 0.0); // all alike
        QCOMPARE(share({{1, 2, 3}}), 0.0);
        QCOMPARE(share({}), 0.0);
    }

    void importanceOfQuestions() {
        TrialSet trials;
        int number = 0;
        for (const int64_t answer : {8, 4})
            for (const int64_t order : {0, 1})
                for (const double noise : {1.0, 1.02}) // the time follows from the rows
                    trials.add(madeUpTrial(number++, (answer == 8 ? 1 : 2) * noise, rows(answer, order)));
        trials.add(failedTrial(number, tune::Verdict::Wrong, "", rows(8)));
        const auto found = importanceOf(trials, allOf(trials));
        QCOMPARE(found.size(), size_t(2));
        QCOMPARE(trials.questions()[found[0].question].name, std::string("b0.rows"));
        QVERIFY(found[0].share > 0.99 && found[1].share < 1e-9);
        QCOMPARE(found[0].trials, size_t(8));           // not what failed
        const AnswerSpread& four = found[0].answers[0]; // in the order of the numbers
        QCOMPARE(trials.questions()[found[0].question].answers[size_t(four.answer)].front(), int64_t(4));
        QCOMPARE(four.count, size_t(4));
        QCOMPARE(four.least, 2.0);
        QCOMPARE(four.most, 2.04);
        QVERIFY(std::abs(four.middle - 2.02) < 1e-12);
        const auto few = importanceOf(trials, allOf(trials), 2);
        QCOMPARE(few[0].answers[0].trials.size(), size_t(2));
        QVERIFY(importanceOf(trials, std::vector<int>{0}).empty());
        std::vector<int> many; // more than are analysed
        for (int i = 0; i < 30'000; ++i)
            many.push_back(i % 8);
        const auto some = importanceOf(trials, many);
        QCOMPARE(some.front().trials, size_t(15'000));
        QVERIFY(some.front().share > 0.99);
    }

    /// What is made a part at a time is of the trials of its beginning.
    void trialsComeInMeanwhile() {
        std::mt19937 random(1);
        TrialSet trials;
        const auto more = [&](int count) {
            for (const size_t end = trials.size() + size_t(count); trials.size() < end;)
                trials.add(searchedTrial(int(trials.size()), random));
        };
        more(3000);
        const std::vector<int> among = allOf(trials), axes = parallelAxes(trials);
        const auto importance = importanceOf(trials, among);
        const ParallelPicture picture = parallelPicture(trials, among, axes);
        ImportanceMaker ofAnswers(trials, among);
        ParallelPictureMaker ofLines(trials, ratioEnds(trials), among, axes);
        for (bool isMore = true, isMoreOfLines = true; isMore || isMoreOfLines;) {
            isMore = ofAnswers.step();
            isMoreOfLines = ofLines.step();
            if (trials.size() < 4000) {
                more(500);
                trials.change(5, failedTrial(5, tune::Verdict::Crashed, "later"));
            }
        }
        const auto later = ofAnswers.take();
        QCOMPARE(later.size(), importance.size());
        for (size_t i = 0; i < later.size(); ++i) {
            QCOMPARE(later[i].question, importance[i].question);
            QCOMPARE(later[i].share, importance[i].share);
            QCOMPARE(later[i].trials, importance[i].trials);
        }
        QCOMPARE(ofLines.picture().drawn, picture.drawn);
        const auto counts = [](const ParallelPicture& of) {
            std::vector<int> found;
            for (const auto* gaps : {&of.lines, &of.density})
                for (const auto& gap : *gaps)
                    for (const ParallelSegment& segment : gap)
                        found.insert(found.end(), {segment.from, segment.to, segment.count});
            return found;
        };
        QVERIFY(counts(ofLines.picture()) == counts(picture));
    }

    void lineage() {
        const auto trials = someTrials();
        const std::vector<LineageStep> steps = lineageOf(*trials, 4);
        QCOMPARE(steps.size(), size_t(3));
        QVERIFY(steps[0].trial == 0 && steps[0].from == -1 && steps[0].changes.empty());
        QVERIFY((steps[1].changes == std::vector<AnswerChange>{{"b0.rows", {6}, {9}}}));
        QVERIFY(std::abs(steps[1].gain - 0.1) < 1e-12); // 1 to 0.9
        QVERIFY((steps[2].changes == std::vector<AnswerChange>{{"b1.order", {0}, {1}}}));
        QVERIFY(std::abs(steps[2].gain - (1 - 0.8 / 0.9)) < 1e-12);
        // Drawn at random: held against the default, which it was not made from.
        const std::vector<LineageStep> drawn = lineageOf(*trials, 5);
        QCOMPARE(drawn.size(), size_t(1));
        QCOMPARE(drawn[0].from, 0);
        QCOMPARE(textOf(drawn[0].changes), QString("b0.rows 6 → 9, b1.order 0 → –, tile – → -1,8"));

        LineageModel model;
        QAbstractItemModelTester tester(&model);
        model.show(trials, 4);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(2, LineageModel::Gain).data().toString(), QString("+11.1 %"));
        QCOMPARE(model.index(0, LineageModel::Changed).data().toString(), QString("the default schedule"));
        model.show(trials, 5);
        QVERIFY(model.index(0, LineageModel::Changed).data().toString().startsWith("against the default: b0.rows"));
        model.show(trials, -1);
        QCOMPARE(model.rowCount(), 0);
    }

    /// A parent that comes later is none, so no chain goes round.
    void parentsInACircle() {
        TrialSet trials;
        trials.add(madeUpTrial(1, 1, rows(1), 2));
        trials.add(madeUpTrial(2, 1, rows(2), 1));
        trials.add(madeUpTrial(3, 1, rows(3), 3));
        QCOMPARE(lineageOf(trials, 1).size(), size_t(2));
        QCOMPARE(lineageOf(trials, 2).size(), size_t(1));
    }

    void failures() {
        const auto trials = someTrials();
        for (int i = 6; i < 9; ++i)
            trials->add(failedTrial(i, tune::Verdict::BuildError, "too large\n" + std::to_string(i)));
        FailureModel model;
        QAbstractItemModelTester tester(&model);
        model.show(*trials);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.at(0).count, size_t(3));
        QCOMPARE(model.index(0, FailureModel::Reason).data().toString(), QString("too large"));
        QCOMPARE(model.failed(), size_t(4)); // slow is no failure
        QCOMPARE(model.index(1, FailureModel::Share).data(FailureModel::shareRole).toDouble(), 1.0 / 3);
        QCOMPARE(filtered(model.filterOf(0), *trials), QString("6 7 8"));
        QCOMPARE(filtered(model.filterOf(1), *trials), QString("3"));
    }

    void parallelAxesOfTrials() {
        const auto trials = someTrials();
        const std::vector<int> axes = parallelAxes(*trials);
        QCOMPARE(axes.size(), size_t(3)); // rows, order, the ratio; tile has one answer
        const ParallelPicture picture = parallelPicture(*trials, allOf(*trials), axes);
        QCOMPARE(picture.axes[0].name, QString("b0.rows"));
        QCOMPARE(picture.axes[0].places, 4); // 1 6 9 14
        QCOMPARE(picture.drawn, size_t(5));
        QCOMPARE(picture.dense, size_t(0));
        // Rows to order: 6-0, 9-0, 1-0, 9-1; trial 5 has no order. The fastest is drawn last.
        QCOMPARE(picture.lines[0].size(), size_t(4));
        QVERIFY(picture.lines[0].back().from == 2 && picture.lines[0].back().to == 1);
        QCOMPARE(picture.lines[0].back().ratio, 0.8);
        int lines = 0;
        for (const ParallelSegment& segment : picture.lines[1])
            lines += segment.count;
        QCOMPARE(lines, 4);
        QCOMPARE(picture.placeOf(picture.ends.least), 0);
        QCOMPARE(picture.placeOf(1e9), ratioPlaces - 1);
    }

    void manyLinesAreDensity() {
        const auto trials = searchedTrials(5000);
        const ParallelPicture picture = parallelPicture(*trials, allOf(*trials), parallelAxes(*trials));
        QCOMPARE(picture.drawn, bestLines + randomLines);
        size_t timed = 0;
        for (const TrialRow& row : trials->rows())
            timed += row.isTimed();
        QCOMPARE(picture.dense, timed - picture.drawn);
        for (size_t gap = 0; gap + 1 < picture.axes.size(); ++gap) {
            size_t drawn = 0, dense = 0;
            for (const ParallelSegment& segment : picture.lines[gap])
                drawn += size_t(segment.count);
            for (const ParallelSegment& segment : picture.density[gap])
                dense += size_t(segment.count);
            QCOMPARE(drawn, picture.drawn);
            QCOMPARE(dense, picture.dense);
        }
    }

    void manyAnswersShareAPlace() {
        TrialSet trials;
        for (int i = 0; i < 3000; ++i)
            trials.add(madeUpTrial(i, 1 + 0.001 * i, rows(i, 3000 - i)));
        const ParallelPicture picture = parallelPicture(trials, allOf(trials), parallelAxes(trials));
        QCOMPARE(picture.axes[0].places, mostPlaces);
        QCOMPARE(picture.axes[0].answerAt(0), picture.axes[0].answers.front());
        QCOMPARE(picture.axes[0].answerAt(mostPlaces - 1), picture.axes[0].answers.back());
    }

    /// Four trials of a round, 1 2 3 4 times the default's: the model has 3 and 4 the wrong way round.
    void predictions() {
        auto trials = std::make_shared<TrialSet>();
        trials->add(madeUpTrial(0, 1, rows(6)));
        const double scores[] = {-1, -2, -4, -3}, priors[] = {40, 30, 20, 10};
        for (int i = 0; i < 4; ++i) {
            tune::Trial trial = madeUpTrial(1 + i, 1 + i, rows(i, i % 2));
            trial.candidate.predicted = scores[i];
            trial.candidate.prior = priors[i];
            trials->add(trial);
        }
        tune::Trial failed = failedTrial(5, tune::Verdict::Crashed, "");
        failed.candidate.predicted = 9;
        trials->add(failed);
        const auto quality = qualityByRound(*trials);
        QCOMPARE(quality.size(), size_t(1));
        QCOMPARE(quality[0].model.count, size_t(4));
        // Ranks 1 2 4 3 to 1 2 3 4: 1 - 6 (1 + 1) / (4 (16 - 1)) = 0.8.
        QVERIFY(std::abs(quality[0].model.spearman - 0.8) < 1e-12);
        QCOMPARE(quality[0].model.pairs.count, size_t(6));
        QVERIFY(std::abs(quality[0].model.pairs.right - 5.0 / 6) < 1e-12);
        QCOMPARE(quality[0].model.recall1, 1.0);
        QCOMPARE(quality[0].prior.spearman, -1.0);
        QCOMPARE(quality[0].prior.recall1, 0.0);
        QCOMPARE(quality[0].random.count, size_t(4)); // they were drawn

        const auto wrong = worstPairs(*trials, tune::Opinion::Model);
        QCOMPARE(wrong.size(), size_t(1));
        QVERIFY(wrong[0].faster == 3 && wrong[0].slower == 4 && std::abs(wrong[0].factor - 4.0 / 3) < 1e-12);
        const auto byPrior = worstPairs(*trials, tune::Opinion::Prior);
        QCOMPARE(byPrior.size(), size_t(6));
        QVERIFY(byPrior[0].faster == 1 && byPrior[0].slower == 4);
        QCOMPARE(worstPairs(*trials, tune::Opinion::Prior, 2).size(), size_t(2));

        const auto points = predictionsOf(*trials, tune::Opinion::Prior);
        QCOMPARE(points.size(), size_t(4));
        QVERIFY(points[1].expected == 30 && points[1].measured == 20);

        WrongPairModel model;
        QAbstractItemModelTester tester(&model);
        model.show(trials, tune::Opinion::Model);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, WrongPairModel::Factor).data().toString(), QString("1.33"));
        QCOMPARE(model.index(0, WrongPairModel::Differs).data().toString(), QString("b0.rows 2 → 3, b1.order 0 → 1"));
        model.show(nullptr, tune::Opinion::Model);
        QCOMPARE(model.rowCount(), 0);
    }

    void sharesOfFeatures() {
        const std::vector<std::string> names = {"prior", "read1.lines", "read2.lines", "all.flops", "accumulates"};
        const std::vector<double> shares = {0.3, 0.1, 0.4, 0.2, 0};
        const auto found = featureShares(names, shares);
        QCOMPARE(found.size(), size_t(7)); // three groups and four features; one says nothing
        QVERIFY(found[0].group == "read" && found[0].feature.empty() && std::abs(found[0].share - 0.5) < 1e-12);
        QVERIFY(found[1].feature == "read2.lines" && found[2].feature == "read1.lines" && found[3].group == "prior");
        FeatureModel model;
        QAbstractItemModelTester tester(&model);
        model.show(found);
        QCOMPARE(model.index(0, FeatureModel::Share).data().toString(), QString("50.0 %"));
        model.show(featureShares(names, {}));
        QCOMPARE(model.rowCount(), 0);
    }
};

Test test() {
    return {makes<TestTrials>};
}

} // namespace lathe::testing::test_trials

#include "test_trials.moc"
