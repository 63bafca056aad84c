// SPDX-License-Identifier: Apache-2.0
//
// One step of an LSTM cell with what formats add to it, against the formulas written down here in double precision.
#include "driver/evaluator.h"
#include "frontend/common/recurrent.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>

namespace lathe::testing::test_lstm_cells {

namespace {

using frontend::Dims;
using frontend::Var;
using relay::Builder;
using Row = std::vector<double>;

constexpr size_t hidden = 2;
enum Gate : size_t { Input, Forget, Candidate, Output };

/// What a cell is made of: [gates][hidden] each, but for x, which has one element.
struct Cell {
    double x = 0.75;
    Row shown = {0.5}, cell = {-0.25, 1.5};
    std::vector<Row> weights = {{0.5, -1}, {0.25, 0.75}, {-0.5, 2}, {1, -0.25}};
    std::vector<Row> recurrent = {{1, 0.5}, {-0.5, 0.25}, {0.75, -1}, {0.5, 1.25}};
    std::vector<Row> bias = {{0.125, -0.5}, {0.25, 0.5}, {-0.25, 0}, {0.5, -0.125}};
    std::vector<Row> scale;   // of a normalization, if it has any
    Row peepholes;            // of input, output, forget, hidden elements each
    Row projection = {1, -2}; // to the one element that is shown
    double projectionBias = 0.25, cellClip = 0, shownClip = 0;
    bool coupled = false, withoutInput = false;
};

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

/// What is shown, then the cell's state.
Row byFormula(const Cell& c) {
    const auto bounded = [](double x, double bound) { return bound > 0 ? std::clamp(x, -bound, bound) : x; };
    const auto sums = [&](Gate gate, size_t peephole, const Row& seen) {
        Row values;
        for (size_t i = 0; i < hidden; ++i) {
            double sum = c.weights[gate][i] * c.x + c.recurrent[gate][i] * c.shown[0];
            if (!c.peepholes.empty() && gate != Candidate)
                sum += c.peepholes[peephole * hidden + i] * seen[i];
            values.push_back(sum);
        }
        if (!c.scale.empty()) {
            const double mean = (values[0] + values[1]) / 2;
            const double deviation = std::sqrt((std::pow(values[0] - mean, 2) + std::pow(values[1] - mean, 2)) / 2);
            for (size_t i = 0; i < hidden; ++i)
                values[i] = (values[i] - mean) / deviation * c.scale[gate][i];
        }
        for (size_t i = 0; i < hidden; ++i)
            values[i] += c.bias[gate][i];
        return values;
    };
    const Row input = sums(Input, 0, c.cell), forget = sums(Forget, 2, c.cell), candidate = sums(Candidate, 0, {});
    Row next;
    for (size_t i = 0; i < hidden; ++i) {
        double taken = sigmoid(input[i]), kept = sigmoid(forget[i]);
        if (c.coupled)
            kept = 1 - taken;
        if (c.withoutInput)
            taken = 1 - kept;
        next.push_back(bounded(kept * c.cell[i] + taken * std::tanh(candidate[i]), c.cellClip));
    }
    const Row output = sums(Output, 1, next);
    double shown = c.projectionBias;
    for (size_t i = 0; i < hidden; ++i)
        shown += c.projection[i] * sigmoid(output[i]) * std::tanh(next[i]);
    return {bounded(shown, c.shownClip), next[0], next[1]};
}

Var constant(Builder& b, std::vector<int64_t> shape, const Row& values) {
    const auto floats = std::make_shared<std::vector<float>>(values.begin(), values.end());
    return b.constant(
        relay::makeConstant(types::Float32, std::move(shape), {floats, std::as_bytes(std::span(*floats))}));
}

/// Rows of the gates that there are, one behind the other.
Row ofGates(const Cell& c, const std::vector<Row>& rows) {
    Row all;
    for (size_t gate = c.withoutInput ? Forget : Input; gate <= Output; ++gate)
        all.insert(all.end(), rows[gate].begin(), rows[gate].end());
    return all;
}

/// The same as byFormula; empty after a fault.
Row byCell(const Cell& c) {
    relay::Module module;
    driver::DriverEvaluator evaluator({});
    module.spans = std::make_shared<model::SpanTable>();
    Builder b(module, &evaluator);
    b.setSpan(module.spans->of(0));
    frontend::Recurrence r;
    r.gates = c.withoutInput ? 3 : 4;
    const int64_t rows = r.gates * static_cast<int64_t>(hidden);
    r.x = constant(b, {1, 1, 1}, {c.x});
    r.weights = constant(b, {1, rows, 1}, ofGates(c, c.weights));
    r.recurrent = constant(b, {1, rows, 1}, ofGates(c, c.recurrent));
    r.initial = {constant(b, {1, 1, 1}, c.shown), constant(b, {1, 1, 2}, c.cell)};
    r.time = r.batch = r.shown = 1;
    r.hidden = static_cast<int64_t>(hidden);
    const frontend::GateFunction gate = [&](Var v) { return b.call(relay::Op::Sigmoid, {v}); },
                                 tanh = [&](Var v) { return b.call(relay::Op::Tanh, {v}); };
    r.functions = {gate, tanh, tanh};
    frontend::LstmCell cell;
    cell.forget = r.gates - 3;
    cell.candidate = r.gates - 2;
    cell.output = r.gates - 1;
    cell.coupled = c.coupled;
    cell.withoutInput = c.withoutInput;
    if (!c.peepholes.empty())
        cell.peepholes = constant(b, {1, 6}, c.peepholes);
    Row bias = ofGates(c, c.bias);
    if (!c.scale.empty()) {
        cell.normScale = constant(b, {1, rows}, ofGates(c, c.scale));
        cell.normBias = constant(b, {1, rows}, bias);
    } else {
        bias.resize(2 * bias.size(), 0);
        r.bias = constant(b, {1, 2 * rows}, bias);
    }
    cell.projection = constant(b, {1, 1, 2}, c.projection);
    cell.projectionBias = constant(b, {1, 1}, {c.projectionBias});
    cell.cellClip = c.cellClip;
    cell.shownClip = c.shownClip;
    const frontend::RanDirections ran = frontend::lstm(b, r, cell);
    Row result;
    for (size_t state = 0; state < 2 && !ran.empty(); ++state)
        if (const auto values = b.knownFloats(ran[0].states[state]))
            result.insert(result.end(), values->begin(), values->end());
    return result;
}

} // namespace

class TestLstmCells : public QObject {
    Q_OBJECT

private slots:
    void byTheFormula() {
        std::vector<std::pair<const char*, Cell>> cases(7);
        cases[0].first = "plain";
        cases[1].first = "peepholes";
        cases[1].second.peepholes = {0.5, -1, 2, 0.25, -0.75, 1};
        cases[2].first = "what is forgotten is not taken in";
        cases[2].second.coupled = true;
        cases[3].first = "without input gate";
        cases[3].second.withoutInput = true;
        cases[3].second.peepholes = cases[1].second.peepholes;
        cases[4].first = "normalized";
        cases[4].second.scale = {{0.5, 1.5}, {2, 0.75}, {1, -0.5}, {0.25, 1.25}};
        cases[4].second.peepholes = cases[1].second.peepholes;
        cases[5].first = "cell clipped";
        cases[5].second.cellClip = 0.125;
        cases[6].first = "projection clipped";
        cases[6].second.shownClip = 0.0625;
        for (const auto& [name, cell] : cases) {
            const Row expected = byFormula(cell), given = byCell(cell);
            QVERIFY2(given.size() == expected.size(), name);
            for (size_t i = 0; i < given.size(); ++i)
                QVERIFY2(std::abs(given[i] - expected[i]) <= 1e-6,
                         fmt::format("{}, {}: {}, not {}", name, i, given[i], expected[i]).c_str());
        }
    }
};

Test test() {
    return {makes<TestLstmCells>};
}

} // namespace lathe::testing::test_lstm_cells

#include "test_lstm_cells.moc"
