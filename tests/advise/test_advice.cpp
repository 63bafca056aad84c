// SPDX-License-Identifier: Apache-2.0
//
// Each rule of advice on facts that it is for, and silent on the same facts without the one thing that it goes by. A model
// that gives no rule anything to say is the base of all of them.
#include "advise/facts.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>

namespace lathe::testing::test_advice {

using advise::Step;

namespace {

inspect::ProfileRow row(int call, const char* kernel, double ms, double flops, double bytes) {
    inspect::ProfileRow result;
    result.call = call;
    result.function = std::string("fused_") + kernel;
    result.kernel = kernel;
    result.ms = ms;
    result.flops = flops;
    result.bytes = bytes;
    return result;
}

/// Two kernels: a product that is near the machine's peak, and an addition that is near its memory's. Two threads work all the
/// time, and all values are right.
struct Facts {
    driver::Trace trace;
    driver::Options options;
    driver::Decisions decisions;
    inspect::Profile profile;
    inspect::MachinePeaks peaks{.cpu = "a cpu", .threads = 2, .one = {100, 10}, .all = {200, 20}};
    diagnose::Check check;
    bool ran = true, checked = true;
    Target machine;
    std::set<std::string> tried;

    Facts() {
        machine.cores = 2;
        options.target = machine;
        for (const char* name : {"product", "sum"}) {
            driver::KernelRecord kernel;
            kernel.name = kernel.workload = name;
            trace.kernels.push_back(kernel);
            driver::CallRecord call;
            call.function = std::string("fused_") + name;
            call.kernel = name;
            trace.calls.push_back(call);
        }
        // 2 ms of 200 GFLOP/s are 4e8; the sum moves 2e7 bytes in 1.25 ms, where 1 ms is the least.
        profile.rows = {row(0, "product", 2.5, 4e8, 1e6), row(1, "sum", 1.25, 5e6, 2e7)};
        profile.runs = 100;
        profile.threads = 2;
        profile.medianMs = 3.8;
        profile.lowMs = 3.75;
        profile.highMs = 3.9;
        setBusy(0.9);
        check.rows.resize(1);
        check.rows[0].value = "y";
        check.rows[0].state = diagnose::CheckState::Within;
    }

    /// Of a run, the second thread.
    void setBusy(double share) {
        auto timeline = std::make_shared<inspect::Timeline>();
        timeline->ms = 3.8;
        timeline->threads = {{{.call = 0, .chunks = 1, .beginMs = 0, .endMs = 3.8}},
                             {{.call = 0, .chunks = 1, .beginMs = 0, .endMs = 3.8 * share}}};
        profile.timeline = timeline;
    }

    std::vector<advise::Advice> advice() const {
        const advise::Known known{.trace = &trace,
                                  .options = &options,
                                  .decisions = &decisions,
                                  .profile = ran ? &profile : nullptr,
                                  .peaks = &peaks,
                                  .check = checked ? &check : nullptr,
                                  .machine = machine,
                                  .tried = tried};
        return advise::adviseOn(advise::Facts(known));
    }
    /// What it says, and leads to; of one rule alone.
    const advise::Advice only(std::string_view rule) const {
        const auto all = advice();
        return all.size() == 1 && all.front().rule == rule ? all.front() : advise::Advice{};
    }
};

/// A model whose main takes x of these dims, written as in Relay's text.
std::shared_ptr<const relay::Module> moduleWith(std::vector<arith::Expr> dims) {
    auto module = std::make_shared<relay::Module>();
    relay::Function main;
    main.params.push_back({{}, relay::tensorType(types::Float32, std::move(dims)), "x"});
    module->functions.emplace("main", std::make_shared<relay::Function>(std::move(main)));
    return module;
}

} // namespace

class TestAdvice : public QObject {
    Q_OBJECT

private slots:
    void nothingToSay() { QCOMPARE(Facts().advice().size(), 0U); }

    void diverges() {
        Facts facts;
        facts.check.rows[0].state = diagnose::CheckState::Diverges;
        QVERIFY(facts.only("diverges").what.empty()); // which is the first is not known
        facts.check.rows[0].first = true;
        facts.check.rows[0].why = "off by 3";
        facts.check.rows[0].node = 7;
        const advise::Advice advice = facts.only("diverges");
        QVERIFY(advice.step == Step::Bisect);
        QCOMPARE(advice.node, 7);
        QVERIFY(advice.why.contains("'y' is the first: off by 3."));
    }

    void unchecked() {
        Facts facts;
        facts.checked = false;
        QVERIFY(facts.only("unchecked").step == Step::Check);
        facts.ran = false; // compile and run it before
        QCOMPARE(facts.advice().size(), 0U);
    }

