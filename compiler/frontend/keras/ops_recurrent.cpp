// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU, SimpleRNN, chains of their cells, both directions, and layers that run over time step by step. Gates are
// in the order input, forget, candidate, output, and update, reset, candidate. A layer that goes backwards gives its
// results in the order in which it made them.
#include "frontend/common/recurrent.h"
#include "frontend/keras/functions.h"
#include "frontend/keras/masks.h"
#include "frontend/keras/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::keras {
namespace {

constexpr int64_t mostCells = 64;
constexpr const char* wrongCell = "correct the model's config";

/// A cell by its attributes, which have `prefix` before their names, and its weights, which have another.
struct CellPlace {
    std::string kind; // "LSTM"
    std::string prefix, weights;
};

std::string kindOf(std::string className) {
    if (className.ends_with("Cell"))
        className.resize(className.size() - 4);
    return className;
}

size_t statesOf(const std::string& kind) {
    return kind == "LSTM" ? 2 : 1;
}

/// [rows, columns] as [1, columns, rows].
Var asDirection(Builder& b, Var matrix) {
    return b.failed() ? Var{} : unsqueeze(b, transpose(b, matrix, {1, 0}), {0});
}

/// The bias of the products with x, then that with the state. One of GRU's two forms has both.
Var biasesOf(Layer& layer, const CellPlace& cell, int gates, const Expr& hidden, bool hasTwo) {
    Builder& b = layer.b;
    if (!layer.hasWeight(cell.weights + "bias"))
        return {};
    const Expr width = arith::simplify(hidden * gates);
    if (hasTwo)
        return reshape(b, layer.weight(cell.weights + "bias", {2, width}), {1, arith::simplify(width * 2)});
    const Var bias = layer.weight(cell.weights + "bias", {width});
    return b.failed() ? Var{} : unsqueeze(b, concat(b, {bias, mulBy(b, bias, 0)}, 0), {0});
}

/// What layers run over.
struct Steps {
    Var x;    // [time, batch, features]
    Var mask; // [time, batch], bool: the steps that count; absent: all
    bool isZeroWhereMasked = false;
};

/// Results are in the order of time.
RanDirections run(Layer& layer, const CellPlace& cell, const Steps& steps, std::vector<Var> initial, bool reversed) {
    const Var x = steps.x;
    Builder& b = layer.b;
    NodeReader& node = layer.node;
    const bool isLstm = cell.kind == "LSTM", isGru = cell.kind == "GRU";
    if (!isLstm && !isGru && cell.kind != "SimpleRNN") {
        node.refuse(fmt::format("a recurrent layer of '{}' is not supported", cell.kind), "use LSTM, GRU or SimpleRNN");
        return {};
    }
    if (b.failed())
        return {};
    Recurrence r;
    r.gates = isLstm ? 4 : isGru ? 3 : 1;
    r.x = x;
    r.time = dim(b, x, 0);
    r.batch = dim(b, x, 1);
    r.hidden = node.integer(cell.prefix + "units", 0);
    r.reversed = reversed;
    r.mask = steps.mask;
    r.isZeroWhereMasked = steps.isZeroWhereMasked;
    const Expr width = arith::simplify(r.hidden * r.gates);
    const bool resetAfter = isGru && layer.flag(cell.prefix + "reset_after", false);
    r.weights = asDirection(b, layer.weight(cell.weights + "kernel", {dim(b, x, 2), width}));
    r.recurrent = asDirection(b, layer.weight(cell.weights + "recurrent_kernel", {r.hidden, width}));
    r.bias = biasesOf(layer, cell, r.gates, r.hidden, resetAfter);
    initial.resize(statesOf(cell.kind));
    for (Var& state : initial)
        if (state && node.needRank(state, 2))
            state = unsqueeze(b, state, {0});
    r.initial = initial;
    const GateFunction activation = [&](Var v) { return activated(layer, cell.prefix + "activation", v); };
    const GateFunction gate = [&](Var v) { return activated(layer, cell.prefix + "recurrent_activation", v); };
    if (b.failed())
        return {};
    if (isLstm) {
        r.functions = {gate, activation, activation};
        return lstm(b, r, {.input = 0, .output = 3, .forget = 1, .candidate = 2});
    }
    if (isGru) {
        r.functions = {gate, activation};
        return gru(b, r, {.update = 0, .reset = 1, .linearBeforeReset = resetAfter});
    }
    r.functions = {activation};
    return rnn(b, r);
}

/// What a call gives beside the tensor that the layer runs over and its mask.
std::vector<Var> statesGiven(Layer& layer) {
    std::vector<Var> states;
    for (size_t i = 1; i < layer.operands(); ++i)
        states.push_back(layer.in(i));
    return states;
}

/// The mask of what a layer runs over. Keras 3 takes none from the tensor where states are given beside it.
Var maskOfSteps(Layer& layer) {
    if (layer.node.version() >= 3 && !layer.hasArgument("call.mask") && layer.operands() > 1)
        return {};
    const Var mask = maskOf(layer);
    if (mask && !layer.b.failed() && layer.b.rank(mask) != 2) {
        layer.node.refuse(fmt::format("a mask of rank {} is not supported", layer.b.rank(mask)),
                          "give a mask of the batch and its steps");
        return {};
    }
    return mask;
}

/// What all layers over time refuse, and x as [time, batch, …].
Var timeFirst(Layer& layer, const std::string& prefix) {
    NodeReader& node = layer.node;
    if (layer.flag(prefix + "stateful", false))
        node.refuse("a layer that keeps its state between calls is not supported", "build it with stateful=False");
    if (layer.flag(prefix + "time_major", false))
        node.refuse("time_major is not supported", "put the batch first");
    const Var x = layer.in();
    if (!node.needRank(x, 3))
        return {};
    Ints axes = iotaInts(0, node.b.rank(x));
    std::swap(axes[0], axes[1]);
    return transpose(node.b, x, axes);
}

/// [batch, time, hidden] of all steps, in the order in which they were made.
Var sequenceOf(Builder& b, const RanDirection& ran, bool wasReversed) {
    return transpose(b, wasReversed ? reverse(b, ran.all, 0) : ran.all, {1, 0, 2});
}

/// As many of them from there on as there are, and no more.
std::vector<Var> partOf(const std::vector<Var>& all, size_t first, size_t count) {
    const size_t begin = std::min(first, all.size()), end = std::min(begin + count, all.size());
    return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

Var swapped(Builder& b, Var mask) {
    return mask ? transpose(b, mask, {1, 0}) : mask;
}

/// Cells one after the other over all of time; the layer's options have no prefix.
void recurrent(NodeReader& node, const std::vector<CellPlace>& cells) {
    Layer layer(node);
    Builder& b = node.b;
    const bool reversed = layer.flag("go_backwards", false);
    const Var mask = maskOfSteps(layer);
    Steps steps{timeFirst(layer, ""), swapped(b, mask), layer.flag("zero_output_for_mask", false)};
    const std::vector<Var> given = statesGiven(layer);
    std::vector<Var> states;
    RanDirections ran;
    for (size_t i = 0; i < cells.size(); ++i) {
        const size_t count = statesOf(cells[i].kind);
        ran = run(layer, cells[i], steps, partOf(given, states.size(), count), reversed);
        if (ran.empty() || b.failed())
            return;
        steps.x = ran[0].all;
        states.insert(states.end(), ran[0].states.begin(), ran[0].states.end());
    }
    if (ran.empty())
        return node.fail("the layer has no cells", wrongCell);
    if (layer.flag("return_sequences", false))
        layer.give(sequenceOf(b, ran[0], reversed), 0, maskOf(layer));
    else
        layer.give(ran[0].last);
    for (size_t i = 0; i < states.size() && node.wants(i + 1); ++i)
        layer.give(states[i], i + 1);
}

} // namespace

void convertLSTM(NodeReader& node, Builder&) {
    recurrent(node, {{"LSTM", "", ""}});
}

void convertGRU(NodeReader& node, Builder&) {
    recurrent(node, {{"GRU", "", ""}});
}

void convertSimpleRNN(NodeReader& node, Builder&) {
    recurrent(node, {{"SimpleRNN", "", ""}});
}

void convertRNN(NodeReader& node, Builder&) {
    const std::string className = node.text("cell", "");
    std::vector<CellPlace> cells;
    if (node.integer("cell.cells.size", 0) > mostCells)
        return node.refuse(fmt::format("more than {} cells in one layer are not supported", mostCells),
                           "give each cell a layer");
    if (className != "StackedRNNCells")
        cells.push_back({kindOf(className), "cell.", "cell."});
    else
        for (int64_t i = 0; i < node.integer("cell.cells.size", 0); ++i) {
            const std::string name = fmt::format("cell.cells.{}", i);
            cells.push_back({kindOf(node.text(name, "")), name + ".", name + "."});
        }
    recurrent(node, cells);
}

/// A layer and another that runs the other way, merged. Keras 2 files do not say what the other is: the same.
void convertBidirectional(NodeReader& node, Builder& b) {
    Layer layer(node);
    const bool hasOther = node.has("backward_layer");
    const std::string other = hasOther ? "backward_layer" : "layer";
    const CellPlace forward{node.text("layer", ""), "layer.", "forward."};
    const CellPlace backward{node.text(other, ""), other + ".", "backward."};
    const bool isReversed = layer.flag("layer.go_backwards", false);
    const bool isOtherReversed = hasOther ? layer.flag("backward_layer.go_backwards", false) : !isReversed;
    const bool givesSequences = layer.flag("layer.return_sequences", false);
    const Var mask = maskOfSteps(layer);
    const Steps steps{timeFirst(layer, "layer."), swapped(b, mask), givesSequences};
    const std::vector<Var> given = statesGiven(layer);
    const size_t states = statesOf(forward.kind);
    const RanDirections first = run(layer, forward, steps, partOf(given, 0, states), isReversed);
    const RanDirections second = run(layer, backward, steps, partOf(given, states, states), isOtherReversed);
    if (first.empty() || second.empty() || b.failed())
        return;
    Var y = first[0].last, z = second[0].last, ofSteps;
    if (givesSequences) {
        ofSteps = maskOf(layer);
        y = sequenceOf(b, first[0], isReversed);
        z = sequenceOf(b, second[0], !isOtherReversed); // turned round once more
    }
    size_t result = 1;
    const std::string mode = node.text("merge_mode", "");
    if (mode == "concat")
        layer.give(concat(b, {y, z}, b.rank(y) - 1), 0, ofSteps);
    else if (mode == "sum")
        layer.give(add(b, y, z), 0, ofSteps);
    else if (mode == "mul")
        layer.give(mul(b, y, z), 0, ofSteps);
    else if (mode == "ave")
        layer.give(mulBy(b, add(b, y, z), 0.5), 0, ofSteps);
    else if (mode.empty()) {
        layer.give(y, 0, ofSteps);
        if (node.wants(1))
            layer.give(z, 1, ofSteps);
        result = 2;
    } else
        return node.refuse(fmt::format("the merge mode '{}' is not supported", mode), "use 'concat'");
    for (const RanDirections* ran : {&first, &second})
        for (const Var state : (*ran)[0].states)
            if (node.wants(result))
                layer.give(state, result++);
}

/// The wrapped layer sees all steps as one batch.
void convertTimeDistributed(NodeReader& node, Builder& b) {
    Layer layer(node);
    const Var x = layer.in();
    const auto graph = node.graph("layer");
    if (!node.needRank(x, 2) || !graph)
        return;
    const Dims shape = b.shape(x);
    Dims steps = {arith::simplify(shape[0] * shape[1])};
    steps.insert(steps.end(), shape.begin() + 2, shape.end());
    // A mask of more than steps is one of the steps' own, which the wrapped layer sees.
    Var mask = maskOf(layer);
    if (mask && !b.failed() && b.rank(mask) > 2) {
        Dims inner = b.shape(mask);
        inner.erase(inner.begin());
        inner[0] = steps[0];
        mask = reshape(b, mask, inner);
    } else {
        mask = {};
    }
    const std::vector<Value> results = node.walk.run(
        *graph, &node.scope, {Value{.var = reshape(b, x, steps), .sequence = nullptr, .none = false, .mask = mask}});
    if (b.failed() || results.size() != 1 || !results[0].var)
        return;
    Dims wanted = b.shape(results[0].var);
    wanted.erase(wanted.begin());
    wanted.insert(wanted.begin(), {shape[0], shape[1]});
    layer.give(reshape(b, results[0].var, wanted));
}

} // namespace lathe::frontend::keras
