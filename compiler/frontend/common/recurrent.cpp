// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/recurrent.h"

#include "relay/attrs.h"

#include <optional>

namespace lathe::frontend {
namespace {

/// Weights of one direction.
struct Direction {
    size_t index = 0;
    DataType compute;             // of states, gates and biases: what is given is rounded, not what is carried
    Var recurrent;                // [gates * hidden, state]
    Var recurrentBias, inputBias; // [gates * hidden], absent if there is none
    const GateFunction* functions = nullptr;
};

using Step = std::function<std::vector<Var>(const Direction&, Var projected, const std::vector<Var>& states)>;

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

/// The same in the type that the direction computes in.
Var pick(Builder& b, Var x, const Direction& direction) {
    const Var own = pick(b, x, direction.index);
    return own ? cast(b, own, direction.compute) : own;
}

/// Products with weights of the recurrence, as the model stores them.
Var timesWeights(Builder& b, const Direction& direction, Var x, Var weights) {
    return matmul(b, x, weights, false, true, direction.compute);
}

Var gate(Builder& b, const Recurrence& r, Var x, int i) {
    return sliceAxis(b, x, b.failed() ? 0 : b.rank(x) - 1, arith::simplify(r.hidden * i), r.hidden);
}

Var within(Builder& b, Var x, double bound) {
    return bound <= 0 ? x : minimum(b, maximum(b, x, scalarLike(b, -bound, x)), scalarLike(b, bound, x));
}

Var clipped(Builder& b, const Recurrence& r, Var x) {
    return within(b, x, r.clip);
}

Var inTimeOrder(Builder& b, const Recurrence& r, Var x, bool backward) {
    if (!backward)
        return x;
    if (!r.lengths)
        return reverse(b, x, 0);
    relay::ReverseAttrs attrs;
    return b.call(Op::ReverseSequence, {x, r.lengths}, attrs);
}

RanDirection runDirection(Builder& b, const Recurrence& r, const Direction& direction, const Step& step) {
    const bool backward = r.reversed || direction.index == 1;
    const Var x = inTimeOrder(b, r, r.x, backward);
    const Expr width = arith::simplify(r.hidden * r.gates);
    Var projected = timesWeights(b, direction, reshape(b, x, {arith::simplify(r.time * r.batch), dim(b, x, 2)}),
                                 pick(b, r.weights, direction.index));
    if (direction.inputBias)
        projected = add(b, projected, direction.inputBias);
    projected = reshape(b, projected, {r.time, r.batch, width});
    std::vector<Var> states;
    for (Var initial : r.initial) {
        // The reshape states that the initial state has the batch of the input.
        const Dims shape = {r.batch, states.empty() && r.shown ? r.shown : r.hidden};
        const Var given = pick(b, initial, direction);
        states.push_back(given ? reshape(b, given, shape) : full(b, b.scalar(0, direction.compute), shape));
    }
    // What a masked step shows is a state more, unless it is the first one anyway.
    const bool carriesShown = r.mask && (r.isZeroWhereMasked || r.initial[0]);
    if (carriesShown)
        states.push_back(full(b, b.scalar(0, direction.compute), {r.batch, r.shown ? r.shown : r.hidden}));
    const Var mask = r.mask && backward ? reverse(b, r.mask, 0) : r.mask;
    const auto cell = [&](Var iteration, const std::vector<Var>& carried) {
        std::vector<Var> next = step(direction, gather(b, projected, iteration, 0), carried);
        Var shown = next[0];
        const auto held = [&](Var counts, Var otherwise) {
            shown = where(b, counts, next[0], otherwise);
            for (size_t i = 0; i < next.size(); ++i)
                next[i] = where(b, counts, next[i], carried[i]);
        };
        if (r.lengths)
            held(unsqueeze(b, less(b, iteration, r.lengths), {1}), scalarLike(b, 0, next[0]));
        if (mask)
            held(unsqueeze(b, gather(b, mask, iteration, 0), {1}), r.isZeroWhereMasked ? scalarLike(b, 0, next[0])
                                                                   : carriesShown      ? carried.back()
                                                                                       : carried[0]);
        if (carriesShown)
            next.push_back(shown);
        next.push_back(cast(b, shown, b.dtype(r.x)));
        return next;
    };
    RanDirection ran;
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
    for (Var& state : ran.states)
        state = cast(b, state, b.dtype(r.x));
    ran.last = carriesShown ? ran.states.back() : ran.states[0];
    if (carriesShown)
        ran.states.pop_back();
    ran.all = inTimeOrder(b, r, ran.all, backward);
    return ran;
}

RanDirections runAll(Builder& b, const Recurrence& r, bool mergeBiases, const Step& step) {
    RanDirections ran;
    for (size_t d = 0; d < r.directions && !b.failed(); ++d) {
        Direction direction;
        direction.index = d;
        direction.compute = computeType(b, r.x);
        direction.recurrent = pick(b, r.recurrent, d);
        direction.functions = r.functions.data() + d * (r.functions.size() / r.directions);
        if (const Var bias = pick(b, r.bias, direction)) {
            const Expr width = arith::simplify(r.hidden * r.gates);
            direction.inputBias = sliceAxis(b, bias, 0, 0, width);
            direction.recurrentBias = sliceAxis(b, bias, 0, width, width);
            if (mergeBiases)
                direction.inputBias = add(b, direction.inputBias, direction.recurrentBias);
        }
        ran.push_back(runDirection(b, r, direction, step));
    }
    return b.failed() ? RanDirections{} : ran;
}

Var joined(Builder& b, const RanDirections& ran, int64_t axis, const std::function<Var(const RanDirection&)>& part) {
    std::vector<Var> parts;
    for (const RanDirection& one : ran)
        parts.push_back(unsqueeze(b, part(one), {axis}));
    return parts.empty() ? Var{} : parts.size() == 1 ? parts[0] : concat(b, parts, axis);
}

} // namespace

Var allOf(Builder& b, const RanDirections& ran) {
    return joined(b, ran, 1, [](const RanDirection& one) { return one.all; });
}

Var lastOf(Builder& b, const RanDirections& ran, size_t state) {
    return joined(b, ran, 0, [state](const RanDirection& one) { return one.states[state]; });
}

namespace {

/// What the functions of an LSTM's gates are taken of.
struct GateSums {
    Builder& b;
    const Recurrence& r;
    Var all;                                // [batch, gates * hidden], products with input and state
    Var peepholes, normScale, normBias;     // of the direction; may be absent
    static constexpr double epsilon = 1e-8; // added to the variance