    void sizes_data() {
        QTest::addColumn<bool>("second");
        QTest::addColumn<int>("ran");
        QTest::addColumn<bool>("said");
        QTest::newRow("a length of one") << true << 1 << true;
        QTest::newRow("a length that was given") << true << 128 << false;
        QTest::newRow("a batch of one") << false << 1 << false;
    }
    void sizes() {
        QFETCH(bool, second);
        QFETCH(int, ran);
        QFETCH(bool, said);
        const arith::Expr open = arith::symbol("sequence"), one = arith::intImm(1);
        Facts facts;
        driver::PassRecord import;
        import.enabled = true;
        import.after = moduleWith(second ? std::vector{one, open} : std::vector{open, one});
        facts.trace.passes.push_back(import);
        facts.profile.shapes = {{"x", second ? std::vector<int64_t>{1, ran} : std::vector<int64_t>{ran, 1}}};
        const advise::Advice advice = facts.only("sizes");
        QCOMPARE(!advice.what.empty(), said);
        QVERIFY(!said || advice.what == "Say how large 'sequence' is");
    }

    void inputs() {
        Facts facts;
        auto graph = std::make_shared<model::ModelGraph>();
        static model::Node node;
        node.op = "If";
        node.name = "choice";
        graph->nodes = {&node};
        facts.trace.graph = graph;
        facts.profile.shapes = {{"x", {1, 3}}};
        QCOMPARE(facts.advice().size(), 0U); // no graphs of its own
        node.attributes = {{"then_branch", std::make_shared<const model::Graph>()}};
        QVERIFY(facts.only("inputs").step == Step::Settings);
        facts.profile.given = {"x"};
        QCOMPARE(facts.advice().size(), 0U);
    }

    void noise() {
        Facts facts;
        facts.profile.lowMs = 3.5;
        facts.profile.highMs = 4.4;
        const advise::Advice advice = facts.only("noise");
        QVERIFY(advice.step == Step::Run);
        QVERIFY(advice.why.contains("3.50 ms to 4.40 ms"));
        QVERIFY(advice.why.contains("24 %")); // 0.9 of 3.8
        facts.profile.runs = 3;               // whose middle half says nothing
        QCOMPARE(facts.advice().size(), 0U);
    }

    void target() {
        Facts facts;
        facts.machine.vectorBits = 512;
        facts.machine.cpu = "znver5";
        const advise::Advice advice = facts.only("target");
        QVERIFY(advice.why.contains("vectors of 256 bits; znver5 has 512"));
        facts.options.target.architecture = Architecture::AArch64; // it did not run here
        QCOMPARE(facts.advice().size(), 0U);
    }

    void passesOff() {
        Facts facts;
        facts.decisions.skipPasses = {"fuse"};
        QVERIFY(facts.only("passes off").why.starts_with("'fuse' is off."));
        facts.decisions = {};
        facts.decisions.optionalLimit = 4;
        QVERIFY(facts.only("passes off").why.starts_with("Only the first 4"));
        facts.decisions = {};
        facts.decisions.apart.emplace_back(); // is no pass
        QCOMPARE(facts.advice().size(), 0U);
    }

    void staleSchedules() {
        Facts facts;
        facts.trace.kernels[0].schedule.isStale = true;
        QVERIFY(facts.only("stale schedules").step == Step::Tune);
        facts.trace.kernels[0].schedule.isStale = false;
        facts.trace.kernels[1].schedule.warnings.push_back(error("it does not replay"));
        QVERIFY(facts.only("stale schedules").what == "Tune 1 kernel anew");
    }

    void threads() {
        Facts facts;
        facts.profile.threads = 1;
        facts.profile.rows[0].flops /= 2; // what one thread can do
        facts.profile.rows[1].bytes /= 2;
        const advise::Advice advice = facts.only("threads");
        QVERIFY(advice.what == "Run it on all 2 cores");
        QCOMPARE(advice.ms, 3.75 / 2);
        facts.machine.cores = 1;
        QCOMPARE(facts.advice().size(), 0U);
    }

    void untuned() {
        Facts facts;
        facts.profile.rows[0].flops = 1e8; // a fifth of the machine
        const advise::Advice advice = facts.only("untuned");
        QVERIFY(advice.what == "Tune 1 kernel");
        QVERIFY(advice.why.contains("2.50 ms of a run (67 %)") && advice.why.contains("20 %"));
        QCOMPARE(advice.call, 0);
        QCOMPARE(advice.ms, 2.0);
        facts.tried = {"product"};
        QCOMPARE(facts.advice().size(), 0U);
        facts.tried.clear();
        facts.trace.kernels[0].schedule.from = lower::ScheduleFrom::Decided;
        QCOMPARE(facts.advice().size(), 0U);
    }

