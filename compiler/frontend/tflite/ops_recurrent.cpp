// SPDX-License-Identifier: Apache-2.0
//
// LSTM and RNN over one step or a sequence, in one direction or both: what their operands say of a recurrence
// (frontend/common/recurrent.h).
#include "frontend/common/recurrent.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/states.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// Operand 0 and what a sequence begins with.
struct ReadSequence {
    Var x; // [time, batch, features]
    bool timeMajor = true;
    bool isStep = false; // there is no dim of time

    /// all: [time, batch, width], as the operator gives it.
    Var asGiven(Builder& b, Var all) const {
        return isStep ? squeeze(b, all, {0}) : timeMajor ? all : transpose(b, all, {1, 0, 2});
    }
};

Var timeFirst(Builder& b, Var x, const ReadSequence& sequence) {
    return sequence.isStep ? unsqueeze(b, x, {0}) : sequence.timeMajor ? x : transpose(b, x, {1, 0, 2});
}

/// Nothing after a fault.
std::optional<ReadSequence> readSequence(NodeReader& node, bool isStep) {
    ReadSequence sequence;
    sequence.isStep = isStep;
    sequence.timeMajor = isStep || node.integer("time_major", 0) != 0;
    const Var x = realOf(node, 0);
    if (!node.needRank(x, isStep ? 2 : 3))
        return std::nullopt;
    sequence.x = timeFirst(node.b, x, sequence);
    return sequence;
}

/// Operands `first` … of the gates that there are, each with these dims, as [1, gates * dims[0], …].
Var stacked(NodeReader& node, const std::vector<size_t>& operands, const Dims& dims) {
    std::vector<Var> parts;
    for (size_t i : operands)
        parts.push_back(withDims(node.b, realOf(node, i), dims));
    return unsqueeze(node.b, parts.size() == 1 ? parts[0] : concat(node.b, std::move(parts), 0), {0});
}

/// Biases of products with the input; those with the state have none.
Var withoutStateBias(Builder& b, Var bias) {
    return b.failed() ? Var{} : concat(b, {bias, full(b, scalarLike(b, 0, bias), b.shape(bias))}, 1);
}

/// A state of one direction, [batch, width]: where the batch is open, of as many as the state has.
Var ofDirection(Builder& b, Var state, const Expr& batch, const Expr& width) {
    return state ? unsqueeze(b, withDims(b, state, {batch, width}), {0}) : state;
}

/// Beside the input an operator may read another one, which has weights of its own, or goes into the backward
/// direction.
struct Auxiliary {
    Var x; // [time, batch, features]; may be absent
    bool hasWeights = false;
};

// ---- RNN

struct RnnPlaces {
    size_t weights, recurrent, bias, state;
    std::optional<size_t> auxiliary; // weights
};

RanDirections runRnn(NodeReader& node, Var x, const Auxiliary& auxiliary, const RnnPlaces& places, bool reversed,
                     Var state) {
    Builder& b = node.b;
    Recurrence r;
    const Var recurrent = realOf(node, places.recurrent);
    if (!node.needRank(recurrent, 2))
        return {};
    r.reversed = reversed;
    r.hidden = dim(b, recurrent, 0);
    r.weights = stacked(node, {places.weights}, {r.hidden, dim(b, x, 2)});
    r.x = x;
    if (auxiliary.hasWeights) {
        r.weights = concat(b, {r.weights, stacked(node, {*places.auxiliary}, {r.hidden, dim(b, auxiliary.x, 2)})}, 2);
        r.x = concat(b, {x, auxiliary.x}, 2);
    }
    r.time = dim(b, x, 0);
    r.batch = dim(b, x, 1);
    r.recurrent = stacked(node, {places.recurrent}, {r.hidden, r.hidden});
    r.bias = withoutStateBias(b, stacked(node, {places.bias}, {r.hidden}));
    r.initial = {ofDirection(b, state, r.batch, r.hidden)};
    r.functions = {[&](Var v) { return activated(node, v); }};
    return b.failed() ? RanDirections{} : rnn(b, r);
}

void oneRnn(NodeReader& node, Builder& b, bool isStep) {
    const auto sequence = readSequence(node, isStep);
    if (!sequence)
        return;
    overStates(node, {4}, [&](const std::vector<Var>& before) {
        const RanDirections ran = runRnn(node, sequence->x, {}, {1, 2, 3, 4, {}}, false, before[0]);
        if (ran.empty())
            return std::vector<Var>{{}};
        give(node, 0, sequence->asGiven(b, ran[0].all));
        return ran[0].states;
    });
}

// ---- LSTM

