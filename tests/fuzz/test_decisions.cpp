// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
// Timeout: 600
//
// Damaged Decisions, by fixed seeds: refused, or warned of, or followed with the right outputs. $LATHE_FUZZ multiplies the
// count; 10 is the full run of 2,000.
#include "driver/compile.h"
#include "fuzz/extent.h"
#include "fuzz/mutate.h"
#include "support/onnx_model.h"
#include "support/product_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_decisions {

namespace fs = std::filesystem;

class TestDecisionsMutants : public QObject {
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

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        out_ = temporary_.filePath("mutant.so").toStdString();
    }

    void mutants() {
        driver::Trace first;
        QVERIFY(compile({}, first, false));
        driver::Decisions decisions;
        decisions.skipPasses = {"simplify inference"};
        for (const driver::KernelRecord& kernel : first.kernels) {
            decisions.kernels[kernel.workload].trace = kernel.schedule.trace;
            for (const schedule::Question& question : kernel.schedule.questions)
                if (question.kind == schedule::Question::Kind::OneOf)
                    decisions.kernels[kernel.workload].answers[question.name] = question.preferred;
        }
        for (const driver::LayoutRecord& record : first.layouts)
            decisions.layouts.push_back(record.chosen);
        QVERIFY(!decisions.layouts.empty());
        driver::Decisions apart; // another computation, to which the schedules above do not belong
        for (const relay::transform::FusionEdge& edge : first.fusion.edges)
            apart.apart.push_back(
                {first.fusion.operators[edge.producer].name, first.fusion.operators[edge.consumer].name});
        QVERIFY(!apart.apart.empty());
        driver::Decisions pinsAlone = decisions, tracesAlone = decisions;
        for (auto& [workload, kernel] : pinsAlone.kernels)
            kernel.trace.reset();
        for (auto& [workload, kernel] : tracesAlone.kernels)
            kernel.answers.clear();
        driver::Decisions variants; // a product has none, so what is read is refused
        variants.variants = {{decisions.layouts.front().of, "winograd4"}};
        const std::string texts[] = {driver::toJson(decisions), driver::toJson(pinsAlone)};
        const auto count = static_cast<int>(fuzz::scaled(200));
        int malformed = 0, refused = 0, warned = 0, followed = 0;
        for (int i = 0; i < count; ++i) {
            fuzz::Random random(static_cast<uint64_t>(i));
            std::string text = i % 8 == 7   ? driver::toJson(variants)
                               : i % 8 == 3 ? driver::toJson(apart)
                                            : texts[i % 2];
            if (i % 4 < 2) {
                text = fuzz::mutateBytes(text, random);
            } else if (i % 4 == 2) {
                // Only within the schedules, which a byte more or less would make no JSON of. One that does not replay is
                // a warning, unless there are answers to be put into it.
                driver::Decisions changed = tracesAlone;
                for (auto& [workload, kernel] : changed.kernels)
                    if (auto trace = schedule::parseTrace(fuzz::mutateText(schedule::print(*kernel.trace), random)))
                        kernel.trace = *std::move(trace);
                text = driver::toJson(changed);
            } else {
                text = fuzz::mutateText(text, random);
            }
            const auto read = driver::parseDecisions(text);
            if (!read) {
                ++malformed;
                continue;
            }
            QCOMPARE(driver::toJson(*driver::parseDecisions(driver::toJson(*read))), driver::toJson(*read));
            driver::Trace trace;
            const auto compiled = compile(*read, trace);
            const std::string what = compiled ? "" : toString(compiled.error());
            QVERIFY2(what.find("internal error") == std::string::npos,
                     fmt::format("mutant {}: {}\n{}", i, what, text).c_str());
            if (!compiled) {
                ++refused;
                continue;
            }
            ++(trace.diagnostics.empty() ? followed : warned);
            QVERIFY2(wrongProduct(out_).empty(), fmt::format("mutant {}: {}\n{}", i, wrongProduct(out_), text).c_str());
        }
        qInfo("%d texts: %d malformed, %d refused, %d with a warning, %d followed", count, malformed, refused, warned,
              followed);
        QVERIFY(malformed > 0 && refused > 0 && warned > 0 && followed > 0);
    }
};

Test test() {
    return {makes<TestDecisionsMutants>};
}

} // namespace lathe::testing::test_decisions

#include "test_decisions.moc"