    void movement() {
        Facts facts;
        facts.profile.rows[1].flops = 0;
        const advise::Advice advice = facts.only("movement");
        QVERIFY(advice.step == Step::Fusion);
        QCOMPARE(advice.call, 1);
        QCOMPARE(advice.ms, 1.25);
        facts.profile.rows[1].ms = 0.25; // 9 % of the run
        facts.profile.rows[1].bytes = 4e6;
        facts.profile.medianMs = 2.8;
        facts.profile.lowMs = facts.profile.highMs = 2.8;
        QCOMPARE(facts.advice().size(), 0U);
    }

    void refusedSchedule() {
        Facts facts;
        facts.tried = {"product", "sum"}; // or they are to be tuned, too
        facts.profile.rows[0].flops = 1e8;
        QCOMPARE(facts.advice().size(), 0U);
        facts.trace.kernels[0].schedule.refusals = {{"register tile of b0", "the axis is not there"}};
        const advise::Advice advice = facts.only("refused schedule");
        QVERIFY(advice.step == Step::Loops);
        QVERIFY(advice.why.contains("Refused when it was scheduled: register tile of b0: the axis is not there."));
        facts.profile.rows[0].flops = 3e8; // as fast without
        QCOMPARE(facts.advice().size(), 0U);
    }

    void waiting() {
        Facts facts;
        facts.setBusy(0.25);
        const advise::Advice advice = facts.only("waiting");
        QVERIFY(advice.why.starts_with("The second thread worked 25 % of the run"));
        QCOMPARE(advice.ms, 3.75 * 0.75 / 2);
        auto four = std::make_shared<inspect::Timeline>(*facts.profile.timeline);
        four->threads.resize(4, four->threads.back());
        facts.profile.timeline = four;
        QCOMPARE(facts.only("waiting").ms, 3.75 * 0.75 * 3 / 4); // three of four threads wait
    }

    void betweenCalls() {
        Facts facts;
        facts.profile.medianMs = 5;
        facts.profile.lowMs = facts.profile.highMs = 5;
        const advise::Advice advice = facts.only("between calls");
        QCOMPARE(advice.ms, 1.25);
        QVERIFY(advice.why.contains("(25 %)"));
    }

    void strict() {
        Facts facts;
        driver::PassRecord pass;
        pass.name = "choose variants";
        pass.enabled = false;
        facts.trace.passes = {pass};
        QCOMPARE(facts.advice().size(), 0U); // off for another reason
        facts.options.numerics = driver::NumericsLevel::Strict;
        QVERIFY(facts.only("strict").why.contains("choose variants is off"));
        facts.decisions.optionalLimit = 2; // which may be why
        QVERIFY(!facts.only("passes off").what.empty());
        facts.decisions.optionalLimit = -1;
        facts.trace.passes.front().enabled = true;
        QCOMPARE(facts.advice().size(), 0U);
    }

    void memory() {
        Facts facts;
        const auto buffer = [](const char* name, int64_t bytes, int first, int last) {
            lower::PlacedBuffer placed;
            placed.use.name = name;
            placed.bytes = arith::intImm(bytes);
            placed.firstCall = first;
            placed.lastCall = last;
            return placed;
        };
        facts.trace.buffers = {buffer("large", 30'000'000, 0, 1), buffer("small", 10'000'000, 1, 1)};
        const advise::Advice advice = facts.only("memory");
        QCOMPARE(advice.call, 1);
        QVERIFY(advice.why.contains("'large' is 30.0 MB of the 40.0 MB"));
        facts.trace.buffers[1].bytes = arith::intImm(31'000'000);
        facts.trace.buffers.push_back(buffer("third", 30'000'000, 1, 1)); // none of them is half of it
        QCOMPARE(facts.advice().size(), 0U);
        facts.trace.buffers = {buffer("alone", 1'000'000, 0, 1)}; // nobody minds
        QCOMPARE(facts.advice().size(), 0U);
    }

    void order() {
        Facts facts;
        facts.checked = false;
        facts.setBusy(0.25);               // 1.4 ms
        facts.profile.rows[0].flops = 1e8; // 2 ms
        const std::vector<advise::Advice> all = facts.advice();
        QCOMPARE(all.size(), 3U);
        QVERIFY(all[0].rule == "unchecked" && all[1].rule == "untuned" && all[2].rule == "waiting");
    }

    void namesAreShownWithinBounds() {
        Facts facts;
        facts.check.rows[0] = {};
        facts.check.rows[0].state = diagnose::CheckState::Diverges;
        facts.check.rows[0].first = true;
        facts.check.rows[0].value = "a\nb" + std::string(1000, 'x');
        const advise::Advice advice = facts.only("diverges");
        QVERIFY(advice.why.contains("'a\\nbxxx"));
        QVERIFY(advice.why.size() < 200);
    }
};

Test test() {
    return {makes<TestAdvice>};
}

} // namespace lathe::testing::test_advice

#include "test_advice.moc"
