// SPDX-License-Identifier: Apache-2.0
//
// The default schedule as a space to tune in: whatever is answered at random, what comes out computes what the unscheduled
// function does; the same answers give the same program and a trace that replays; no answers give the default.
// In release alone: nearly all of it is the interpreter, which is several times slower under sanitizers; test_schedule_random
// has it run there on programs of all kinds.
// Timeout: 600
// Runs: release
#include "codegen/target.h"
#include "harness.h"
#include "support/program_of_tests.h"
#include "topi/default_schedule.h"
#include "tune/explorer.h"
#include "tuning/tune_model.h"

#include <QTest>
#include <set>

namespace lathe::testing::test_template_space {

using arith::Expr;

namespace {

struct Subject {
    const char* name;
    tir::PrimFuncPtr function;
    std::vector<std::vector<int64_t>> sizes = {{}};
    std::vector<std::string> asks = {}; // among others
};

/// The sum of each row.
tir::PrimFuncPtr sums(int64_t rows, int64_t columns) {
    auto x = te::placeholder("x", types::Float32, {rows, columns});
    auto y = te::reduce(
        "y", {Expr(rows)}, te::ReduceKind::Sum, {Expr(columns)}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); },
        0);
    return te::toTir("sums", {x}, {y}, {});
}

/// Each element less its row's sum.
tir::PrimFuncPtr centred(int64_t rows, int64_t columns) {
    auto x = te::placeholder("x", types::Float32, {rows, columns});
    auto sum = te::reduce(
        "sum", {Expr(rows)}, te::ReduceKind::Sum, {Expr(columns)}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); },
        0);
    auto y =
        te::compute("y", {Expr(rows), Expr(columns)}, [&](auto& i) { return (*x)({i[0], i[1]}) - (*sum)({i[0]}); }, 0);
    return te::toTir("centred", {x}, {y}, {});
}

/// y[m, n] = sum over k of x[m, k] * w[n, k].
tir::PrimFuncPtr rowsByRows(int64_t m, int64_t n, int64_t k) {
    auto x = te::placeholder("x", types::Float32, {m, k}), w = te::placeholder("w", types::Float32, {n, k});
    auto y = te::reduce(
        "y", {Expr(m), Expr(n)}, te::ReduceKind::Sum, {Expr(k)},
        [&](auto& i, auto& r) { return (*x)({i[0], r[0]}) * (*w)({i[1], r[0]}); }, 0);
    return te::toTir("rows_by_rows", {x, w}, {y}, {});
}

/// A convolution under 3 x 3 windows, its channels innermost, its weights in panels of 16 channels.
tir::PrimFuncPtr convolution(int64_t height, int64_t width, int64_t from, int64_t to) {
    auto x = te::placeholder("x", types::Float32, {height + 2, width + 2, from});
    auto w = te::placeholder("w", types::Float32, {to / 16, 3, 3, from, 16});
    auto y = te::reduce(
        "y", {Expr(height), Expr(width), Expr(to)}, te::ReduceKind::Sum, {Expr(3), Expr(3), Expr(from)},
        [&](auto& i, auto& r) {
            return (*x)({i[0] + r[0], i[1] + r[1], r[2]}) *
                   (*w)({floorDiv(i[2], 16), r[0], r[1], r[2], floorMod(i[2], 16)});
        },
        0);
    return te::toTir("convolution", {x, w}, {y}, {});
}

