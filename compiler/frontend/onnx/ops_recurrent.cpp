// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU, RNN: a loop over time around one cell. The product of all inputs with the weights is taken once, outside
// of the loop; inside remains the product with the state. Directions are separate loops, joined afterwards.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

#include <cctype>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

struct Function {
    std::string name;
    double alpha = 0, beta = 0;
};

/// What the three operators share: operands brought to [time, batch, …] and attributes.
struct Recurrence {
    Var x, weights, recurrent, bias, lengths; // bias, lengths may be absent
    std::vector<Var> initial;                 // of each state; may be absent
    Expr time, batch, hidden;
    int gates = 1;
    size_t directions = 1;
    bool reversed = false, batchFirst = false;
    double clip = 0;
    std::vector<Function> functions; // a direction after the other
};

/// Weights of one direction.
struct Direction {
    size_t index = 0;
    Var recurrent;                // [gates * hidden, state]
    Var recurrentBias, inputBias; // [gates * hidden], absent if the operator has none
    const Function* functions = nullptr;
};

using Step = std::function<std::vector<Var>(const Direction&, Var projected, const std::vector<Var>& states)>;

std::string canonicalName(const std::string& name) {
    static constexpr const char* names[] = {
        "Relu",       "Tanh",        "Sigmoid", "Affine",   "LeakyRelu", "ThresholdedRelu",
        "ScaledTanh", "HardSigmoid", "Elu",     "Softsign", "Softplus"};
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    for (const char* known : names)
        if (std::equal(name.begin(), name.end(), known, known + std::char_traits<char>::length(known), same))
            return known;
    return name;
}

std::vector<Function> readFunctions(NodeReader& node, const std::vector<std::string>& defaults, size_t directions) {
    std::vector<std::string> names = node.texts("activations");
    if (names.empty())
        for (size_t d = 0; d < directions; ++d)
            names.insert(names.end(), defaults.begin(), defaults.end());
    if (names.size() != defaults.size() * directions) {
        node.fail(
            fmt::format("there are {} activations where {} are needed", names.size(), defaults.size() * directions));
        return {};
    }
    const std::vector<double> alphas = node.reals("activation_alpha"), betas = node.reals("activation_beta");
    size_t alpha = 0, beta = 0;
    std::vector<Function> functions;
    for (const std::string& name : names) {
        Function function{canonicalName(name), 0, 0};
        const auto take = [](const std::vector<double>& list, size_t& at, double otherwise) {
            return at < list.size() ? list[at++] : otherwise;
        };
        const std::string& n = function.name;
        if (n == "Affine" || n == "ScaledTanh" || n == "HardSigmoid" || n == "LeakyRelu" || n == "ThresholdedRelu" ||
            n == "Elu")
            function.alpha = take(alphas, alpha, n == "LeakyRelu" ? 0.01 : n == "HardSigmoid" ? 0.2 : 1);
        if (n == "Affine" || n == "ScaledTanh" || n == "HardSigmoid")
            function.beta = take(betas, beta, n == "HardSigmoid" ? 0.5 : n == "ScaledTanh" ? 1 : 0);
        functions.push_back(function);
    }
    if (alpha < alphas.size() || beta < betas.size())
        node.fail(
            fmt::format("activation_alpha and activation_beta have {} and {} values; these activations take {} and {}",
                        alphas.size(), betas.size(), alpha, beta));
    return functions;
}

std::optional<Recurrence> readRecurrence(NodeReader& node, Builder& b, int gates,
                                         const std::vector<std::string>& defaults) {
    Recurrence r;
    r.gates = gates;
    r.x = node.in(0);
    r.weights = node.in(1);
    r.recurrent = node.in(2);
    r.bias = node.optional(3);
    r.lengths = node.optional(4);
    const std::string direction = node.text("direction", "forward");
    r.directions = direction == "bidirectional" ? 2 : 1;
    r.reversed = direction == "reverse";
    r.batchFirst = node.integer("layout", 0) != 0;
    r.clip = node.real("clip", 0);
    if (r.clip < 0 || std::isnan(r.clip))
        node.fail(fmt::format("attribute 'clip' is {}, which is no bound", r.clip));
    r.functions = readFunctions(node, defaults, r.directions);
    if (!node.needRank(r.x, 3) || !node.needRank(r.weights, 3) || !node.needRank(r.recurrent, 3))
        return std::nullopt;
    if (r.batchFirst)
        r.x = transpose(b, r.x, {1, 0, 2});
    r.time = dim(b, r.x, 0);
    r.batch = dim(b, r.x, 1);
    r.hidden = dim(b, r.recurrent, 2);
    if (const auto count = arith::asInt(dim(b, r.weights, 0)); !count || *count != static_cast<int64_t>(r.directions)) {
        node.fail(fmt::format("the weights are not for {} direction(s)", r.directions));
        return std::nullopt;
    }
    if (!arith::isConst(r.hidden) && node.has("hidden_size"))
        r.hidden = node.integer("hidden_size", 0); // the product with the weights checks that it is theirs
    else if (const auto hidden = arith::asInt(r.hidden); hidden && node.integer("hidden_size", *hidden) != *hidden) {
        node.fail(fmt::format("attribute 'hidden_size' is {}, but the weights are for {}",
                              node.integer("hidden_size", *hidden), *hidden));
        return std::nullopt;
    }
    if (r.lengths)
        r.lengths = withDims(b, cast(b, r.lengths, types::Int64), {r.batch});
    return r;
}

