// SPDX-License-Identifier: Apache-2.0
//
// The kernels that default schedules make of a model's hot operators, on their whole way to machine code: the loop that
// does the work holds fused multiply-adds on registers of the target's width, where sums stay in registers enough of them
// to hide their latency, and goes to the stack for no sum.
// In release alone: what is looked at is machine code, which sanitizers do not see into.
// Links: onnx
// Runs: release
#include "codegen/target.h"
#include "driver/compile.h"
#include "support/hot_loops.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/format.h>
#include <set>

namespace lathe::testing::test_default_kernels {

namespace {

/// A model of one operator whose second operand `w` is a constant of these dims.
std::string withWeights(const std::string& graph, const std::vector<int64_t>& dims) {
    ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph);
    addWeights(model, "w", dims, [](int64_t i) { return static_cast<float>(i % 13) - 6; });
    return model.SerializeAsString();
}

/// What was made of the model for a target; nothing if it does not compile.
std::optional<driver::Trace> compiledFor(const std::string& model, const std::string& target) {
    driver::Options options;
    options.target = *codegen::parseTarget(target);
    options.cache = false;
    driver::Trace trace;
    if (!driver::compileBytes(std::as_bytes(std::span(model)), "model", {}, {}, options, trace))
        return std::nullopt;
    return trace;
}

} // namespace

