// SPDX-License-Identifier: Apache-2.0
// Traces replay on another function of the same structure, print and read back; decisions in them can be changed.
#include "harness.h"
#include "schedule/index_text.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <random>

namespace lathe::testing::test_trace {

using schedule::Schedule;

namespace {

void recipe(Schedule& s) {
    schedule::Number rows = s.choose({"C"}, "rows", {2, 4, 6}, 4);
    auto copy = s.cacheWrite({"C"}, 0, tir::Scope::Local);
    auto loops = s.loops({"C"});
    auto m = s.split(loops[0], {-1, rows});
    auto n = s.split(loops[1], {-1, 4});
    s.reorder({n[0], m[0], loops[2], m[1], n[1]});
    s.computeInline(copy);
    s.reverseComputeAt({"D"}, m[0]);
    s.decomposeReduction({"C"}, loops[2]);
    s.cacheRead({"D"}, 1, tir::Scope::Local);
    s.unroll(m[1]);
    s.vectorize(n[1]);
    s.parallel(s.fuse({n[0], m[0]}));
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT

private slots:
    void replaysOnOtherSizes() {
        auto small = matmul(5, 9, 3, true);
        Schedule s(small);
        recipe(s);
        SAME(*small, *s.function());

        arith::Var m = arith::symbol("m");
        auto other = matmul(m, 12, 7, true, {m});
        Schedule t(other);
        auto result = t.replay(s.trace());
        QVERIFY2(result, result ? "" : toString(result.error()).c_str());
        QVERIFY(t.trace() == s.trace());
        SAME(*other, *t.function(), {{0}, {4}, {11}});

        Schedule again(small);
        QVERIFY(again.replay(s.trace()));
        QCOMPARE(tir::print(*again.function()), tir::print(*s.function()));
    }

    void printsAndReadsBack() {
        Schedule s(matmul(5, 9, 3, true));
        recipe(s);
        std::string text = print(s.trace());
        QVERIFY2(holds(text, "choose numbers(2, 4, 6) texts(\"b0.rows\") gives(4)\n"), text.c_str());
        QVERIFY2(holds(text, "split loops(0) numbers(-1, $b0.rows) gives(3, 4)\n"), text.c_str());
        QVERIFY2(holds(text, "split loops(1) numbers(-1, 4) gives(5, 6)\n"), text.c_str());
        QVERIFY2(holds(text, "cacheWrite blocks(#0) numbers(0) texts(\"local\") makes(#2)\n"), text.c_str());
        auto read = schedule::parseTrace(text);
        QVERIFY(read);
        QVERIFY(*read == s.trace());
        QCOMPARE(print(*read), text);
    }

    void layoutsReplayFromText() {
        arith::Var n = arith::symbol("n");
        auto function = chain(n, 20, {n});
        Schedule s(function);
        arith::Var i = arith::var("row"), j = arith::var("column");
        s.transformLayout({"B"}, 0, {i, j}, {floorDiv(j, 8), i, floorMod(j, 8)});
        auto read = schedule::parseTrace(print(s.trace()));
        QVERIFY(read);
        Schedule t(function);
        auto result = t.replay(*read);
        QVERIFY2(result, result ? "" : toString(result.error()).c_str());
        QCOMPARE(tir::print(*t.function()), tir::print(*s.function()));
    }

    /// What is alike up to names gets one workload, so a trace of one has to replay on the other.
    void replaysUnderOtherNames() {
        auto function = matmul(5, 9, 3, true);
        Schedule s(function);
        recipe(s);
        std::string renamed = tir::print(*function);
        for (const auto& [from, to] :
             {std::pair<std::string, std::string>{"block C", "block first"}, {"block D", "block `a b`"}}) {
            const size_t at = renamed.find(from);
            QVERIFY2(at != std::string::npos, renamed.c_str());
            renamed.replace(at, from.size(), to);
        }
        auto other = tir::parsePrimFunc(renamed);
        QVERIFY2(other, other ? "" : toString(other.error()).c_str());
        Schedule t(*other);
        auto result = t.replay(s.trace());
        QVERIFY2(result, result ? "" : toString(result.error()).c_str());
        QVERIFY(t.trace() == s.trace());
        SAME(*function, *t.function());
    }

    /// A layout over a symbol: the symbol's name does not count either.
    void layoutsReplayUnderOtherNames() {
        arith::Var n = arith::symbol("n"), size = arith::symbol("size");
        Schedule s(chain(n, 20, {n}));
        arith::Var i = arith::var("row"), j = arith::var("column");
        s.transformLayout({"B"}, 0, {i, j}, {arith::Expr(j) * arith::Expr(n) + i});
        Schedule t(chain(size, 20, {size}));
        auto result = t.replay(s.trace());
        QVERIFY2(result, result ? "" : toString(result.error()).c_str());
        SAME(*chain(size, 20, {size}), *t.function(), {{0}, {3}});
    }

    void indicesAreSumsAndProducts() {
        const std::map<std::string, arith::Expr> names = {{"d0", arith::symbol("d0")}, {"s0", arith::symbol("s0")}};
        for (const char* text :
             {"d0 * s0 + 3", "floordiv(d0 - 1, 4)", "max(d0, min(s0, -2))", "d0 * (s0 - (d0 + 1))"}) {
            auto index = schedule::parseIndex(text, names);
            QVERIFY2(index, index ? "" : toString(index.error()).c_str());
            QCOMPARE(toString(*index), std::string(text));
        }
        for (const char* text : {"", "d1", "d0 / 2", "d0 < 2", "!d0", "select(d0, 1, 2)", "true", "d0\t+ 1", "-d0",
                                 "d0 +", "d0 d0", "min(d0)", "floordiv(d0, 2", "99999999999999999999"})
            QVERIFY2(!schedule::parseIndex(text, names), text);
        std::string sum = "d0";
        for (int i = 0; i < 100'000; ++i)
            sum += " + d0";
        QVERIFY(!schedule::parseIndex(sum, names));
        QVERIFY(!schedule::parseIndex(std::string(100'000, '('), names));
    }

    void blocksThatAreGoneAreRefused() {
        auto function = matmul(5, 9, 3, true);
        for (const char* text : {"cacheWrite blocks(#0) numbers(0) texts(\"local\") makes(#2)\n"
                                 "computeInline blocks(#2)\ncomputeInline blocks(#2)",
                                 "computeInline blocks(#7)", "unroll loops(3)", "split loops($b0.rows)"}) {
            auto trace = schedule::parseTrace(text);
            QVERIFY2(!trace || !Schedule(function).replay(*trace), text);
        }
    }

    void decisionsCanBeChanged() {
        auto function = matmul(5, 9, 3, true);
        Schedule s(function), six(function, std::make_shared<schedule::Pinned>(schedule::Answers{{"b0.rows", {6}}}));
        recipe(s);
        recipe(six);
        QVERIFY(s.trace() != six.trace());
        auto changed = schedule::withAnswers(s.trace(), {{"b0.rows", {6}}});
        QVERIFY(changed);
        QVERIFY(*changed == six.trace());
        Schedule replayed(function);
        QVERIFY(replayed.replay(*changed));
        QCOMPARE(tir::print(*replayed.function()), tir::print(*six.function()));
        SAME(*function, *replayed.function());

        for (const schedule::Answers& wrong :
             {schedule::Answers{{"b0.rows", {5}}}, {{"b0.rows", {2, 4}}}, {{"b0.rows", {}}}, {{"b1.rows", {2}}}})
            QVERIFY(!schedule::withAnswers(s.trace(), wrong));
        // What no number comes from cannot be changed without making the steps anew.
        Schedule other(function);
        other.choose({"C"}, "place", {0, 1}, 0, schedule::Question::Kind::Place);
        QVERIFY(!schedule::withAnswers(other.trace(), {{"b0.place", {1}}}));
        QVERIFY(schedule::withAnswers(other.trace(), {{"b0.place", {0}}}));
    }

    void failingStepsAreNamed() {
        Schedule s(matmul(5, 9, 3, true));
        recipe(s);
        Schedule other(chain(4, 4));
        auto result = other.replay(s.trace());
        QVERIFY(!result);
        QVERIFY2(holds(result.error().what, "step 3 (loops) cannot be applied") ||
                     holds(result.error().what, "step 3 (split) cannot be applied"),
                 result.error().what.c_str());
    }

    void brokenTextIsRefused() {
        QVERIFY(!schedule::parseTrace("split loops(1"));
        QVERIFY(!schedule::parseTrace("split loops(99999999999999999999)"));
        QVERIFY(!schedule::parseTrace("split toys(1)"));
        QVERIFY(!schedule::parseTrace("split texts(\"a\\"));
        auto broken = schedule::parseTrace("unroll loops(0)\n\n(");
        QVERIFY(!broken);
        QCOMPARE(broken.error().line, 3);

        Schedule s(matmul(5, 9, 3, true));
        recipe(s);
        const std::string text = print(s.trace());
        std::mt19937 random(3);
        for (int i = 0; i < 300; ++i) {
            std::string mutant = text;
            for (int j = 0; j < 3; ++j)
                mutant[random() % mutant.size()] = static_cast<char>(' ' + random() % 95);
            if (auto read = schedule::parseTrace(mutant)) {
                Schedule t(matmul(5, 9, 3, true));
                if (t.replay(*read)) // whatever could be applied keeps meaning
                    SAME(*matmul(5, 9, 3, true), *t.function());
            }
        }
    }
};

Test test() {
    return {makes<TestTrace>};
}

} // namespace lathe::testing::test_trace

#include "test_trace.moc"
