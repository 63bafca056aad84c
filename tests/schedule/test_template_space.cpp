// SPDX-License-Identifier: Apache-2.0
//
// The default schedule as a space to tune in: whatever is answered at random, what comes out computes what the unscheduled
// function does; the same answers give the same program and a trace that replays; no answers give the default.
#include "codegen/target.h"
#include "driver/tune_model.h"
#include "harness.h"
#include "topi/default_schedule.h"
#include "tune/explorer.h"

#include <QTest>
#include <set>

using namespace lathe;
using namespace lathe::test;
using arith::Expr;

namespace {

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

} // namespace

class TestTemplateSpace : public QObject {
    Q_OBJECT

private slots:
    void everyAnswer_data() {
        QTest::addColumn<tir::PrimFuncPtr>("function");
        QTest::addColumn<QString>("target");
        for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
            const auto row = [&](const char* name, const tir::PrimFuncPtr& function) {
                QTest::addRow("%s, %s", name, target) << function << target;
            };
            row("product", matmul(24, 64, 16, true));
            row("product of odd sizes", matmul(13, 37, 7, true));
            row("product of one row", matmul(1, 48, 9, false));
            row("product of nothing", matmul(0, 16, 4, true));
            row("elementwise", chain(9, 35));
            row("sums", sums(6, 40));
            row("rows", centred(8, 24));
        }
    }
    void everyAnswer() {
        QFETCH(tir::PrimFuncPtr, function);
        QFETCH(QString, target);
        const tune::Space space = driver::templateSpace(*codegen::parseTarget(target.toStdString()));
        std::set<Hash128> programs;
        for (uint64_t seed = 0; seed < 15; ++seed) {
            const auto made = space.generate(function, std::make_shared<tune::Held>(schedule::Answers{}, seed));
            if (!made) // an answer that is illegal here is a verdict, not a fault
                continue;
            if (!programs.insert(made->program).second)
                continue;
            schedule::Schedule replayed(function);
            const auto done = replayed.replay(made->trace);
            QVERIFY2(done, done ? "" : toString(done.error()).c_str());
            SAME(*function, *replayed.function());
            const auto again = space.generate(function, std::make_shared<tune::Held>(made->answers));
            QVERIFY(again && again->program == made->program && again->trace == made->trace);
        }
        QVERIFY(!programs.empty());
    }

    void noAnswersAreTheDefault() {
        const auto target = *codegen::parseTarget("x86-64-v3");
        const auto function = matmul(13, 37, 7, true);
        const auto made =
            driver::templateSpace(target).generate(function, std::make_shared<tune::Held>(schedule::Answers{}));
        QVERIFY(made);
        QVERIFY(made->trace == topi::scheduleDefault(schedule::Schedule(function), target).schedule.trace());
        for (const schedule::Question& question : made->questions)
            QCOMPARE(made->answers.at(question.name), question.preferred);
        QVERIFY(!made->questions.empty());
    }
};

QTEST_GUILESS_MAIN(TestTemplateSpace)
#include "test_template_space.moc"
