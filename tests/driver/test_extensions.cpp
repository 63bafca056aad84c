// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// What a compilation is handed beside Lathe's own operators and passes: made by hand, no plugin is loaded.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "driver/extensions.h"
#include "driver/passes.h"
#include "relay/transform/make.h"
#include "relay/visit.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "tune/explorer.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>

namespace lathe::testing::test_extensions {

namespace fs = std::filesystem;

namespace {

using Extensions = std::shared_ptr<driver::Extensions>;

/// (x + 1) · 2 of a vector of any length.
const char* simple = "g (float[n] x) => (float[n] y) <float one = {1}, float two = {2}> "
                     "{ [sum] a = Add (x, one) [twice] y = Mul (a, two) }";

/// Products become sums: what runs is seen in the results.
Result<relay::Module> sumsForProducts(const relay::Module& module) {
    using namespace relay;
    return transform::rewriteModule(
        module,
        [](const BindingPtr& binding, Rewriter&, const relay::Index& index, Module& result) -> std::vector<BindingPtr> {
            const OpCall* call = binding->as<OpCall>();
            if (!call || call->op != Op::Multiply)
                return {binding};
            transform::Maker maker(result, binding->span);
            maker.call(Op::Add, {{call->args[0], transform::typeOf(index, call->args[0])},
                                 {call->args[1], transform::typeOf(index, call->args[1])}});
            return maker.take(binding->var, binding->modelValue);
        });
}

void convertTriple(frontend::NodeReader& node, frontend::Builder& b) {
    const frontend::Var x = node.in(0);
    node.set(0, b.call(relay::Op::Add, {b.call(relay::Op::Add, {x, x}), x}));
}

Extensions withPass(driver::GraphPlace place, std::function<Result<relay::Module>(const relay::Module&)> run) {
    auto extensions = std::make_shared<driver::Extensions>();
    extensions->plugins = {{"acme", "1.0"}};
    extensions->passes = {{.name = "acme/sums", .place = place, .run = std::move(run)}};
    return extensions;
}

Extensions withBodies(const std::string& text) {
    auto extensions = std::make_shared<driver::Extensions>();
    auto bodies = frontend::readBodies(text, "acme", "acme.txt");
    if (!bodies)
        throw std::runtime_error(toString(bodies.error()));
    extensions->operators.bodies = *std::move(bodies);
    return extensions;
}

/// Products by constants as sums, at so many cycles.
Extensions withVariant(double cycles) {
    auto extensions = std::make_shared<driver::Extensions>();
    extensions->plugins = {{"acme", "1.0"}};
    const auto twice = [](const relay::BindingPtr& binding, const relay::Index& index, relay::Module& module) {
        const auto& call = *binding->as<relay::OpCall>();
        const relay::Var x = call.args[relay::transform::constantOf(index, call.args[0]) ? 1 : 0];
        const relay::transform::Maker::Value value{x, relay::transform::typeOf(index, x)};
        relay::transform::Maker maker(module, binding->span);
        maker.call(relay::Op::Add, {value, value});
        return maker.take(binding->var, binding->modelValue);
    };
    extensions->variants = {{.name = "acme/twice",
                             .of = relay::Op::Multiply,
                             .becomes = relay::Op::Add,
                             .applies = [](const relay::choose::VariantCall&) { return true; },
                             .cycles = [cycles](const relay::choose::VariantCall&) { return cycles; },
                             .rewrite = twice}};
    return extensions;
}

/// The first loop in parts, which are asked for.
Extensions withSpace() {
    auto extensions = std::make_shared<driver::Extensions>();
    extensions->plugins = {{"acme", "1.0"}};
    const auto inParts = [](const schedule::Schedule& start, const Target&, int) {
        schedule::Schedule made = start;
        const schedule::BlockRef block = made.blocks().back();
        const schedule::Number parts = made.choose(block, "parts", {2, 4, 8}, 2);
        made.parallel(made.split(made.loops(block).front(), {-1, parts}).front());
        return made;
    };
    extensions->spaces = {{.name = "acme/parts", .version = 3, .schedule = inParts}};
    return extensions;
}

/// The one node of acme's domain.
std::string acmeModel(const std::string& node) {
    return modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"acme\" : 1]> g (float[n] x) => (float[n] y) { " +
                      node + " }");
}

/// x + bias, or x alone, times a factor.
const char* scaled = "# a comment\n"
                     "<domain: \"acme\", opset_import: [\"\" : 18]>\n"
                     "Scaled <factor: float = 3.0, mode: int = 0> (x, bias) => (y) {\n"
                     "    has = OptionalHasElement (bias)\n"
                     "    sum = If (has) <then_branch = given () => (a) { a = Add (x, bias) },\n"
                     "                    else_branch = absent () => (b) { b = Identity (x) }>\n"
                     "    scale = Constant <value_float: float = @factor> ()\n"
                     "    y = Mul (sum, scale)\n"
                     "}\n";

const driver::PassRecord* passOf(const driver::Trace& trace, const std::string& name) {
    const auto found = std::ranges::find(trace.passes, name, &driver::PassRecord::name);
    return found == trace.passes.end() ? nullptr : &*found;
}

} // namespace

