// SPDX-License-Identifier: Apache-2.0
//
// Blocks of channels change where values lie, never which they are: networks of any number of channels give what the same
// network without the pass "choose layouts" gives, infinities and NaNs in the same places.
// In release alone: what is looked at are values that compiled networks give, and sanitizers do not see into these.
// Needs: lathe-runner
// Links: onnx
// Timeout: 1200
// Runs: release
#include "codegen/target.h"
#include "data/compare.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "relay/ir.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/targets.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

namespace lathe::testing::test_channel_blocks {

namespace fs = std::filesystem;

namespace {

/// A network put together node by node; `values` holds each value's channels and height (and width).
class Network {
public:
    struct Value {
        std::string name;
        int64_t channels, size;
    };

    Network(uint64_t seed, int64_t channels, int64_t size) : random_(seed) {
        proto_ = parseModel(fmt::format(
            "<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,{0},{1},{1}] x) => () {{}}", channels, size));
        input = {"x", channels, size};
    }

    Value input;

    std::string add(const std::string& op, const std::vector<std::string>& args,
                    const std::map<std::string, std::vector<int64_t>>& lists = {},
                    const std::map<std::string, int64_t>& numbers = {}) {
        ::onnx::NodeProto* node = proto_.mutable_graph()->add_node();
        node->set_op_type(op);
        for (const std::string& arg : args)
            node->add_input(arg);
        const std::string name = fmt::format("v{}", count_++);
        node->add_output(name);
        for (const auto& [key, list] : lists) {
            auto* attribute = node->add_attribute();
            attribute->set_name(key);
            attribute->set_type(::onnx::AttributeProto::INTS);
            for (const int64_t value : list)
                attribute->add_ints(value);
        }
        for (const auto& [key, number] : numbers) {
            auto* attribute = node->add_attribute();
            attribute->set_name(key);
            attribute->set_type(::onnx::AttributeProto::INT);
            attribute->set_i(number);
        }
        return name;
    }

    std::string constant(const std::vector<int64_t>& dims, float scale = 1) {
        const std::string name = fmt::format("c{}", count_++);
        addWeights(proto_, name, dims, [&](int64_t) { return scale * (static_cast<float>(pick(201)) / 100 - 1); });
        return name;
    }

    Value conv(const Value& x, int64_t channels, int64_t kernel, int64_t step, bool depthwise = false) {
        const int64_t inner = depthwise ? 1 : x.channels;
        const float scale = 1 / std::sqrt(static_cast<float>(inner * kernel * kernel));
        const std::string weights = constant({channels, inner, kernel, kernel}, 2 * scale), bias = constant({channels});
        return {add("Conv", {x.name, weights, bias},
                    {{"pads", std::vector<int64_t>(4, kernel / 2)}, {"strides", {step, step}}},
                    {{"group", depthwise ? channels : 1}}),
                channels, (x.size - 1) / step + 1};
    }
    Value unary(const std::string& op, const Value& x) { return {add(op, {x.name}), x.channels, x.size}; }
    Value binary(const std::string& op, const Value& x, const std::string& other) {
        return {add(op, {x.name, other}), x.channels, x.size};
    }
    Value pool(const std::string& op, const Value& x) {
        return {add(op, {x.name}, {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}}), x.channels,
                (x.size - 1) / 2 + 1};
    }
    Value gate(const Value& x, int64_t squeezed) {
        const Value mean{add("GlobalAveragePool", {x.name}), x.channels, 1};
        const Value wide = conv(unary("Relu", conv(mean, squeezed, 1, 1)), x.channels, 1, 1);
        return binary("Mul", x, unary("Sigmoid", wide).name);
    }
    Value concat(const std::vector<Value>& parts) {
        Value result{"", 0, parts.front().size};
        std::vector<std::string> names;
        for (const Value& part : parts) {
            names.push_back(part.name);
            result.channels += part.channels;
        }
        result.name = add("Concat", names, {}, {{"axis", 1}});
        return result;
    }

    std::string bytes(const std::vector<Value>& outputs) {
        for (const Value& value : outputs) {
            ::onnx::ValueInfoProto* output = proto_.mutable_graph()->add_output();
            output->set_name(value.name);
            output->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
        }
        return proto_.SerializeAsString();
    }

