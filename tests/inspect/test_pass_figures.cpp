// SPDX-License-Identifier: Apache-2.0
//
// What passes did in figures: of modules before and after, and of kernels stage by stage.
#include "inspect/pass_figures.h"
#include "relay/text.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_pass_figures {

using namespace lathe::inspect;

namespace {

driver::ModulePtr moduleOf(const std::string& body) {
    Result<relay::Module> module = relay::parse(
        "module next %20\n\nfn main(%1 \"x\": float32[1000]) -> float32[1000] outputs [\"y\"] {\n" + body + "}\n", {});
    if (!module)
        qFatal("%s", toString(module.error()).c_str());
    return std::make_shared<relay::Module>(*std::move(module));
}

} // namespace

class TestPassFigures : public QObject {
    Q_OBJECT

private slots:
    void deltasAreAfterLessBefore() {
        const driver::ModulePtr three =
            moduleOf("  %2 = exp(%1) : float32[1000] @{0}\n  %3 = exp(%2) : float32[1000] @{0}\n"
                     "  %4 = exp(%3) : float32[1000] @{0}\n  -> %4\n");
        const driver::ModulePtr one = moduleOf("  %4 = exp(%1) : float32[1000] @{0}\n  -> %4\n");
        driver::Trace trace;
        trace.passes.resize(3);
        trace.passes[0].after = three; // import
        trace.passes[1].before = trace.passes[1].after = three;
        trace.passes[2].before = three;
        trace.passes[2].after = one;
        trace.passes[0].changed = trace.passes[2].changed = true;
        const auto figures = passFigures(trace);
        QCOMPARE(figures.size(), size_t(3));
        QCOMPARE(figures[0].after.bindings.value(), 3.0);
        QCOMPARE(figures[0].after.peakBytes.value(), 8000.0);              // %2 and %3
        QVERIFY(!figures[0].delta.bindings && !figures[1].delta.bindings); // nothing before; nothing changed
        QCOMPARE(figures[2].delta.bindings.value(), -2.0);
        QCOMPARE(figures[2].delta.flops.value(), -2000.0);
        QCOMPARE(figures[2].delta.bytes.value(), -16000.0);
        QCOMPARE(figures[2].delta.peakBytes.value(), -8000.0);
        QVERIFY(passFigures(trace, [] { return true; }).empty());
    }

    void kernelsAreCountedInStatements() {
        const auto function = [](int statements) {
            auto made = std::make_shared<tir::PrimFunc>();
            std::vector<tir::Stmt> all;
            for (int i = 0; i < statements; ++i)
                all.push_back(tir::makeStmt(tir::Evaluate{}, -1));
            made->body = tir::seq(all, -1);
            return made;
        };
        driver::Trace trace;
        driver::PassRecord& pass = trace.passes.emplace_back();
        pass.name = "unroll";
        pass.stage = driver::Stage::Tir;
        pass.ran = pass.changed = true;
        const auto same = function(5);
        trace.kernels.resize(2);
        trace.kernels[0].stages = {{"schedule", function(2)}, {"unroll", function(9)}};
        trace.kernels[1].stages = {{"schedule", same}, {"unroll", same}};
        QCOMPARE(passFigures(trace).at(0).delta.statements.value(), 7.0);
        QVERIFY(!passFigures(trace).at(0).delta.bindings);
    }

    void deltasAreShort() {
        QCOMPARE(deltaText(std::nullopt), std::string());
        QCOMPARE(deltaText(0.0), std::string("0"));
        QCOMPARE(deltaText(288.0), std::string("+288"));
        QCOMPARE(deltaText(-1.99e9), std::string("-1.99 G"));
        QCOMPARE(deltaText(56.7e6), std::string("+56.7 M"));
        // Rounded up to the next power of ten.
        QCOMPARE(deltaText(999.4), std::string("+999"));
        QCOMPARE(deltaText(999.6), std::string("+1.00 k"));
        QCOMPARE(deltaText(-999'700.0), std::string("-1.00 M"));
        QCOMPARE(deltaText(9'996.0), std::string("+10.0 k"));
        QCOMPARE(deltaText(99'960.0), std::string("+100 k"));
    }

    void outcomesAreTold() {
        driver::PassRecord record;
        QCOMPARE(driver::outcomeOf(record), std::string_view("not run"));
        record.ran = true;
        QCOMPARE(driver::outcomeOf(record), std::string_view("unchanged"));
        record.changed = true;
        QCOMPARE(driver::outcomeOf(record), std::string_view("changed"));
        record.diagnostics.push_back(error("it broke"));
        QCOMPARE(driver::outcomeOf(record), std::string_view("failed"));
        record = {};
        record.stage = driver::Stage::Codegen;
        record.ran = true;
        QCOMPARE(driver::outcomeOf(record), std::string_view("done"));
        record.enabled = false;
        QCOMPARE(driver::outcomeOf(record), std::string_view("off"));
    }
};

Test test() {
    return {makes<TestPassFigures>};
}

} // namespace lathe::testing::test_pass_figures

#include "test_pass_figures.moc"