/// Where the operands of one direction stand; of gates the first of four: input, forget, cell, output.
struct LstmPlaces {
    size_t weights, recurrent, peepholes, bias, projection, projectionBias;
    std::optional<size_t> norms, auxiliary; // the first scale of a normalization, the first auxiliary weights
};

/// Reads what the operands say into r, but for x and states, and gives the cell; nothing after a fault.
std::optional<LstmCell> readLstm(NodeReader& node, const LstmPlaces& places, Var x, const Auxiliary& auxiliary,
                                 Recurrence& r) {
    Builder& b = node.b;
    LstmCell cell;
    cell.withoutInput = !node.hasInput(places.weights);
    const auto gatesFrom = [&](size_t first) {
        std::vector<size_t> operands;
        for (size_t i = cell.withoutInput ? 1 : 0; i < 4; ++i)
            operands.push_back(first + i);
        return operands;
    };
    r.gates = cell.withoutInput ? 3 : 4;
    cell.forget = r.gates - 3;
    cell.candidate = r.gates - 2;
    cell.output = r.gates - 1;
    const Var recurrent = realOf(node, places.recurrent + 3);
    if (node.integer("diagonal_recurrent_tensors", 0) != 0) {
        node.refuse("recurrent weights that are diagonals are not supported");
        return std::nullopt;
    }
    if (!node.needRank(recurrent, 2))
        return std::nullopt;
    r.hidden = dim(b, recurrent, 0);
    r.shown = dim(b, recurrent, 1);
    r.recurrent = stacked(node, gatesFrom(places.recurrent), {r.hidden, r.shown});
    r.weights = stacked(node, gatesFrom(places.weights), {r.hidden, dim(b, x, 2)});
    r.x = x;
    if (auxiliary.hasWeights) {
        r.weights =
            concat(b, {r.weights, stacked(node, gatesFrom(*places.auxiliary), {r.hidden, dim(b, auxiliary.x, 2)})}, 2);
        r.x = concat(b, {x, auxiliary.x}, 2);
    }
    const Var bias = stacked(node, gatesFrom(places.bias), {r.hidden});
    if (places.norms && node.hasInput(*places.norms + 3)) {
        cell.normScale = stacked(node, gatesFrom(*places.norms), {r.hidden});
        cell.normBias = bias;
    } else {
        r.bias = withoutStateBias(b, bias);
    }
    if (node.hasInput(places.peepholes + 2)) {                               // of input (with the gate), forget, output
        const size_t input = places.peepholes + (cell.withoutInput ? 1 : 0); // of no gate: any will do
        cell.peepholes = stacked(node, {input, places.peepholes + 2, places.peepholes + 1}, {r.hidden});
    }
    if (node.hasInput(places.projection)) {
        cell.projection = stacked(node, {places.projection}, {r.shown, r.hidden});
        if (node.hasInput(places.projectionBias))
            cell.projectionBias = stacked(node, {places.projectionBias}, {r.shown});
    }
    cell.cellClip = node.real("cell_clip", 0);
    cell.shownClip = node.real("proj_clip", 0);
    return b.failed() ? std::nullopt : std::optional(cell);
}

RanDirections runLstm(NodeReader& node, const LstmPlaces& places, Var x, const Auxiliary& auxiliary, bool reversed,
                      Var hidden, Var cellState) {
    Builder& b = node.b;
    Recurrence r;
    const auto cell = readLstm(node, places, x, auxiliary, r);
    if (!cell)
        return {};
    r.reversed = reversed;
    r.time = dim(b, x, 0);
    r.batch = dim(b, x, 1);
    r.initial = {ofDirection(b, hidden, r.batch, r.shown), ofDirection(b, cellState, r.batch, r.hidden)};
    const GateFunction gate = [&](Var v) { return b.call(Op::Sigmoid, {v}); },
                       fused = [&](Var v) { return activated(node, v); };
    r.functions = {gate, fused, fused};
    return lstm(b, r, *cell);
}

void oneLstm(NodeReader& node, Builder& b, bool isStep) {
    const auto sequence = readSequence(node, isStep);
    if (!sequence)
        return;
    overStates(node, {18, 19}, [&](const std::vector<Var>& before) {
        const RanDirections ran =
            runLstm(node, {1, 5, 9, 12, 16, 17, 20, {}}, sequence->x, {}, false, before[0], before[1]);
        if (ran.empty())
            return std::vector<Var>{{}, {}};
        give(node, 0, sequence->asGiven(b, ran[0].all));
        return ran[0].states;
    });
}