/// Slice d of the first dim, with the shape of the rest.
Var pick(Builder& b, Var x, size_t d) {
    if (!x || b.failed())
        return {};
    Dims shape = b.shape(x);
    const Var slice = shape.empty() || arith::isConst(shape[0], 1) ? x : sliceAxis(b, x, 0, static_cast<int64_t>(d), 1);
    if (!shape.empty())
        shape.erase(shape.begin());
    return reshape(b, slice, shape);
}

Var gate(Builder& b, const Recurrence& r, Var x, int i) {
    return sliceAxis(b, x, b.failed() ? 0 : b.rank(x) - 1, arith::simplify(r.hidden * i), r.hidden);
}

Var clipped(Builder& b, const Recurrence& r, Var x) {
    return r.clip <= 0 ? x : minimum(b, maximum(b, x, scalarLike(b, -r.clip, x)), scalarLike(b, r.clip, x));
}

Var inTimeOrder(Builder& b, const Recurrence& r, Var x, bool backward) {
    if (!backward)
        return x;
    if (!r.lengths)
        return reverse(b, x, 0);
    ReverseAttrs attrs;
    return b.call(Op::ReverseSequence, {x, r.lengths}, attrs);
}

struct Ran {
    Var all;                 // [time, batch, hidden]
    std::vector<Var> states; // last ones, [batch, hidden]
};

Ran runDirection(Builder& b, const Recurrence& r, Direction direction, Var inputBias, const Step& step) {
    const bool backward = r.reversed || direction.index == 1;
    const Var x = inTimeOrder(b, r, r.x, backward);
    const Expr width = arith::simplify(r.hidden * r.gates);
    Var projected = matmul(b, reshape(b, x, {arith::simplify(r.time * r.batch), dim(b, x, 2)}),
                           pick(b, r.weights, direction.index), false, true);
    if (inputBias)
        projected = add(b, projected, inputBias);
    projected = reshape(b, projected, {r.time, r.batch, width});
    std::vector<Var> states;
    for (Var initial : r.initial) {
        // The reshape states that the initial state has the batch of the input.
        const Var given = pick(b, initial, direction.index);
        states.push_back(given ? reshape(b, given, {r.batch, r.hidden})
                               : full(b, scalarLike(b, 0, r.x), {r.batch, r.hidden}));
    }
    const auto cell = [&](Var iteration, const std::vector<Var>& carried) {
        std::vector<Var> next = step(direction, gather(b, projected, iteration, 0), carried);
        Var shown = next[0];
        if (r.lengths) {
            const Var alive = unsqueeze(b, less(b, iteration, r.lengths), {1});
            shown = where(b, alive, next[0], scalarLike(b, 0, next[0]));
            for (size_t i = 0; i < next.size(); ++i)
                next[i] = where(b, alive, next[i], carried[i]);
        }
        next.push_back(shown);
        return next;
    };
    Ran ran;
    if (arith::isConst(r.time, 1)) {
        std::vector<Var> last = cell(b.scalarInt(0), states);
        ran.all = unsqueeze(b, last.back(), {0});
        last.pop_back();
        ran.states = last;
    } else {
        const Var loop = b.loop(b.scalarOf(r.time), {}, states, 1, cell);
        for (size_t i = 0; i < states.size(); ++i)
            ran.states.push_back(b.project(loop, static_cast<int>(i)));
        ran.all = b.project(loop, static_cast<int>(states.size()));
    }
    ran.all = inTimeOrder(b, r, ran.all, backward);
    return ran;
}

