// SPDX-License-Identifier: Apache-2.0
//
// Variants of a convolution: what is offered and recorded, that what is decided is built, and that each gives what the direct
// one gives, within what docs/performance.md says of it, whatever the sizes, threads and chunks.
// In release alone: what is looked at are values that compiled networks give, and sanitizers do not see into these.
// Needs: lathe-runner
// Links: onnx
// Timeout: 1200
// Runs: release
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/targets.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace lathe::testing::test_variants {

namespace {

/// Two 3×3 convolutions and what follows them; the second one's result is the model's.
std::string network(int64_t batch, int64_t channels, int64_t results, int64_t height, int64_t width, bool padded) {
    ::onnx::ModelProto model = parseModel(fmt::format(
        "<ir_version: 10, opset_import: [\"\" : 21]> g (float[{},{},{},{}] x) => (float[a,b,c,d] y) {{\n"
        "  a = Conv<pads=[{}]>(x, w0, b0)  s = Sigmoid(a)  m = Mul(a, s)  y = Conv<pads=[1,1,1,1]>(m, w1)\n}}",
        batch, channels, height, width, padded ? "1,1,1,1" : "0,0,0,0"));
    std::mt19937_64 random(5);
    const auto tensor = [&](const char* name, const std::vector<int64_t>& dims, double scale) {
        addWeights(model, name, dims, [&](int64_t) {
            return static_cast<float>(scale * (static_cast<double>(random() % 2001) / 1000 - 1));
        });
    };
    tensor("w0", {results, channels, 3, 3}, 0.6 / std::sqrt(static_cast<double>(channels)));
    tensor("b0", {results}, 1);
    tensor("w1", {channels, results, 3, 3}, 0.6 / std::sqrt(static_cast<double>(results)));
    return model.SerializeAsString();
}

model::HostTensor input(std::vector<int64_t> dims) {
    std::mt19937_64 random(9);
    size_t elements = 1;
    for (const int64_t dim : dims)
        elements *= static_cast<size_t>(dim);
    std::vector<float> values(elements);
    for (float& value : values)
        value = static_cast<float>(random() % 2001) / 1000 - 1;
    return tensorOf(types::Float32, std::move(dims), values);
}

} // namespace

class TestVariants : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    driver::Options optionsFor(const QString& target) const {
        driver::Options options;
        options.target = *codegen::parseTarget(target.toStdString());
        options.verify = true;
        return options;
    }

    std::filesystem::path artifact() const { return temporary_.filePath("model.so").toStdString(); }

    /// What the model that was compiled last gives.
    Result<std::vector<float>> run(const model::HostTensor& x, int threads) const {
        device::RunnerClient client({.threads = threads});
        LATHE_CHECKED(client.load(artifact()));
        LATHE_CHECKED(client.setInput("x", x));
        LATHE_CHECKED(client.run());
        LATHE_TRY(const model::HostTensor output, client.output(0));
        return valuesOf<float>(output);
    }

    /// Compiles and runs; the outputs, or why not.
    Result<std::vector<float>> run(const std::string& bytes, const driver::Decisions& decisions,
                                   const driver::Options& options, const model::HostTensor& x,
                                   driver::Trace& trace) const {
        LATHE_CHECKED(
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", artifact(), decisions, options, trace));
        return run(x, 2);
    }

    static driver::Decisions deciding(const driver::Trace& trace, const std::string& variant) {
        driver::Decisions decisions;
        for (const driver::VariantRecord& record : trace.variants)
            decisions.variants.push_back({record.chosen.of, variant});
        return decisions;
    }

private slots:
    /// Winograd's transformed weights of 512 channels are 17 or 37 MB for 7 × 7 pixels: whether they pay depends on main memory.
    void bandwidthDecides_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<double>("measured"); // bytes in the time of a multiply-add; 0: nobody has measured
        QTest::addColumn<QString>("variant");
        QTest::newRow("server, Intel") << "sapphirerapids" << 0.0 << "direct";
        QTest::newRow("server, AMD") << "znver3" << 0.0 << "winograd2";
        QTest::newRow("slow memory") << "znver3" << 0.1 << "direct";
        QTest::newRow("fast memory") << "sapphirerapids" << 1.0 << "winograd4";
    }
    void bandwidthDecides() {
        QFETCH(QString, target);
        QFETCH(double, measured);
        QFETCH(QString, variant);
        driver::Options options = optionsFor(target);
        options.emitCode = false;
        if (measured > 0)
            options.bytesPerMultiplyAdd = measured;
        const std::string bytes = network(1, 512, 512, 7, 7, true);
        driver::Trace trace;
        QVERIFY(driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", {}, {}, options, trace));
        QCOMPARE(trace.variants.size(), size_t(2));
        for (const driver::VariantRecord& record : trace.variants)
            QCOMPARE(record.chosen.variant, variant.toStdString());
    }

    void eachGivesTheSame_data() {
        QTest::addColumn<std::vector<int64_t>>("sizes"); // batch, channels, results, height, width
        QTest::addColumn<bool>("padded");
        QTest::addColumn<QString>("target");
        for (const char* target : targetsThatRunHere())
            for (const auto& [sizes, padded] : std::initializer_list<std::pair<std::vector<int64_t>, bool>>{
                     {{1, 16, 32, 12, 12}, true},
                     {{2, 32, 16, 7, 9}, true},
                     {{1, 48, 80, 5, 6}, false},
                     {{3, 16, 16, 3, 3}, true},
                     {{1, 64, 64, 67, 161}, true}, // several chunks, the last one shorter
                     {{2, 64, 64, 67, 161}, false},
                     {{0, 64, 64, 56, 56}, true}})
                QTest::addRow("%s, %d of %d × %d of %d%s", target, static_cast<int>(sizes[0]),
                              static_cast<int>(sizes[3]), static_cast<int>(sizes[4]), static_cast<int>(sizes[1]),
                              padded ? ", padded" : "")
                    << sizes << padded << QString(target);
    }
    void eachGivesTheSame() {
        QFETCH(std::vector<int64_t>, sizes);
        QFETCH(bool, padded);
        QFETCH(QString, target);
        const driver::Options options = optionsFor(target);
        const std::string bytes = network(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], padded);
        const model::HostTensor x = input({sizes[0], sizes[1], sizes[3], sizes[4]});
        driver::Trace first;
        QVERIFY(run(bytes, {}, options, x, first).has_value());
        if (sizes[0] == 0) { // nothing to choose for
            QVERIFY(first.variants.empty());
            return;
        }
        QCOMPARE(first.variants.size(), size_t(2));
        std::vector<float> direct;
        for (const auto& [variant, bound] : {std::pair("direct", 0.0), {"winograd2", 4e-6}, {"winograd4", 1.2e-5}}) {
            driver::Trace trace;
            const auto values = run(bytes, deciding(first, variant), options, x, trace);
            QVERIFY2(values, values ? "" : toString(values.error()).c_str());
            QCOMPARE(trace.variants[0].chosen.variant, std::string(variant));
            if (direct.empty())
                direct = *values;
            QCOMPARE(values->size(), direct.size());
            float largest = 0, error = 0;
            for (size_t i = 0; i < direct.size(); ++i) {
                largest = std::max(largest, std::abs(direct[i]));
                error = std::max(error, std::abs(direct[i] - (*values)[i]));
            }
            QVERIFY2(error <= bound * largest, fmt::format("{}: {} of {}", variant, error, largest).c_str());
            // Every kernel of such a convolution has the schedule made for it; these images are several chunks.
            for (const driver::KernelRecord& kernel : trace.kernels)
                for (const schedule::Refusal& refusal : kernel.schedule.refusals)
                    QVERIFY2(refusal.tried.find("products between transforms") == std::string::npos &&
                                 (refusal.tried.find("chunks of tiles") == std::string::npos || sizes[3] < 60),
                             (kernel.name + ": " + refusal.tried + ": " + refusal.reason).c_str());
            const auto one = run(x, 1);
            QVERIFY(one && *one == *values); // bit by bit, on one thread
        }
    }

    /// Many channels, whose sums are long: against sums of doubles, within twice what docs/performance.md says of 512.
    void errorOfManyChannels_data() {
        QTest::addColumn<QString>("target");
        for (const char* target : targetsThatRunHere())
            QTest::addRow("%s", target) << QString(target);
    }
    void errorOfManyChannels() {
        QFETCH(QString, target);
        constexpr int64_t channels = 512, results = 32, side = 8;
        std::mt19937_64 random(3);
        std::normal_distribution<float> normal;
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,512,8,8] x) => "
                                              "(float[a,b,c,d] y) { y = Conv<pads=[1,1,1,1]>(x, w) }");
        std::vector<float> weights, image(channels * side * side);
        addWeights(model, "w", {results, channels, 3, 3},
                   [&](int64_t) { return weights.emplace_back(normal(random)); });
        std::ranges::generate(image, [&] { return normal(random); });
        std::vector<double> expected;
        for (int64_t result = 0; result < results; ++result)
            for (int64_t at = 0; at < side * side; ++at) {
                double& sum = expected.emplace_back(0);
                for (int64_t tap = 0; tap < channels * 9; ++tap) {
                    const int64_t row = at / side + tap % 9 / 3 - 1, column = at % side + tap % 3 - 1;
                    if (row >= 0 && row < side && column >= 0 && column < side)
                        sum += double{image[static_cast<size_t>((tap / 9 * side + row) * side + column)]} *
                               weights[static_cast<size_t>(result * channels * 9 + tap)];
                }
            }
        const double largest = std::abs(*std::ranges::max_element(expected, {}, [](double y) { return std::abs(y); }));
        const driver::Options options = optionsFor(target);
        const std::string bytes = model.SerializeAsString();
        const model::HostTensor x = tensorOf(types::Float32, {1, channels, side, side}, image);
        driver::Trace first;
        QVERIFY(run(bytes, {}, options, x, first).has_value());
        for (const auto& [variant, bound] : {std::pair("direct", 5e-6), {"winograd2", 1.7e-6}, {"winograd4", 8.2e-6}}) {
            driver::Trace trace;
            const auto values = run(bytes, deciding(first, variant), options, x, trace);
            QVERIFY2(values, values ? "" : toString(values.error()).c_str());
            QCOMPARE(values->size(), expected.size());
            double error = 0;
            for (size_t i = 0; i < expected.size(); ++i)
                error = std::max(error, std::abs((*values)[i] - expected[i]));
            QVERIFY2(error <= bound * largest, fmt::format("{}: {} of {}", variant, error, largest).c_str());
            QVERIFY2(error > 0, variant); // in float32 it cannot be otherwise
        }
    }

    /// A batch of unknown size goes image by image, each in chunks; what the images are among makes no difference.
    void symbolicBatch() {
        driver::Options options = optionsFor(targetsThatRunHere().at(0));
        std::string bytes = network(1, 64, 64, 67, 161, true);
        ::onnx::ModelProto model;
        QVERIFY(model.ParseFromString(bytes));
        model.mutable_graph()
            ->mutable_input(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(0)
            ->set_dim_param("batch");
        const std::string symbolic = model.SerializeAsString();
        const model::HostTensor two = input({2, 64, 67, 161});
        model::HostTensor one = two;
        one.shape[0] = 1;
        one.bytes.resize(two.bytes.size() / 2);
        driver::Trace trace, fixed;
        const auto both = run(symbolic, {}, options, two, trace), first = run(bytes, {}, options, one, fixed);
        QVERIFY2(both && first, both ? "" : toString(both.error()).c_str());
        QCOMPARE(trace.variants.size(), size_t(2));
        for (const driver::KernelRecord& kernel : trace.kernels)
            for (const schedule::Refusal& refusal : kernel.schedule.refusals)
                QVERIFY2(refusal.tried.find("chunks of tiles") == std::string::npos, refusal.reason.c_str());
        QCOMPARE(both->size(), 2 * first->size());
        QVERIFY(std::equal(first->begin(), first->end(), both->begin()));
    }

    /// What rounds otherwise is off where rounding counts.
    void notUnderStrictNumerics() {
        driver::Options options = optionsFor(targetsThatRunHere().at(0));
        options.numerics = driver::NumericsLevel::Strict;
        driver::Trace trace;
        const std::string bytes = network(1, 32, 32, 28, 28, true);
        QVERIFY(run(bytes, {}, options, input({1, 32, 28, 28}), trace).has_value());
        QVERIFY(trace.variants.empty());
        for (const driver::KernelRecord& kernel : trace.kernels)
            QVERIFY2(kernel.name.find("winograd") == std::string::npos, kernel.name.c_str());
    }

    void wrongDecisionsAreRefused() {
        const driver::Options options = optionsFor(targetsThatRunHere().at(0));
        const std::string bytes = network(1, 32, 32, 14, 14, true);
        const model::HostTensor x = input({1, 32, 14, 14});
        driver::Trace first;
        QVERIFY(run(bytes, {}, options, x, first).has_value());
        const driver::VariantDecision good = first.variants.at(0).chosen;
        const auto refusal = [&](std::vector<driver::VariantDecision> variants, std::set<std::string> off = {}) {
            driver::Decisions decisions;
            decisions.variants = std::move(variants);
            decisions.skipPasses = std::move(off);
            driver::Trace trace;
            const auto values = run(bytes, decisions, options, x, trace);
            return values ? std::string() : values.error().what;
        };
        driver::VariantDecision nobody = good, unknown = good;
        nobody.of.node = "nobody";
        unknown.variant = "winograd6";
        QVERIFY(refusal({nobody}).find("no such choice") != std::string::npos);
        QVERIFY(refusal({unknown}).find("cannot be 'winograd6'") != std::string::npos);
        QVERIFY(refusal({good, good}).find("twice") != std::string::npos);
        QVERIFY(refusal({good}, {"choose variants"}).find("is off") != std::string::npos);
        QCOMPARE(refusal({good}), std::string());
    }
};

Test test() {
    return {makes<TestVariants>};
}

} // namespace lathe::testing::test_variants

#include "test_variants.moc"
