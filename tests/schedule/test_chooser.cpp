// SPDX-License-Identifier: Apache-2.0
// Questions: what is an answer, who answers, and what becomes of an answer that cannot be followed.
#include "harness.h"
#include "schedule/attempt.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_chooser {

using schedule::Answers;
using schedule::Question;
using schedule::Schedule;

namespace {

Question oneOf(std::vector<int64_t> candidates, int64_t preferred) {
    Question question;
    question.name = "b0.it";
    question.candidates = std::move(candidates);
    question.preferred = {preferred};
    return question;
}

Question tile(int64_t extent, int parts) {
    Question question;
    question.kind = Question::Kind::Tile;
    question.name = "b0.tile";
    question.extent = extent;
    question.parts = parts;
    question.preferred = std::vector<int64_t>(static_cast<size_t>(parts), 1);
    question.preferred[0] = -1;
    return question;
}

std::shared_ptr<schedule::Chooser> pinned(Answers answers) {
    return std::make_shared<schedule::Pinned>(std::move(answers));
}

} // namespace

class TestChooser : public QObject {
    Q_OBJECT

private slots:
    void answersAreCheckedAgainstTheQuestion() {
        QVERIFY(objection(oneOf({1, 2}, 1), {2}).empty());
        for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{}, {3}, {1, 2}})
            QVERIFY(!objection(oneOf({1, 2}, 1), wrong).empty());
        QVERIFY(objection(tile(12, 3), {-1, 3, 4}).empty());
        QVERIFY(objection(tile(13, 3), {-1, 3, 4}).empty()); // tails are guarded
        QVERIFY(objection(tile(0, 2), {-1, 1000}).empty());
        for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{},
                                                  {-1, 4},
                                                  {3, 4, 1},
                                                  {-1, 0, 4},
                                                  {-1, -1, 4},
                                                  {-1, 4, 4},
                                                  {-1, 1L << 40, 1L << 40}})
            QVERIFY(!objection(tile(12, 3), wrong).empty());
    }

    void whatIsPreferredIsACandidate() {
        Schedule s(matmul(5, 9, 3, true));
        QCOMPARE(s.choose({"C"}, "rows", {1, 2, 4, 8}, 5).value, int64_t(5));
        QCOMPARE(s.decisions().front().question.candidates, (std::vector<int64_t>{1, 2, 4, 5, 8}));
    }

    /// Two blocks of a kernel ask the same; copies of a schedule ask again and get the same answer.
    void questionsAreNamedByBlock() {
        const auto noting = std::make_shared<schedule::Noting>(pinned({{"b1.rows", {2}}}));
        Schedule s(matmul(5, 9, 3, true), noting);
        Schedule copy = s;
        QCOMPARE(copy.choose({"D"}, "rows", {1, 2}, 1).value, int64_t(2));
        QCOMPARE(s.choose({"C"}, "rows", {1, 2}, 1).value, int64_t(1));
        QCOMPARE(s.choose({"D"}, "rows", {1, 2}, 1).value, int64_t(2));
        QCOMPARE(s.choose({"D"}, "rows", {1, 2}, 1).value, int64_t(2));
        QCOMPARE(s.decisions().size(), size_t(2));
        QCOMPARE(noting->asked().size(), size_t(2));
        QVERIFY_THROWS_EXCEPTION(
            schedule::AnswerError,
            Schedule(matmul(5, 9, 3, true), pinned({{"b0.rows", {7}}})).choose({"C"}, "rows", {1, 2}, 1));
    }

    /// A schedule that was dropped asked first; the one that takes its place may have other candidates.
    void theLaterQuestionOfANameCounts() {
        const schedule::Noting noting(std::make_shared<schedule::Preferred>());
        (void)noting.answer(oneOf({1, 2}, 1));
        (void)noting.answer(oneOf({1, 2, 4}, 1));
        QCOMPARE(noting.asked().size(), size_t{1});
        QCOMPARE(noting.asked().front().candidates, (std::vector<int64_t>{1, 2, 4}));
    }

    void whatIsRefusedLeavesAReasonAndNothingElse() {
        const auto split = [](Schedule& s) {
            const std::vector<schedule::LoopRef> loops = s.loops({"C"});
            const auto parts = s.split(loops[0], {-1, s.choose({"C"}, "rows", {1, 2, 128}, 1)});
            s.unroll(parts[1]);
        };
        const auto function = matmul(256, 9, 3, true);
        std::vector<schedule::Refusal> refusals;
        Schedule s(function);
        QVERIFY(schedule::attempt(s, "rows", refusals, split));
        QVERIFY(refusals.empty() && s.decisions().size() == 1);

        // Refused though it is what the default wants: a word of it, and the schedule as it was.
        Schedule unchanged(function);
        QVERIFY(!schedule::attempt(unchanged, "reversal", refusals, [](Schedule& t) { t.computeInline({"D"}); }));
        QCOMPARE(refusals.size(), size_t(1));
        QCOMPARE(refusals[0].tried, std::string("reversal"));
        QVERIFY2(holds(refusals[0].reason, "makes the result"), refusals[0].reason.c_str());
        QVERIFY(unchanged.trace().steps.empty() && unchanged.function() == function);

        // Refused because of what somebody decided: they have to know.
        Schedule wide(function, pinned({{"b0.rows", {128}}}));
        QVERIFY_THROWS_EXCEPTION(schedule::AnswerError, schedule::attempt(wide, "rows", refusals, split));
    }

    /// 7 and 13 are prime: other factors serve them all the same, where little is left over.
    void tilesThatAreWorthATry() {
        const auto factors = [](int64_t extent, int64_t unit) {
            Question question = tile(extent, 2);
            question.unit = unit;
            question.preferred = {-1, unit};
            std::vector<int64_t> found;
            for (const std::vector<int64_t>& answer : answersTo(question))
                found.push_back(answer.at(1));
            return found;
        };
        QCOMPARE(factors(7, 1), (std::vector<int64_t>{1, 2, 4, 7}));   // 8 of 7: a seventh
        QCOMPARE(factors(13, 1), (std::vector<int64_t>{1, 2, 7, 13})); // 14 of 13; 15 are more
        QCOMPARE(factors(100, 16), (std::vector<int64_t>{16}));        // 112; tiles of 32 cover 128
        QCOMPARE(answersTo(tile(0, 2)).size(), size_t{22});            // unknown: all of them
        for (const std::vector<int64_t>& answer : answersTo(tile(197, 4))) {
            QVERIFY(objection(tile(197, 4), answer).empty());
            const int64_t product = answer[1] * answer[2] * answer[3];
            const int64_t covered = (197 + product - 1) / product * product;
            QVERIFY(answer == tile(197, 4).preferred || 7 * (covered - 197) <= 197);
        }
        QCOMPARE(answersTo(oneOf({1, 2}, 1)), (std::vector<std::vector<int64_t>>{{1}, {2}}));
        Question vectors = tile(100, 2);
        vectors.unit = 16;
        QVERIFY(!objection(vectors, {-1, 24}).empty());
        QVERIFY(objection(vectors, {-1, 32}).empty());
    }

    void aTileIsAskedForAndMade() {
        const auto function = matmul(12, 9, 3, true);
        Schedule s(function, pinned({{"b0.m", {-1, 2, 3}}}));
        const auto parts = s.tile(s.loops({"C"})[0], {"C"}, "m", {-1, 1, 4});
        QCOMPARE(parts.size(), size_t(3));
        QVERIFY(arith::isConst(s.get(parts[2]).extent, 3));
        QCOMPARE(s.decisions().front().question.extent, int64_t{12});
        SAME(*function, *s.function());
        QVERIFY(holds(print(s.trace()), "numbers($b0.m, $b0.m[1], $b0.m[2])"));
    }

    void aPlaceIsAskedForAndTaken() {
        const auto function = chain(6, 8);
        for (const int64_t where : {0, 1, 2, 3}) {
            Schedule s(function, pinned({{"b0.place", {where}}}));
            QCOMPARE(s.place({"B"}, s.loops({"C"}), Schedule::placeStored), where);
            QCOMPARE(s.hasBlock({"B"}), where != Schedule::placeInline);
            if (where >= Schedule::placeFirstLoop)
                QCOMPARE(s.loops({"B"})[static_cast<size_t>(where - 2)].id,
                         s.loops({"C"})[static_cast<size_t>(where - 2)].id);
            SAME(*function, *s.function());
        }
    }

    void tilesAreRecorded() {
        Schedule s(matmul(12, 9, 3, true), pinned({{"b0.tile", {-1, 2, 3}}}));
        const std::vector<schedule::Number> parts = s.decide(tile(12, 3));
        s.split(s.loops({"C"})[0], parts);
        const std::string text = print(s.trace());
        QVERIFY2(holds(text, "choose numbers(12, 3, 1) texts(\"b0.tile\", \"tile\") gives(-1, 2, 3)\n"), text.c_str());
        QVERIFY2(holds(text, "numbers($b0.tile, $b0.tile[1], $b0.tile[2])"), text.c_str());
        auto changed = schedule::withAnswers(*schedule::parseTrace(text), {{"b0.tile", {-1, 4, 1}}});
        QVERIFY(changed);
        Schedule t(matmul(12, 9, 3, true));
        QVERIFY(t.replay(*changed));
        SAME(*matmul(12, 9, 3, true), *t.function());
        QVERIFY_THROWS_EXCEPTION(
            schedule::AnswerError,
            Schedule(matmul(12, 9, 3, true), pinned({{"b0.tile", {-1, 5, 3}}})).decide(tile(12, 3)));
    }
};

Test test() {
    return {makes<TestChooser>};
}

} // namespace lathe::testing::test_chooser

#include "test_chooser.moc"