class TestDefaultKernels : public QObject {
    Q_OBJECT

private slots:
    void defaultSchedules_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("multiplyAdds"); // at least
        QTest::addColumn<int>("stack");        // at most: constants that found no register
        struct Kind {
            const char* name;
            std::string model;
            int multiplyAdds, stack;
        };
        const Kind kinds[] = {
            {"product",
             withWeights("g (float[m,128] x) => (float[m,96] y) { p = MatMul(x, w) y = Relu(p) }", {128, 96}), 12, 0},
            {"convolution",
             withWeights("g (float[1,32,28,28] x) => (float[1,64,24,24] y) { y = Conv (x, w) }", {64, 32, 5, 5}), 12,
             0},
            {"Winograd's convolution",
             withWeights("g (float[1,32,24,24] x) => (float[1,64,24,24] y) { y = Conv <pads = [1,1,1,1]> (x, w) }",
                         {64, 32, 3, 3}),
             12, 0}, // the products of 36 tiles; a transform has less
            {"depthwise convolution",
             withWeights(
                 "g (float[1,64,28,28] x) => (float[1,64,28,28] y) { y = Conv <group = 64, pads = [1,1,1,1]> (x, w) }",
                 {64, 1, 3, 3}),
             8, 0}, // a tap at a time, in rows of the image
            {"depthwise convolution, step 2",
             withWeights("g (float[1,64,28,28] x) => (float[1,64,14,14] y) { y = Conv <group = 64, pads = [1,1,1,1], "
                         "strides = [2,2]> (x, w) }",
                         {64, 1, 3, 3}),
             7, 0},
            {"grouped convolution",
             withWeights(
                 "g (float[1,48,28,28] x) => (float[1,48,28,28] y) { y = Conv <group = 6, pads = [1,1,1,1]> (x, w) }",
                 {48, 8, 3, 3}),
             8, 0},
            {"softmax", graphBytes("g (float[64,256] x) => (float[64,256] y) { y = Softmax(x) }"), 6,
             1}, // the exponential
        };
        const auto row = [](const Kind& kind, const char* target) {
            QTest::addRow("%s, %s", kind.name, target)
                << QByteArray::fromStdString(kind.model) << target << kind.multiplyAdds << kind.stack;
        };
        for (const Kind& kind : kinds)
            for (const char* target : {"x86-64-v3", "x86-64-v4", "cortex-a72", "rv64gcv"})
                row(kind, target);
        // Without vectors selects are branches; steps of two are more work for SVE than they are here.
        for (const Kind& kind : {kinds[0], kinds[1]})
            for (const char* target : {"rv64gc", "aarch64-linux-gnu:neoverse-v1::vector=256"})
                row(kind, target);
    }
    void defaultSchedules() {
        QFETCH(QByteArray, model);
        QFETCH(QString, target);
        QFETCH(int, multiplyAdds);
        QFETCH(int, stack);
        driver::Options options;
        options.cache = false;
        options.target = *codegen::parseTarget(target.toStdString());
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(model.constData(), static_cast<size_t>(model.size()))),
                                 "model", {}, {}, options, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        LoopCount hot;
        std::string kernels;
        for (const driver::KernelRecord& kernel : trace.kernels) {
            const auto listing = kernel.listing();
            QVERIFY2(listing, listing ? "" : toString(listing.error()).c_str());
            kernels += kernel.name + ":";
            for (const LoopCount& loop : hotLoops(listing->instructions, options.target)) {
                kernels += fmt::format(" {} ({} wide, {} on the stack)", loop.multiplyAdds, loop.wide, loop.stack);
                // Of loops with as many, the one that is not for what is left of a row.
                if (std::pair(loop.multiplyAdds, loop.wide) > std::pair(hot.multiplyAdds, hot.wide))
                    hot = loop;
            }
            kernels += "; ";
        }
        if (qEnvironmentVariableIsSet("LATHE_SHOW"))
            qInfo("%s", kernels.c_str());
        QVERIFY2(hot.multiplyAdds >= multiplyAdds, kernels.c_str());
        QVERIFY2(hot.wide == hot.multiplyAdds, kernels.c_str());
        QVERIFY2(hot.stack <= stack, kernels.c_str());
    }

    /// Other answers than the default's keep sums in registers too: those of two rows of an image, of blocks of a reduction,
    /// which are loaded and stored around the loop, and where the loop asks for memory.
    void answeredSchedules_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QByteArray>("answers");
        QTest::addColumn<int>("multiplyAdds"); // of the loop that has most
        QTest::addColumn<int>("prefetches");
        const auto convolution = QByteArray::fromStdString(withWeights(
            "g (float[1,64,14,14] x) => (float[1,64,14,14] y) { y = Conv <pads = [2,2,2,2]> (x, w) }", {64, 64, 5, 5}));
        const auto product = QByteArray::fromStdString(
            withWeights("g (float[96,2048] x) => (float[96,256] y) { p = MatMul(x, w) y = Relu(p) }", {2048, 256}));
        QTest::addRow("rows of two rows of an image")
            << convolution << "x86-64-v3" << QByteArray(R"({"b1.rows": [3], "b1.nextRows": [2]})") << 12 << 0;
        QTest::addRow("blocks of the reduction")
            << product << "x86-64-v4" << QByteArray(R"({"b0.rows": [12], "b0.reduceBlock": [512]})") << 24 << 0;
        QTest::addRow("blocks of all") << product << "x86-64-v4"
                                       << QByteArray(R"({"b0.rows": [12], "b0.reduceBlock": [512], "b0.order": [1],
                                                         "b0.panelBlock": [4], "b0.rowBlock": [2]})")
                                       << 24 << 0;
        QTest::addRow("steps in one, asked for early")
            << product << "x86-64-v4"
            << QByteArray(R"({"b0.rows": [8], "b0.reduceUnroll": [4], "b0.prefetch": [16384]})") << 64 << 8;
    }
    void answeredSchedules() {
        QFETCH(QByteArray, model);
        QFETCH(QString, target);
        QFETCH(QByteArray, answers);
        QFETCH(int, multiplyAdds);
        QFETCH(int, prefetches);
        driver::Options options;
        options.cache = false;
        options.target = *codegen::parseTarget(target.toStdString());
        const auto bytes = std::as_bytes(std::span(model.constData(), static_cast<size_t>(model.size())));
        driver::Trace usual;
        QVERIFY(driver::compileBytes(bytes, "model", {}, {}, options, usual));
        const std::string question = answers.mid(2, 2).toStdString() + ".prefetch"; // {"bN.…: only of panels of weights
        const auto asks = [&](const driver::KernelRecord& kernel) {
            const std::vector<schedule::Question>& asked = kernel.schedule.questions;
            return std::ranges::find(asked, question, &schedule::Question::name) != asked.end();
        };
        const auto kernel = std::ranges::find_if(usual.kernels, asks);
        QVERIFY(kernel != usual.kernels.end());
        const auto decisions = driver::parseDecisions(
            fmt::format(R"({{"answers": {{"{}": {}}}}})", kernel->workload, answers.toStdString()));
        QVERIFY2(decisions, decisions ? "" : toString(decisions.error()).c_str());
        driver::Trace trace;
        const auto compiled = driver::compileBytes(bytes, "model", {}, *decisions, options, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        const auto listing = std::ranges::find_if(trace.kernels, asks)->listing();
        QVERIFY2(listing, listing ? "" : toString(listing.error()).c_str());
        LoopCount hot;
        for (const LoopCount& loop : hotLoops(listing->instructions, options.target))
            if (loop.multiplyAdds > hot.multiplyAdds)
                hot = loop;
        QCOMPARE(hot.multiplyAdds, multiplyAdds);
        QCOMPARE(hot.wide, multiplyAdds);
        QCOMPARE(hot.stack, 0);
        QVERIFY(std::ranges::count_if(listing->instructions, [](const auto& each) {
                    return each.text.starts_with("prefetcht0");
                }) >= prefetches);
    }

    /// Rows of a tile are pixels, which are known, whether there is one image or an unknown number: the same loops multiply.
    void rowsAreNotTheBatch() {
        const auto loops = [](const char* images, const char* target) {
            const std::string model = withWeights(
                fmt::format("g (float[{0},64,25,5] x) => (float[{0},64,25,5] y) {{ y = Conv (x, w) }}", images),
                {64, 64, 1, 1});
            std::multiset<int64_t> found;
            if (const auto trace = compiledFor(model, target))
                for (const driver::KernelRecord& kernel : trace->kernels)
                    for (const LoopCount& loop : hotLoops(kernel.listing()->instructions, kernel.target))
                        found.insert(loop.wide);
            return found;
        };
        for (const char* target : {"x86-64-v3", "x86-64-v4", "cortex-a72"}) {
            const std::multiset<int64_t> known = loops("1", target), unknown = loops("n", target);
            QVERIFY2(!known.empty() && *known.rbegin() >= 12, target);
            QVERIFY2(known == unknown, target);
        }
    }

    /// Where several tiles of rows pass over a panel of weights they ask for the next, a single one some lines ahead; one row, and
    /// weights that stay near, ask for nothing. Nobody loses a tile by it: not where tiles of many images pass over a panel, and
    /// not where what looks like a panel lies apart.
    void panelsAreAskedFor_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QString>("step"); // of the schedule; empty: none asks
        const auto row = [](const char* name, const std::string& model, const char* step) {
            QTest::newRow(name) << QByteArray::fromStdString(model) << step;
        };
        const auto product = [](int rows, int depth) {
            return withWeights(
                fmt::format("g (float[{0},{1}] x) => (float[{0},256] y) {{ y = MatMul(x, w) }}", rows, depth),
                {depth, 256});
        };
        row("many rows", product(96, 512), "prefetchNext");
        row("a tile of rows", product(4, 512), "prefetch ");
        row("one row", product(1, 512), "");
        row("few weights", product(96, 16), "");
        row("a convolution",
            withWeights("g (float[1,64,14,14] x) => (float[1,256,14,14] y) { y = Conv <pads = [2,2,2,2]> (x, w) }",
                        {256, 64, 5, 5}),
            "prefetchNext");
        row("images",
            withWeights("g (float[512,256,14,14] x) => (float[512,64,14,14] y) { y = Conv (x, w) }", {64, 256, 1, 1}),
            "prefetchNext");
        row("heads behind keys",
            graphBytes(
                "g (float[1,12,128,128] p, float[1,128,12,32] v) => (float[1,12,128,32] y) { y = Einsum <equation = "
                "\"bhqk,bkhd->bhqd\"> (p, v) }"),
            "");
    }
    void panelsAreAskedFor() {
        QFETCH(QByteArray, model);
        QFETCH(QString, step);
        for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
            const auto trace = compiledFor(model.toStdString(), target);
            QVERIFY(trace);
            std::string steps;
            int64_t wide = 0;
            for (const driver::KernelRecord& kernel : trace->kernels) {
                steps += schedule::print(kernel.schedule.trace);
                for (const LoopCount& loop : hotLoops(kernel.listing()->instructions, kernel.target))
                    wide = std::max<int64_t>(wide, loop.wide);
                for (const schedule::Refusal& refusal : kernel.schedule.refusals)
                    QVERIFY2(!refusal.tried.starts_with("register tile") && !refusal.tried.starts_with("next panel"),
                             (refusal.tried + ": " + refusal.reason).c_str());
            }
            const std::string wanted = step.isEmpty() ? "\nprefetch" : "\n" + step.toStdString();
            QVERIFY2((steps.find(wanted) != std::string::npos) == !step.isEmpty(), steps.c_str());
            QVERIFY2(wide >= 2, std::to_string(wide).c_str());
        }
    }

    /// A power of two is one instruction where there is one, also of vectors of two registers that follow a product.
    void exponentialsAreScaledAtOnce() {
        for (const std::string& model :
             {graphBytes("g (float[64,256] x) => (float[64,256] y) { y = Softmax(x) }"),
              withWeights("g (float[96,64] x) => (float[96,256] y) { p = MatMul(x, w) y = Sigmoid(p) }", {64, 256})})
            for (const auto& [target, scales] : {std::pair("x86-64-v3", false), std::pair("x86-64-v4", true)}) {
                const auto trace = compiledFor(model, target);
                QVERIFY(trace);
                bool found = false;
                for (const driver::KernelRecord& kernel : trace->kernels)
                    for (const auto& each : kernel.listing()->instructions)
                        found = found || each.text.starts_with("vscalefps");
                QCOMPARE(found, scales);
            }
    }

    /// Columns of an operand in rows are repacked by each task, or all of them first where the results leave the second cache.
    void columnsAreRepacked() {
        for (const auto& [keys, l2, first] :
             {std::tuple{128, 65536, 0}, std::tuple{129, 65536, 1}, std::tuple{129, 131072, 0}}) {
            const std::string model = graphBytes(
                fmt::format("g (float[2,128,32] q, float[2,{0},32] k) => (float[2,128,{0}] s) {{ t = Transpose <perm = "
                            "[0,2,1]> (k) s = MatMul(q, t) }}",
                            keys));
            const auto trace = compiledFor(model, fmt::format("x86_64-unknown-linux-gnu:x86-64-v4::l2={}", l2));
            QVERIFY(trace);
            const auto& asked = trace->kernels.front().schedule.questions;
            const auto question = std::ranges::find(asked, "b0.repack", &schedule::Question::name);
            QVERIFY(question != asked.end());
            QCOMPARE(question->preferred, std::vector<int64_t>{first});
        }
    }

    /// The first cache has a place in a page for as many lines as it has pages: 8 of 32 KiB. Rows of 4 KiB stand in one place
    /// of a page, those of 2 KiB in two.
    void rowsThatCompeteInACache() {
        for (const auto& [depth, l1, rows] :
             {std::tuple{1024, 32, 8}, std::tuple{1024, 16, 4}, std::tuple{2048, 32, 8}, std::tuple{512, 16, 8},
              std::tuple{512, 32, 12}, std::tuple{1040, 32, 12}, std::tuple{1000, 32, 12}}) {
            const std::string model = withWeights(
                fmt::format("g (float[96,{}] x) => (float[96,64] y) {{ y = MatMul(x, w) }}", depth), {depth, 64});
            const auto trace = compiledFor(model, fmt::format("x86_64-unknown-linux-gnu:x86-64-v4::l1={}", l1 * 1024));
            QVERIFY(trace);
            QCOMPARE(trace->kernels.size(), size_t{1});
            const auto& asked = trace->kernels.front().schedule.questions;
            const auto question = std::ranges::find(asked, "b0.rows", &schedule::Question::name);
            QVERIFY(question != asked.end());
            QCOMPARE(question->preferred, std::vector<int64_t>{rows});
        }
    }
};

Test test() {
    return {makes<TestDefaultKernels>};
}

} // namespace lathe::testing::test_default_kernels

#include "test_default_kernels.moc"