    /// A number below `end`, the same on every machine.
    size_t pick(size_t end) { return random_() % end; }

private:
    ::onnx::ModelProto proto_;
    std::mt19937_64 random_;
    int count_ = 0;
};

using Value = Network::Value;

constexpr int64_t channelCounts[] = {3, 8, 16, 17, 24, 32, 40, 72, 88, 144};

/// A chain of everything that carries blocks, or makes them, or must not see them.
std::string randomNetwork(uint64_t seed) {
    Network net(seed, 3, 11);
    const auto channels = [&] { return channelCounts[net.pick(std::size(channelCounts))]; };
    Value at = net.conv(net.input, channelCounts[1 + net.pick(std::size(channelCounts) - 1)], 3, 1);
    at = net.unary("Relu", net.conv(at, at.channels, 3, 1, true));
    std::vector<Value> outputs;
    for (int step = 0; step < 9; ++step) {
        const Value before = at;
        switch (net.pick(11)) {
        case 0:
            at = net.conv(at, channels(), 1, 1);
            break;
        case 1:
            at = net.conv(at, channels(), 3, 1 + static_cast<int64_t>(net.pick(2)));
            break;
        case 2:
            at = net.conv(at, at.channels, 3, 1 + static_cast<int64_t>(net.pick(2)), true);
            break;
        case 3:
            at = net.unary(net.pick(2) ? "HardSwish" : "Relu", at);
            break;
        case 4:
            at = net.pool(net.pick(2) ? "MaxPool" : "AveragePool", at);
            break;
        case 5:
            at = net.gate(at, channels());
            break;
        case 6:
            at = net.binary("Mul", at, net.constant({1, at.channels, 1, 1}));
            break;
        case 7: {
            const Value narrow = net.conv(at, at.channels, 1, 1);
            at = net.binary("Add", net.unary("Relu", narrow), before.name);
            break;
        }
        case 8: // both begin at a block, or not
            at = net.concat({net.conv(at, channels(), 1, 1), net.conv(at, channels(), 3, 1)});
            break;
        case 9:
            at = net.binary("PRelu", at, net.constant({at.channels, 1, 1}));
            break;
        default: // seen as the model has it
            outputs.push_back(at);
            at = net.conv(at, channels(), 1, 1);
            break;
        }
        if (at.channels > 300)
            at = net.conv(at, 40, 1, 1);
    }
    outputs.push_back(at);
    outputs.push_back({net.add("GlobalAveragePool", {at.name}), at.channels, 1});
    outputs.push_back({net.add("Softmax", {at.name}, {}, {{"axis", 1}}), at.channels, at.size});
    return net.bytes(outputs);
}

} // namespace

