// SPDX-License-Identifier: Apache-2.0
// Runs: release
// Needs: lathe-runner
// Links: onnx
// Timeout: 900
//
// Models whose inputs have no fixed sizes, at random ones: powers of two and their neighbours, zeros, products that wrap.
// Each set of shapes goes through lathe-runner and through a C program on liblathe_rt. Nothing crashes or takes memory
// beyond its limit, and where ONNX's own shape inference knows an output's dims, a run that succeeds has them.
// The models are ONNX's node tests with their dims taken away, and networks. $LATHE_FUZZ multiplies the count; 10 is the
// full run: 10,000 sets. Left out under sanitizers: neither compiled models nor the C program are instrumented.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "fuzz/extent.h"
#include "support/fixtures.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>
#include <random>

namespace lathe::testing::test_shapes {

namespace fs = std::filesystem;

namespace {

constexpr int64_t contextBytes = int64_t{64} << 20; // the same in run_shapes.c
constexpr size_t sendable = size_t{1} << 20;
constexpr size_t nodeTests = 50, networks = 5;
constexpr int seconds = 20; // of one set

using Dims = std::vector<int64_t>;

struct Model {
    std::string name;
    ::onnx::ModelProto proto;   // without fixed sizes
    std::vector<Dims> declared; // of each input: as the file has them, -1 for a name
    std::vector<DataType> dtypes;
};

/// The model with symbols instead of the sizes of its inputs (`all`, or the first of each), and no sizes of outputs.
std::optional<Model> withoutSizes(const fs::path& path, bool all) {
    Model model{path.parent_path().filename().string(), {}, {}, {}};
    std::ifstream file(path, std::ios::binary);
    if (!model.proto.ParseFromIstream(&file))
        return std::nullopt;
    auto& graph = *model.proto.mutable_graph();
    std::set<std::string> initialized;
    for (const auto& tensor : graph.initializer())
        initialized.insert(tensor.name());
    int number = 0;
    for (auto& input : *graph.mutable_input()) {
        if (initialized.contains(input.name()))
            continue;
        if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape())
            return std::nullopt;
        Dims& dims = model.declared.emplace_back();
        auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        for (int axis = 0; axis < shape.dim_size(); ++axis) {
            auto& dim = *shape.mutable_dim(axis);
            dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
            if (all || axis == 0)
                dim.set_dim_param("s" + std::to_string(number++));
        }
    }
    for (auto& output : *graph.mutable_output()) {
        if (!output.type().has_tensor_type()) // a list has no dims to compare
            return std::nullopt;
        output.mutable_type()->mutable_tensor_type()->clear_shape();
    }
    graph.clear_value_info();
    return model;
}

/// The dims of each output at these dims of the inputs, as ONNX infers them; empty where it cannot tell.
std::vector<std::optional<Dims>> inferred(const Model& model, const std::vector<Dims>& inputs) {
    ::onnx::ModelProto proto = model.proto;
    size_t next = 0;
    std::set<std::string> initialized;
    for (const auto& tensor : proto.graph().initializer())
        initialized.insert(tensor.name());
    for (auto& input : *proto.mutable_graph()->mutable_input()) {
        if (initialized.contains(input.name()))
            continue;
        auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        for (int axis = 0; axis < shape.dim_size(); ++axis)
            shape.mutable_dim(axis)->set_dim_value(inputs[next][static_cast<size_t>(axis)]);
        ++next;
    }
    try {
        ::onnx::shape_inference::InferShapes(proto);
    } catch (const std::exception&) {
        return {};
    }
    std::vector<std::optional<Dims>> result;
    for (const auto& output : proto.graph().output()) {
        auto& dims = result.emplace_back();
        if (!output.type().has_tensor_type() || !output.type().tensor_type().has_shape())
            continue;
        dims.emplace();
        for (const auto& dim : output.type().tensor_type().shape().dim()) {
            if (!dim.has_dim_value()) {
                dims.reset();
                break;
            }
            dims->push_back(dim.dim_value());
        }
    }
    return result;
}

int64_t randomDim(int64_t declared, std::mt19937_64& random) {
    const uint64_t kind = random() % 100;
    if (kind < 35)
        return declared < 0 ? 1 + static_cast<int64_t>(random() % 4) : declared;
    if (kind < 50)
        return 0;
    if (kind < 60)
        return 1;
    const int bits = static_cast<int>(random() % (kind < 80 ? 6 : 63));
    return std::max<int64_t>(0, (int64_t{1} << bits) + static_cast<int64_t>(random() % 3) - 1);
}

/// Dims that are equal in the file mostly stay equal, as operands must be.
std::vector<Dims> randomDims(const Model& model, std::mt19937_64& random) {
    std::map<int64_t, int64_t> common;
    std::vector<Dims> result = model.declared;
    for (Dims& dims : result)
        for (int64_t& dim : dims) {
            const int64_t declared = dim;
            const int64_t fresh = randomDim(declared, random);
            const int64_t shared = common.try_emplace(declared, randomDim(declared, random)).first->second;
            dim = random() % 8 ? shared : fresh;
        }
    return result;
}

std::string text(const std::vector<Dims>& dims) {
    std::string result;
    for (const Dims& each : dims) {
        result += result.empty() ? "[" : " [";
        for (const int64_t dim : each)
            result += std::to_string(dim) + " ";
        result += "]";
    }
    return result;
}

struct Counts {
    size_t good = 0, refused = 0, slow = 0, compared = 0;
};

} // namespace

