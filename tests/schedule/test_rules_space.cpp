// SPDX-License-Identifier: Apache-2.0
//
// Spaces by rules, on the kernels of operators of all kinds, at sizes that divide, do not, are 1 or prime: whatever is answered
// at random, what comes out computes what the unscheduled function does; the same answers give the same program; its trace
// prints, reads and replays, on a function with other names too; tiles waste little. No answers give the default schedule.
// In release alone: nearly all of it is the interpreter, which is several times slower under sanitizers; test_schedule_random
// has it run there on programs of all kinds.
// Links: onnx
// Needs: lathe-runner
// Timeout: 600
// Runs: release
#include "codegen/target.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "driver/kernel_artifact.h"
#include "harness.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "tir/text.h"
#include "tir/verify.h"
#include "tune/explorer.h"
#include "tune/rules/checks.h"
#include "tune/rules/tiles.h"
#include "tune/spaces.h"
#include "tuning/tune_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace lathe::testing::test_rules_space {

using namespace lathe::tune;

namespace {

struct Kind {
    const char* name;
    const char* graph;
    std::vector<std::pair<const char*, std::vector<int64_t>>> weights = {};
    bool isExact = true; // on small whole numbers; else functions and divisions round
};

const std::vector<Kind> kinds = {
    {"product", "g (float[24,40] x) => (float[24,64] y) { p = MatMul(x, w) y = Relu(p) }", {{"w", {40, 64}}}},
    {"product of primes", "g (float[13,7] x) => (float[13,37] y) { p = MatMul(x, w) y = Relu(p) }", {{"w", {7, 37}}}},
    {"product of one row", "g (float[1,33] x) => (float[1,48] y) { y = MatMul(x, w) }", {{"w", {33, 48}}}},
    {"product of two operands", "g (float[2,9,24] x, float[2,24,11] z) => (float[2,9,11] y) { y = MatMul(x, z) }"},
    {"rows by rows",
     "g (float[2,9,40] x, float[2,11,40] z) => (float[2,9,11] y) { t = Transpose <perm = [0,2,1]> (z) y = MatMul(x, t) "
     "}"},
    {"convolution",
     "g (float[1,6,9,11] x) => (float[1,12,9,11] y) { c = Conv <pads = [1,1,1,1]> (x, w) y = Relu(c) }",
     {{"w", {12, 6, 3, 3}}}},
    {"convolution of points",
     "g (float[1,16,7,7] x) => (float[1,24,7,7] y) { y = Conv (x, w) }",
     {{"w", {24, 16, 1, 1}}}},
    {"convolution in steps",
     "g (float[1,3,17,17] x) => (float[1,8,8,8] y) { y = Conv <strides = [2,2]> (x, w) }",
     {{"w", {8, 3, 3, 3}}}},
    {"depthwise convolution",
     "g (float[1,8,9,13] x) => (float[1,8,9,13] y) { y = Conv <group = 8, pads = [1,1,1,1]> (x, w) }",
     {{"w", {8, 1, 3, 3}}}},
    {"grouped convolution",
     "g (float[1,8,7,9] x) => (float[1,12,5,7] y) { y = Conv <group = 4> (x, w) }",
     {{"w", {12, 2, 3, 3}}}},
    {"largest of windows",
     "g (float[1,3,12,10] x) => (float[1,3,6,5] y) { y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = "
     "[1,1,1,1]> (x) }"},
    {"mean of planes", "g (float[2,5,7,7] x) => (float[2,5,1,1] y) { y = GlobalAveragePool(x) }", {}, false},
    {"sums of rows",
     "g (float[7,100] x) => (float[7] y) { a = Constant <value_ints = [1]> () y = ReduceSum <keepdims = "
     "0> (x, a) }"},
    {"sums of columns",
     "g (float[31,17] x) => (float[17] y) { a = Constant <value_ints = [0]> () y = ReduceSum <keepdims "
     "= 0> (x, a) }"},
    {"sum of all", "g (float[600] x) => (float y) { y = ReduceSum <keepdims = 0> (x) }"},
    {"softmax", "g (float[5,24] x) => (float[5,24] y) { y = Softmax(x) }", {}, false},
    {"softmax of primes", "g (float[3,13] x) => (float[3,13] y) { y = Softmax(x) }", {}, false},
    {"softmax between", "g (float[3,7,10] x) => (float[3,7,10] y) { y = Softmax <axis = 1> (x) }", {}, false},
    {"normalisation",
     "g (float[6,40] x, float[40] s, float[40] b) => (float[6,40] y) { y = LayerNormalization(x, s, b) }",
     {},
     false},
    {"elementwise", "g (float[9,35] x) => (float[9,35] y) { a = Mul(x, x) b = Add(a, x) y = Relu(b) }"},
    {"function", "g (float[3,67] x) => (float[3,67] y) { y = Sigmoid(x) }", {}, false},
    {"one element", "g (float[1] x) => (float[1] y) { y = Add(x, x) }"},
    {"along an axis", "g (float[4,5,6] x, float[5,1] z) => (float[4,5,6] y) { y = Add(x, z) }"},
    {"transpose", "g (float[10,17,3] x) => (float[3,10,17] y) { y = Transpose <perm = [2,0,1]> (x) }"},
    {"concatenation", "g (float[3,7] x, float[3,9] z) => (float[3,16] y) { y = Concat <axis = 1> (x, z) }"},
};

/// The unscheduled functions of the kernels that the operator becomes.
std::vector<tir::PrimFuncPtr> kernelsOf(const Kind& kind, const Target& target) {
    ::onnx::ModelProto model =
        testing::parseModel(std::string("<ir_version: 10, opset_import: [\"\" : 21]>\n") + kind.graph);
    for (const auto& [name, dims] : kind.weights)
        testing::addWeights(model, name, dims, [](int64_t i) { return static_cast<float>(i % 9) - 4; });
    const std::string bytes = model.SerializeAsString();
    driver::Options options;
    options.target = target;
    options.cache = false;
    driver::Trace trace;
    const auto done = driver::compileBytes(std::as_bytes(std::span(bytes)), "model", {}, {}, options, trace);
    if (!done)
        throw std::runtime_error(toString(done.error()));
    std::vector<tir::PrimFuncPtr> kernels;
    for (const driver::KernelRecord& kernel : trace.kernels)
        if (kernel.schedulable)
            kernels.push_back(kernel.stages.front().second);
    return kernels;
}

/// Empty if both compute the same: bit by bit, or to what functions and divisions round.
std::string differs(const tir::PrimFunc& before, const tir::PrimFunc& after, bool isExact) {
    if (isExact)
        return difference(before, after);
    if (const auto verified = tir::verify(after, tir::Level::Blocks); !verified)
        return toString(verified.error()) + "\n" + tir::print(after);
    try {
        const std::vector<float> expected = run(before), actual = run(after);
        for (size_t i = 0; i < expected.size(); ++i)
            if (!(std::abs(expected[i] - actual[i]) <= 1e-6F + 1e-5F * std::abs(expected[i])))
                return fmt::format("element {} is {}, not {}\n{}", i, actual[i], expected[i], tir::print(after));
    } catch (const std::exception& failure) {
        return fmt::format("{}\n{}", failure.what(), tir::print(after));
    }
    return {};
}

/// The same function under other names of everything.
tir::PrimFuncPtr renamed(const tir::PrimFunc& function) {
    tir::PrintOptions options;
    options.names = false;
    const auto read = tir::parsePrimFunc(tir::print(function, options));
    return read ? *read : nullptr;
}

} // namespace

