// SPDX-License-Identifier: Apache-2.0
//
// Attention on its whole way to machine code: what may be one kernel is one, nothing of its schedule is refused, and its values
// are those of the definition in float64, whatever the sizes, the order of keys, the mask, vectors and threads; the bits are
// those of a kernel for each operator, since the scale is a power of two: no product rounds where it meets a sum.
// In release alone: what is looked at are values that compiled kernels give, and sanitizers do not see into these.
// Needs: lathe-runner
// Links: onnx
// Runs: release
#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/targets.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>
#include <stdexcept>

namespace lathe::testing::test_attention {

namespace {

enum class Mask { None, Keys, Causal };

struct Case {
    int64_t groups, queries, keys, size, results; // of a head's queries and keys, and of its values
    bool transposed = false;                      // keys lie in rows, as queries do
    Mask mask = Mask::None;
    bool follows = false; // something is added to the sums
    bool apart = false;   // too few rows for a kernel with the products

    std::string graph() const {
        std::string text =
            fmt::format("g (float[{},{},{}] q, float[{},{},{}] k, float[{},{},{}] v", groups, queries, size, groups,
                        transposed ? keys : size, transposed ? size : keys, groups, keys, results);
        if (mask != Mask::None)
            text += fmt::format(", float[1,{},{}] m", mask == Mask::Keys ? 1 : queries, keys);
        text += ") => (float y) <float c = {0.25}> { ";
        text += transposed ? "t = Transpose <perm = [0,2,1]> (k) s = MatMul(q, t) " : "s = MatMul(q, k) ";
        text += "a = Mul(s, c) ";
        text += mask == Mask::None ? "b = Identity(a) " : "b = Add(a, m) ";
        text += "p = Softmax(b) ";
        text += follows ? "r = MatMul(p, v) y = Add(r, c) }" : "y = MatMul(p, v) }";
        return text;
    }
};

std::vector<float> drawn(std::mt19937_64& random, int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values)
        value = static_cast<float>(random() % 2001) / 1000 - 1;
    return values;
}

struct Inputs {
    std::vector<float> q, k, v, m; // k: [groups, keys, size]
};

Inputs inputsOf(const Case& test) {
    std::mt19937_64 random(3);
    Inputs made{drawn(random, test.groups * test.queries * test.size),
                drawn(random, test.groups * test.keys * test.size),
                drawn(random, test.groups * test.keys * test.results),
                {}};
    if (test.mask == Mask::Keys) // the last third is padding
        for (int64_t key = 0; key < test.keys; ++key)
            made.m.push_back(key * 3 < test.keys * 2 ? 0.0f : -10000.0f);
    if (test.mask == Mask::Causal)
        for (int64_t query = 0; query < test.queries; ++query)
            for (int64_t key = 0; key < test.keys; ++key)
                made.m.push_back(key <= query ? 0.0f : -std::numeric_limits<float>::infinity());
    return made;
}

/// softmax(q k' / 4 + m) v, in float64
std::vector<double> expected(const Case& test, const Inputs& inputs) {
    std::vector<double> results;
    std::vector<double> row(static_cast<size_t>(test.keys));
    const auto at = [](const std::vector<float>& values, int64_t index) {
        return static_cast<double>(values[static_cast<size_t>(index)]);
    };
    for (int64_t group = 0; group < test.groups; ++group)
        for (int64_t query = 0; query < test.queries; ++query) {
            double most = -std::numeric_limits<double>::infinity(), sum = 0;
            for (int64_t key = 0; key < test.keys; ++key) {
                double score = 0;
                for (int64_t i = 0; i < test.size; ++i)
                    score += at(inputs.q, (group * test.queries + query) * test.size + i) *
                             at(inputs.k, (group * test.keys + key) * test.size + i);
                score *= 0.25;
                if (test.mask != Mask::None)
                    score += at(inputs.m, test.mask == Mask::Keys ? key : query * test.keys + key);
                row[static_cast<size_t>(key)] = score;
                most = std::max(most, score);
            }
            for (double& score : row)
                sum += score = std::exp(score - most);
            for (int64_t i = 0; i < test.results; ++i) {
                double result = 0;
                for (int64_t key = 0; key < test.keys; ++key)
                    result += row[static_cast<size_t>(key)] / sum *
                              at(inputs.v, (group * test.keys + key) * test.results + i);
                results.push_back(result + (test.follows ? 0.25 : 0));
            }
        }
    return results;
}

} // namespace

