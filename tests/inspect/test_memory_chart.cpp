// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// The memory plan as a value: what lives together never shares a byte, what is alive is what the buffers say, and the places
// end where the plan does.
#include "inspect/memory_chart.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "driver/compile.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"
#include "tir/visit.h"

#include <QTest>
#include <algorithm>
#include <numeric>

namespace lathe::testing::test_memory_chart {

using inspect::MemoryChart;

namespace {

driver::Trace compiled(const std::string& graph) {
    const std::string bytes = graphBytes(graph);
    driver::Options options;
    options.emitCode = false;
    driver::Trace trace;
    const auto made = driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", {}, {}, options, trace);
    if (!made)
        throw std::runtime_error(toString(made.error()));
    return trace;
}

/// `size` for each dim that has a name.
driver::Shapes shapesOf(const model::Graph& graph, int64_t size) {
    driver::Shapes shapes;
    for (const model::Value& input : graph.inputs) {
        auto& dims = shapes.emplace_back(input.name, std::vector<int64_t>()).second;
        for (const model::Dim& dim : input.type.shape)
            dims.push_back(dim.value >= 0 ? dim.value : size);
    }
    return shapes;
}

bool together(const lower::PlacedBuffer& a, const lower::PlacedBuffer& b) {
    return a.firstCall <= b.lastCall && b.firstCall <= a.lastCall;
}

} // namespace

class TestMemoryChart : public QObject {
    Q_OBJECT

private slots:
    /// Three products by constant matrices; what each gives takes 64 · 64 floats, and the last one is the output.
    void aChainHoldsTwoValues() {
        std::string weights = "{1";
        for (int i = 1; i < 64 * 64; ++i)
            weights += ",1";
        weights += "}";
        const driver::Trace trace = compiled("g (float[64,64] x) => (float[64,64] y) <float[64,64] w = " + weights +
                                             "> { a = MatMul (x, w) b = MatMul (a, w) y = MatMul (b, w) }");
        const MemoryChart chart = inspect::memoryChart(trace, {});
        std::vector<std::pair<std::string, std::pair<int, int>>> values;
        for (const lower::PlacedBuffer& buffer : trace.buffers)
            if (buffer.use.kind == lower::BufferUse::Kind::Value) {
                values.push_back({buffer.use.name, {buffer.firstCall, buffer.lastCall}});
                QCOMPARE(arith::asInt(buffer.bytes).value(), int64_t{64 * 64 * 4});
            }
        QCOMPARE(trace.calls.size(), size_t{3});
        QCOMPARE(values.size(), size_t{2});
        QCOMPARE(values[0].first, std::string("a"));
        QCOMPARE(values[0].second, std::pair(0, 1));
        QCOMPARE(values[1].first, std::string("b"));
        QCOMPARE(values[1].second, std::pair(1, 2));
        QCOMPARE(chart.peakCall, 1);
        QVERIFY(chart.peak() >= 2 * 64 * 64 * 4);
        QVERIFY(chart.culprits.size() >= 2);
        QCOMPARE(trace.graph->spans->ids(trace.buffers[0].use.span), (std::vector<int32_t>{0}));
    }