/// Sums of 3 x 3 windows of a frame within zeros; of channels that are innermost or outermost.
tir::PrimFuncPtr windows(int64_t height, int64_t width, int64_t channels, bool innermost) {
    const size_t h = innermost ? 0 : 1, w = h + 1, c = innermost ? 2 : 0;
    const auto in = [&](const Expr& row, const Expr& column, const Expr& channel) {
        return innermost ? std::vector<Expr>{row, column, channel} : std::vector<Expr>{channel, row, column};
    };
    auto x = te::placeholder("x", types::Float32, in(height, width, channels));
    auto padded = te::compute(
        "padded", in(height + 2, width + 2, channels),
        [&](auto& i) {
            const Expr inside =
                logicalAnd(logicalAnd(ge(i[h], 1), le(i[h], height)), logicalAnd(ge(i[w], 1), le(i[w], width)));
            return select(inside, (*x)(in(max(min(i[h] - 1, height - 1), 0), max(min(i[w] - 1, width - 1), 0), i[c])),
                          arith::zero(types::Float32));
        },
        0);
    auto y = te::reduce(
        "y", in(height, width, channels), te::ReduceKind::Sum, {Expr(3), Expr(3)},
        [&](auto& i, auto& r) { return (*padded)(in(i[h] + r[0], i[w] + r[1], i[c])); }, 1);
    return te::toTir("windows", {x}, {y}, {});
}

/// y[m, n] = sum over k of max(x[m, k], 0) * w[k, n].
tir::PrimFuncPtr computedRows(int64_t m, int64_t n, int64_t k) {
    auto x = te::placeholder("x", types::Float32, {m, k}), w = te::placeholder("w", types::Float32, {k, n});
    auto rows = te::compute(
        "rows", {Expr(m), Expr(k)}, [&](auto& i) { return max((*x)({i[0], i[1]}), arith::zero(types::Float32)); }, 0);
    auto y = te::reduce(
        "y", {Expr(m), Expr(n)}, te::ReduceKind::Sum, {Expr(k)},
        [&](auto& i, auto& r) { return (*rows)({i[0], r[0]}) * (*w)({r[0], i[1]}); }, 1);
    return te::toTir("computed_rows", {x, w}, {y}, {});
}

std::vector<Subject> subjects() {
    const arith::Var m = arith::symbol("m");
    return {
        {"product", matmul(24, 64, 16, true), {{}}, {"b0.width", "b0.rows", "b0.order", "b0.epilogue", "b0.pack"}},
        {"product of odd sizes", matmul(13, 37, 7, true), {{}}, {"b0.rows", "b0.pack", "b0.epilogue"}},
        {"product of one row", matmul(1, 48, 9, false), {{}}, {"b0.width"}},
        {"product of nothing", matmul(0, 16, 4, true)},
        {"product of many rows", matmul(m, 33, 6, true, {m}), {{0}, {1}, {13}, {50}}, {"b0.order", "b0.rowBlock"}},
        {"long product", matmul(2, 33, 2048, true), {{}}, {"b0.reduceBlock", "b0.reduceUnroll"}},
        {"product by panels",
         dense(26, 80, 104, {}),
         {{}},
         {"b0.nextPanel", "b0.prefetch", "b0.rowBlock", "b0.reduceUnroll"}},
        {"product of any rows by panels",
         dense(m, 17, 2053, {m}),
         {{0}, {3}},
         {"b0.nextPanel", "b0.prefetch", "b0.reduceBlock"}},
        {"rows by rows", rowsByRows(3, 10, 40), {{}}, {"b0.dotRows", "b0.dotColumns"}},
        {"many rows by rows", rowsByRows(20, 40, 24), {{}}, {"b0.repack"}},
        {"product of computed rows", computedRows(3, 20, 1024), {{}}, {"b0.align"}},
        {"convolution", convolution(5, 13, 8, 32), {{}}, {"b0.fused", "b0.nextRows", "b0.order", "b0.reduceUnroll"}},
        {"windows", windows(9, 5, 16, true), {{}}, {"b0.place", "b1.rows"}},
        {"windows along rows", windows(9, 20, 2, false), {{}}, {"b0.place", "b1.band", "b1.rows"}},
        {"elementwise", chain(9, 35), {{}}, {"b0.place"}},
        {"large elementwise", chain(64, 300), {{}}, {"b0.place", "b1.flat", "b1.grain"}},
        {"sums", sums(6, 40), {{}}, {"b0.partials"}},
        {"many sums", sums(100, 300), {{}}, {"b0.partials", "b0.grain"}},
        {"rows", centred(8, 24)},
    };
}

