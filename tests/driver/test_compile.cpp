// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// compile(): results by the runner, the Trace, Decisions, cancellation, the cache, and what happens when a pass fails.
#include "base/text_diff.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "driver/passes.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"
#include "tir/visit.h"

#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <thread>

namespace lathe::testing::test_compile {

namespace fs = std::filesystem;

namespace {

const driver::PassRecord* passOf(const driver::Trace& trace, const std::string& name) {
    for (const driver::PassRecord& pass : trace.passes)
        if (pass.name == name)
            return &pass;
    return nullptr;
}

std::vector<std::string> namesOf(const driver::Trace& trace) {
    std::vector<std::string> names;
    for (const driver::PassRecord& pass : trace.passes)
        names.push_back(pass.name);
    return names;
}

std::vector<std::string> plannedNames() {
    std::vector<std::string> names;
    for (const driver::Pass& pass : driver::pipeline())
        names.emplace_back(pass.name);
    return names;
}

bool contains(const tir::PrimFunc& function, tir::ForKind kind) {
    bool found = false;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        const auto* loop = stmt->as<tir::For>();
        found |= loop && loop->kind == kind;
        return true;
    });
    return found;
}

/// (x + 1) · 2 of a vector of any length; the constants fold into one another nowhere.
const char* simple = "g (float[n] x) => (float[n] y) <float one = {1}, float two = {2}> "
                     "{ [sum] a = Add (x, one) [twice] y = Mul (a, two) }";

} // namespace