    /// peephole: which of them the gate has, if any, to see `cell` by.
    Var of(int place, std::optional<int> peephole = {}, Var cell = {}) const {
        Var sum = gate(b, r, all, place);
        if (peepholes && peephole)
            sum = add(b, sum, mul(b, gate(b, r, peepholes, *peephole), cell));
        if (!normScale)
            return sum;
        relay::NormAttrs attrs;
        attrs.axis = 1;
        attrs.epsilon = epsilon;
        return b.call(Op::LayerNorm, {sum, gate(b, r, normScale, place), gate(b, r, normBias, place)}, attrs);
    }
};

} // namespace

RanDirections lstm(Builder& b, const Recurrence& r, const LstmCell& order) {
    const auto act = [&](const Direction& d, size_t i, Var x) { return d.functions[i](clipped(b, r, x)); };
    const auto rest = [&](Var x) { return sub(b, scalarLike(b, 1, x), x); };
    return runAll(b, r, true, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var hidden = states[0], cell = states[1];
        const GateSums sums{b,
                            r,
                            add(b, projected, timesWeights(b, d, hidden, d.recurrent)),
                            pick(b, order.peepholes, d),
                            pick(b, order.normScale, d),
                            pick(b, order.normBias, d)};
        Var input, forget;
        if (!order.withoutInput)
            input = act(d, 0, sums.of(order.input, 0, cell));
        forget = order.coupled ? rest(input) : act(d, 0, sums.of(order.forget, 2, cell));
        if (order.withoutInput)
            input = rest(forget);
        const Var next =
            within(b, add(b, mul(b, forget, cell), mul(b, input, act(d, 1, sums.of(order.candidate)))), order.cellClip);
        Var shown = mul(b, act(d, 0, sums.of(order.output, 1, next)), d.functions[2](next));
        if (const Var projection = pick(b, order.projection, d.index)) {
            shown = timesWeights(b, d, shown, projection);
            if (const Var bias = pick(b, order.projectionBias, d))
                shown = add(b, shown, bias);
            shown = within(b, shown, order.shownClip);
        }
        return std::vector<Var>{shown, next};
    });
}

RanDirections gru(Builder& b, const Recurrence& r, const GruCell& order) {
    constexpr int candidate = 2;
    const bool before = order.linearBeforeReset;
    const auto act = [&](const Direction& d, size_t i, Var x) { return d.functions[i](clipped(b, r, x)); };
    // The recurrent bias of the last gate stands inside the reset when linearBeforeReset; so none is merged then.
    return runAll(b, r, !before, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var hidden = states[0];
        const Expr two = arith::simplify(r.hidden * candidate);
        Var next, update, reset;
        if (before) {
            Var own = timesWeights(b, d, hidden, d.recurrent);
            if (d.recurrentBias)
                own = add(b, own, d.recurrentBias);
            update = act(d, 0, add(b, gate(b, r, projected, order.update), gate(b, r, own, order.update)));
            reset = act(d, 0, add(b, gate(b, r, projected, order.reset), gate(b, r, own, order.reset)));
            next = add(b, gate(b, r, projected, candidate), mul(b, reset, gate(b, r, own, candidate)));
        } else {
            const Var own = timesWeights(b, d, hidden, sliceAxis(b, d.recurrent, 0, 0, two));
            update = act(d, 0, add(b, gate(b, r, projected, order.update), gate(b, r, own, order.update)));
            reset = act(d, 0, add(b, gate(b, r, projected, order.reset), gate(b, r, own, order.reset)));
            const Var weights = sliceAxis(b, d.recurrent, 0, two, r.hidden);
            next = add(b, gate(b, r, projected, candidate), timesWeights(b, d, mul(b, reset, hidden), weights));
        }
        next = act(d, 1, next);
        return std::vector<Var>{add(b, mul(b, sub(b, scalarLike(b, 1, update), update), next), mul(b, update, hidden))};
    });
}

RanDirections rnn(Builder& b, const Recurrence& r) {
    return runAll(b, r, true, [&](const Direction& d, Var projected, const std::vector<Var>& states) {
        const Var sum = clipped(b, r, add(b, projected, timesWeights(b, d, states[0], d.recurrent)));
        return std::vector<Var>{d.functions[0](sum)};
    });
}

} // namespace lathe::frontend
