// SPDX-License-Identifier: Apache-2.0
#include "frontend/onnx/scores.h"

#include "frontend/common/emit.h"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace lathe::frontend::onnx {
namespace {

/// A softmax that leaves classes without a score out: what is 0 stays near it.
Var softmaxZero(Builder& b, Var x) {
    const Var most = reduce(b, "max", x, {1}, true);
    const Var isScored = b.call(Op::Greater, {b.call(Op::Abs, {x}), scalarLike(b, 1e-7, x)});
    const Var least = b.call(Op::Exp, {b.call(Op::Negative, {most})});
    const Var shares = where(b, isScored, b.call(Op::Exp, {sub(b, x, most)}), mul(b, x, least));
    const Var sum = reduce(b, "sum", shares, {1}, true);
    return where(b, equal(b, sum, scalarLike(b, 0, x)), scalarLike(b, 0.5, x), div(b, shares, sum));
}

/// The quantile of the normal distribution, by Winitzki's approximation of the inverse error function (2008), which is what
/// ONNX's reference and ONNX Runtime take for it.
Var probit(Builder& b, Var p) {
    constexpr double a = 0.147;
    const Var x = addTo(b, mulBy(b, p, 2), -1);
    const Var rest = mul(b, sub(b, scalarLike(b, 1, x), x), addTo(b, x, 1)); // 1 - x²
    const Var log = b.call(Op::Log, {rest});
    const Var half = addTo(b, mulBy(b, log, 0.5), 2 / (std::numbers::pi * a));
    const Var root = b.call(Op::Sqrt, {sub(b, mul(b, half, half), mulBy(b, log, 1 / a))});
    const Var inverse = mul(b, b.call(Op::Sign, {x}), b.call(Op::Sqrt, {sub(b, root, half)}));
    return mulBy(b, inverse, std::numbers::sqrt2);
}

} // namespace

Var transformed(Builder& b, Var scores, const std::string& transform) {
    if (b.failed() || transform == "NONE")
        return scores;
    if (transform == "SOFTMAX")
        return softmax(b, scores, 1);
    if (transform == "SOFTMAX_ZERO")
        return softmaxZero(b, scores);
    return transform == "LOGISTIC" ? b.call(Op::Sigmoid, {scores}) : probit(b, scores);
}

Var bothScores(NodeReader& node, Builder& b, Var score, bool isSigned, const std::string& transform) {
    if (transform == "PROBIT") {
        node.refuse("post_transform PROBIT of one score for two classes is not supported");
        return {};
    }
    const bool isLogistic = transform == "LOGISTIC";
    const Var other = b.call(Op::Negative, {score});
    const Var both = concat(b, {isSigned || isLogistic ? other : addTo(b, other, 1), score}, 1);
    return isLogistic ? b.call(Op::Sigmoid, {both}) : both;
}

std::optional<ClassLabels> readLabels(NodeReader& node, Builder& b, const std::string& integers) {
    const std::vector<int64_t> numbers = node.integers(integers);
    std::vector<std::string> strings = node.texts("classlabels_strings");
    const auto count = static_cast<int64_t>(std::max(numbers.size(), strings.size()));
    if (!numbers.empty() && !strings.empty())
        node.fail(fmt::format("the classes have labels in '{}' and in 'classlabels_strings'", integers),
                  "the model is malformed; export it again");
    else if (count == 0)
        node.fail("the classes have no labels", "the model is malformed; export it again");
    else if (count < 2 || count > limits::knownValueElements)
        node.refuse(fmt::format("a classifier with {} classes is not supported", count));
    if (node.failed())
        return std::nullopt;
    return ClassLabels{strings.empty() ? b.fromExprs(toDims(numbers)) : textConstant(b, std::move(strings)), count};
}

Var labelOf(Builder& b, const ClassLabels& labels, Var index) {
    return gather(b, labels.all, index, 0);
}

Var classOver(Builder& b, Var score, double threshold) {
    if (b.failed())
        return {};
    const Var over = b.call(Op::Greater, {score, scalarLike(b, threshold, score)});
    return cast(b, reshape(b, over, {dim(b, score, 0)}), types::Int64);
}

Var bestClass(Builder& b, Var scores) {
    relay::ArgReduceAttrs attrs;
    attrs.axis = 1;
    return b.call(Op::ArgReduce, {scores}, attrs);
}

} // namespace lathe::frontend::onnx