/// An input's name, sizes and values.
struct Given {
    const char* name;
    std::vector<int64_t> dims;
    std::vector<float> values;
};

class TestAttention : public QObject {
    Q_OBJECT

    /// What the model gives as it is fused by default, and in a kernel for each operator, by one thread and by three. Gives what
    /// all of them give, by target; a fault if they are not of the same bits, or if it is otherwise than `attends` says one kernel.
    static std::map<std::string, std::vector<float>> run(const std::string& graph, const std::vector<Given>& inputs,
                                                         bool attends) {
        const std::string bytes = graphBytes(graph);
        std::map<std::string, std::vector<float>> made;
        for (const char* target : targetsThatRunHere())
            for (const bool fuses : {true, false}) {
                driver::Options options;
                options.target = *codegen::parseTarget(target);
                options.verify = true;
                options.cache = false;
                const MemoryFile artifact("attention");
                driver::Decisions decisions;
                if (!fuses)
                    decisions.skipPasses.insert("fuse");
                driver::Trace trace;
                check(driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", artifact.path(), decisions,
                                           options, trace));
                if (fuses)
                    checkKernels(trace, attends);
                for (const int threads : {1, 3}) {
                    const std::vector<float> values = run(artifact.path(), inputs, threads);
                    const auto [first, isFirst] = made.try_emplace(target, values);
                    if (!isFirst && first->second != values)
                        throw std::runtime_error(
                            fmt::format("{}, {} threads, {}: other bits", target, threads, fuses ? "fused" : "alone"));
                }
            }
        return made;
    }

    static std::vector<float> run(const std::filesystem::path& artifact, const std::vector<Given>& inputs,
                                  int threads) {
        device::RunnerOptions where;
        where.program = LATHE_BINARY_DIR "/lathe-runner";
        where.threads = threads;
        device::RunnerClient client(where);
        check(client.load(artifact));
        for (const Given& input : inputs)
            check(client.setInput(input.name, tensorOf(types::Float32, input.dims, input.values)));
        check(client.run());
        return valuesOf<float>(check(client.output(0)));
    }

    template <class T>
    static T check(Result<T> result) {
        if (!result)
            throw std::runtime_error(toString(result.error()));
        if constexpr (!std::is_void_v<T>)
            return std::move(*result);
    }

    /// That kernels go through attention in tasks, or that none does and none was to; and that what does is refused nothing but
    /// partial results of rows that are shorter than two vectors.
    static void checkKernels(const driver::Trace& trace, bool attends) {
        bool inTasks = false;
        for (const driver::KernelRecord& kernel : trace.kernels) {
            bool own = false;
            for (const schedule::Question& question : kernel.schedule.questions)
                own |= question.name.ends_with(".taskRows");
            for (const schedule::Refusal& refusal : kernel.schedule.refusals)
                if (refusal.tried.starts_with("rows between products") ||
                    (own && refusal.reason.find("the reduction is shorter than two times") == std::string::npos))
                    throw std::runtime_error(refusal.tried + ": " + refusal.reason);
            inTasks |= own;
        }
        if (inTasks != attends)
            throw std::runtime_error(attends ? "no kernel is attention" : "a kernel is attention");
    }

