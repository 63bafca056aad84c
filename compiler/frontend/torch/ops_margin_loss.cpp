// SPDX-License-Identifier: Apache-2.0
//
// Losses of pairs, triples and classes that are to be apart by a margin, and those of counts.
#include "frontend/common/arithmetic.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/loss.h"
#include "frontend/torch/norms.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

Var atLeastZero(Builder& b, Var x) {
    return maximum(b, x, scalarLike(b, 0, x));
}
/// x where the target is that number, else 0.
Var ofTarget(Builder& b, Var target, double number, Var x) {
    return where(b, equal(b, target, scalarLike(b, number, target)), x, scalarLike(b, 0, x));
}

/// Gives the reduced loss of arguments in one type.
void giveLossOf(Call& call, Builder& b, std::initializer_list<const char*> names, const Combination& fn) {
    call.give(roundedOnce(b, operandsOf(call, names),
                          [&](const std::vector<Var>& of) { return reducedLoss(call, b, fn(of)); }));
}

void convertSoftMarginLoss(Call& call, Builder& b) {
    giveLossOf(call, b, {"self", "target"}, [&](const std::vector<Var>& of) {
        // log(1 + exp(z)) by the exponential that does not overflow.
        const Var z = b.call(Op::Negative, {mul(b, of[0], of[1])});
        const Var small = b.call(Op::Exp, {b.call(Op::Negative, {b.call(Op::Abs, {z})})});
        return add(b, atLeastZero(b, z), logOfOnePlus(b, small));
    });
}
void convertMarginRankingLoss(Call& call, Builder& b) {
    const double margin = call.real("margin");
    giveLossOf(call, b, {"input1", "input2", "target"}, [&](const std::vector<Var>& of) {
        return atLeastZero(b, addTo(b, mul(b, sub(b, of[1], of[0]), of[2]), margin));
    });
}
void convertHingeEmbeddingLoss(Call& call, Builder& b) {
    const double margin = call.real("margin");
    giveLossOf(call, b, {"self", "target"}, [&](const std::vector<Var>& of) {
        const Var zero = scalarLike(b, 0, of[0]), missing = atLeastZero(b, sub(b, scalarLike(b, margin, of[0]), of[0]));
        const auto isNot = [&](double number) { return b.call(Op::NotEqual, {of[1], scalarLike(b, number, of[1])}); };
        return add(b, where(b, isNot(1), missing, zero), where(b, isNot(-1), of[0], zero));
    });
}
void convertCosineEmbeddingLoss(Call& call, Builder& b) {
    const double margin = call.real("margin");
    const Var target = call.tensor("target");
    if (call.failed())
        return;
    const int64_t axis = b.rank(target);
    giveLossOf(call, b, {"input1", "input2"}, [&](const std::vector<Var>& of) {
        const auto sum = [&](Var x, Var y) { return reduce(b, "sum", mul(b, x, y), {axis}, false); };
        constexpr double epsilon = 1e-12; // as PyTorch keeps lengths from 0
        const Var squares = mul(b, addTo(b, sum(of[0], of[0]), epsilon), addTo(b, sum(of[1], of[1]), epsilon));
        const Var cosine = div(b, sum(of[0], of[1]), b.call(Op::Sqrt, {squares}));
        return add(b, ofTarget(b, target, 1, sub(b, scalarLike(b, 1, cosine), cosine)),
                   ofTarget(b, target, -1, atLeastZero(b, addTo(b, cosine, -margin))));
    });
}
void convertTripletMarginLoss(Call& call, Builder& b) {
    const double margin = call.real("margin"), p = call.real("p"), epsilon = call.real("eps");
    const bool swaps = call.flag("swap");
    giveLossOf(call, b, {"anchor", "positive", "negative"}, [&](const std::vector<Var>& of) {
        const auto distance = [&](Var x, Var y) {
            const Var difference = addTo(b, sub(b, x, y), epsilon);
            return needRank(b, difference, 1) ? normOf(b, difference, p, {b.rank(difference) - 1}, false) : Var{};
        };
        Var far = distance(of[0], of[2]);
        far = swaps ? minimum(b, far, distance(of[1], of[2])) : far;
        return atLeastZero(b, addTo(b, sub(b, distance(of[0], of[1]), far), margin));
    });
}

/// Of counts; `full`: with Stirling's approximation of their factorials, from 2 on.
void convertPoissonLoss(Call& call, Builder& b) {
    const bool isLog = call.flag("log_input"), isFull = call.flag("full");
    const double epsilon = call.real("eps");
    giveLossOf(call, b, {"input", "target"}, [&](const std::vector<Var>& of) {
        const Var x = of[0], target = of[1];
        const Var loss = isLog ? sub(b, b.call(Op::Exp, {x}), mul(b, target, x))
                               : sub(b, x, mul(b, target, b.call(Op::Log, {addTo(b, x, epsilon)})));
        if (!isFull)
            return loss;
        const Var log = b.call(Op::Log, {target});
        const Var whole = mulBy(b, b.call(Op::Log, {mulBy(b, target, 2 * std::numbers::pi)}), 0.5);
        const Var factorial = add(b, sub(b, mul(b, target, log), target), whole);
        const Var counts = b.call(Op::Greater, {target, scalarLike(b, 1, target)});
        return add(b, loss, where(b, counts, factorial, scalarLike(b, 0, loss)));
    });
}

