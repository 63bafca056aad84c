// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Exponentials of −80 … −110, which pass the smallest normal float at −87.3: at default numerics they are 0 from there on, where
// the machine computes subnormal numbers by microcode; under strict numerics they are what mathematics says. So is all that is made
// of them, at any number of threads.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <limits>

namespace lathe::testing::test_subnormals {

namespace {

constexpr int rows = 512, columns = 128; // as many as are worth several threads
constexpr double smallestNormal = std::numeric_limits<float>::min();

#if defined(__x86_64__)
constexpr bool flushes = true;
#else
constexpr bool flushes = false;
#endif

struct Case {
    const char* name;
    const char* graph;
    double (*value)(double x, double sum); // sum: of the exponentials of a row's elements
    double factor = 1;                     // of what may be flushed on the way, at most
};

double logistic(double x) {
    return std::exp(x) / (1 + std::exp(x));
}

const Case cases[] = {
    {"exp", "y = Exp (x)", [](double x, double) { return std::exp(x); }},
    {"sigmoid", "y = Sigmoid (x)", [](double x, double) { return logistic(x); }},
    {"softmax", "y = Softmax <axis = -1> (x)", [](double x, double sum) { return std::exp(x) / sum; }},
    {"swish", "s = Sigmoid (x) y = Mul (x, s)", [](double x, double) { return x * logistic(x); }, 110},
    {"tanh", "y = Tanh (x)", [](double x, double) { return std::tanh(x); }},
    {"gelu", "y = Gelu (x)", [](double x, double) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }},
};

/// Each row: 0, and else from −80 down to −110; no two rows alike.
std::vector<float> masked() {
    std::vector<float> values;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            values.push_back(column == 0 ? 0 : static_cast<float>(-80 - 30 * (column + row / double{rows}) / columns));
    return values;
}

} // namespace

class TestSubnormals : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    std::vector<float> run(const Case& each, driver::NumericsLevel numerics, int threads, const std::vector<float>& x) {
        const std::string bytes = graphBytes(QStringLiteral("g (float[%1,%2] x) => (float[%1,%2] y) { %3 }")
                                                 .arg(rows)
                                                 .arg(columns)
                                                 .arg(each.graph)
                                                 .toStdString());
        driver::Options options;
        options.numerics = numerics;
        driver::Trace trace;
        const std::filesystem::path out = temporary_.filePath("model.so").toStdString();
        if (!driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", out, {}, options, trace, {}))
            return {};
        device::RunnerOptions with;
        with.program = LATHE_BINARY_DIR "/lathe-runner";
        with.threads = threads;
        device::RunnerClient runner(with);
        if (!runner.load(out) || !runner.setInput("x", tensorOf(types::Float32, {rows, columns}, x)) || !runner.run())
            return {};
        const auto output = runner.output(0);
        return output ? valuesOf<float>(*output) : std::vector<float>();
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }

    void areFlushedByDefaultAndKeptIfStrict_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("strict");
        for (int i = 0; i < static_cast<int>(std::size(cases)); ++i)
            for (const bool strict : {false, true})
                QTest::addRow("%s %s", cases[i].name, strict ? "strict" : "default") << i << strict;
    }

    void areFlushedByDefaultAndKeptIfStrict() {
        QFETCH(int, index);
        QFETCH(bool, strict);
        const Case& each = cases[index];
        const std::vector<float> x = masked();
        const auto level = strict ? driver::NumericsLevel::Strict : driver::NumericsLevel::Default;
        const std::vector<float> got = run(each, level, 1, x);
        QCOMPARE(got.size(), x.size());
        for (size_t row = 0; row < rows; ++row) {
            double sum = 0;
            for (size_t i = row * columns; i < (row + 1) * columns; ++i)
                sum += std::exp(double{x[i]});
            for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
                const double wanted = each.value(x[i], sum);
                // 4 ulp, also of subnormal numbers.
                const double last = std::ldexp(1.0, std::max(std::ilogb(std::fabs(wanted) + 1e-300), -126) - 23);
                const double near = 4 * std::max(last, each.factor * double{std::numeric_limits<float>::denorm_min()});
                const bool isTiny = std::fabs(wanted) < smallestNormal;
                const bool right = std::fabs(got[i] - wanted) <= near;
                const bool flushed =
                    flushes && !strict && std::fabs(wanted) < each.factor * smallestNormal + near && got[i] == 0;
                QVERIFY2(flushed || (right && (strict || !flushes || !isTiny || std::fabs(got[i]) >= smallestNormal)),
                         qPrintable(QString("of %1: %2, not %3").arg(x[i]).arg(got[i]).arg(wanted)));
            }
        }
        for (const int threads : {2, 3, 5})
            QVERIFY2(run(each, level, threads, x) == got, "the same bits at any number of threads");
    }
};

Test test() {
    return {makes<TestSubnormals>};
}

} // namespace lathe::testing::test_subnormals

#include "test_subnormals.moc"
