// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU, RNN: layers of recurrences (frontend/common/recurrent.h), one on top of the other. The weights are one
// flat list: of each layer, and of each direction of it, those of the input and of the state, then their biases, then a
// projection.
#include "frontend/common/recurrent.h"
#include "frontend/common/split.h"
#include "frontend/torch/ops.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

constexpr int64_t mostLayers = 1024;

GateFunction function(Builder& b, Op op) {
    return [&b, op](Var x) { return b.call(op, {x}); };
}

/// A kind of cell: how it reads a Recurrence whose weights are set.
struct Cell {
    int gates = 1;
    size_t states = 1;
    std::vector<Op> functions;
    RanDirections (*run)(Builder& b, const Recurrence& recurrence, Var projection);
};

RanDirections runLstm(Builder& b, const Recurrence& recurrence, Var projection) {
    LstmCell cell;
    cell.input = 0;
    cell.forget = 1;
    cell.candidate = 2;
    cell.output = 3;
    cell.projection = projection;
    return lstm(b, recurrence, cell);
}
RanDirections runGru(Builder& b, const Recurrence& recurrence, Var) {
    GruCell cell;
    cell.reset = 0;
    cell.update = 1;
    cell.linearBeforeReset = true;
    return gru(b, recurrence, cell);
}
RanDirections runRnn(Builder& b, const Recurrence& recurrence, Var) {
    return rnn(b, recurrence);
}
Cell lstmCell() {
    return {4, 2, {Op::Sigmoid, Op::Tanh, Op::Tanh}, runLstm};
}
Cell gruCell() {
    return {3, 1, {Op::Sigmoid, Op::Tanh}, runGru};
}
Cell rnnCell(Op op) {
    return {1, 1, {op}, runRnn};
}

/// One direction's weights.
struct CellWeights {
    Var input, state, inputBias, stateBias, projection; // but the first two may be absent
};

/// [a, b] as [1, a, b] parts of one tensor; absent if the first is.
Var stacked(Builder& b, const std::vector<CellWeights>& directions, Var CellWeights::* which) {
    std::vector<Var> parts;
    for (const CellWeights& direction : directions) {
        if (!(direction.*which))
            return {};
        parts.push_back(unsqueeze(b, direction.*which, {0}));
    }
    return parts.size() == 1 ? parts[0] : concat(b, parts, 0);
}

/// x: [time, batch, features]; initial: of each state, [directions, batch, hidden].
RanDirections runLayer(Builder& b, const Cell& cell, Var x, const std::vector<Var>& initial,
                       const std::vector<CellWeights>& directions) {
    for (const CellWeights& weights : directions)
        if (!needRank(b, weights.input, 2) || !needRank(b, weights.state, 2))
            return {};
    if (!needRank(b, x, 3))
        return {};
    Recurrence recurrence;
    recurrence.x = x;
    recurrence.weights = stacked(b, directions, &CellWeights::input);
    recurrence.recurrent = stacked(b, directions, &CellWeights::state);
    const Var inputBias = stacked(b, directions, &CellWeights::inputBias);
    const Var stateBias = stacked(b, directions, &CellWeights::stateBias);
    if (inputBias && stateBias)
        recurrence.bias = concat(b, {inputBias, stateBias}, 1);
    recurrence.initial = initial;
    recurrence.time = dim(b, x, 0);
    recurrence.batch = dim(b, x, 1);
    recurrence.hidden = quotient({dim(b, directions[0].state, 0)}, {cell.gates}).value;
    recurrence.gates = cell.gates;
    recurrence.directions = directions.size();
    const Var projection = stacked(b, directions, &CellWeights::projection);
    if (projection)
        recurrence.shown = dim(b, directions[0].projection, 0);
    for (size_t i = 0; i < directions.size(); ++i)
        for (const Op op : cell.functions)
            recurrence.functions.push_back(function(b, op));
    return b.failed() ? RanDirections{} : cell.run(b, recurrence, projection);
}

/// What the layers of a call are.
struct Layers {
    size_t count = 1, directions = 1;
    std::vector<CellWeights> weights; // of a layer's directions, one layer after the other
};

/// The flat list of weights; nothing, and a fault, if it does not fit.
std::optional<Layers> readLayers(Call& call, bool mayProject) {
    const std::vector<Var> all = call.tensors("params");
    const int64_t count = call.integer("num_layers");
    const bool hasBiases = call.flag("has_biases");
    if (call.flag("train") && call.real("dropout") > 0)
        call.refuse("dropout between layers is random in training",
                    "export the model in evaluation mode: model.eval()");
    if (call.failed())
        return std::nullopt;
    Layers layers;
    layers.directions = call.flag("bidirectional") ? 2 : 1;
    const size_t plain = hasBiases ? 4 : 2;
    const size_t cells = count >= 1 && count <= mostLayers ? static_cast<size_t>(count) * layers.directions : 0;
    const size_t each = cells == 0 ? 0 : all.size() / cells;
    if (cells == 0 || each * cells != all.size() || (each != plain && !(mayProject && each == plain + 1))) {
        call.fail(fmt::format("{} weights do not fit {} layers", all.size(), count),
                  "the program is malformed; export it again");
        return std::nullopt;
    }
    layers.count = static_cast<size_t>(count);
    for (size_t i = 0; i < all.size(); i += each) {
        CellWeights weights{all[i], all[i + 1], {}, {}, {}};
        if (hasBiases) {
            weights.inputBias = all[i + 2];
            weights.stateBias = all[i + 3];
        }
        if (each > plain)
            weights.projection = all[i + plain];
        layers.weights.push_back(weights);
    }
    return layers;
}

