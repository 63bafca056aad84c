// SPDX-License-Identifier: Apache-2.0
//
// Support vector machines of ai.onnx.ml. A classifier decides between each two of its classes; pairs come as (0, 1), (0, 2),
// …, (1, 2), …. What ONNX's text leaves open goes by ONNX Runtime, which has it from LIBSVM.
#include "frontend/common/iterate.h"
#include "frontend/common/matrices.h"
#include "frontend/onnx/features.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/scores.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// How much each row of x is like each support vector, [n, count], by the kernel.
Var likeness(NodeReader& node, Builder& b, Var x, int64_t count, int64_t features) {
    const std::string kernel = node.text("kernel_type", "LINEAR");
    std::vector<double> params = node.reals("kernel_params");
    params.resize(3, 0); // gamma, coef0, degree
    const Var vectors = realTensor(node, b, "support_vectors", x, {count, features});
    const Var products = matmul(b, x, vectors, false, true);
    if (kernel == "LINEAR")
        return products;
    if (kernel == "RBF") { // by differences: squares and products cancel
        const Dims each = {dim(b, x, 0), 1, features};
        const Var difference = sub(b, reshape(b, x, each), reshape(b, vectors, {1, count, features}));
        const Var distance = reduce(b, "sum", mul(b, difference, difference), {2}, false);
        return b.call(Op::Exp, {mulBy(b, distance, -params[0])});
    }
    const Var moved = addTo(b, mulBy(b, products, params[0]), params[1]);
    return kernel == "POLY" ? b.call(Op::Power, {moved, scalarLike(b, params[2], moved)}) : b.call(Op::Tanh, {moved});
}

/// Places in a square of classes, row by row, of what is listed by pairs: first what the first of a pair has, then what the
/// second has, then one entry for the diagonal.
Ints placesOfPairs(int64_t classes) {
    const int64_t pairs = classes * (classes - 1) / 2;
    Ints places(static_cast<size_t>(classes * classes), 2 * pairs);
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i)
        for (int64_t j = i + 1; j < classes; ++j, ++pair) {
            places[static_cast<size_t>(i * classes + j)] = pair;
            places[static_cast<size_t>(j * classes + i)] = pairs + pair;
        }
    return places;
}

/// What each class has against each other, [n, classes, classes], of what the first of each pair has, [n, pairs], and the
/// second; 0 against itself.
Var againstEach(Builder& b, Var first, Var second, int64_t classes) {
    const Var none = full(b, scalarLike(b, 0, first), {dim(b, first, 0), 1});
    const Var places = listConstant(b, types::Int64, {classes * classes}, placesOfPairs(classes));
    const Var square = gather(b, concat(b, {first, second, none}, 1), places, 1);
    return reshape(b, square, {dim(b, first, 0), classes, classes});
}

/// How far each row is on the side of the first of each pair: [n, pairs]. A class's vectors stand together, and have a
/// coefficient for each other class, in their order.
Var pairScores(NodeReader& node, Builder& b, Var like, const Ints& vectors, int64_t total) {
    const auto classes = static_cast<int64_t>(vectors.size()), others = classes - 1;
    const Var coefficients = realTensor(node, b, "coefficients", like, {others, total});
    const Var rho = realTensor(node, b, "rho", like, {classes * others / 2});
    if (b.failed())
        return {};
    std::vector<Var> sums; // by class, for each other one
    int64_t begin = 0;
    for (const int64_t count : vectors) {
        sums.push_back(
            matmul(b, sliceAxis(b, like, 1, begin, count), sliceAxis(b, coefficients, 1, begin, count), false, true));
        begin += count;
    }
    Ints ofFirst, ofSecond;
    for (int64_t i = 0; i < classes; ++i)
        for (int64_t j = i + 1; j < classes; ++j) {
            ofFirst.push_back(i * others + j - 1);
            ofSecond.push_back(j * others + i);
        }
    const auto pairs = static_cast<int64_t>(ofFirst.size());
    const Var all = concat(b, std::move(sums), 1);
    const auto at = [&](Ints places) {
        return gather(b, all, listConstant(b, types::Int64, {pairs}, std::move(places)), 1);
    };
    return add(b, add(b, at(std::move(ofFirst)), at(std::move(ofSecond))), rho);
}