private slots:
    void values_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < cases().size(); ++i) {
            const Case& c = cases()[i];
            QTest::addRow("%zu: %d x %d x %d", i, static_cast<int>(c.groups), static_cast<int>(c.queries),
                          static_cast<int>(c.keys))
                << static_cast<int>(i);
        }
    }
    void values() {
        QFETCH(int, row);
        const Case& test = cases()[static_cast<size_t>(row)];
        const Inputs inputs = inputsOf(test);
        const std::vector<double> wanted = expected(test, inputs);
        std::vector<float> keys = inputs.k;
        if (!test.transposed)
            for (int64_t group = 0; group < test.groups; ++group)
                for (int64_t key = 0; key < test.keys; ++key)
                    for (int64_t i = 0; i < test.size; ++i)
                        keys[static_cast<size_t>((group * test.size + i) * test.keys + key)] =
                            inputs.k[static_cast<size_t>((group * test.keys + key) * test.size + i)];
        std::vector<Given> given = {{"q", {test.groups, test.queries, test.size}, inputs.q},
                                    {"k",
                                     test.transposed ? std::vector{test.groups, test.keys, test.size}
                                                     : std::vector{test.groups, test.size, test.keys},
                                     keys},
                                    {"v", {test.groups, test.keys, test.results}, inputs.v}};
        if (test.mask != Mask::None)
            given.push_back({"m", {1, test.mask == Mask::Keys ? 1 : test.queries, test.keys}, inputs.m});
        for (const auto& [target, values] : run(test.graph(), given, !test.apart)) {
            QCOMPARE(values.size(), wanted.size());
            for (size_t i = 0; i < wanted.size(); ++i)
                QVERIFY2(std::abs(static_cast<double>(values[i]) - wanted[i]) <= 2e-6,
                         fmt::format("{}: {} at {}, not {}", target, values[i], i, wanted[i]).c_str());
        }
    }

    /// Other forms than [groups, rows, elements] throughout: one kernel, or not, and the bits of a kernel for each operator.
    void forms_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QList<QList<int>>>("sizes");
        QTest::addColumn<bool>("attends");
        using Sizes = QList<QList<int>>;
        QTest::newRow("no head") << "g (float[40,16] a, float[16,50] b, float[50,24] c) => (float[x,y] y) { "
                                    "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
                                 << Sizes{{40, 16}, {16, 50}, {50, 24}} << true;
        QTest::newRow("keys and values of all heads")
            << "g (float[24,20,16] a, float[1,40,16] b, float[1,40,24] c) => (float y) { "
               "t = Transpose <perm = [0,2,1]> (b) s = MatMul(a, t) p = Softmax(s) y = MatMul(p, c) }"
            << Sizes{{24, 20, 16}, {1, 40, 16}, {1, 40, 24}} << true;
        QTest::newRow("more images than keys")
            << "g (float[64,2,12,16] a, float[1,2,16,300] b, float[1,2,300,32] c) => (float y) { "
               "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
            << Sizes{{64, 2, 12, 16}, {1, 2, 16, 300}, {1, 2, 300, 32}} << true;
        QTest::newRow("unknown number of queries")
            << "g (float[20,n,16] a, float[20,16,40] b, float[20,40,24] c) => (float y) { "
               "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
            << Sizes{{20, 37, 16}, {20, 16, 40}, {20, 40, 24}} << true;
        QTest::newRow("one query of an unknown number")
            << "g (float[20,n,16] a, float[20,16,40] b, float[20,40,24] c) => (float y) { "
               "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
            << Sizes{{20, 1, 16}, {20, 16, 40}, {20, 40, 24}} << true;
        QTest::newRow("keys are values") << "g (float[4,40,24] a, float[4,24,40] b, float[4,40,24] c) => (float y) { "
                                            "s = MatMul(a, b) p = Softmax(s) r = MatMul(p, a) y = Add(r, c) }"
                                         << Sizes{{4, 40, 24}, {4, 24, 40}, {4, 40, 24}} << true;
        QTest::newRow("sums that are used twice")
            << "g (float[4,40,24] a, float[4,24,40] b, float[4,40,24] c) => (float y) { "
               "s = MatMul(a, b) p = Softmax(s) r = MatMul(p, c) u = Sigmoid(r) y = Mul(r, u) }"
            << Sizes{{4, 40, 24}, {4, 24, 40}, {4, 40, 24}} << true;
        QTest::newRow("queries are keys")
            << "g (float[4,40,24] a, float[4,40,16] b) => (float y) { t = Transpose <perm = [0,2,1]> (a) "
               "s = MatMul(a, t) p = Softmax(s) y = MatMul(p, b) }"
            << Sizes{{4, 40, 24}, {4, 40, 16}} << false;
        QTest::newRow("rows of no head, values of many")
            << "g (float[64,16] a, float[16,64] b, float[64,64,32] c) => (float y) { "
               "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
            << Sizes{{64, 16}, {16, 64}, {64, 64, 32}} << false;
        QTest::newRow("one behind the other") << "g (float[4,40,40] a, float[4,40,40] b, float[4,40,40] c) => (float "
                                                 "y) { s = MatMul(a, b) p = Softmax(s) "
                                                 "r = MatMul(p, c) o = Softmax(r) y = MatMul(o, c) }"
                                              << Sizes{{4, 40, 40}, {4, 40, 40}, {4, 40, 40}} << true;
        QTest::newRow("one column") << "g (float[4,40,16] a, float[4,16,40] b, float[4,40,1] c) => (float y) { "
                                       "s = MatMul(a, b) p = Softmax(s) y = MatMul(p, c) }"
                                    << Sizes{{4, 40, 16}, {4, 16, 40}, {4, 40, 1}} << false;
    }
    void forms() {
        QFETCH(QString, graph);
        QFETCH(QList<QList<int>>, sizes);
        QFETCH(bool, attends);
        std::mt19937_64 random(5);
        std::vector<Given> inputs;
        for (const QList<int>& dims : sizes) {
            static const char* names[] = {"a", "b", "c"};
            Given& input = inputs.emplace_back();
            input.name = names[inputs.size() - 1];
            int64_t elements = 1;
            for (const int dim : dims) {
                input.dims.push_back(dim);
                elements *= dim;
            }
            input.values = drawn(random, elements);
        }
        QVERIFY(!run(graph.toStdString(), inputs, attends).empty());
    }