/// [time, directions, batch, hidden] as [time, batch, directions * hidden].
Var sideBySide(Builder& b, Var all) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(all);
    return reshape(b, transpose(b, all, {0, 2, 1, 3}), {shape[0], shape[2], arith::simplify(shape[1] * shape[3])});
}

/// Gives what the last layer shows, then the last states of all. initial: of each state, [layers * directions, batch,
/// hidden].
void giveLayers(Call& call, Builder& b, const Cell& cell, std::vector<Var> initial) {
    const std::optional<Layers> layers = readLayers(call, cell.states == 2);
    Var x = call.tensor("input");
    if (!layers || !needRank(b, x, 3))
        return;
    const bool batchFirst = call.flag("batch_first");
    const auto directions = static_cast<int64_t>(layers->directions);
    x = batchFirst ? transpose(b, x, {1, 0, 2}) : x;
    for (Var& state : initial) {
        if (!needRank(b, state, 3))
            return;
        state = coveredBy(b, state, 0, {static_cast<int64_t>(layers->weights.size())});
    }
    std::vector<std::vector<Var>> last(cell.states);
    for (size_t layer = 0; layer < layers->count && !b.failed(); ++layer) {
        const auto first = layers->weights.begin() + static_cast<std::ptrdiff_t>(layer * layers->directions);
        std::vector<Var> begin;
        for (const Var state : initial)
            begin.push_back(sliceAxis(b, state, 0, static_cast<int64_t>(layer) * directions, directions));
        const RanDirections ran = runLayer(b, cell, x, begin, {first, first + directions});
        x = sideBySide(b, allOf(b, ran));
        for (size_t state = 0; state < cell.states; ++state)
            last[state].push_back(lastOf(b, ran, state));
    }
    std::vector<Var> results = {batchFirst ? transpose(b, x, {1, 0, 2}) : x};
    for (const std::vector<Var>& parts : last)
        results.push_back(b.failed() ? Var{} : concat(b, parts, 0));
    call.give(results);
}

/// The states at first; a fault if they are not as many as the cell has.
std::vector<Var> initialStates(Call& call, const Cell& cell) {
    std::vector<Var> initial = call.tensors("hx");
    if (!call.failed() && initial.size() != cell.states)
        call.fail(fmt::format("there are {} initial states where the cell has {}", initial.size(), cell.states));
    return initial;
}

void convertLstm(Call& call, Builder& b) {
    giveLayers(call, b, lstmCell(), initialStates(call, lstmCell()));
}
void convertGru(Call& call, Builder& b) {
    giveLayers(call, b, gruCell(), initialStates(call, gruCell()));
}
template <Op op>
void convertRnn(Call& call, Builder& b) {
    giveLayers(call, b, rnnCell(op), initialStates(call, rnnCell(op)));
}

/// One step of one layer: operands are [batch, features] and [batch, hidden].
void giveStep(Call& call, Builder& b, const Cell& cell) {
    const Var x = call.tensor("input");
    std::vector<Var> initial = initialStates(call, cell);
    const CellWeights weights{
        call.tensor("w_ih"), call.tensor("w_hh"), call.optionalTensor("b_ih"), call.optionalTensor("b_hh"), {}};
    if (!needRank(b, x, 2))
        return;
    for (Var& state : initial) {
        if (!needRank(b, state, 2))
            return;
        state = unsqueeze(b, state, {0});
    }
    const RanDirections ran = runLayer(b, cell, unsqueeze(b, x, {0}), initial, {weights});
    std::vector<Var> results;
    for (size_t state = 0; state < cell.states && !b.failed(); ++state)
        results.push_back(ran[0].states[state]);
    call.give(results);
}
void convertLstmCell(Call& call, Builder& b) {
    giveStep(call, b, lstmCell());
}
void convertGruCell(Call& call, Builder& b) {
    giveStep(call, b, gruCell());
}
template <Op op>
void convertRnnCell(Call& call, Builder& b) {
    giveStep(call, b, rnnCell(op));
}

#define LATHE_LAYERS                                                                                                   \
    "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool "           \
    "batch_first) -> "
#define LATHE_WEIGHTS "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "

constexpr auto recurrenceRows = std::to_array<Row>({
    {"aten::lstm.input(Tensor input, Tensor[] hx, " LATHE_LAYERS "(Tensor, Tensor, Tensor)", convertLstm, Product},
    {"aten::gru.input(Tensor input, Tensor hx, " LATHE_LAYERS "(Tensor, Tensor)", convertGru, Product},
    {"aten::rnn_tanh.input(Tensor input, Tensor hx, " LATHE_LAYERS "(Tensor, Tensor)", convertRnn<Op::Tanh>, Product},
    {"aten::rnn_relu.input(Tensor input, Tensor hx, " LATHE_LAYERS "(Tensor, Tensor)", convertRnn<Op::Relu>, Product},
    {"aten::lstm_cell(Tensor input, Tensor[] hx, " LATHE_WEIGHTS "(Tensor, Tensor)", convertLstmCell, Product},
    {"aten::gru_cell(Tensor input, Tensor hx, " LATHE_WEIGHTS "Tensor", convertGruCell, Product},
    {"aten::rnn_tanh_cell(Tensor input, Tensor hx, " LATHE_WEIGHTS "Tensor", convertRnnCell<Op::Tanh>, Product},
    {"aten::rnn_relu_cell(Tensor input, Tensor hx, " LATHE_WEIGHTS "Tensor", convertRnnCell<Op::Relu>, Product},
});

#undef LATHE_WEIGHTS
#undef LATHE_LAYERS

} // namespace

std::span<const Row> rowsOfRecurrences() {
    return recurrenceRows;
}

} // namespace lathe::frontend::torch