class TestCompile : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path out_;

    Result<driver::Artifact> compile(const std::string& graph, driver::Trace& trace,
                                     const driver::Decisions& decisions = {}, driver::Options options = {},
                                     const driver::Progress& progress = {}) {
        const std::string bytes = graphBytes(graph);
        options.verify = true;
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, decisions, options, trace,
                                    progress);
    }

    std::vector<float> run(const std::vector<float>& x) {
        device::RunnerOptions options;
        options.program = LATHE_BINARY_DIR "/lathe-runner";
        device::RunnerClient runner(options);
        const auto loaded = runner.load(out_);
        if (!loaded || !runner.setInput("x", tensorOf(types::Float32, {std::ssize(x)}, x)) || !runner.run())
            return {};
        const auto output = runner.output(0);
        return output ? valuesOf<float>(*output) : std::vector<float>();
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() { out_ = temporary_.filePath(QTest::currentTestFunction()).toStdString() + ".so"; }

    void oneArtifactServesAllSizes() {
        driver::Trace trace;
        const auto compiled = compile(simple, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QCOMPARE(run({1, 2, 3}), (std::vector<float>{4, 6, 8}));
        QCOMPARE(run({-1}), std::vector<float>{0});
        QCOMPARE(run(std::vector<float>(1000, 0.5F)), std::vector<float>(1000, 3));
    }

    void traceIsComplete() {
        driver::Trace trace;
        QVERIFY(compile(simple, trace));
        QVERIFY(trace.graph && trace.entry && !trace.kernels.empty() && !trace.calls.empty());
        QCOMPARE(trace.graph->nodeCount, 2);
        QCOMPARE(trace.passes.front().name, "import");
        for (const char* name : {"import", "inline functions", "fold constants", "canonical forms", "fuse"}) {
            const driver::PassRecord* pass = passOf(trace, name);
            QVERIFY2(pass && pass->after && pass->ran, name);
        }
        QVERIFY(namesOf(trace) == plannedNames());
        for (const driver::PassRecord& pass : trace.passes)
            QVERIFY2(pass.ran && pass.enabled, pass.name.c_str());
        for (const driver::KernelRecord& kernel : trace.kernels) {
            QCOMPARE(kernel.stages.front().first, "computation");
            const auto listing = kernel.listing();
            QVERIFY(listing && listing->function == kernel.stages.back().second);
            QVERIFY(listing->llvmIr.find(kernel.name) != std::string::npos);
            QCOMPARE(listing->irStatements.size(), splitLines(listing->llvmIr).size());
            // The instructions of the one loop lead to the node that stores; what is inlined into it counts to it.
            const std::vector<model::Span> spans = driver::spansByOrigin(trace, kernel.name);
            std::set<int32_t> nodes;
            for (const driver::Instruction& instruction : listing->instructions)
                if (instruction.inLoop && instruction.stmt) {
                    const auto& ids = trace.graph->spans->ids(spans.at(static_cast<size_t>(instruction.origin)));
                    nodes.insert(ids.begin(), ids.end());
                }
            const std::string text = driver::print(*listing, trace);
            QVERIFY2(nodes == std::set<int32_t>{1}, text.c_str());
            QVERIFY(text.starts_with(kernel.name + ":\n"));
            QVERIFY(text.find("# twice") != std::string::npos);
        }
    }

    void skippedPassesDoNotRun() {
        driver::Trace trace;
        driver::Decisions decisions;
        decisions.skipPasses = {"fold constants", "fuse", "vectorize"};
        QVERIFY(compile(simple, trace, decisions));
        QVERIFY(namesOf(trace) == plannedNames());
        for (const driver::PassRecord& pass : trace.passes) {
            const bool off = decisions.skipPasses.contains(pass.name);
            QVERIFY2(pass.enabled == !off && pass.ran == !off && !(off && pass.changed), pass.name.c_str());
        }
        for (const driver::KernelRecord& kernel : trace.kernels) {
            QVERIFY(std::ranges::none_of(kernel.stages, [](const auto& stage) { return stage.first == "vectorize"; }));
            QVERIFY(contains(*kernel.stages.back().second, tir::ForKind::Vectorized)); // marked, but not made vectors
        }
        // Unfused, each operator is a kernel.
        QCOMPARE(trace.calls.size(), size_t{2});
        QCOMPARE(run({1, 2, 3}), (std::vector<float>{4, 6, 8}));
    }

    void strictNumericsSwitchOffWhatIsExactOverTheRealsOnly() {
        driver::Trace trace;
        driver::Options options;
        options.numerics = driver::NumericsLevel::Strict;
        QVERIFY(compile(simple, trace, {}, options));
        for (const driver::PassRecord& pass : trace.passes)
            QCOMPARE(pass.enabled, pass.name != "fold scale" && pass.name != "choose variants");
    }

    void whatIsNotReachedDidNotRun() {
        driver::Trace trace;
        QVERIFY(!compile("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }", trace));
        QVERIFY(namesOf(trace) == plannedNames());
        for (const driver::PassRecord& pass : trace.passes)
            QCOMPARE(pass.ran, pass.name == "import");
        QVERIFY(!trace.passes.front().diagnostics.empty());
    }

    /// What threads reach first does not show: two kinds of kernels, one of which has no schedule.
    void recordsAreTheSameAtAnyNumberOfThreads() {
        const char* graph = "g (float[6] x) => (float[6] y, int64[1, k] z) { [e] y = Exp (x) [n] z = NonZero (x) }";
        std::vector<std::string> first;
        for (int round = 0; round < 10; ++round) {
            driver::Trace trace;
            driver::Options options;
            options.threads = round == 0 ? 1 : 2;
            options.cache = false;
            const auto compiled = compile(graph, trace, {}, options);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            std::vector<std::string> records;
            for (const driver::PassRecord& pass : trace.passes)
                records.push_back(pass.name + (pass.ran ? " ran" : "") + (pass.changed ? " changed" : ""));
            if (round == 0)
                first = records;
            QVERIFY(records == first);
        }
    }

    void everyOptionalLimitIsRight() {
        for (int limit = 0; limit <= static_cast<int>(driver::optionalPasses().size()); ++limit) {
            driver::Trace trace;
            driver::Decisions decisions;
            decisions.optionalLimit = limit;
            const auto compiled = compile(simple, trace, decisions);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            QCOMPARE(run({1, 2, 3, 4, 5, 6, 7, 8, 9}), (std::vector<float>{4, 6, 8, 10, 12, 14, 16, 18, 20}));
            int ran = 0;
            for (const driver::PassRecord& pass : trace.passes)
                ran += !pass.required && pass.enabled;
            QCOMPARE(ran, limit);
        }
    }

    void cancelWritesNothing() {
        // Before the first pass, and at each later report.
        for (int allowed = 0;; ++allowed) {
            int asked = 0;
            driver::Progress progress;
            progress.cancelled = [&] { return asked++ >= allowed; };
            driver::Options options;
            options.threads = 1;
            driver::Trace trace;
            const auto compiled = compile(simple, trace, {}, options, progress);
            if (compiled)
                break;
            QVERIFY(compiled.error().kind == ErrorKind::Cancelled);
            QVERIFY(!fs::exists(out_));
            QVERIFY(allowed < 1000);
        }
        QVERIFY(fs::exists(out_));
    }

    void progressMovesForward() {
        std::map<std::string, double> last;
        double before = 0; // of the whole
        driver::Progress progress;
        bool back = false, elsewhere = false;
        progress.report = [&, here = std::this_thread::get_id()](std::string_view stage, double fraction) {
            elsewhere |= std::this_thread::get_id() != here;
            last[std::string(stage)] = fraction;
            back |= fraction < before || fraction < 0 || fraction > 1;
            before = fraction;
        };
        driver::Options options;
        options.threads = 4;
        options.cache = false;
        driver::Trace trace;
        QVERIFY(compile(sampleModels[0].graph, trace, {}, options, progress));
        QVERIFY(!back && !elsewhere);
        QCOMPARE(last.at("import"), 0.0);
        const std::string all = std::to_string(trace.kernels.size());
        QCOMPARE(last.at("0 of " + all + " kernels"), 0.1);
        for (const auto& [stage, fraction] : last)
            if (stage.ends_with(" of " + all + " kernels"))
                QVERIFY(fraction >= 0.1 && fraction <= 0.9);
        QVERIFY(last.at("fuse") < 0.1 && last.at("link") > 0.9);
    }

    void cacheGivesTheSameArtifact() {
        const auto read = [](const fs::path& path) {
            std::ifstream file(path, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        driver::Trace first, second, third;
        QVERIFY(compile(sampleModels[0].graph, first));
        const std::string bytes = read(out_);
        QVERIFY(compile(sampleModels[0].graph, second));
        QVERIFY(read(out_) == bytes);
        const auto hits = [](const driver::Trace& trace) {
            return std::ranges::count_if(trace.kernels, &driver::KernelRecord::cached);
        };
        QCOMPARE(hits(first), 0);
        QCOMPARE(hits(second), std::ssize(second.kernels));
        driver::Options options;
        options.cache = false;
        options.threads = 1;
        QVERIFY(compile(sampleModels[0].graph, third, {}, options));
        QCOMPARE(hits(third), 0);
        QVERIFY2(read(out_) == bytes, "without the cache, or with another number of threads, the artifact differs");
    }

    void damagedCacheIsNotTrusted() {
        driver::Trace first, second;
        QVERIFY(compile(simple, first));
        for (const auto& entry : fs::recursive_directory_iterator(temporary_.filePath("cache").toStdString()))
            if (entry.is_regular_file())
                fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
        const auto compiled = compile(simple, second);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QVERIFY(std::ranges::none_of(second.kernels, &driver::KernelRecord::cached));
        QCOMPARE(run({1, 2, 3}), (std::vector<float>{4, 6, 8}));
    }

    void aRefusedModelIsStillShown() {
        driver::Trace trace;
        QVERIFY(!compile("g (float[2] x) => (float[2] y) { [good] a = Relu (x) [odd] y = Frobnicate (a) }", trace));
        QVERIFY(trace.graph);
        QCOMPARE(trace.graph->graph->nodes.size(), size_t{2});
        QVERIFY(!trace.diagnostics.empty());
        QCOMPARE(trace.diagnostics.front().nodeId, 1);
        QVERIFY(!fs::exists(out_));
    }

    void whatCannotBeWrittenIsSaid() {
        out_ = "/proc/no/such/folder/model.so";
        driver::Trace trace;
        const auto compiled = compile(simple, trace);
        QVERIFY(!compiled);
        QVERIFY(compiled.error().what.find("/proc/no/such/folder") != std::string::npos);
    }

    /// From [1] to [2] elements: handed on by address, its dim in memory.
    /// Conversions of narrow floats are made of a dozen steps that share their operands: whoever walks them as trees does
    /// not come to an end.
    void sharedStepsAreWalkedOnce() {
        const std::string bytes =
            modelBytes("<ir_version: 10, opset_import: [\"\" : 22]>\n"
                       "g (bfloat16[64,64] x) => (bfloat16[64,64] y) {\n"
                       "  t = Transpose <perm = [1, 0]> (x)  h = HardSwish (t)  y = Mul (h, h)\n}");
        driver::Options options;
        options.target = *codegen::parseTarget("x86-64-v2"); // without instructions for them
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, {}, options, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
    }

    void carriedValueChangesItsSize() {
        driver::Trace trace;
        const auto compiled = compile(
            "g (float[6] x) => (float[2] y) { start = Constant <value_floats = [1.0]> () to = Constant <value_ints = "
            "[3, 2]> "
            "() rows = Reshape (x, to) [sums] y = Scan <num_scan_inputs = 1, body = step (float[2] a, float[2] b) => "
            "(float[2] c) { [sum] c = Add (a, b) }> (start, rows) }",
            trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QCOMPARE(run({1, 2, 3, 4, 5, 6}), (std::vector<float>{10, 13}));
    }
};

Test test() {
    return {makes<TestCompile>};
}

} // namespace lathe::testing::test_compile

#include "test_compile.moc"
