// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Decisions: their text, and what becomes of pinned answers and whole schedules in compile().
#include "driver/compile.h"
#include "support/onnx_model.h"
#include "support/product_model.h"
#include "support/program_of_tests.h"
#include "tir/text.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace lathe::testing::test_decisions {

namespace fs = std::filesystem;

namespace {

const driver::KernelRecord* kernelWith(const driver::Trace& trace, const std::string& question) {
    for (const driver::KernelRecord& kernel : trace.kernels)
        if (std::ranges::find(kernel.schedule.questions, question, &schedule::Question::name) !=
            kernel.schedule.questions.end())
            return &kernel;
    return nullptr;
}

std::string scheduled(const driver::KernelRecord& kernel) {
    for (const auto& [stage, function] : kernel.stages)
        if (stage == "schedule")
            return tir::print(*function);
    return {};
}

} // namespace

class TestDecisions : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path out_;

    Result<driver::Artifact> compile(const driver::Decisions& decisions, driver::Trace& trace, bool code = true) {
        const std::string bytes = graphBytes(product());
        driver::Options options;
        options.target = *codegen::parseTarget("x86-64-v3");
        options.verify = true;
        options.emitCode = code;
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, decisions, options, trace);
    }

    std::string wrong() const { return wrongProduct(out_); }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() { out_ = temporary_.filePath(QTest::currentTestFunction()).toStdString() + ".so"; }

    void readBack() {
        const char* text = R"({"answers":{"0123":{"b0.rows":[6],"b1.tile":[-1,4]}},)"
                           R"("apart":[{"consumer":{"node":"r"},"producer":{"node":"a","op":"conv","ordinal":1}}],)"
                           R"("layouts":[{"blocks":16,"node":"a","op":"conv","ordinal":1},{"node":"b","panels":0}],)"
                           R"("optional_limit":7,"recorded":{"67":"parallel loops(2)\n",)"
                           R"("89":{"from":"records of other sizes","schedule":"parallel loops(1)\n"}},)"
                           R"("schedules":{"45":"parallel loops(0)\n"},"skip":["fuse","vectorize"],)"
                           R"("skip_in":{"45":["schedule","unroll"]}})";
        const auto read = driver::parseDecisions(text);
        QVERIFY2(read, read ? "" : toString(read.error()).c_str());
        QCOMPARE(read->skipPasses, (std::set<std::string>{"fuse", "vectorize"}));
        QCOMPARE(read->optionalLimit, 7);
        QCOMPARE(read->kernels.at("0123").answers.at("b1.tile"), (std::vector<int64_t>{-1, 4}));
        QCOMPARE(read->layouts.size(), size_t(2));
        QCOMPARE(read->layouts[1].part, relay::choose::StoredPart::Panels);
        QCOMPARE(read->apart.at(0).producer.ordinal, 1);
        QCOMPARE(read->apart.at(0).consumer.node, "r");
        QCOMPARE(read->kernels.at("45").trace->steps.size(), size_t(1));
        QCOMPARE(read->recorded.at("67").trace.steps.size(), size_t(1));
        QCOMPARE(read->skipIn.at("45"), (std::set<std::string>{"schedule", "unroll"}));
        QCOMPARE(driver::toJson(*read), text);
    }

    void malformedTextIsRefused() {
        const std::string deep = R"({"skip":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
        for (const char* bad : {"",
                                "[]",
                                "{",
                                R"({"skip":["canonical forms"]})",
                                R"({"skip":"fuse"})",
                                R"({"skip":[1]})",
                                R"({"speed":1})",
                                R"({"skip_in":["unroll"]})",
                                R"({"skip_in":{"a":"unroll"}})",
                                R"({"skip_in":{"a":["fuse"]}})",
                                R"({"skip_in":{"a":["lower blocks"]}})",
                                R"({"skip_in":{"a":[1]}})",
                                R"({"pins":{}})",
                                R"({"optional_limit":1.5})",
                                R"({"optional_limit":-2})",
                                R"({"optional_limit":4294967297})",
                                R"({"optional_limit":18446744073709551615})",
                                R"({"answers":[]})",
                                R"({"answers":{"a":{"b0.rows":6}}})",
                                deep.c_str(),
                                R"({"answers":{"a":{"b0.rows":[1.5]}}})",
                                R"({"answers":{"a":{"b0.rows":["6"]}}})",
                                R"({"answers":{"a":{"b0.rows":[9223372036854775808]}}})",
                                R"({"answers":{"a":6}})",
                                R"({"layouts":{}})",
                                R"({"layouts":[1]})",
                                R"({"layouts":[{"node":"a"}]})",
                                R"({"layouts":[{"blocks":16}]})",
                                R"({"layouts":[{"node":"a","blocks":"16"}]})",
                                R"({"layouts":[{"node":"a","blocks":16,"panels":16}]})",
                                R"({"layouts":[{"node":"a","blocks":16,"ordinal":-1}]})",
                                R"({"layouts":[{"node":"a","blocks":16,"wide":1}]})",
                                R"({"variants":[{"node":"a","blocks":16}]})",
                                R"({"variants":[{"node":"a","":1,"variant":"direct"}]})",
                                R"({"variants":[{"node":"a","variant":2}]})",
                                R"({"apart":{}})",
                                R"({"apart":[1]})",
                                R"({"apart":[{"producer":{"node":"a"}}]})",
                                R"({"apart":[{"producer":{"node":"a"},"consumer":"b"}]})",
                                R"({"apart":[{"producer":{"node":"a"},"consumer":{"op":"relu"}}]})",
                                R"({"apart":[{"producer":{"node":"a"},"consumer":{"node":"b","ordinal":-1}}]})",
                                R"({"apart":[{"producer":{"node":"a"},"consumer":{"node":"b","wide":1}}]})",
                                R"({"apart":[{"producer":{"node":"a"},"consumer":{"node":"b"},"fused":true}]})",
                                R"({"schedules":{"a":["split"]}})",
                                R"x({"schedules":{"a":"split toys(1)"}})x",
                                R"x({"recorded":{"a":"split toys(1)"}})x",
                                R"x({"recorded":{"a":{"schedule":"parallel loops(2)","from":"default"}}})x",
                                R"x({"recorded":{"a":{"schedule":"parallel loops(2)","from":7}}})x",
                                R"x({"recorded":{"a":{"schedule":"parallel loops(2)"}}})x",
                                R"({"recorded":{"a":{"schedule":["x"],"from":"records"}}})",
                                R"({"recorded":[]})"}) {
            const auto refused = driver::parseDecisions(bad);
            QVERIFY2(!refused && !refused.error().what.empty(), bad);
        }
    }

    /// A pass that is off in a kernel has no stage there, and the product is the same.
    void aPassIsOffInAKernel() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        const auto stagesOf = [](const driver::Trace& trace) {
            std::set<std::string> names;
            for (const auto& [stage, function] : trace.kernels.front().stages)
                names.insert(stage);
            return names;
        };
        QVERIFY(stagesOf(first).contains("vectorize"));
        driver::Decisions decisions;
        decisions.skipIn[first.kernels.front().workload] = {"schedule", "vectorize"};
        driver::Trace second;
        QVERIFY(compile(decisions, second));
        QVERIFY(!stagesOf(second).contains("vectorize") && !stagesOf(second).contains("schedule"));
        QVERIFY(stagesOf(second).contains("unroll"));
        QCOMPARE(wrong(), "");
        decisions.skipIn["nothing"] = {"unroll"};
        driver::Trace third;
        const auto refused = compile(decisions, third);
        QVERIFY(!refused && refused.error().what.find("'nothing'") != std::string::npos);
    }

    /// Panels of the weights: each width that is offered gives the same product, and another kernel.
    void aLayoutIsFollowed() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        QCOMPARE(first.layouts.size(), size_t(1));
        const driver::LayoutRecord choice = first.layouts[0];
        QVERIFY(choice.offered.size() > 1);
        std::set<std::string> workloads;
        for (const int64_t width : choice.offered) {
            driver::Decisions decisions;
            decisions.layouts = {choice.chosen};
            decisions.layouts[0].width = width;
            driver::Trace trace;
            const auto compiled = compile(decisions, trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            QCOMPARE(trace.layouts[0].chosen.width, width);
            QCOMPARE(wrong(), "");
            workloads.insert(kernelWith(trace, "b0.rows")->workload);
        }
        QCOMPARE(workloads.size(), choice.offered.size());
    }

    void layoutsThatNameNoChoiceAreRefused() {
        driver::Trace first;
        QVERIFY(compile({}, first, false));
        const driver::LayoutDecision good = first.layouts.at(0).chosen;
        const auto refusal = [&](std::vector<driver::LayoutDecision> layouts, std::set<std::string> off = {}) {
            driver::Decisions decisions;
            decisions.layouts = std::move(layouts);
            decisions.skipPasses = std::move(off);
            driver::Trace trace;
            const auto compiled = compile(decisions, trace, false);
            return compiled ? std::string() : toString(compiled.error());
        };
        std::vector<driver::LayoutDecision> bad(4, good);
        bad[0].of.node = "nobody";
        bad[1].of.op = "conv";
        bad[2].width = 7;
        bad[3].of.ordinal = 1;
        for (const driver::LayoutDecision& each : bad)
            QVERIFY(refusal({each}).find("panels of node") != std::string::npos);
        QVERIFY(!refusal({good, good}).empty());
        QVERIFY(!refusal({good}, {"choose layouts"}).empty());
        driver::LayoutDecision terse = good;
        terse.of.op.clear();
        terse.of.ordinal = -1;
        QCOMPARE(refusal({terse}), std::string());
    }

    /// For several targets at once: what this one does not offer is left out, and said; ambiguous names are still refused.
    void whatATargetDoesNotOfferIsLeftOut() {
        driver::Trace first;
        QVERIFY(compile({}, first, false));
        const driver::LayoutDecision good = first.layouts.at(0).chosen;
        driver::Decisions decisions;
        decisions.layouts = {good, good};
        decisions.layouts[1].width = 7;
        decisions.variants = {{{"nobody", "conv", 0}, "winograd4"}};
        const std::string bytes = graphBytes(product());
        driver::Options options;
        options.target = *codegen::parseTarget("x86-64-v3");
        options.emitCode = false;
        options.offeredAlone = true;
        const auto compileIt = [&](driver::Trace& trace) {
            return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, decisions, options, trace);
        };
        driver::Trace trace;
        const auto compiled = compileIt(trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QVERIFY(trace.layouts.at(0).chosen == good);
        const auto note = std::ranges::find(trace.diagnostics, Severity::Note, &Diagnostic::severity);
        QVERIFY(note != trace.diagnostics.end());
        QVERIFY2(note->what.starts_with("2 of the decided choices are left out"), note->what.c_str());
        decisions.layouts = {good, good};
        driver::Trace twice;
        QVERIFY(!compileIt(twice));
    }

    void schedulesOfOtherTargetsGo() {
        driver::Trace first;
        QVERIFY(compile({}, first, false));
        const std::string workload = kernelWith(first, "b0.rows")->workload;
        driver::Decisions decisions;
        decisions.kernels[workload].answers["b0.rows"] = {6};
        decisions.kernels["0123"].answers["b0.rows"] = {6}; // the key of nothing: whoever compiles is told so
        const auto kept = [&](const char* target) {
            return driver::forTarget(decisions, *codegen::parseTarget(target)).kernels;
        };
        QVERIFY(kept("x86-64-v3").contains(workload) && kept("x86-64-v3").size() == 2);
        QVERIFY(!kept("cortex-a72").contains(workload) && kept("cortex-a72").contains("0123"));
    }

    /// The product and its relu in two functions: the same values, by another kernel more.
    void whatIsKeptApartIsNotFused() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        QCOMPARE(first.fusion.edges.size(), size_t(1));
        QVERIFY(first.fusion.edges[0].outcome == relay::transform::FusionOutcome::Joined);
        QCOMPARE(first.calls.size(), size_t(1));
        QCOMPARE(wrong(), "");
        const auto refusal = [&](std::vector<driver::ApartDecision> apart, driver::Trace& trace,
                                 std::set<std::string> off = {}) {
            driver::Decisions decisions;
            decisions.apart = std::move(apart);
            decisions.skipPasses = std::move(off);
            const auto compiled = compile(*driver::parseDecisions(driver::toJson(decisions)), trace);
            return compiled ? std::string() : toString(compiled.error());
        };
        const driver::ApartDecision good{first.fusion.operators.at(0).name, first.fusion.operators.at(1).name};
        driver::ApartDecision terse = good;
        terse.consumer.op.clear();
        terse.consumer.ordinal = -1;
        for (const driver::ApartDecision& each : {good, terse}) {
            driver::Trace trace;
            QCOMPARE(refusal({each}, trace), std::string());
            QVERIFY(trace.fusion.edges[0].outcome == relay::transform::FusionOutcome::KeptApart);
            QCOMPARE(trace.calls.size(), size_t(2));
            QCOMPARE(wrong(), "");
        }
        std::vector<driver::ApartDecision> bad(4, good);
        bad[0].producer.node = "nobody";
        bad[1].consumer.op = "conv";
        bad[2].consumer.ordinal = 1;
        std::swap(bad[3].producer, bad[3].consumer);
        driver::Trace trace;
        for (const driver::ApartDecision& each : bad) {
            const std::string said = refusal({each}, trace);
            QVERIFY2(said.find("no such choice") != std::string::npos && said.find("--fusion") != std::string::npos,
                     said.c_str());
        }
        QVERIFY(refusal({good, good}, trace).find("twice") != std::string::npos);
        QVERIFY(refusal({good}, trace, {"fuse"}).find("'fuse' is off") != std::string::npos);
    }

    void aPinIsFollowed() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        const driver::KernelRecord* kernel = kernelWith(first, "b0.rows");
        QVERIFY(kernel);
        QCOMPARE(wrong(), "");
        for (const int64_t rows : {2, 5, 13}) {
            driver::Decisions decisions;
            decisions.kernels[kernel->workload].answers["b0.rows"] = {rows};
            const auto again = driver::parseDecisions(driver::toJson(decisions));
            QVERIFY(again);
            driver::Trace trace;
            const auto compiled = compile(*again, trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            const driver::KernelRecord* pinned = kernelWith(trace, "b0.rows");
            QVERIFY(pinned && pinned->workload == kernel->workload);
            const std::string loops = scheduled(*pinned);
            QVERIFY2(loops.find(fmt::format("in {} unrolled", rows)) != std::string::npos, loops.c_str());
            QCOMPARE(wrong(), "");
        }
    }

    void aScheduleIsFollowed() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        const driver::KernelRecord* kernel = kernelWith(first, "b0.rows");
        QVERIFY(kernel);
        driver::Decisions decisions;
        lower::ScheduleDecisions& decided = decisions.kernels[kernel->workload];
        // The default schedule's own trace makes the same loops.
        decided.trace = kernel->schedule.trace;
        driver::Trace replayed;
        QVERIFY(compile(*driver::parseDecisions(driver::toJson(decisions)), replayed));
        QCOMPARE(scheduled(*kernelWith(replayed, "b0.rows")), scheduled(*kernel));
        // The same trace with another answer.
        decided.answers["b0.rows"] = {3};
        driver::Trace changed;
        QVERIFY(compile(decisions, changed));
        QVERIFY(scheduled(*kernelWith(changed, "b0.rows")).find("in 3 unrolled") != std::string::npos);
        QCOMPARE(wrong(), "");
        // Another one altogether.
        decided.answers.clear();
        schedule::Schedule own(kernel->stages.front().second);
        own.unroll(own.split(own.loops(own.blocks().front()).front(), {-1, 4})[1]);
        decided.trace = own.trace();
        driver::Trace other;
        const auto compiled = compile(decisions, other);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QVERIFY(other.diagnostics.empty());
        const auto made = std::ranges::find(other.kernels, kernel->workload, &driver::KernelRecord::workload);
        QVERIFY2(scheduled(*made).find("in 4 unrolled") != std::string::npos, scheduled(*made).c_str());
        QCOMPARE(wrong(), "");
    }

    void aScheduleThatDoesNotFitIsSaid() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        const driver::KernelRecord* kernel = kernelWith(first, "b0.rows");
        QVERIFY(kernel);
        driver::Decisions decisions;
        decisions.kernels[kernel->workload].trace =
            *schedule::parseTrace("loops blocks(#0) gives(0)\nparallel loops(0)");
        driver::Trace trace;
        QVERIFY(compile(decisions, trace));
        QCOMPARE(trace.diagnostics.size(), size_t(1));
        QVERIFY(trace.diagnostics.front().severity == Severity::Warning);
        QVERIFY2(trace.diagnostics.front().what.find("step 1 (loops)") != std::string::npos,
                 trace.diagnostics.front().what.c_str());
        QCOMPARE(scheduled(*kernelWith(trace, "b0.rows")), scheduled(*kernel));
        QCOMPARE(wrong(), "");
    }

    void whatIsRecordedIsAnOffer() {
        driver::Trace first;
        QVERIFY(compile({}, first));
        const driver::KernelRecord* kernel = kernelWith(first, "b0.rows");
        QVERIFY(kernel);
        const std::string workload = kernel->workload;
        QVERIFY(kernel->schedule.from == lower::ScheduleFrom::Default);
        schedule::Schedule own(kernel->stages.front().second);
        own.unroll(own.split(own.loops(own.blocks().front()).front(), {-1, 4})[1]);
        driver::Decisions decisions;
        decisions.recorded["of another model"].trace = own.trace();
        decisions.recorded[workload].trace = own.trace();
        const auto find = [&](const driver::Trace& trace) {
            return *std::ranges::find(trace.kernels, workload, &driver::KernelRecord::workload);
        };
        driver::Trace taken;
        QVERIFY(compile(decisions, taken));
        QVERIFY(find(taken).schedule.from == lower::ScheduleFrom::Records);
        QVERIFY(scheduled(find(taken)).find("in 4 unrolled") != std::string::npos);
        QCOMPARE(wrong(), "");
        QVERIFY(taken.diagnostics.front().severity == Severity::Note);
        QVERIFY(taken.diagnostics.front().what.starts_with("1 of "));
        // What is decided goes before it.
        driver::Decisions decided = decisions;
        decided.kernels[workload].answers["b0.rows"] = {3};
        driver::Trace other;
        QVERIFY(compile(decided, other));
        QVERIFY(find(other).schedule.from == lower::ScheduleFrom::Decided);
        QVERIFY(scheduled(find(other)).find("in 3 unrolled") != std::string::npos);
        // Where no schedule is made, and where it does not fit, the kernel is as it would be without.
        decided = decisions;
        decided.skipPasses = {"schedule"};
        driver::Trace unscheduled;
        QVERIFY(compile(decided, unscheduled));
        decisions.recorded[workload].trace = *schedule::parseTrace("loops blocks(#0) gives(0)\nparallel loops(0)");
        driver::Trace stale;
        QVERIFY(compile(decisions, stale));
        QVERIFY(find(stale).schedule.from == lower::ScheduleFrom::Default && find(stale).schedule.isStale);
        QCOMPARE(scheduled(find(stale)), scheduled(find(first)));
        QVERIFY(stale.diagnostics.front().severity == Severity::Warning);
        QVERIFY(stale.diagnostics.front().what.find("recorded for") != std::string::npos);
        QCOMPARE(wrong(), "");
    }

    void whatMatchesNothingIsAnError() {
        driver::Trace first;
        QVERIFY(compile({}, first, false));
        const driver::KernelRecord* kernel = kernelWith(first, "b0.rows");
        QVERIFY(kernel);
        const auto refusal = [&](const driver::Decisions& decisions) {
            driver::Trace trace;
            const auto compiled = compile(decisions, trace, false);
            return compiled ? std::string() : compiled.error().what;
        };
        driver::Decisions decisions;
        decisions.kernels["0123"].answers["b0.rows"] = {6};
        QVERIFY(refusal(decisions).find("'0123'") != std::string::npos);
        decisions.kernels.clear();
        lower::ScheduleDecisions& decided = decisions.kernels[kernel->workload];
        decided.answers = {{"b0.rwos", {6}}};
        QVERIFY(refusal(decisions).find("'b0.rwos'") != std::string::npos);
        decided.answers = {{"b0.rows", {600}}};
        QVERIFY(refusal(decisions).find("b0.rows") != std::string::npos);
        decided.answers = {{"b0.rows", {}}};
        QVERIFY(refusal(decisions).find("b0.rows") != std::string::npos);
        decided.answers = {{"b0.rows", {6}}};
        decisions.skipPasses = {"schedule"};
        QVERIFY(refusal(decisions).find("no schedule") != std::string::npos);
        decisions.skipPasses.clear();
        QCOMPARE(refusal(decisions), "");
    }
};

Test test() {
    return {makes<TestDecisions>};
}

} // namespace lathe::testing::test_decisions

#include "test_decisions.moc"