class TestShapes : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString program_ = folder_.filePath("run_shapes");
    std::vector<Model> models_;
    std::vector<QString> artifacts_;
    std::vector<std::vector<std::vector<Dims>>> sets_; // by model
    Counts counts_;

    bool compiles(Model& model) {
        const QString path = folder_.filePath(QString("model%1.so").arg(models_.size()));
        const std::string bytes = model.proto.SerializeAsString();
        driver::Options options;
        options.threads = 2;
        driver::Trace trace;
        if (!driver::compileBytes(std::as_bytes(std::span(bytes)), model.name, path.toStdString(), {}, options, trace))
            return false;
        models_.push_back(std::move(model));
        artifacts_.push_back(path);
        return true;
    }

    void checkDims(size_t model, const std::vector<Dims>& inputs, const std::vector<Dims>& outputs) {
        const auto expected = inferred(models_[model], inputs);
        for (size_t i = 0; i < std::min(expected.size(), outputs.size()); ++i)
            if (expected[i]) {
                ++counts_.compared;
                QVERIFY2(outputs[i] == *expected[i], (models_[model].name + " at " + text(inputs) + ": " +
                                                      text({outputs[i]}) + ", expected " + text({*expected[i]}))
                                                         .c_str());
            }
    }

private slots:
    void initTestCase() {
        const fs::path nodes = fixture("onnx-nodes");
        QVERIFY2(!nodes.empty(), "./dev test makes ONNX's node tests");
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator(nodes))
            if (fs::exists(entry.path() / "model.onnx"))
                paths.push_back(entry.path() / "model.onnx");
        std::ranges::sort(paths);
        // A prime step walks over all of them, far apart, until enough compile without sizes.
        for (size_t i = 0; i < paths.size() && models_.size() < nodeTests; ++i)
            if (auto model = withoutSizes(paths[i * 397 % paths.size()], true);
                model && !model->declared.empty() && model->declared.size() <= 16)
                (void)compiles(*model);
        QCOMPARE(models_.size(), nodeTests);
        for (const char* name :
             {"mnist-8/model.onnx", "super-resolution-10/super_resolution.onnx", "ndm-gru/ndm.onnx",
              "dtln/model_2.onnx", "espcn/espcn_float.onnx", "cnn-mnist-pytorch/cnn_mnist_pytorch.onnx",
              "keras-mlp/lesson14.onnx", "ndm-gru/gru.onnx"})
            if (const fs::path path = fixture(std::string("models/") + name);
                !path.empty() && models_.size() < nodeTests + networks)
                if (auto model = withoutSizes(path, false))
                    (void)compiles(*model);
        qInfo("%zu node tests and %zu networks", nodeTests, models_.size() - nodeTests);
        QVERIFY(!fixturesExpected() || models_.size() == nodeTests + networks);

        std::mt19937_64 random(20);
        const size_t each = fuzz::scaled(1000) / models_.size() + 1;
        for (const Model& model : models_) {
            auto& sets = sets_.emplace_back();
            for (size_t i = 0; i < each; ++i)
                sets.push_back(randomDims(model, random));
        }
        QProcess gcc;
        gcc.setProcessChannelMode(QProcess::MergedChannels);
        gcc.start("gcc",
                  {"-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", LATHE_SOURCE_DIR "/tests/fuzz/run_shapes.c",
                   "-I", LATHE_SOURCE_DIR "/compiler", "-I", LATHE_SOURCE_DIR "/compiler/abi", "-o", program_, "-L",
                   LATHE_BINARY_DIR, "-llathe_rt", "-Wl,-rpath," LATHE_BINARY_DIR, "-lpthread", "-lm"});
        QVERIFY(gcc.waitForFinished(60'000));
        QVERIFY2(gcc.exitCode() == 0, gcc.readAll().constData());
    }

    void throughTheLibrary() {
        counts_ = {};
        int64_t peak = 0;
        for (size_t model = 0; model < models_.size(); ++model) {
            QProcess process;
            auto start = [&] {
                process.start(program_, {artifacts_[model]});
                QVERIFY(process.waitForStarted());
            };
            start();
            for (size_t i = 0; i < sets_[model].size(); ++i) {
                const auto& set = sets_[model][i];
                const std::string where = models_[model].name + " at " + text(set);
                QByteArray line = QByteArray::number(static_cast<qulonglong>(i));
                for (const Dims& dims : set)
                    for (const int64_t dim : dims)
                        line += " " + QByteArray::number(static_cast<qlonglong>(dim));
                process.write(line + "\n");
                while (!process.canReadLine() && process.waitForReadyRead(seconds * 1000)) {
                }
                if (!process.canReadLine()) { // slow, if it is still at it
                    QVERIFY2(process.state() == QProcess::Running, where.c_str());
                    process.kill();
                    process.waitForFinished();
                    ++counts_.slow;
                    start();
                    continue;
                }
                const QList<QByteArray> parts = process.readLine().trimmed().split(';');
                if (parts[0].trimmed() != "0") {
                    QVERIFY2(parts[0].trimmed() != "9", where.c_str()); // LATHE_INTERNAL
                    ++counts_.refused;
                    continue;
                }
                ++counts_.good;
                std::vector<Dims> outputs;
                for (const QByteArray& part : parts.sliced(1)) {
                    Dims& dims = outputs.emplace_back();
                    for (const QByteArray& dim : part.simplified().split(' '))
                        if (!dim.isEmpty())
                            dims.push_back(dim.toLongLong());
                }
                checkDims(model, set, outputs);
            }
            process.closeWriteChannel();
            QVERIFY(process.waitForFinished(60'000));
            QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
                     models_[model].name.c_str());
            peak = std::max<int64_t>(peak, process.readAll().trimmed().toLongLong() * 1024);
        }
        qInfo("%zu sets: %zu ran, %zu refused, %zu ended as slow; %zu outputs' dims compared; at most %lld MiB",
              counts_.good + counts_.refused + counts_.slow, counts_.good, counts_.refused, counts_.slow,
              counts_.compared, static_cast<long long>(peak >> 20));
        QVERIFY(counts_.good > 0 && counts_.refused > 0 && counts_.compared > 0);
        QVERIFY(counts_.slow * 100 <= counts_.good);
        // Memory of the context, the program's copies of inputs, and threads.
        QVERIFY(peak < contextBytes * 8);
    }

    void throughTheRunner() {
        counts_ = {};
        device::RunnerOptions options;
        options.threads = 2;
        options.contextBytes = contextBytes;
        options.timeout = std::chrono::seconds(seconds);
        options.program = LATHE_BINARY_DIR "/lathe-runner";
        int64_t peak = 0;
        for (size_t model = 0; model < models_.size(); ++model) {
            device::RunnerClient runner(options);
            auto loaded = runner.load(artifacts_[model].toStdString());
            QVERIFY(loaded);
            for (const auto& set : sets_[model]) {
                const std::string where = models_[model].name + " at " + text(set);
                auto survives = [&](const Diagnostic& diagnostic) {
                    if (runner.outcome() == device::RunnerOutcome::Timeout) {
                        ++counts_.slow;
                        loaded = runner.load(artifacts_[model].toStdString());
                        return loaded.has_value();
                    }
                    ++counts_.refused;
                    if (runner.outcome() != device::RunnerOutcome::Refused)
                        qWarning("%s: %s", where.c_str(), toString(diagnostic).c_str());
                    return runner.outcome() == device::RunnerOutcome::Refused;
                };
                Result<void> ready;
                for (size_t i = 0; i < set.size() && ready; ++i) {
                    model::HostTensor tensor{loaded->inputs[i].dtype, set[i], {}, {}};
                    // A tensor that is too large to be sent comes without its elements.
                    const auto elements = model::elementsOf(set[i]);
                    if (elements && *elements * tensor.dtype.bytes() < static_cast<int64_t>(sendable))
                        tensor.bytes.resize(static_cast<size_t>(*elements * tensor.dtype.bytes()));
                    ready = runner.setInput(loaded->inputs[i].name, tensor);
                }
                if (!ready) {
                    QVERIFY(survives(ready.error()));
                    continue;
                }
                const auto ran = runner.run(1);
                if (!ran) {
                    QVERIFY(survives(ran.error()));
                    continue;
                }
                const auto outputs = runner.outputs();
                QVERIFY2(outputs, where.c_str());
                ++counts_.good;
                peak = std::max(peak, ran->residentPeak);
                std::vector<Dims> dims;
                for (const model::HostTensor& output : *outputs) {
                    dims.push_back(output.shape);
                    const auto elements = model::elementsOf(output.shape);
                    QVERIFY2(elements && static_cast<size_t>(*elements * output.dtype.bytes()) == output.bytes.size(),
                             where.c_str());
                }
                checkDims(model, set, dims);
            }
        }
        qInfo("%zu sets: %zu ran, %zu refused, %zu ended as slow; %zu outputs' dims compared; at most %lld MiB",
              counts_.good + counts_.refused + counts_.slow, counts_.good, counts_.refused, counts_.slow,
              counts_.compared, static_cast<long long>(peak >> 20));
        QVERIFY(counts_.good > 0 && counts_.refused > 0 && counts_.compared > 0);
        QVERIFY(counts_.slow * 100 <= counts_.good);
        QVERIFY(peak < contextBytes * 8);
    }
};

Test test() {
    return {makes<TestShapes>};
}

} // namespace lathe::testing::test_shapes

#include "test_shapes.moc"