// ---- classes

/// What one dim is with a batch of one in front; of rank 1 if `hasBatch` is not.
Var rowsOf(Builder& b, Var x, bool hasBatch) {
    return hasBatch ? x : unsqueeze(b, x, {0});
}

/// fn of scores [N, C] and a target with a row a sample: its losses [N]; without a batch one loss.
void giveLossOfClasses(Call& call, Builder& b, const std::function<Var(Var scores, Var target)>& fn) {
    const Var x = call.tensor("self"), target = call.tensor("target");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x);
    if (rank > 2 || !b.dtype(x).isFloat())
        return call.fail(fmt::format("scores {} {}", toString(b.dtype(x)), text(b.shape(x))),
                         "classes have a score each, floats [N, C] or [C]");
    call.give(inSingle(b, x, [&](Var v) {
        const Var scores = rank == 0 ? reshape(b, v, {1, 1}) : rowsOf(b, v, rank == 2);
        const Var losses = fn(scores, cast(b, target, types::Int64));
        return reducedLoss(call, b, rank == 2 || b.failed() ? losses : squeeze(b, losses, {0}));
    }));
}

void convertMultiMarginLoss(Call& call, Builder& b) {
    const double p = call.real("p"), margin = call.real("margin");
    const Var weight = call.optionalTensor("weight");
    if (!call.failed() && p != 1 && p != 2)
        return call.fail(fmt::format("the power of a margin is {}", p), "it is 1 or 2");
    giveLossOfClasses(call, b, [&](Var scores, Var target) {
        if (b.failed())
            return Var{};
        const Expr rows = dim(b, scores, 0), count = dim(b, scores, 1);
        const Var own = reshape(b, target, {rows, 1});
        AxisAttrs attrs;
        attrs.axis = 1;
        const Var right = b.call(Op::GatherElements, {scores, own}, attrs);
        Var loss = atLeastZero(b, addTo(b, sub(b, scores, right), margin));
        loss = p == 2 ? mul(b, loss, loss) : loss;
        if (weight)
            loss = mul(b, loss, gather(b, cast(b, weight, b.dtype(scores)), own, 0));
        const Var isOwn = equal(b, iota(b, {1, count}, 1, types::Int64), own);
        const Var sum = reduce(b, "sum", where(b, isOwn, scalarLike(b, 0, loss), loss), {1}, false);
        return div(b, sum, cast(b, b.scalarOf(count), b.dtype(sum)));
    });
}

/// Several classes are right: those that the target lists before its first -1.
void convertMultilabelMarginLoss(Call& call, Builder& b) {
    giveLossOfClasses(call, b, [&](Var scores, Var target) {
        if (b.failed())
            return Var{};
        const Expr rows = dim(b, scores, 0), count = dim(b, scores, 1);
        const Var listed = reshape(b, target, {rows, count});
        CumAttrs along;
        along.axis = 1;
        const Var isEnd = cast(b, less(b, listed, b.scalarInt(0)), types::Int64);
        const Var isRight = equal(b, b.call(Op::CumSum, {isEnd}, along), b.scalarInt(0)); // [N, listed]
        const Var classes = maximum(b, listed, b.scalarInt(0));
        const Var isListed =
            b.call(Op::LogicalAnd, {equal(b, unsqueeze(b, classes, {2}), iota(b, {1, 1, count}, 2, types::Int64)),
                                    unsqueeze(b, isRight, {2})});
        const Var isWrong = b.call(Op::LogicalNot, {reduce(b, "or", isListed, {1}, true)}); // [N, 1, C]
        AxisAttrs attrs;
        attrs.axis = 1;
        const Var right = unsqueeze(b, b.call(Op::GatherElements, {scores, classes}, attrs), {2});
        const Var loss = atLeastZero(b, addTo(b, sub(b, unsqueeze(b, scores, {1}), right), 1)); // [N, listed, C]
        const Var counts = b.call(Op::LogicalAnd, {unsqueeze(b, isRight, {2}), isWrong});
        const Var sum = reduce(b, "sum", where(b, counts, loss, scalarLike(b, 0, loss)), {1, 2}, false);
        return div(b, sum, cast(b, b.scalarOf(count), b.dtype(sum)));
    });
}

constexpr auto marginLossRows = std::to_array<Row>({
    {"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", convertSoftMarginLoss,
     Reduction},
    {"aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> "
     "Tensor",
     convertMarginRankingLoss, Reduction},
    {"aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor",
     convertHingeEmbeddingLoss, Reduction},
    {"aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) "
     "-> Tensor",
     convertCosineEmbeddingLoss, Reduction},
    {"aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float "
     "eps=1e-06, bool swap=False, int reduction=Mean) -> Tensor",
     convertTripletMarginLoss, Reduction},
    {"aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> "
     "Tensor",
     convertPoissonLoss, Reduction},
    {"aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int "
     "reduction=Mean) -> Tensor",
     convertMultiMarginLoss, Reduction},
    {"aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
     convertMultilabelMarginLoss, Reduction},
});

} // namespace

std::span<const Row> rowsOfMarginLosses() {
    return marginLossRows;
}

} // namespace lathe::frontend::torch
