// SPDX-License-Identifier: Apache-2.0
//
// Records of kernels alike: which match by which rule, the nearest first, under whose names the answers come, and that what
// comes out of them is a schedule of the kernel at hand.
#include "codegen/target.h"
#include "records/near.h"
#include "records/sample.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_near {

using arith::Expr;
using lower::ScheduleFrom;
using records::Batch;
using records::File;
using records::NearRecords;

namespace {

enum class Around { Nothing, Relu, BiasAndScaledInput };

/// A B, [m, 96] · [96, n], with something around it. `open`: m is a size that is not known.
tir::PrimFuncPtr product(int64_t m, int64_t n, Around around = Around::Nothing, bool open = false) {
    const auto size = arith::symbol("m");
    const Expr rows = open ? Expr(size) : Expr(m);
    auto a = te::placeholder("A", types::Float32, {rows, 96}), b = te::placeholder("B", types::Float32, {96, n}),
         bias = te::placeholder("bias", types::Float32, {n});
    std::vector<te::TensorPtr> inputs{a, b};
    te::TensorPtr left = a;
    if (around == Around::BiasAndScaledInput) {
        inputs.push_back(bias);
        left = te::compute(
            "scaled", {rows, 96}, [&](auto& i) { return (*a)({i[0], i[1]}) * arith::floatImm(3, types::Float32); }, 0);
    }
    auto result = te::reduce(
        "product", {rows, Expr(n)}, te::ReduceKind::Sum, {Expr(96)},
        [&](auto& i, auto& r) { return (*left)({i[0], r[0]}) * (*b)({r[0], i[1]}); }, 1);
    if (around == Around::Relu)
        result = te::compute(
            "relu", {rows, Expr(n)}, [&](auto& i) { return max((*result)({i[0], i[1]}), arith::zero(types::Float32)); },
            2);
    if (around == Around::BiasAndScaledInput)
        result = te::compute(
            "biased", {rows, Expr(n)}, [&](auto& i) { return (*result)({i[0], i[1]}) + (*bias)({i[1]}); }, 2);
    return te::toTir("product", inputs, {result}, open ? std::vector<arith::Var>{size} : std::vector<arith::Var>{});
}

Target target() {
    return *codegen::parseTarget("x86-64-v3");
}

} // namespace

class TestNear : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;
    records::Setting here_{"a machine", 2, "default"};

    /// A file in which each computation was twice as fast with these answers, in this setting.
    struct Recorded {
        tir::PrimFuncPtr computation;
        std::string answers;
        records::Setting setting{"a machine", 2, "default"};
        double ratio = 0.5;
    };
    NearRecords near(const std::vector<Recorded>& all) {
        auto file = File::open(folder_.filePath(QString("%1.db").arg(++files_)).toStdString(), File::Access::Write);
        int number = 0;
        for (const Recorded& each : all) {
            Batch batch = sampleBatch({1, each.ratio}, ++number);
            batch.workloads = {records::workloadOf(*each.computation, target())};
            batch.studies[0].setting = each.setting;
            batch.tasks[0].workload = batch.workloads[0].key;
            for (records::Trial& trial : batch.trials)
                trial.workload = batch.workloads[0].key;
            batch.trials[1].answers = each.answers;
            if (!file || !file->write(batch))
                throw std::runtime_error("no records can be made");
        }
        auto near = NearRecords::of(*file, here_, target());
        if (!near)
            throw std::runtime_error(toString(near.error()));
        return std::move(*near);
    }