class TestChannelBlocks : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    /// What the model gives for x; nothing, and why, if it does not run.
    std::vector<model::HostTensor> run(const std::string& bytes, const char* target, const driver::Decisions& decisions,
                                       const model::HostTensor& x, std::string& problem, driver::Trace& trace) {
        driver::Options options;
        options.target = *codegen::parseTarget(target);
        options.verify = true;
        const fs::path file = temporary_.filePath("model.so").toStdString();
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", file, decisions, options, trace);
        if (!compiled) {
            problem = toString(compiled.error());
            return {};
        }
        device::RunnerOptions runnerOptions;
        runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
        device::RunnerClient runner(runnerOptions);
        if (!runner.load(file) || !runner.setInput("x", x) || !runner.run()) {
            problem = "it does not run";
            return {};
        }
        auto outputs = runner.outputs();
        return outputs ? *std::move(outputs) : std::vector<model::HostTensor>();
    }

    static int storedIn(const driver::Trace& trace) {
        int stored = 0;
        for (const driver::PassRecord& pass : trace.passes)
            if (pass.name == "choose layouts" && pass.after)
                for (const relay::BindingPtr& binding : pass.after->main().body->bindings)
                    if (const auto* tensor = relay::asTensor(binding->type); binding->as<relay::OpCall>() && tensor)
                        stored += tensor->layout != nullptr;
        return stored;
    }

    /// With these decisions as without layouts; `trace` is of the former.
    void compareWith(const driver::Decisions& decisions, const std::string& bytes, const char* target,
                     const model::HostTensor& x, driver::Trace& trace) {
        std::string problem;
        const auto got = run(bytes, target, decisions, x, problem, trace);
        driver::Decisions plain;
        plain.skipPasses = {"choose layouts"};
        driver::Trace unused;
        const auto expected = run(bytes, target, plain, x, problem, unused);
        QVERIFY2(problem.empty() && !expected.empty(), problem.c_str());
        QCOMPARE(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
            const data::Comparison same =
                data::compare(got[i], expected[i], {.relative = 1e-4, .absolute = 1e-6, .absoluteOfRange = 1e-5});
            QVERIFY2(same.right, fmt::format("output {}: {}", i, same.message).c_str());
        }
    }

    void compareBoth(const std::string& bytes, const char* target, const model::HostTensor& x, int leastStored) {
        driver::Trace trace;
        compareWith({}, bytes, target, x, trace);
        const int stored = storedIn(trace);
        QVERIFY2(stored >= leastStored, fmt::format("{} values in blocks", stored).c_str());
    }

    static model::HostTensor numbers(int64_t channels, int64_t size) {
        std::vector<float> values(static_cast<size_t>(channels * size * size));
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
        return tensorOf(types::Float32, {1, channels, size, size}, values);
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }

    void networks_data() {
        QTest::addColumn<int>("seed");
        QTest::addColumn<QString>("target");
        for (const char* target : targetsThatRunHere())
            for (int seed = 0; seed < 8; ++seed)
                QTest::addRow("%s, %d", target, seed) << seed << target;
    }
    void networks() {
        QFETCH(int, seed);
        QFETCH(QString, target);
        compareBoth(randomNetwork(static_cast<uint64_t>(seed)), target.toUtf8().constData(), numbers(3, 11), 1);
    }

    /// Variants, blocks and panels chosen at random, as offered: what is stored so is right too, and the record says what was
    /// decided.
    void pinnedWidths_data() { // each network for one of the targets: this compiles three times
        QTest::addColumn<int>("seed");
        QTest::addColumn<QString>("target");
        const std::vector<const char*> targets = targetsThatRunHere();
        for (int seed = 0; seed < 8; ++seed) {
            const char* target = targets[static_cast<size_t>(seed) % targets.size()];
            QTest::addRow("%s, %d", target, seed) << seed << target;
        }
    }
    void pinnedWidths() {
        QFETCH(int, seed);
        QFETCH(QString, target);
        const std::string bytes = randomNetwork(static_cast<uint64_t>(seed));
        const QByteArray name = target.toUtf8();
        driver::Options options;
        options.target = *codegen::parseTarget(name.constData());
        options.emitCode = false;
        const auto compile = [&](const driver::Decisions& decisions) {
            driver::Trace trace;
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", {}, decisions, options, trace);
            return trace;
        };
        driver::Decisions decisions;
        std::mt19937_64 random(static_cast<uint64_t>(seed));
        for (const driver::VariantRecord& record : compile({}).variants)
            decisions.variants.push_back(
                {record.chosen.of, std::string(record.offered[random() % record.offered.size()].name)});
        const driver::Trace trace = compile(decisions); // which layouts there are to choose depends on the variants
        QVERIFY(!trace.layouts.empty());
        for (const driver::LayoutRecord& record : trace.layouts)
            if (record.chosen.part == relay::choose::StoredPart::Blocks) { // weights follow
                decisions.layouts.push_back(record.chosen);
                decisions.layouts.back().width = record.offered[random() % record.offered.size()];
            }
        for (const driver::LayoutRecord& record : compile(decisions).layouts)
            if (record.chosen.part ==
                relay::choose::StoredPart::Panels) { // some there are because a result has no blocks now
                decisions.layouts.push_back(record.chosen);
                decisions.layouts.back().width = record.offered[random() % record.offered.size()];
            }
        driver::Trace pinned;
        compareWith(decisions, bytes, name.constData(), numbers(3, 11), pinned);
        for (const driver::LayoutDecision& decision : decisions.layouts) {
            const auto made = std::ranges::find_if(pinned.layouts, [&](const driver::LayoutRecord& record) {
                return driver::toJson(record.chosen) == driver::toJson(decision);
            });
            QVERIFY2(made != pinned.layouts.end(), decision.of.node.c_str());
        }
    }

    /// Constants that are computed for a value in blocks are stored as it is.
    void partlyConstantNormalisation() {
        ::onnx::ModelProto model = parseModel(
            "<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,8,9,9] x) => (float[a,b,c,d] y) {\n"
            "  mean = ReduceMean <keepdims = 0> (x)  scale = Mul (mean, ones)  first = Conv (x, w1)\n"
            "  normal = BatchNormalization (first, scale, shift, means, variances)  y = Conv (normal, w2)\n}");
        std::mt19937_64 random(4);
        const auto any = [&](int64_t) { return static_cast<float>(random() % 1001) / 1000; };
        addWeights(model, "w1", {24, 8, 1, 1}, any);
        addWeights(model, "w2", {16, 24, 1, 1}, any);
        for (const char* name : {"ones", "shift", "means", "variances"})
            addWeights(model, name, {24}, any);
        for (const char* target : targetsThatRunHere())
            compareBoth(model.SerializeAsString(), target, numbers(8, 9), 1);
    }

    /// Infinities and NaNs of one channel stay in it as far as the operators say, and padding has none to give.
    void nothingLeaks_data() {
        QTest::addColumn<int>("channels");
        for (const int64_t channels : {17, 24, 40, 72, 88})
            QTest::addRow("%d channels", static_cast<int>(channels)) << static_cast<int>(channels);
    }
    void nothingLeaks() {
        QFETCH(int, channels);
        Network net(7, 4, 9);
        const Value first = net.conv(net.input, channels, 1, 1);
        // Of a negative number NaN, of zero minus infinity: some channels of some pixels.
        const Value log = net.unary("Log", net.unary("Floor", first));
        const Value each = net.pool("MaxPool", net.conv(log, channels, 3, 1, true));
        const Value gated = net.gate(net.unary("HardSwish", net.conv(each, channels, 3, 2, true)), 17);
        const Value finite = net.unary("Sigmoid", net.conv(first, channels, 3, 1, true));
        const std::string bytes = net.bytes(
            {log, each, gated, net.conv(each, 40, 1, 1), net.conv(net.binary("Mul", finite, first.name), 24, 3, 1)});
        for (const char* target : targetsThatRunHere())
            compareBoth(bytes, target, numbers(4, 9), 4);
    }
};

Test test() {
    return {makes<TestChannelBlocks>};
}

} // namespace lathe::testing::test_channel_blocks

#include "test_channel_blocks.moc"
