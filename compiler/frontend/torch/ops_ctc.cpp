// SPDX-License-Identifier: Apache-2.0
//
// The loss of connectionist temporal classification: how probable a sequence of labels is, over all ways that it may be
// spread over time with repetitions and blanks. A. Graves et al., "Connectionist Temporal Classification: Labelling
// Unsegmented Sequence Data with Recurrent Neural Networks", 4.1: the forward variables, in logarithms.
#include "frontend/common/arithmetic.h"
#include "frontend/common/iterate.h"
#include "frontend/torch/loss.h"
#include "frontend/torch/ops.h"
#include "frontend/torch/reduced.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

/// Lengths, int64[batch]: numbers, or a tensor.
Var lengthsOfBatch(Call& call, Builder& b, const char* name) {
    const TorchValue& value = call.value(name);
    const Var lengths = value.as<Var>() ? call.tensor(name) : b.fromExprs(call.sizes(name));
    return b.failed() ? Var{} : reshape(b, cast(b, lengths, types::Int64), {product(b.shape(lengths))});
}

/// Labels [batch, longest]: rows, or one behind the other as long as the lengths say.
Var labelRows(Builder& b, Var targets, Var lengths) {
    if (b.failed() || b.rank(targets) == 2)
        return targets;
    const Dims longest = b.symbolic(reduce(b, "max", lengths, {0}, false), "labels");
    if (b.failed())
        return {};
    CumAttrs before;
    before.exclusive = true;
    const Var place = add(b, unsqueeze(b, b.call(Op::CumSum, {lengths}, before), {1}),
                          iota(b, {1, arith::simplify(arith::max(longest[0], 0))}, 1, types::Int64));
    // One behind the end stands for those that are not looked at.
    const Var padded = pad(b, targets, "constant", {0}, {1});
    return gather(b, padded, minimum(b, place, b.scalarOf(dim(b, targets, 0))), 0);
}

/// A sequence with a blank before, between and behind its labels: [batch, 2 · longest + 1].
struct SpreadLabels {
    Var labels, mayJump; // mayJump: over the blank before, from another label

    SpreadLabels(Builder& b, Var rows, int64_t blank) {
        const Expr batch = dim(b, rows, 0), longest = dim(b, rows, 1), size = arith::simplify(longest * 2 + 1);
        const Var blanks = full(b, b.scalarInt(blank), {batch, longest, 1});
        const Var pairs =
            reshape(b, concat(b, {blanks, unsqueeze(b, rows, {2})}, 2), {batch, arith::simplify(longest * 2)});
        labels = concat(b, {pairs, full(b, b.scalarInt(blank), {batch, 1})}, 1);
        const Var place = iota(b, {1, size}, 1, types::Int64);
        const Var earlier =
            gather(b, labels, maximum(b, addTo(b, iota(b, {size}, 0, types::Int64), -2), b.scalarInt(0)), 1);
        const Var isLabel = b.call(Op::NotEqual, {labels, b.scalarInt(blank)});
        const Var isOther = b.call(Op::NotEqual, {labels, earlier});
        mayJump = b.call(Op::LogicalAnd,
                         {b.call(Op::Greater, {place, b.scalarInt(1)}), b.call(Op::LogicalAnd, {isLabel, isOther})});
    }
};

/// logs [time, batch, classes]: -log of the probability of each sequence, [batch].
Var lossOfSequences(Builder& b, Var logs, Var rows, Var times, Var lengths, int64_t blank) {
    const SpreadLabels spread(b, rows, blank);
    if (b.failed())
        return {};
    const Var none = scalarLike(b, -std::numeric_limits<double>::infinity(), logs);
    const Expr size = dim(b, spread.labels, 1);
    const Var place = iota(b, {1, size}, 1, types::Int64);
    AxisAttrs classes;
    classes.axis = 1;
    const auto shifted = [&](Var x, int64_t by) {
        const Var moved = pad(b, x, "constant", {0, by}, {0, 0}, {}, none);
        return sliceAxis(b, moved, 1, 0, size);
    };
    // Before all time it stands in front of the first blank, from where the first label may be reached too.
    const Var start = where(b, equal(b, place, b.scalarInt(0)), scalarLike(b, 0, logs), none);
    const Var first = expand(b, start, b.shape(spread.labels));
    const Var last = repeated(b, {first}, b.scalarOf(dim(b, logs, 0)), [&](Var time, const std::vector<Var>& before) {
        const Var stays = before[0], moves = shifted(stays, 1),
                  jumps = where(b, spread.mayJump, shifted(stays, 2), none);
        const Var reached = logOfSum(b, logOfSum(b, stays, moves), jumps);
        const Var own = b.call(Op::GatherElements, {gather(b, logs, time, 0), spread.labels}, classes);
        const Var goesOn = unsqueeze(b, less(b, time, times), {1});
        return std::vector{where(b, goesOn, add(b, reached, own), stays)};
    })[0];
    // It ends with the last label, or with the blank behind it.
    const Var end = unsqueeze(b, mul(b, lengths, b.scalarInt(2)), {1});
    const Var isEnd = b.call(Op::LogicalOr, {equal(b, place, end), equal(b, place, addTo(b, end, -1))});
    const Var ways = where(b, isEnd, last, none), most = reduce(b, "max", ways, {1}, true);
    const Var kept = where(b, equal(b, most, none), scalarLike(b, 0, most), most);
    const Var sum = reduce(b, "sum", b.call(Op::Exp, {sub(b, ways, kept)}), {1}, true);
    return b.call(Op::Negative, {squeeze(b, add(b, b.call(Op::Log, {sum}), kept), {1})});
}

void convertCtcLoss(Call& call, Builder& b) {
    const Var given = call.tensor("log_probs"), targets = cast(b, call.tensor("targets"), types::Int64);
    const Var times = lengthsOfBatch(call, b, "input_lengths"), lengths = lengthsOfBatch(call, b, "target_lengths");
    const int64_t blank = call.integer("blank"), reduction = call.integer("reduction");
    const bool dropsInfinite = call.flag("zero_infinity");
    if (call.failed())
        return;
    const int64_t rank = b.rank(given);
    if ((rank != 2 && rank != 3) || b.rank(targets) < 1 || b.rank(targets) > 2 || !b.dtype(given).isFloat())
        return call.fail(
            fmt::format("log-probabilities {} and labels {}", text(b.shape(given)), text(b.shape(targets))));
    call.give(inSingle(b, rank == 3 ? given : unsqueeze(b, given, {1}), [&](Var logs) {
        Var loss = lossOfSequences(b, logs, labelRows(b, targets, lengths), times, lengths, blank);
        const Var zero = scalarLike(b, 0, loss);
        if (dropsInfinite)
            loss = where(b, b.call(Op::IsInf, {loss}, IsInfAttrs{}), zero, loss);
        if (reduction == Mean) // of labels, then of sequences
            loss =
                div(b, loss, cast(b, maximum(b, lengths, b.scalarInt(1)), b.failed() ? types::Float32 : b.dtype(loss)));
        const Var result = reducedLoss(call, b, loss);
        return rank == 2 && reduction == AsTheyAre ? asScalar(b, result) : result;
    }));
}

constexpr auto ctcRows = std::to_array<Row>({
    {"aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
     "int reduction=Mean, bool zero_infinity=False) -> Tensor",
     convertCtcLoss, Reduction},
    {"aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
     "blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor",
     convertCtcLoss, Reduction},
});

} // namespace

std::span<const Row> rowsOfCtc() {
    return ctcRows;
}

} // namespace lathe::frontend::torch