private slots:
    void theSameInTheSameSettingIsNoNearOne() {
        QVERIFY(near({{product(60, 112), R"({"b0.rows":[4]})"}}).matchesOf(*product(60, 112)).empty());
    }

    void otherThreads() {
        const auto found =
            near({{product(60, 112), R"({"b0.grain":[64],"b0.order":[1],"b0.rows":[4]})", {"a machine", 1, "default"}}})
                .matchesOf(*product(60, 112));
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(found[0].rule == ScheduleFrom::OtherThreads);
        QVERIFY(found[0].answers ==
                (schedule::Answers{{"b0.rows", {4}}})); // what follows from threads is as by default
    }

    void otherEpilogue() {
        const NearRecords records = near({{product(60, 112, Around::Relu), R"({"b0.rows":[4],"b1.width":[8]})"}});
        const auto found = records.matchesOf(*product(60, 112, Around::BiasAndScaledInput));
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(found[0].rule == ScheduleFrom::OtherEpilogue);
        // Here the product is the second block; what was said of the relu has no place.
        QVERIFY(found[0].answers == (schedule::Answers{{"b1.rows", {4}}}));
        QVERIFY(records.matchesOf(*product(61, 112, Around::BiasAndScaledInput)).empty()); // other sizes too
    }

    void otherSizes() {
        const NearRecords records = near({{product(60, 112), R"({"b0.rows":[4]})"}});
        const auto found = records.matchesOf(*product(90, 112));
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(found[0].rule == ScheduleFrom::OtherSizes);
        QVERIFY(records.matchesOf(*product(120, 56)).size() == 1); // twice and half
        QVERIFY(records.matchesOf(*product(121, 112)).empty());
        QVERIFY(records.matchesOf(*product(29, 112)).empty());
    }

    void openSizes() {
        const NearRecords records = near({{product(60, 112, Around::Relu), R"({"b0.rows":[4]})"}});
        const auto found = records.matchesOf(*product(0, 112, Around::Relu, true));
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(found[0].rule == ScheduleFrom::FixedSizes);
        QVERIFY(records.matchesOf(*product(0, 112, Around::Nothing, true)).empty()); // other steps
        const auto schedule = records.scheduleFor(product(0, 112, Around::Relu, true));
        QVERIFY(schedule && schedule->from == ScheduleFrom::FixedSizes);
    }

    void theNearestComesFirst() {
        const auto found = near({{product(90, 112), R"({"b0.rows":[1]})"},
                                 {product(60, 112, Around::Relu), R"({"b0.rows":[2]})"},
                                 {product(60, 112), R"({"b0.rows":[3]})", {"a machine", 1, "default"}},
                                 {product(80, 112), R"({"b0.rows":[5]})", {"a machine", 2, "default"}, 0.4},
                                 {product(80, 112), R"({"b0.rows":[6]})", {"a machine", 1, "default"}, 0.3}})
                               .matchesOf(*product(60, 112));
        std::vector<int64_t> rows;
        for (const NearRecords::Match& match : found)
            rows.push_back(match.answers.at("b0.rows").front());
        QVERIFY(rows == (std::vector<int64_t>{3, 2, 5, 1, 6})); // of one rule the same threads, then the fastest
    }

    void whatIsOfAnotherSettingDoesNotMatch() {
        for (const records::Setting& other :
             {records::Setting{"another machine", 2, "default"}, {"a machine", 2, "another"}})
            QVERIFY(near({{product(90, 112), "{}", other}}).matchesOf(*product(60, 112)).empty());
        QCOMPARE(near({{product(90, 112), "{}", {"a machine", 2, "strict"}}}).matchesOf(*product(60, 112)).size(),
                 size_t(1)); // it is right under any
        here_.numerics = "strict";
        QVERIFY(near({{product(90, 112), "{}"}}).matchesOf(*product(60, 112)).empty());
        here_.numerics = "default";
    }

    void anotherTargetDoesNotMatch() {
        auto file = File::open(folder_.filePath("target.db").toStdString(), File::Access::Write);
        Batch batch = sampleBatch({1, 0.5});
        batch.workloads = {records::workloadOf(*product(60, 112), *codegen::parseTarget("x86-64-v4"))};
        batch.tasks[0].workload = batch.workloads[0].key;
        for (records::Trial& trial : batch.trials)
            trial.workload = batch.workloads[0].key;
        QVERIFY(file && file->write(batch) && file->best()->size() == 1);
        for (const int64_t m : {60, 90})
            QVERIFY(NearRecords::of(*file, here_, target())->matchesOf(*product(m, 112)).empty());
    }

    /// Answers that fit are followed, the others by the nearest candidate; the trace replays.
    void whatComesOutIsASchedule() {
        const auto kernel = product(90, 112);
        const auto asked = lower::scheduleAsAnswered(kernel, target(), std::make_shared<schedule::Preferred>());
        QVERIFY(asked);
        const auto rows = std::ranges::find(asked->schedule.questions, "b0.rows", &schedule::Question::name);
        QVERIFY(rows != asked->schedule.questions.end() && rows->candidates.size() > 1);
        std::vector<int64_t> legal;
        for (const int64_t each : rows->candidates)
            if (lower::scheduleAsAnswered(kernel, target(),
                                          std::make_shared<schedule::Pinned>(schedule::Answers{{"b0.rows", {each}}})))
                legal.push_back(each);
        QVERIFY(legal.size() > 2);
        std::vector<std::pair<int64_t, int64_t>> cases{{legal.front(), legal.front()}, {legal[1], legal[1]}};
        if (legal.back() == std::ranges::max(rows->candidates))
            cases.emplace_back(1000, legal.back());
        for (const auto& [wanted, got] : cases) {
            const NearRecords records = near({{product(60, 112), fmt::format(R"({{"b0.rows":[{}]}})", wanted)}});
            const auto schedule = records.scheduleFor(kernel);
            QVERIFY(schedule && schedule->from == ScheduleFrom::OtherSizes);
            const auto replayed = lower::scheduleKernel(
                kernel, target(), {.answers = {}, .trace = schedule->trace, .from = schedule->from});
            QVERIFY(replayed && replayed->schedule.warnings.empty() && replayed->schedule.from == schedule->from);
            const std::string text = schedule::print(schedule->trace);
            QVERIFY2(text.find(fmt::format("texts(\"b0.rows\") gives({})", got)) != std::string::npos, text.c_str());
        }
    }
};

Test test() {
    return {makes<TestNear>};
}

} // namespace lathe::testing::test_near

#include "test_near.moc"