/// Which class wins the most pairs: [n].
Var mostPreferred(Builder& b, Var scores, int64_t classes) {
    if (b.failed())
        return {};
    const Var first = cast(b, b.call(Op::Greater, {scores, scalarLike(b, 0, scores)}), types::Float32);
    const Var second = sub(b, scalarLike(b, 1, first), first);
    return bestClass(b, reduce(b, "sum", againstEach(b, first, second, classes), {2}, false));
}

/// Where p, [n, classes], comes to when each class in turn is brought to its best against the others: one round of it.
/// products and all: of q and p, [n, classes], and of p with that, [n, 1].
Var nextRound(Builder& b, Var q, Var p, Var products, Var all, int64_t classes) {
    const Var place = iota(b, {1, classes}, 1, types::Int64);
    return repeated(b, {p, products, all}, b.scalarInt(classes), [&](Var at, const std::vector<Var>& before) {
        const Var row = rowAt(b, q, at);
        const Var own = unsqueeze(b, elementAt(b, row, at), {1}),
                  product = unsqueeze(b, elementAt(b, before[1], at), {1});
        const Var step = div(b, sub(b, before[2], product), own);
        const Var scale = addTo(b, step, 1);
        const Var moved = where(b, equal(b, place, at), add(b, before[0], step), before[0]);
        const Var gain = mul(b, step, add(b, mul(b, step, own), mulBy(b, product, 2)));
        return std::vector{div(b, moved, scale), div(b, add(b, before[1], mul(b, step, row)), scale),
                           div(b, div(b, add(b, before[2], gain), scale), scale)};
    })[0];
}

/// How probable each class is, [n, classes], of how probable the first of each pair is, [n, pairs]: by the second method of
/// Wu, Lin and Weng (2004), as LIBSVM solves it and until it takes it for solved.
Var jointProbabilities(Builder& b, Var first, int64_t classes) {
    if (b.failed())
        return {};
    const Var r = againstEach(b, first, sub(b, scalarLike(b, 1, first), first), classes), other = transposed(b, r);
    const Var own = reduce(b, "sum", mul(b, other, other), {2}, true);
    const Var identity = identityMatrix(b, classes, classes, b.dtype(first));
    const Var q = sub(b, mul(b, identity, own), mul(b, r, other));
    const auto count = static_cast<double>(classes);
    const Var even = full(b, scalarLike(b, 1 / count, first), {dim(b, first, 0), classes});
    return iterated(b, {even}, std::max<int64_t>(100, classes), [&](Var, const std::vector<Var>& before) {
        const Var p = before[0];
        const Var products = reduce(b, "sum", mul(b, q, unsqueeze(b, p, {1})), {2}, false);
        const Var all = reduce(b, "sum", mul(b, p, products), {1}, true);
        const Var error = reduce(b, "max", b.call(Op::Abs, {sub(b, products, all)}), {1}, true);
        const Var isFar = b.call(Op::GreaterEqual, {error, scalarLike(b, 0.005 / count, error)});
        return std::vector{where(b, isFar, nextRound(b, q, p, products, all, classes), p), isFar};
    })[0];
}

Var probabilities(NodeReader& node, Builder& b, Var scores, int64_t classes) {
    const std::vector<int64_t> pairs = {classes * (classes - 1) / 2};
    const Var moved = add(b, mul(b, scores, realTensor(node, b, "prob_a", scores, pairs)),
                          realTensor(node, b, "prob_b", scores, pairs));
    if (b.failed())
        return {};
    const Var first = b.call(Op::Sigmoid, {b.call(Op::Negative, {moved})});
    constexpr double least = 1e-7;
    const Var inside = minimum(b, maximum(b, first, scalarLike(b, least, first)), scalarLike(b, 1 - least, first));
    return jointProbabilities(b, inside, classes);
}

