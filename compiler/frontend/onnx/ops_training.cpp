// SPDX-License-Identifier: Apache-2.0
//
// The optimizers of ai.onnx.preview.training: arithmetic on each tensor and its state, no training loop.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// The operands after rate and step: groups of tensors, gradients, states …
struct Groups {
    Var rate, step;
    size_t count = 0;
    /// Of tensor i: itself, or what must have its dims.
    Var at(NodeReader& node, size_t group, size_t i) const {
        const Var tensor = node.in(2 + i), operand = node.in(2 + group * count + i);
        return group == 0 || node.failed() ? operand : withDims(node.b, operand, node.b.shape(tensor));
    }
};

std::optional<Groups> readGroups(NodeReader& node, size_t groups) {
    if (node.inputs() < 2 + groups || (node.inputs() - 2) % groups != 0) {
        node.fail("the number of operands does not fit");
        return std::nullopt;
    }
    return Groups{node.in(0), node.in(1), (node.inputs() - 2) / groups};
}

/// Rate or step, a scalar, in the target's type.
Var like(Builder& b, Var x, Var target) {
    return b.failed() ? Var{} : cast(b, b.rank(x) == 0 ? x : reshape(b, x, {}), b.dtype(target));
}

} // namespace

void convertAdagrad(NodeReader& node, Builder& b) {
    const auto groups = readGroups(node, 3);
    if (!groups)
        return;
    const double decay = node.real("decay_factor", 0), norm = node.real("norm_coefficient", 0),
                 epsilon = node.real("epsilon", 1e-6);
    for (size_t i = 0; i < groups->count; ++i) {
        const Var x = groups->at(node, 0, i), gradient = groups->at(node, 1, i), squares = groups->at(node, 2, i);
        const Var slowed = addTo(b, mulBy(b, like(b, groups->step, x), decay), 1);
        const Var rate = div(b, like(b, groups->rate, x), slowed);
        const Var total = add(b, mulBy(b, x, norm), gradient);
        const Var sum = add(b, squares, mul(b, total, total));
        const Var step = div(b, mul(b, rate, total), addTo(b, b.call(Op::Sqrt, {sum}), epsilon));
        node.set(i, sub(b, x, step));
        node.set(groups->count + i, sum);
    }
}

void convertAdam(NodeReader& node, Builder& b) {
    const auto groups = readGroups(node, 4);
    if (!groups)
        return;
    const double alpha = node.real("alpha", 0.9), beta = node.real("beta", 0.999), epsilon = node.real("epsilon", 1e-6);
    const double norm = node.real("norm_coefficient", 0), after = node.real("norm_coefficient_post", 0);
    for (size_t i = 0; i < groups->count; ++i) {
        const Var x = groups->at(node, 0, i), gradient = groups->at(node, 1, i);
        const Var first = groups->at(node, 2, i), second = groups->at(node, 3, i);
        const Var total = add(b, mulBy(b, x, norm), gradient);
        const Var mean = add(b, mulBy(b, first, alpha), mulBy(b, total, 1 - alpha));
        const Var square = add(b, mulBy(b, second, beta), mulBy(b, mul(b, total, total), 1 - beta));
        const Var step = like(b, groups->step, x);
        const auto rest = [&](double base) {
            return sub(b, scalarLike(b, 1, x), b.call(Op::Power, {scalarLike(b, base, x), step}));
        };
        const Var plain = like(b, groups->rate, x);
        const Var corrected = div(b, mul(b, plain, b.call(Op::Sqrt, {rest(beta)})), rest(alpha));
        const Var started = b.call(Op::Greater, {step, scalarLike(b, 0, x)}); // the first step is not corrected
        const Var rate = where(b, started, corrected, plain);
        const Var moved = sub(b, x, div(b, mul(b, rate, mean), addTo(b, b.call(Op::Sqrt, {square}), epsilon)));
        node.set(i, mulBy(b, moved, 1 - after));
        node.set(groups->count + i, mean);
        node.set(2 * groups->count + i, square);
    }
}

void convertMomentum(NodeReader& node, Builder& b) {
    const auto groups = readGroups(node, 3);
    if (!groups)
        return;
    const double alpha = node.real("alpha", 0.9), beta = node.real("beta", 0), norm = node.real("norm_coefficient", 0);
    const bool nesterov = node.text("mode", "standard") == "nesterov";
    for (size_t i = 0; i < groups->count; ++i) {
        const Var x = groups->at(node, 0, i), gradient = groups->at(node, 1, i), velocity = groups->at(node, 2, i);
        const Var total = add(b, mulBy(b, x, norm), gradient);
        const Var later = b.call(Op::Greater, {like(b, groups->step, x), scalarLike(b, 0, x)});
        const Var weight = where(b, later, scalarLike(b, beta, x), scalarLike(b, 1, x)); // of the first gradient: one
        const Var next = add(b, mulBy(b, velocity, alpha), mul(b, weight, total));
        const Var direction = nesterov ? add(b, total, mulBy(b, next, alpha)) : next;
        node.set(i, sub(b, x, mul(b, like(b, groups->rate, x), direction)));
        node.set(groups->count + i, next);
    }
}

} // namespace lathe::frontend::onnx