private:
    /// Windows, odd sizes, several parts of a text, rows that leave the stack, few rows of many keys.
    static const std::vector<Case>& cases() {
        static const std::vector<Case> all = {
            {.groups = 6, .queries = 49, .keys = 49, .size = 32, .results = 32, .transposed = true},
            {.groups = 3, .queries = 49, .keys = 49, .size = 32, .results = 32, .mask = Mask::Keys},
            {.groups = 2, .queries = 197, .keys = 197, .size = 64, .results = 64, .transposed = true},
            {.groups = 2, .queries = 130, .keys = 203, .size = 37, .results = 19, .mask = Mask::Keys, .follows = true},
            {.groups = 1,
             .queries = 257,
             .keys = 257,
             .size = 40,
             .results = 24,
             .transposed = true,
             .mask = Mask::Causal},
            {.groups = 2, .queries = 61, .keys = 2500, .size = 16, .results = 48, .transposed = true, .follows = true},
            {.groups = 1, .queries = 17, .keys = 5, .size = 3, .results = 2},
            {.groups = 5, .queries = 9, .keys = 64, .size = 8, .results = 130, .mask = Mask::Causal},
            {.groups = 1, .queries = 100, .keys = 100, .size = 300, .results = 300, .transposed = true},
            {.groups = 16, .queries = 1, .keys = 300, .size = 64, .results = 64, .apart = true},
            {.groups = 1, .queries = 12, .keys = 300, .size = 64, .results = 64, .apart = true},
        };
        return all;
    }
};

Test test() {
    return {makes<TestAttention>};
}

} // namespace lathe::testing::test_attention

#include "test_attention.moc"