/// Of a classifier without support vectors, which has a row of coefficients for each class.
void giveLinearScores(NodeReader& node, Builder& b, Var x, int64_t features, const ClassLabels& labels) {
    const std::vector<double> rho = node.reals("rho"), coefficients = node.reals("coefficients");
    if (rho.empty())
        return node.fail("'rho' is missing");
    const Var rows = realTensor(node, b, "coefficients", x, {labels.count, features});
    if (b.failed())
        return;
    const Var scores = cast(b, addTo(b, matmul(b, x, rows, false, true), rho[0]), types::Float32);
    Var best = bestClass(b, scores);
    if (labels.count == 2 && node.reals("prob_a").empty()) { // the second, if either score is over the threshold
        const bool isSigned = std::ranges::any_of(coefficients, [](double value) { return value < 0; });
        const Var most = reduce(b, "max", scores, {1}, false);
        const Var isOver =
            b.call(isSigned ? Op::Greater : Op::GreaterEqual, {most, scalarLike(b, isSigned ? 0 : 0.5, most)});
        best = where(b, isOver, b.scalarInt(1), best);
    }
    node.set(0, labelOf(b, labels, best));
    node.set(1, transformed(b, scores, node.text("post_transform", "NONE")));
}

/// How many support vectors each class has; nothing, and a fault, if that is not said.
std::optional<Ints> vectorsOfClasses(NodeReader& node, int64_t classes) {
    Ints vectors = node.integers("vectors_per_class");
    if (static_cast<int64_t>(vectors.size()) != classes)
        node.fail(fmt::format("'vectors_per_class' has {} entries for {} classes", vectors.size(), classes));
    else if (std::ranges::any_of(vectors, [](int64_t count) { return count < 0 || count > limits::filledElements; }))
        node.fail("'vectors_per_class' has an entry that is no number of vectors");
    return node.failed() ? std::nullopt : std::optional(std::move(vectors));
}

} // namespace

void convertSVMRegressor(NodeReader& node, Builder& b) {
    const Var x = asRows(b, asReal(b, node.in(0)));
    const auto features = featuresOf(node, b, x);
    if (!features)
        return;
    const int64_t count = node.integer("n_supports", 0);
    if (count < 0 || count > limits::filledElements)
        return node.fail(fmt::format("there are {} support vectors", count));
    const Var like = count > 0 ? likeness(node, b, x, count, *features) : x; // without vectors it is linear
    const Var sums = matmul(b, like, realTensor(node, b, "coefficients", x, {count > 0 ? count : *features, 1}));
    const Var y = add(b, sums, realTensor(node, b, "rho", x, {1}));
    if (b.failed())
        return;
    Var score = cast(b, y, types::Float32);
    if (node.integer("one_class", 0) != 0)
        score = where(b, b.call(Op::Greater, {score, scalarLike(b, 0, score)}), scalarLike(b, 1, score),
                      scalarLike(b, -1, score));
    node.set(0, transformed(b, score, node.text("post_transform", "NONE")));
}

void convertSVMClassifier(NodeReader& node, Builder& b) {
    const Var x = asRows(b, asReal(b, node.in(0)));
    const auto labels = readLabels(node, b, "classlabels_ints");
    const auto features = featuresOf(node, b, x);
    if (!labels || !features)
        return;
    if (std::ranges::all_of(node.integers("vectors_per_class"), [](int64_t count) { return count == 0; }))
        return giveLinearScores(node, b, x, *features, *labels);
    const int64_t classes = labels->count;
    const auto vectors = vectorsOfClasses(node, classes);
    if (!vectors)
        return;
    int64_t total = 0;
    for (const int64_t count : *vectors)
        total += count;
    const Var scores = pairScores(node, b, likeness(node, b, x, total, *features), *vectors, total);
    const bool hasProbabilities = !node.reals("prob_a").empty();
    const Var given = hasProbabilities ? probabilities(node, b, scores, classes) : scores;
    if (b.failed())
        return;
    const std::string transform = node.text("post_transform", "NONE");
    const Var single = cast(b, given, types::Float32);
    node.set(0, labelOf(b, *labels, mostPreferred(b, scores, classes)));
    node.set(1, hasProbabilities || classes > 2 ? transformed(b, single, transform)
                                                : bothScores(node, b, single, transform == "NONE", transform));
}

} // namespace lathe::frontend::onnx