class TestExtensions : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path out_;

    Result<driver::Artifact> compile(const std::string& bytes, const Extensions& extensions, driver::Trace& trace,
                                     const driver::Decisions& decisions = {}) {
        driver::Options options;
        options.extensions = extensions;
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, decisions, options, trace);
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

    void aPassOverTheGraphRuns() {
        for (const driver::GraphPlace place :
             {driver::GraphPlace::Imported, driver::GraphPlace::Simplified, driver::GraphPlace::Canonical}) {
            driver::Trace trace;
            const auto compiled = compile(graphBytes(simple), withPass(place, sumsForProducts), trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            QCOMPARE(run({1, 2, 3}), (std::vector<float>{4, 5, 6})); // (x + 1) + 2
            const driver::PassRecord* pass = passOf(trace, "acme/sums");
            QVERIFY(pass && pass->ran && pass->changed && !pass->required);
            QCOMPARE(pass->plugin, "acme");
            for (const driver::PassRecord& other : trace.passes)
                QVERIFY(&other == pass || other.plugin.empty());
        }
    }

    void behindFusionAPassMayOnlyLook() {
        int bindings = 0;
        driver::Trace trace;
        const auto look = [&](const relay::Module& module) -> Result<relay::Module> {
            relay::visitBindings(module, [&](const relay::Binding&) { ++bindings; });
            return module;
        };
        QVERIFY(compile(graphBytes(simple), withPass(driver::GraphPlace::Fused, look), trace));
        QVERIFY(bindings > 0 && !passOf(trace, "acme/sums")->changed);
        const auto change = [](const relay::Module& module) -> Result<relay::Module> {
            relay::Module other = module;
            other.functions["main"] = std::make_shared<relay::Function>(module.main());
            return other;
        };
        const auto refused = compile(graphBytes(simple), withPass(driver::GraphPlace::Fused, change), trace);
        QVERIFY(!refused && refused.error().what.contains("acme/sums"));
    }

    void decisionsSwitchItOff() {
        const Extensions extensions = withPass(driver::GraphPlace::Canonical, sumsForProducts);
        const int own = static_cast<int>(driver::optionalPasses().size());
        driver::Decisions skipped, before, with;
        skipped.skipPasses = {"acme/sums"};
        before.optionalLimit = own; // all of Lathe's own
        with.optionalLimit = own + 1;
        const std::vector<float> wanted{4, 6}, summed{4, 5};
        for (const auto& [decisions, values] :
             {std::pair(skipped, wanted), std::pair(before, wanted), std::pair(with, summed)}) {
            driver::Trace trace;
            QVERIFY(compile(graphBytes(simple), extensions, trace, decisions));
            QCOMPARE(run({1, 2}), values);
        }
        // As a file has it, and where the plugin is not there.
        const auto parsed = driver::parseDecisions(driver::toJson(skipped));
        QVERIFY(parsed && *parsed == skipped);
        driver::Trace trace;
        const auto refused = compile(graphBytes(simple), nullptr, trace, skipped);
        QVERIFY(!refused && refused.error().what.contains("acme/sums"));
    }

    void ownPassesAreCountedAsWithoutPlugins() {
        const Extensions extensions = withPass(driver::GraphPlace::Imported, sumsForProducts);
        const std::vector<std::string>& own = driver::optionalPasses();
        for (size_t i = 0; i < own.size(); ++i) {
            QCOMPARE(driver::ordinalOf(own[i], nullptr), static_cast<int>(i));
            QCOMPARE(driver::ordinalOf(own[i], extensions.get()), static_cast<int>(i));
        }
        QCOMPARE(driver::ordinalOf("acme/sums", extensions.get()), static_cast<int>(own.size()));
        QCOMPARE(driver::pipelineWith(nullptr).size(), driver::pipeline().size());
    }

    void passesOverLoopsRun() {
        auto extensions = std::make_shared<driver::Extensions>();
        std::atomic<int> kernels = 0;
        for (const auto& [name, place] :
             {std::pair("acme/first", lower::KernelPlace::Computation),
              std::pair("acme/loops", lower::KernelPlace::Loops), std::pair("acme/last", lower::KernelPlace::Lowered)})
            extensions->kernelPasses.push_back(
                {name, place, [&](const tir::PrimFuncPtr& function, const Target&) -> Result<tir::PrimFuncPtr> {
                     ++kernels;
                     return function;
                 }});
        driver::Trace trace;
        QVERIFY(compile(graphBytes(simple), extensions, trace));
        QCOMPARE(run({1, 2}), (std::vector<float>{4, 6}));
        QCOMPARE(kernels.load(), 3 * static_cast<int>(trace.kernels.size()));
        std::vector<std::string> stages;
        for (const auto& [stage, function] : trace.kernels.front().stages)
            if (stage.starts_with("acme/") || stage == "schedule" || stage == "flatten buffers")
                stages.push_back(stage);
        QCOMPARE(stages,
                 (std::vector<std::string>{"acme/first", "schedule", "flatten buffers", "acme/loops", "acme/last"}));
        driver::Decisions decisions;
        decisions.skipIn[trace.kernels.front().workload] = {"acme/loops"};
        kernels = 0;
        QVERIFY(compile(graphBytes(simple), extensions, trace, decisions));
        QCOMPARE(kernels.load(), 3 * static_cast<int>(trace.kernels.size()) - 1);
    }

    /// (x + 1) · 2 + x of four elements.
    static std::string fixed() {
        return graphBytes("g (float[4] x) => (float[4] y) <float one = {1}, float two = {2}> "
                          "{ [sum] a = Add (x, one) [twice] b = Mul (a, two) y = Add (b, x) }");
    }

    void aVariantIsChosenByCost() {
        for (const auto& [cycles, variant] : {std::pair(0.0, "acme/twice"), {1e9, "direct"}}) {
            driver::Trace trace;
            const auto compiled = compile(fixed(), withVariant(cycles), trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            QCOMPARE(run({1, 2, 3, 4}), (std::vector<float>{5, 8, 11, 14}));
            QCOMPARE(trace.variants.size(), size_t(1));
            const driver::VariantRecord& record = trace.variants.front();
            QCOMPARE(record.chosen.variant, variant);
            QCOMPARE(record.chosen.of.node, "twice");
            QCOMPARE(record.offered.size(), size_t(2));
            QCOMPARE(record.offered[0].name, "direct");
            QCOMPARE(record.offered[1].name, "acme/twice");
            QCOMPARE(record.offered[1].cycles, cycles);
            const auto products = std::ranges::count_if(trace.fusion.operators,
                                                        [](const auto& each) { return each.name.op == "multiply"; });
            QCOMPARE(products, cycles == 0 ? 0 : 1);
        }
        driver::Trace strict; // the pass is off there, as it is for Lathe's own
        driver::Options options;
        options.extensions = withVariant(0);
        options.numerics = driver::NumericsLevel::Strict;
        const std::string bytes = fixed();
        QVERIFY(driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out_, {}, options, strict));
        QVERIFY(strict.variants.empty());
    }

    void decisionsTakeAVariant() {
        driver::Trace trace;
        driver::Decisions decisions;
        decisions.variants = {{{"twice", "", -1}, "acme/twice"}};
        const auto parsed = driver::parseDecisions(driver::toJson(decisions));
        QVERIFY(parsed && *parsed == decisions);
        QVERIFY(compile(fixed(), withVariant(1e9), trace, decisions));
        QCOMPARE(trace.variants.front().chosen.variant, "acme/twice");
        QCOMPARE(run({1, 2, 3, 4}), (std::vector<float>{5, 8, 11, 14}));
        decisions.variants.front().variant = "direct";
        QVERIFY(compile(fixed(), withVariant(0), trace, decisions));
        QCOMPARE(trace.variants.front().chosen.variant, "direct");
        // Where the plugin is not there, and where it has no such one.
        decisions.variants.front().variant = "acme/thrice";
        for (const Extensions& extensions : {Extensions(), withVariant(0)}) {
            const auto refused = compile(fixed(), extensions, trace, decisions);
            QVERIFY(!refused && refused.error().what.contains("acme/thrice"));
        }
    }

    void aVariantThatGivesNoSuchValueIsNamed() {
        const Extensions extensions = withVariant(0);
        extensions->variants.front().rewrite = [](const relay::BindingPtr& binding, const relay::Index& index,
                                                  relay::Module& module) {
            const auto& call = *binding->as<relay::OpCall>();
            const relay::transform::Maker::Value value{call.args[0], relay::transform::typeOf(index, call.args[0])};
            relay::transform::Maker maker(module, binding->span);
            maker.call(relay::Op::Equal, {value, value});
            return maker.take(binding->var, binding->modelValue);
        };
        driver::Trace trace;
        const auto refused = compile(fixed(), extensions, trace);
        QVERIFY(!refused && refused.error().what.contains("acme/twice"));
    }

    void aSpaceIsOneOfThem() {
        const Extensions extensions = withSpace();
        const auto added = driver::spacesOf(extensions.get());
        const std::vector<std::string> own = tune::spaceNames(), all = tune::spaceNames(added);
        QCOMPARE(all.size(), own.size() + 1);
        QVERIFY(std::ranges::equal(own, std::span(all).first(own.size())));
        QCOMPARE(all.back(), "acme/parts");
        const auto none = tune::makeSpace("acme/other", {}, Target(), 1, added);
        QVERIFY(!none && none.error().hint.contains("acme/parts"));
        QVERIFY(!tune::makeSpace("acme/parts", {}, Target(), 1));
        driver::Trace trace;
        QVERIFY(compile(fixed(), nullptr, trace));
        const driver::KernelRecord& kernel = trace.kernels.front();
        const tir::PrimFuncPtr& function = kernel.stages.front().second;
        const auto space = tune::makeSpace("acme/parts", {}, kernel.target, 1, added);
        QVERIFY(space && space->name == "acme/parts" && space->version == 3);
        schedule::Answers answers{{"way", {1}}};
        const auto made = space->generate(function, std::make_shared<tune::Held>(answers));
        QVERIFY2(made, made ? "" : toString(made.error()).c_str());
        QCOMPARE(made->answers.at("b4.parts"), std::vector<int64_t>{2});
        answers["b4.parts"] = {4};
        const auto other = space->generate(function, std::make_shared<tune::Held>(answers));
        QVERIFY(other && other->program != made->program);
        // What came of it can be decided.
        driver::Decisions decisions;
        decisions.kernels[kernel.workload].trace = other->trace;
        QVERIFY(compile(fixed(), nullptr, trace, decisions));
        QCOMPARE(run({1, 2, 3, 4}), (std::vector<float>{5, 8, 11, 14}));
    }

    void rowsHaveNamesOfTheirOwn() {
        driver::Trace trace;
        const auto refusal = [&](const Extensions& extensions) {
            const auto refused = compile(fixed(), extensions, trace);
            return refused ? std::string() : refused.error().what;
        };
        const Extensions variants = withVariant(0), spaces = withSpace();
        variants->variants.push_back(variants->variants.front());
        spaces->spaces.push_back(spaces->spaces.front());
        QVERIFY(refusal(variants).contains("'acme/twice' twice"));
        QVERIFY(refusal(spaces).contains("'acme/parts' twice"));
        variants->variants.pop_back();
        spaces->spaces.pop_back();
        variants->variants.front().cycles = nullptr;
        QVERIFY(refusal(variants).contains("acme/twice"));
        // Those of Lathe's own name no plugin.
        variants->variants.front().name = "winograd2";
        spaces->spaces.front().name = "sketch";
        QVERIFY(refusal(variants).contains("winograd2"));
        QVERIFY(refusal(spaces).contains("sketch"));
    }

    void anOperatorWithAConverter() {
        auto extensions = std::make_shared<driver::Extensions>();
        extensions->operators.operators = {{.plugin = "acme",
                                            .domain = "acme",
                                            .name = "Triple",
                                            .convert = convertTriple,
                                            .family = model::Family::Arithmetic}};
        driver::Trace trace;
        const std::string model = acmeModel("[three] y = acme.Triple (x)");
        QVERIFY(compile(model, extensions, trace));
        QCOMPARE(run({1, -2}), (std::vector<float>{3, -6}));
        QCOMPARE(trace.graph->nodeCount, 1);
        QVERIFY(trace.graph->roles.front().family == model::Family::Arithmetic);
        const auto refused = compile(model, nullptr, trace);
        QVERIFY(!refused && refused.error().op.contains("Triple"));
        const auto attribute = compile(acmeModel("y = acme.Triple <times = 4> (x)"), extensions, trace);
        QVERIFY(!attribute && attribute.error().what.contains("times"));
    }

    void anOperatorWithABody() {
        const Extensions extensions = withBodies(scaled);
        driver::Trace trace;
        const auto compiled = compile(acmeModel("[it] y = acme.Scaled (x, x)"), extensions, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QCOMPARE(run({1, -2}), (std::vector<float>{6, -12}));
        QCOMPARE(trace.graph->nodeCount, 1); // it stays one node, all of the work is its
        QCOMPARE(trace.graph->nodes.front()->op, "Scaled");
        for (const driver::CallRecord& call : trace.calls)
            QCOMPARE(trace.graph->spans->ids(call.span), std::vector<int32_t>{0});
        // An input that is absent, an attribute that is given.
        QVERIFY(compile(acmeModel("y = acme.Scaled <factor = 0.5> (x)"), extensions, trace));
        QCOMPARE(run({1, -2}), (std::vector<float>{0.5, -1}));
    }

    void whatABodyDoesNotSayIsRefused() {
        const Extensions extensions = withBodies(scaled);
        driver::Trace trace;
        QVERIFY(compile(acmeModel("y = acme.Scaled <mode = 0> (x)"), extensions, trace)); // as if it were not there
        for (const auto& [node, what] :
             {std::pair("y = acme.Scaled <mode = 1> (x)", "mode"),
              std::pair("y = acme.Scaled <other = 1> (x)", "other"), std::pair("y = acme.Scaled (x, x, x)", "3"),
              std::pair("y, z = acme.Scaled (x)", "results")}) {
            const auto refused = compile(acmeModel(node), extensions, trace);
            QVERIFY2(!refused, node);
            QVERIFY2(refused.error().what.contains(what) && refused.error().what.contains("acme"),
                     refused.error().what.c_str());
        }
    }

    void anOperatorHasOneMeaning() {
        driver::Trace trace;
        const auto core = compile(graphBytes(simple),
                                  withBodies("<domain: \"ai.onnx\", opset_import: [\"\" : 18]> Relu (x) => (y) "
                                             "{ y = Abs (x) }"),
                                  trace);
        QVERIFY(!core && core.error().what.contains("acme") && core.error().what.contains("Relu") &&
                core.error().what.contains("ONNX"));
        const Extensions twice = withBodies(scaled);
        twice->operators.operators = {
            {.plugin = "other", .domain = "acme", .name = "Scaled", .convert = convertTriple}};
        const auto both = compile(graphBytes(simple), twice, trace);
        QVERIFY(!both && both.error().what.contains("acme") && both.error().what.contains("other"));
        const auto unnamed = withPass(driver::GraphPlace::Canonical, sumsForProducts);
        unnamed->passes.front().name = "sums";
        QVERIFY(!compile(graphBytes(simple), unnamed, trace));
    }

    void badBodiesAreRefused() {
        const std::string deep(100000, '{');
        for (const std::string& text :
             {std::string("Relu"), std::string("<domain: \"a\"> F (x) => (y) { y = "), deep, "# \"\n" + deep,
              std::string("F (x) => (y) { y = Abs (x) }"), // no domain
              std::string("<domain: \"a\"> F (x) => (y) { y = Abs <i = 99999999999999999999> (x) }")}) {
            const auto refused = frontend::readBodies(text, "acme", "acme.txt");
            QVERIFY(!refused && refused.error().what.contains("acme") && refused.error().file == "acme.txt");
        }
        // One that calls itself.
        driver::Trace trace;
        const auto endless =
            compile(acmeModel("y = acme.F (x)"),
                    withBodies("<domain: \"acme\", opset_import: [\"\" : 18, \"acme\" : 1]> F (x) => (y) "
                               "{ a = acme.F (x) y = acme.F (a) }"),
                    trace);
        QVERIFY(!endless && endless.error().what.contains("nested"));
    }

    void withoutThemAllIsAsBefore() {
        driver::Trace without, with;
        QVERIFY(compile(graphBytes(simple), nullptr, without));
        const auto bytesOf = [&] {
            std::ifstream file(out_, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        const std::string bytes = bytesOf();
        QVERIFY(compile(graphBytes(simple), std::make_shared<driver::Extensions>(), with));
        QVERIFY(!bytes.empty() && bytesOf() == bytes);
        QCOMPARE(with.passes.size(), without.passes.size());
    }
};

Test test() {
    return {makes<TestExtensions>};
}

} // namespace lathe::testing::test_extensions

#include "test_extensions.moc"