class TestRulesSpace : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    static Space spaceOf(const std::string& name, const Target& target) {
        return *makeSpace(name, tuning::templateSpace(target), target, 2);
    }

private slots:
    void everyAnswer_data() {
        QTest::addColumn<size_t>("kind");
        QTest::addColumn<QString>("target");
        for (const char* target : {"x86-64-v3", "x86-64-v4"})
            for (size_t i = 0; i < kinds.size(); ++i)
                QTest::addRow("%s, %s", kinds[i].name, target) << i << target;
    }
    void everyAnswer() {
        QFETCH(size_t, kind);
        QFETCH(QString, target);
        const Target machine = *codegen::parseTarget(target.toStdString());
        const int seeds = std::max(1, qEnvironmentVariableIntValue("LATHE_FUZZ")) * 4;
        for (const tir::PrimFuncPtr& function : kernelsOf(kinds[kind], machine)) {
            const tir::PrimFuncPtr other = renamed(*function);
            QVERIFY(other);
            std::set<Hash128> programs;
            std::map<std::string, int> refused;
            for (int seed = 0; seed < 2 * seeds; ++seed) {
                const Space space = spaceOf(seed % 2 == 0 ? "sketch" : "rules", machine);
                const auto made =
                    space.generate(function, std::make_shared<Held>(schedule::Answers{}, static_cast<uint64_t>(seed)));
                if (!made) {
                    QVERIFY2(made.error().kind != ErrorKind::Internal, made.error().what.c_str());
                    ++refused[made.error().what];
                    continue;
                }
                if (!programs.insert(made->program).second)
                    continue;
                const std::string trace = schedule::print(made->trace);
                const std::string wrong = differs(*function, *made->scheduled, kinds[kind].isExact);
                if (!wrong.empty())
                    std::fprintf(stderr, "seed %d: %s\n%s", seed, wrong.c_str(), trace.c_str());
                QVERIFY2(wrong.empty(), "the text is above"); // Qt Test cuts long messages
                const auto again = space.generate(function, std::make_shared<Held>(made->answers));
                QVERIFY(again && again->program == made->program && again->trace == made->trace);
                const auto read = schedule::parseTrace(trace);
                QVERIFY(read && *read == made->trace);
                for (const tir::PrimFuncPtr& alike : {function, other}) {
                    schedule::Schedule replayed(alike);
                    const auto done = replayed.replay(*read);
                    QVERIFY2(done, done ? "" : toString(done.error()).c_str());
                    // Sums in indices are ordered by names.
                    QVERIFY(alike == other ||
                            candidateOf(replayed.function(), *read, {}, Held({})).program == made->program);
                    QVERIFY(alike == function || differs(*function, *replayed.function(), kinds[kind].isExact).empty());
                }
            }
            for (const auto& [reason, count] : refused)
                qInfo("%s: %d times %s", function->name.c_str(), count, reason.c_str());
            QVERIFY2(!programs.empty(), function->name.c_str());
        }
    }

    void compiledBitByBit_data() {
        QTest::addColumn<size_t>("kind");
        for (size_t i = 0; i < kinds.size(); ++i)
            for (const char* name : {"product of primes", "rows by rows", "convolution", "depthwise convolution",
                                     "largest of windows", "sums of rows", "sum of all"})
                if (std::string_view(kinds[i].name) == name)
                    QTest::newRow(name) << i;
    }
    /// Candidates and the unscheduled kernel, in one artifact on the same small whole numbers.
    void compiledBitByBit() {
        QFETCH(size_t, kind);
        driver::Options options;
        options.cache = false;
        options.verify = true;
        const Space space = spaceOf("rules", options.target);
        for (const tir::PrimFuncPtr& function : kernelsOf(kinds[kind], options.target)) {
            driver::Decisions plain;
            plain.skipPasses = {"schedule"};
            std::vector<driver::CompiledKernelPtr> kernels;
            const auto add = [&](const driver::Decisions& decisions) {
                const std::string name = fmt::format("kernel_{}", kernels.size());
                auto made = driver::compileKernelAlone(function, name, true, decisions, options);
                QVERIFY2(made, made ? "" : toString(made.error()).c_str());
                kernels.push_back(std::move(*made));
            };
            add(plain);
            for (uint64_t seed = 0; seed < 4; ++seed)
                if (const auto made = space.generate(function, std::make_shared<Held>(schedule::Answers{}, seed))) {
                    driver::Decisions decisions;
                    decisions.kernels[kernels.front()->record.workload].trace = made->trace;
                    add(decisions);
                    QVERIFY(kernels.back()->record.schedule.warnings.empty());
                }
            QVERIFY(kernels.size() > 1);
            const std::filesystem::path path = temporary_.filePath("kernels.so").toStdString();
            const auto written = driver::writeKernelArtifact(kernels, options, path);
            QVERIFY2(written, written ? "" : toString(written.error()).c_str());
            device::RunnerOptions runnerOptions;
            runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
            device::RunnerClient runner(runnerOptions);
            const auto loaded = runner.load(path);
            QVERIFY2(loaded, loaded ? "" : toString(loaded.error()).c_str());
            const auto inputs =
                std::span(function->params).first(function->params.size() - static_cast<size_t>(function->outputs));
            for (const tir::Param& param : inputs) {
                std::vector<int64_t> shape;
                size_t count = 1;
                for (const arith::Expr& extent : param.buffer->shape)
                    count *= static_cast<size_t>(shape.emplace_back(*arith::asInt(extent)));
                std::vector<float> values(count);
                for (size_t i = 0; i < count; ++i)
                    values[i] = static_cast<float>((i * 7 + count) % 9) - 4;
                QVERIFY(runner.setInput(param.buffer->name, testing::tensorOf(types::Float32, shape, values)));
            }
            std::vector<float> expected;
            for (int64_t which = 0; which < std::ssize(kernels); ++which) {
                QVERIFY(runner.setInput("plan", testing::tensorOf<int64_t>(types::Int64, {2}, {which, 1})));
                QVERIFY(runner.run());
                const auto output = runner.output(0);
                QVERIFY(output);
                if (which == 0)
                    expected = testing::valuesOf<float>(*output);
                QCOMPARE(testing::valuesOf<float>(*output), expected);
            }
        }
    }

    void noAnswersAreTheDefault() {
        const Target target = *codegen::parseTarget("x86-64-v3");
        const tir::PrimFuncPtr function = matmul(13, 37, 7, true);
        const auto standard =
            tuning::templateSpace(target).generate(function, std::make_shared<Held>(schedule::Answers{}));
        for (const std::string_view name : spaceNames()) {
            const Space space = spaceOf(std::string(name), target);
            QCOMPARE(space.name, std::string(name));
            const auto made = space.generate(function, std::make_shared<Held>(schedule::Answers{}));
            QVERIFY(made && made->program == standard->program && made->trace == standard->trace);
            // Somebody can go on from there.
            QVERIFY(std::ranges::any_of(made->questions, [](const auto& each) { return each.candidates.size() > 1; }));
        }
        const auto none = makeSpace("luck", tuning::templateSpace(target), target, 1);
        QVERIFY(!none && none.error().kind == ErrorKind::Usage && holds(none.error().hint, "sketch"));
    }

    void onlyAllDrawsTemplates() {
        const Target target = *codegen::parseTarget("x86-64-v3");
        for (const std::string name : {"sketch", "rules", "all"}) {
            std::set<int64_t> ways;
            for (uint64_t seed = 0; seed < 20; ++seed)
                if (const auto made =
                        spaceOf(name, target)
                            .generate(matmul(8, 16, 4, true), std::make_shared<Held>(schedule::Answers{}, seed)))
                    ways.insert(made->answers.at("way").front());
            QCOMPARE(ways, name == "all" ? std::set<int64_t>({0, 1}) : std::set<int64_t>({1}));
        }
    }

    void drawsByWeights() {
        schedule::Question question;
        question.name = "q";
        question.candidates = {1, 2, 3};
        question.weights = {0, 1, 3};
        question.preferred = {2};
        std::map<int64_t, int> drawn;
        for (uint64_t seed = 0; seed < 4000; ++seed)
            ++drawn[Held({}, seed).answer(question).front()];
        QCOMPARE(drawn[1], 0);
        QVERIFY(std::abs(drawn[3] - 3000) < 120); // four deviations
    }

    void tilesWasteLittle() {
        const std::vector<int64_t> sizes = {2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 64};
        for (int64_t extent = 1; extent < 300; ++extent) {
            const std::vector<Option> options = tileOptions(extent, sizes);
            QCOMPARE(options.front().value, int64_t(1));
            for (const Option& option : options) {
                const int64_t tiles = (extent + option.value - 1) / option.value;
                QVERIFY(7 * tiles * option.value <= 8 * extent && option.value <= extent);
            }
        }
        // A prime: 16 * 13 = 208 are 11 too many, 64 * 4 = 256 are 59.
        std::vector<int64_t> fitting;
        for (const Option& option : tileOptions(197, sizes))
            fitting.push_back(option.value);
        QCOMPARE(fitting, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32}));
    }

    /// What is refused, and in which words.
    void refusesWhatIsNotWorthBuilding() {
        const Target target = *codegen::parseTarget("x86-64-v3");
        const auto why = [&](const tir::PrimFuncPtr& function, const std::function<void(schedule::Schedule&)>& make) {
            schedule::Schedule made(function);
            make(made);
            const auto checked = checkSchedule(function, made.function(), target, 2);
            return checked ? std::string() : checked.error().what;
        };
        const tir::PrimFuncPtr product = matmul(512, 512, 64, false);
        const schedule::BlockRef block{"C"};
        QCOMPARE(why(product, [&](schedule::Schedule& s) { s.parallel(s.loops(block)[0]); }), std::string());
        QCOMPARE(why(product, [&](schedule::Schedule&) {}), std::string("threads are idle"));
        QCOMPARE(why(product,
                     [&](schedule::Schedule& s) {
                         const auto loops = s.loops(block);
                         const auto rows = s.split(loops[0], {-1, 64}), columns = s.split(loops[1], {-1, 64});
                         s.reorder({rows[0], columns[0], loops[2], rows[1], columns[1]});
                         s.unroll(rows[1]);
                         s.unroll(columns[1]);
                         s.unroll(loops[2]);
                     }),
                 std::string("more statements in a row than code should have"));
        QCOMPARE(why(product, [&](schedule::Schedule& s) { s.cacheWrite(block, 0, tir::Scope::Local); }),
                 std::string("more local memory than stays near"));
        QCOMPARE(why(product,
                     [&](schedule::Schedule& s) {
                         auto loops = s.loops(block);
                         const auto rows = s.split(loops[0], {-1, 8}), columns = s.split(loops[1], {-1, 64});
                         s.reorder({rows[0], columns[0], loops[2], rows[1], columns[1]});
                         s.decomposeReduction(block, loops[2]);
                         s.unroll(rows[1]);
                         s.vectorize(columns[1]);
                         s.parallel(rows[0]);
                     }),
                 std::string("more accumulators than registers"));
    }
};

Test test() {
    return {makes<TestRulesSpace>};
}

} // namespace lathe::testing::test_rules_space

#include "test_rules_space.moc"
