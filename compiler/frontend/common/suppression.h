// SPDX-License-Identifier: Apache-2.0
//
// Boxes chosen by their scores, without those that overlap a chosen one too much.
#pragma once

#include "frontend/common/emit.h"
#include "frontend/common/node_reader.h"

#include <optional>

namespace lathe::frontend {

/// A known threshold that numbers pass that are equal to it: as one that they are to be greater than.
double justBelow(double threshold);

/// What a suppression of one class is asked: boxes[n, 4], scores[n], thresholds of overlap and of scores, and how many at most.
struct SuppressionOperands {
    Var boxes, scores, overlap, leastScore;
    Expr most;
};
/// Boxes and scores with dims that agree. Nothing, and reported, where they cannot.
std::optional<SuppressionOperands> withDimsThatAgree(NodeReader& node, SuppressionOperands read);

/// What is chosen of boxes[n, 4] by scores[classes, n].
struct Chosen {
    Var rows; // int64[count, 2]: class and box, by class and then in the order in which they were chosen
    Expr count;
};
/// At most `most` of each class whose scores are greater than leastScore, without those whose overlap is greater than
/// `overlap`. The last three are scalars.
Chosen suppressed(Builder& b, Var boxes, Var scores, Var most, Var overlap, Var leastScore);

/// Soft suppression: what overlaps a chosen box keeps a part of its score, less the more it overlaps.
struct SoftlyChosen {
    Var boxes, scores; // int64[most], float32[most]; behind the chosen ones zeros
    Var count;         // of them, int64
};
/// scores: [n]; overlap, leastScore, sigma: scalars. A box that overlaps by `overlap` or more is left out.
SoftlyChosen softlySuppressed(Builder& b, Var boxes, Var scores, const Expr& most, Var overlap, Var leastScore,
                              Var sigma);

/// x[count, …] with zeros behind it, [size, …].
Var filledUp(Builder& b, Var x, const Expr& count, const Expr& size);

} // namespace lathe::frontend