/// The kernel of TensorFlow's BasicLSTMCell: states are operands and results, all weights are one matrix.
void basicLstm(NodeReader& node, Builder& b) {
    const Var joined = concat(b, {realOf(node, 0), realOf(node, 1)}, 1), before = realOf(node, 4);
    if (!node.needRank(before, 2))
        return;
    const Expr width = dim(b, before, 1);
    const Var sums = withDims(b, add(b, matmul(b, joined, realOf(node, 2), false, true), realOf(node, 3)),
                              {dim(b, before, 0), arith::simplify(width * 4)});
    const auto part = [&](int i) { return sliceAxis(b, sums, 1, arith::simplify(width * i), width); };
    const auto gate = [&](int i) { return b.call(Op::Sigmoid, {part(i)}); };
    const Var taken = mul(b, gate(0), b.call(Op::Tanh, {part(1)}));
    const Var state = add(b, taken, mul(b, gate(2), before));
    give(node, 0, mul(b, gate(3), b.call(Op::Tanh, {state})));
    const std::vector<Var> others = {state, joined, sums};
    for (size_t i = 0; i < others.size(); ++i)
        if (node.wants(i + 1))
            give(node, i + 1, others[i]);
}

// ---- both directions

/// Gives two directions: one behind the other in each step, or as two results.
void giveDirections(NodeReader& node, Builder& b, const ReadSequence& sequence, Var forward, Var backward) {
    if (node.integer("merge_outputs", 0) != 0)
        return give(node, 0, sequence.asGiven(b, concat(b, {forward, backward}, 2)));
    give(node, 0, sequence.asGiven(b, forward));
    give(node, 1, sequence.asGiven(b, backward));
}

/// Operand `i`, and whether it has weights.
Auxiliary readAuxiliary(NodeReader& node, size_t i, size_t weights, const ReadSequence& sequence) {
    Auxiliary auxiliary;
    if (node.hasInput(i))
        auxiliary.x = timeFirst(node.b, realOf(node, i), sequence);
    auxiliary.hasWeights = auxiliary.x && node.hasInput(weights);
    return auxiliary;
}

/// What the backward direction reads: the other input where that has no weights.
Var backwardInput(const ReadSequence& sequence, const Auxiliary& auxiliary) {
    return auxiliary.x && !auxiliary.hasWeights ? auxiliary.x : sequence.x;
}

} // namespace

void convertRnn(NodeReader& node, Builder& b) {
    oneRnn(node, b, true);
}

void convertUnidirectionalSequenceRnn(NodeReader& node, Builder& b) {
    oneRnn(node, b, false);
}

void convertBidirectionalSequenceRnn(NodeReader& node, Builder& b) {
    const auto sequence = readSequence(node, false);
    if (!sequence)
        return;
    const Auxiliary auxiliary = readAuxiliary(node, 9, 10, *sequence);
    overStates(node, {4, 8}, [&](const std::vector<Var>& before) {
        const RanDirections forward = runRnn(node, sequence->x, auxiliary, {1, 2, 3, 4, 10}, false, before[0]),
                            backward = runRnn(node, backwardInput(*sequence, auxiliary), auxiliary, {5, 6, 7, 8, 11},
                                              true, before[1]);
        if (forward.empty() || backward.empty())
            return std::vector<Var>{{}, {}};
        giveDirections(node, b, *sequence, forward[0].all, backward[0].all);
        return std::vector<Var>{forward[0].states[0], backward[0].states[0]};
    });
}

void convertLstm(NodeReader& node, Builder& b) {
    if (node.text("kernel_type", "FULL") == "BASIC")
        basicLstm(node, b);
    else
        oneLstm(node, b, true);
}

void convertUnidirectionalSequenceLstm(NodeReader& node, Builder& b) {
    oneLstm(node, b, false);
}

void convertBidirectionalSequenceLstm(NodeReader& node, Builder& b) {
    const auto sequence = readSequence(node, false);
    if (!sequence)
        return;
    const Auxiliary auxiliary = readAuxiliary(node, 39, 41, *sequence);
    overStates(node, {35, 36, 37, 38}, [&](const std::vector<Var>& before) {
        const RanDirections forward = runLstm(node, {1, 5, 9, 12, 16, 17, {}, 40}, sequence->x, auxiliary, false,
                                              before[0], before[1]),
                            backward =
                                runLstm(node, {18, 22, 26, 29, 33, 34, {}, 44}, backwardInput(*sequence, auxiliary),
                                        auxiliary, true, before[2], before[3]);
        if (forward.empty() || backward.empty())
            return std::vector<Var>{{}, {}, {}, {}};
        giveDirections(node, b, *sequence, forward[0].all, backward[0].all);
        return std::vector<Var>{forward[0].states[0], forward[0].states[1], backward[0].states[0],
                                backward[0].states[1]};
    });
}

} // namespace lathe::frontend::tflite