std::shared_ptr<const schedule::Chooser> held(schedule::Answers answers, std::optional<uint64_t> seed = {}) {
    return std::make_shared<tune::Held>(std::move(answers), seed);
}

} // namespace

class TestTemplateSpace : public QObject {
    Q_OBJECT

private slots:
    void everyAnswer_data() {
        QTest::addColumn<int>("subject");
        QTest::addColumn<QString>("target");
        const std::vector<Subject> all = subjects();
        for (const char* target : {"x86-64-v3", "x86-64-v4"})
            for (size_t i = 0; i < all.size(); ++i)
                QTest::addRow("%s, %s", all[i].name, target) << static_cast<int>(i) << target;
    }
    void everyAnswer() {
        QFETCH(int, subject);
        QFETCH(QString, target);
        const Subject it = subjects()[static_cast<size_t>(subject)];
        const tune::Space space = tuning::templateSpace(*codegen::parseTarget(target.toStdString()));
        std::set<Hash128> programs;
        for (uint64_t seed = 0; seed < 15; ++seed) {
            const auto made = space.generate(it.function, held({}, seed));
            if (!made) // an answer that is illegal here is a verdict, not a fault
                continue;
            if (!programs.insert(made->program).second)
                continue;
            schedule::Schedule replayed(it.function);
            const auto done = replayed.replay(made->trace);
            QVERIFY2(done, done ? "" : toString(done.error()).c_str());
            SAME(*it.function, *replayed.function(), it.sizes);
            const auto again = space.generate(it.function, held(made->answers));
            QVERIFY(again && again->program == made->program && again->trace == made->trace);
        }
        QVERIFY(!programs.empty());
    }

    /// One answer at a time: it is right or refused with a reason, and no question is asked whose answers are all one program.
    void eachAnswerAlone_data() {
        QTest::addColumn<int>("subject");
        const std::vector<Subject> all = subjects();
        for (size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s", all[i].name) << static_cast<int>(i);
    }
    void eachAnswerAlone() {
        QFETCH(int, subject);
        const Subject it = subjects()[static_cast<size_t>(subject)];
        const tune::Space space = tuning::templateSpace(*codegen::parseTarget("x86-64-v4"));
        const auto usual = space.generate(it.function, held({}));
        QVERIFY(usual);
        std::set<Hash128> programs = {usual->program};
        std::set<std::string> asked;
        for (const schedule::Question& question : usual->questions) {
            asked.insert(question.name);
            bool matters = question.candidates.size() < 2;
            for (const std::vector<int64_t>& answer : schedule::answersTo(question)) {
                const auto made = space.generate(it.function, held({{question.name, answer}}));
                if (!made) {
                    QVERIFY2(holds(made.error().what, question.name + " = "), made.error().what.c_str());
                    matters = true;
                    continue;
                }
                matters = matters || made->program != usual->program;
                if (!programs.insert(made->program).second)
                    continue;
                schedule::Schedule replayed(it.function);
                QVERIFY(replayed.replay(made->trace));
                SAME(*it.function, *replayed.function(), it.sizes);
            }
            QVERIFY2(matters, ("nothing follows from " + question.name).c_str());
        }
        for (const std::string& name : it.asks)
            QVERIFY2(asked.contains(name), ("nobody asks " + name).c_str());
    }

    void noAnswersAreTheDefault() {
        const auto target = *codegen::parseTarget("x86-64-v3");
        const auto function = matmul(13, 37, 7, true);
        const auto made = tuning::templateSpace(target).generate(function, held({}));
        QVERIFY(made);
        QVERIFY(made->trace == topi::scheduleDefault(schedule::Schedule(function), target).schedule.trace());
        for (const schedule::Question& question : made->questions)
            QCOMPARE(made->answers.at(question.name), question.preferred);
        QVERIFY(!made->questions.empty());
    }
};

Test test() {
    return {makes<TestTemplateSpace>};
}

} // namespace lathe::testing::test_template_space

#include "test_template_space.moc"