    void holds_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<int64_t>("size");
        for (const SampleModel& sample : sampleModels)
            for (const int64_t size : {1, 3, 16})
                QTest::addRow("%s %d", sample.name, int(size)) << QString(sample.graph) << size;
    }
    void holds() {
        QFETCH(QString, graph);
        QFETCH(int64_t, size);
        const driver::Trace trace = compiled(graph.toStdString());
        const MemoryChart chart = inspect::memoryChart(trace, shapesOf(*trace.graph->graph, size));
        std::vector<int64_t> alive(trace.calls.size());
        bool nested = false; // in branches and loops: the peak of the plan is that of the larger branch
        int64_t end = 0;
        for (const MemoryChart::Buffer& buffer : chart.buffers) {
            const lower::PlacedBuffer& record = trace.buffers[buffer.index];
            QVERIFY(record.firstCall >= 0 && record.lastCall >= record.firstCall);
            nested = nested || record.use.kind == lower::BufferUse::Kind::Control;
            for (size_t call = 0; call < alive.size(); ++call)
                if (record.firstCall <= int(call) && int(call) <= record.lastCall)
                    alive[call] += buffer.bytes;
            if (!buffer.offset)
                continue;
            QCOMPARE(*buffer.offset % 64, int64_t{0});
            end = std::max(end, *buffer.offset + roundUp(buffer.bytes, int64_t{64}));
            for (const MemoryChart::Buffer& other : chart.buffers) {
                if (&other == &buffer || !other.offset || !together(record, trace.buffers[other.index]))
                    continue;
                QVERIFY2(*buffer.offset + buffer.bytes <= *other.offset ||
                             *other.offset + other.bytes <= *buffer.offset,
                         qPrintable(QString("buffers %1 and %2").arg(buffer.index).arg(other.index)));
            }
        }
        QCOMPARE(chart.alive, alive);
        const int64_t peak = alive.empty() ? 0 : *std::ranges::max_element(alive);
        QCOMPARE(chart.peak(), peak);
        QCOMPARE(std::accumulate(chart.culprits.begin(), chart.culprits.end(), int64_t{0},
                                 [&](int64_t sum, size_t i) { return sum + chart.buffers[i].bytes; }),
                 peak);
        if (!chart.reserved || chart.unknown)
            return;
        QVERIFY(peak <= *chart.reserved);
        if (nested)
            QVERIFY(end <= *chart.reserved);
        else
            QCOMPARE(end, *chart.reserved);
    }

    /// What a call is handed lives there and then.
    void callsFindTheirBuffers_data() {
        QTest::addColumn<QString>("graph");
        for (const SampleModel& sample : sampleModels)
            QTest::newRow(sample.name) << QString(sample.graph);
    }
    void callsFindTheirBuffers() {
        QFETCH(QString, graph);
        const driver::Trace trace = compiled(graph.toStdString());
        int found = 0;
        QStringList missing;
        tir::visitStmts(trace.entry->body, [&](const tir::Stmt& stmt) {
            const auto* call = stmt->as<tir::CallKernel>();
            if (!call)
                return !stmt->as<tir::If>() && !stmt->as<tir::While>(); // those have frames of their own
            for (const arith::Expr& arg : call->args) {
                // Places in the first frame, which is the bottom, at offsets that depend on no size.
                if (arg->intrinsic != arith::Intrinsic::PtrOffset || arg->args[0]->name != "frame0" ||
                    !arith::asInt(arg->args[1]))
                    continue;
                const int64_t offset = *arith::asInt(arg->args[1]);
                const auto lives = [&](const lower::PlacedBuffer& buffer) {
                    return buffer.offset && arith::asInt(arith::simplify(buffer.offset)) == offset &&
                           buffer.firstCall <= call->callId && call->callId <= buffer.lastCall;
                };
                if (std::ranges::none_of(trace.buffers, lives))
                    missing << QString("call %1, offset %2").arg(call->callId).arg(offset);
                ++found;
            }
            return true;
        });
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join('\n')));
        if (graph.startsWith("lstm"))
            QVERIFY(found > 0);
    }

    /// A size that comes out of data is not guessed.
    void sizesThatOnlyARunTells() {
        const driver::Trace trace = compiled("g (float[n] x) => (float[k] y) <int64 zero = {0}> { p = Softmax <axis = "
                                             "0> (x) at = NonZero (p) t = Transpose (at) "
                                             "v = GatherND (x, t) w = Exp (v) s = CumSum (w, zero) y = Sin (s) }");
        const MemoryChart chart = inspect::memoryChart(trace, {{"x", {100}}});
        QVERIFY(chart.unknown > 0);
        QVERIFY(inspect::memoryChart(trace, {}).unknown > chart.unknown); // nor one of the inputs
    }

    void nothingToDo() {
        const MemoryChart chart = inspect::memoryChart({}, {});
        QVERIFY(chart.buffers.empty() && chart.culprits.empty() && !chart.reserved);
        QCOMPARE(chart.peak(), int64_t{0});
    }
};

Test test() {
    return {makes<TestMemoryChart>};
}

} // namespace lathe::testing::test_memory_chart

#include "test_memory_chart.moc"