/// Runs all directions and gives Y, then the last states, as the node's results.
void runAll(NodeReader& node, Builder& b, Recurrence& r, size_t states, bool mergeBiases, const Step& step) {
    for (size_t i = 0; i < states; ++i) {
        Var initial = node.optional(5 + i);
        if (initial && r.batchFirst)
            initial = transpose(b, initial, {1, 0, 2});
        r.initial.push_back(initial);
    }
    std::vector<Ran> ran;
    for (size_t d = 0; d < r.directions && !b.failed(); ++d) {
        Direction direction;
        direction.index = d;
        direction.recurrent = pick(b, r.recurrent, d);
        direction.functions = r.functions.data() + d * (r.functions.size() / r.directions);
        Var inputBias;
        if (const Var bias = pick(b, r.bias, d)) {
            const Expr width = arith::simplify(r.hidden * r.gates);
            inputBias = sliceAxis(b, bias, 0, 0, width);
            direction.recurrentBias = sliceAxis(b, bias, 0, width, width);
            if (mergeBiases)
                inputBias = add(b, inputBias, direction.recurrentBias);
        }
        ran.push_back(runDirection(b, r, direction, inputBias, step));
    }
    if (b.failed())
        return;
    const auto join = [&](int64_t axis, const std::function<Var(const Ran&)>& part) {
        std::vector<Var> parts;
        for (const Ran& one : ran)
            parts.push_back(unsqueeze(b, part(one), {axis}));
        return parts.size() == 1 ? parts[0] : concat(b, parts, axis);
    };
    if (node.wants(0)) {
        const Var all = join(1, [](const Ran& one) { return one.all; });
        node.set(0, r.batchFirst ? transpose(b, all, {2, 0, 1, 3}) : all);
    }
    for (size_t i = 0; i < states; ++i) {
        if (!node.wants(1 + i))
            continue;
        const Var last = join(0, [i](const Ran& one) { return one.states[i]; });
        node.set(1 + i, r.batchFirst ? transpose(b, last, {1, 0, 2}) : last);
    }
}

} // namespace

void convertLSTM(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 4, {"Sigmoid", "Tanh", "Tanh"});
    if (!r)
        return;
    const bool coupled = node.integer("input_forget", 0) != 0;
    const Var peepholes = node.optional(7);
    const auto act = [&](const Direction& d, int i, Var x) {
        return activation(node, b, d.functions[i].name, clipped(b, *r, x), d.functions[i].alpha, d.functions[i].beta);
    };
    runAll(node, b, *r, 2, true, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var hidden = states[0], cell = states[1];
        const Var gates = add(b, projected, matmul(b, hidden, d.recurrent, false, true));
        Var input = gate(b, *r, gates, 0), output = gate(b, *r, gates, 1), forget = gate(b, *r, gates, 2);
        const Var p = pick(b, peepholes, d.index);
        if (p) {
            input = add(b, input, mul(b, gate(b, *r, p, 0), cell));
            forget = add(b, forget, mul(b, gate(b, *r, p, 2), cell));
        }
        input = act(d, 0, input);
        forget = coupled ? sub(b, scalarLike(b, 1, input), input) : act(d, 0, forget);
        const Var next = add(b, mul(b, forget, cell), mul(b, input, act(d, 1, gate(b, *r, gates, 3))));
        if (p)
            output = add(b, output, mul(b, gate(b, *r, p, 1), next));
        const Function& last = d.functions[2];
        return std::vector<Var>{mul(b, act(d, 0, output), activation(node, b, last.name, next, last.alpha, last.beta)),
                                next};
    });
}

void convertGRU(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 3, {"Sigmoid", "Tanh"});
    if (!r)
        return;
    const bool before = node.integer("linear_before_reset", 0) != 0;
    const auto act = [&](const Direction& d, int i, Var x) {
        return activation(node, b, d.functions[i].name, clipped(b, *r, x), d.functions[i].alpha, d.functions[i].beta);
    };
    // The recurrent bias of the last gate stands inside the reset when linear_before_reset; so none is merged then.
    runAll(node, b, *r, 1, !before, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var hidden = states[0];
        const Expr two = arith::simplify(r->hidden * 2);
        Var next, update, reset;
        if (before) {
            Var product = matmul(b, hidden, d.recurrent, false, true);
            if (d.recurrentBias)
                product = add(b, product, d.recurrentBias);
            update = act(d, 0, add(b, gate(b, *r, projected, 0), gate(b, *r, product, 0)));
            reset = act(d, 0, add(b, gate(b, *r, projected, 1), gate(b, *r, product, 1)));
            next = add(b, gate(b, *r, projected, 2), mul(b, reset, gate(b, *r, product, 2)));
        } else {
            const Var product = matmul(b, hidden, sliceAxis(b, d.recurrent, 0, 0, two), false, true);
            update = act(d, 0, add(b, gate(b, *r, projected, 0), gate(b, *r, product, 0)));
            reset = act(d, 0, add(b, gate(b, *r, projected, 1), gate(b, *r, product, 1)));
            const Var weights = sliceAxis(b, d.recurrent, 0, two, r->hidden);
            next = add(b, gate(b, *r, projected, 2), matmul(b, mul(b, reset, hidden), weights, false, true));
        }
        next = act(d, 1, next);
        return std::vector<Var>{add(b, mul(b, sub(b, scalarLike(b, 1, update), update), next), mul(b, update, hidden))};
    });
}

void convertRNN(NodeReader& node, Builder& b) {
    auto r = readRecurrence(node, b, 1, {"Tanh"});
    if (!r)
        return;
    runAll(node, b, *r, 1, true, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var sum = clipped(b, *r, add(b, projected, matmul(b, states[0], d.recurrent, false, true)));
        return std::vector<Var>{
            activation(node, b, d.functions[0].name, sum, d.functions[0].alpha, d.functions[0].beta)};
    });
}

} // namespace lathe::frontend::onnx
