// SPDX-License-Identifier: Apache-2.0
//
// Ensembles of decision trees: votes by target, in float64, with base values, rounded once.
//
// Where ONNX's text leaves classes open, ONNX Runtime decides, by which models are made: of two classes that only the first
// is voted for, the votes are the score of the second; and of two, the second is the label where its score is over 0, or,
// if that alone is there and no vote is negative, over a half.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/scores.h"
#include "frontend/onnx/tree_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

constexpr int64_t mostTargets = 1 << 20;

/// Votes by target under an aggregate by its ONNX name; a target that no tree voted for has 0.
Var aggregated(Builder& b, Var x, const TreeTables& trees, const std::string& aggregate) {
    if (aggregate == "SUM" || aggregate == "AVERAGE") {
        const auto count = static_cast<double>(std::max<size_t>(trees.roots.size(), 1));
        return mulBy(b, votesOf(b, x, trees, "sum"), aggregate == "AVERAGE" ? 1 / count : 1);
    }
    const bool isLeast = aggregate == "MIN";
    const Var votes = votesOf(b, x, trees, isLeast ? "min" : "max");
    const double none = isLeast ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    return where(b, equal(b, votes, scalarLike(b, none, votes)), scalarLike(b, 0, votes), votes);
}

/// With base values, of all targets or one for the only one.
Var based(NodeReader& node, Builder& b, Var votes, int64_t targets) {
    const auto base = realsOf(node, "base_values");
    if (!base || b.failed() || base->empty())
        return votes;
    if (base->size() != static_cast<size_t>(targets)) {
        node.fail(fmt::format("there are {} base values for {} targets", base->size(), targets));
        return {};
    }
    return add(b, votes, realConstant(b, types::Float64, {targets}, *base));
}

int64_t targetsOf(NodeReader& node) {
    const int64_t targets = node.integer("n_targets", 1);
    if (targets < 1 || targets > mostTargets)
        node.fail(fmt::format("n_targets is {}", targets));
    return targets;
}

/// The one score of two classes of which only the first is voted for, and both classes' scores.
void giveOneScore(NodeReader& node, Builder& b, Var votes, bool isSigned, const ClassLabels& labels,
                  const std::string& transform) {
    const Var sums = based(node, b, sliceAxis(b, votes, 1, 0, 1), 1);
    if (b.failed())
        return;
    const Var score = cast(b, sums, types::Float32);
    node.set(0, labelOf(b, labels, classOver(b, score, isSigned ? 0 : 0.5)));
    node.set(1, bothScores(node, b, score, isSigned, transform));
}

} // namespace

void convertTreeEnsemble(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const int64_t targets = targetsOf(node);
    if (b.failed())
        return;
    const auto trees = readEnsemble(node, targets);
    if (!trees)
        return;
    constexpr const char* aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    constexpr const char* transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    const int64_t aggregate = std::clamp<int64_t>(node.integer("aggregate_function", 1), 0, 3),
                  transform = std::clamp<int64_t>(node.integer("post_transform", 0), 0, 4);
    const Var votes = aggregated(b, x, *trees, aggregates[aggregate]);
    if (b.failed())
        return;
    const Var scores = transformed(b, cast(b, votes, computeType(b, x)), transforms[transform]);
    node.set(0, b.failed() ? Var{} : cast(b, scores, b.dtype(x)));
}

void convertTreeEnsembleRegressor(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const int64_t targets = targetsOf(node);
    if (b.failed())
        return;
    const auto trees = readNamedTrees(node, "target", targets);
    if (!trees)
        return;
    const Var votes = aggregated(b, x, *trees, node.text("aggregate_function", "SUM"));
    const Var sums = based(node, b, votes, targets);
    if (b.failed())
        return;
    node.set(0, transformed(b, cast(b, sums, types::Float32), node.text("post_transform", "NONE")));
}

void convertTreeEnsembleClassifier(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto labels = readLabels(node, b, "classlabels_int64s");
    if (!labels)
        return;
    const int64_t classes = labels->count;
    const auto trees = readNamedTrees(node, "class", classes);
    if (!trees)
        return;
    const Var votes = votesOf(b, x, *trees, "sum");
    const std::string transform = node.text("post_transform", "NONE");
    const bool isSigned = std::ranges::any_of(trees->weights, [](double weight) { return weight < 0; });
    const bool forFirst = trees->isVotedFor[0], forSecond = trees->isVotedFor[1];
    const auto base = realsOf(node, "base_values");
    if (!base)
        return;
    if (classes == 2 && !forSecond && base->size() < 2)
        return giveOneScore(node, b, votes, isSigned, *labels, transform);
    const Var sums = based(node, b, votes, classes);
    if (b.failed())
        return;
    const Var scores = cast(b, sums, types::Float32);
    const double threshold = forFirst || isSigned ? 0 : 0.5;
    const bool byThreshold = classes == 2 && base->empty();
    node.set(0, labelOf(b, *labels,
                        byThreshold ? classOver(b, sliceAxis(b, scores, 1, 1, 1), threshold) : bestClass(b, scores)));
    node.set(1, transformed(b, scores, transform));
}

} // namespace lathe::frontend::onnx
