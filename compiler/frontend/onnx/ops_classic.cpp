// SPDX-License-Identifier: Apache-2.0
//
// Linear models and the preparation of features, of ai.onnx.ml.
#include "frontend/onnx/features.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/scores.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// x · coefficientsᵀ + intercepts, of `rows` rows of coefficients.
Var linear(NodeReader& node, Builder& b, Var x, int64_t rows) {
    const auto features = featuresOf(node, b, x);
    if (!features)
        return {};
    const Var product = matmul(b, x, realTensor(node, b, "coefficients", x, {rows, *features}), false, true);
    return node.has("intercepts") && !node.reals("intercepts").empty()
               ? add(b, product, realTensor(node, b, "intercepts", x, {rows}))
               : product;
}

} // namespace

void convertLinearRegressor(NodeReader& node, Builder& b) {
    const Var x = asRows(b, asReal(b, node.in(0)));
    const int64_t targets = node.integer("targets", 1);
    if (targets < 1 || targets > limits::filledElements)
        return node.fail(fmt::format("there are {} targets", targets));
    const Var y = linear(node, b, x, targets);
    if (!b.failed())
        node.set(0, transformed(b, cast(b, y, types::Float32), node.text("post_transform", "NONE")));
}

void convertLinearClassifier(NodeReader& node, Builder& b) {
    const Var x = asRows(b, asReal(b, node.in(0)));
    const auto labels = readLabels(node, b, "classlabels_ints");
    const auto features = featuresOf(node, b, x);
    if (!labels || !features)
        return;
    const int64_t classes = labels->count;
    const auto coefficients = static_cast<int64_t>(node.reals("coefficients").size());
    const bool oneForTwo = classes == 2 && coefficients == *features; // one score speaks for the second class
    const Var y = linear(node, b, x, oneForTwo ? 1 : classes);
    if (b.failed())
        return;
    const Var scores = cast(b, y, types::Float32);
    const std::string transform = node.text("post_transform", "NONE");
    node.set(0, labelOf(b, *labels, oneForTwo ? classOver(b, scores, 0) : bestClass(b, scores)));
    node.set(1, oneForTwo ? bothScores(node, b, scores, false, transform) : transformed(b, scores, transform));
}

void convertNormalizer(NodeReader& node, Builder& b) {
    const Var x = asReal(b, node.in(0));
    if (!node.needRank(x, 1))
        return;
    const Ints last = {b.rank(x) - 1};
    const std::string norm = node.text("norm", "MAX");
    const Var size = norm == "MAX"  ? reduce(b, "max", x, last, true)
                     : norm == "L1" ? reduce(b, "sum", b.call(Op::Abs, {x}), last, true)
                                    : b.call(Op::Sqrt, {reduce(b, "sum", mul(b, x, x), last, true)});
    const Var divisor = where(b, equal(b, size, scalarLike(b, 0, size)), scalarLike(b, 1, size), size);
    node.set(0, cast(b, div(b, x, divisor), types::Float32));
}

void convertScaler(NodeReader& node, Builder& b) {
    const Var x = asReal(b, node.in(0));
    const auto features = featuresOf(node, b, x);
    if (!features)
        return;
    const auto values = [&](const char* name) {
        return realTensor(node, b, name, x, {node.reals(name).size() == 1 ? 1 : *features});
    };
    const Var centred = node.has("offset") ? sub(b, x, values("offset")) : x;
    const Var scaled = node.has("scale") ? mul(b, centred, values("scale")) : centred;
    node.set(0, b.failed() ? Var{} : cast(b, scaled, types::Float32));
}

void convertFeatureVectorizer(NodeReader& node, Builder& b) {
    const Ints widths = node.integers("inputdimensions");
    if (!widths.empty() && widths.size() != node.inputs())
        return node.fail(fmt::format("'inputdimensions' has {} entries for {} inputs", widths.size(), node.inputs()));
    std::vector<Var> parts;
    for (size_t i = 0; i < node.inputs(); ++i) {
        const Var x = node.in(i);
        if (!node.needRank(x, 1))
            return;
        if (b.rank(x) > 2)
            return node.refuse(fmt::format("input {} is of shape {}, no matrix", i, text(b.shape(x))));
        Var part = asRows(b, x);
        if (!widths.empty()) { // of more columns the first ones, after fewer of them zeros
            if (widths[i] < 0 || widths[i] > limits::filledElements)
                return node.fail(fmt::format("'inputdimensions' has {}", widths[i]));
            if (!mayFill(b, {dim(b, part, 0), Expr(widths[i])}))
                return;
            const Expr kept = arith::simplify(arith::min(dim(b, part, 1), Expr(widths[i])));
            part = pad(b, sliceAxis(b, part, 1, 0, kept), "constant", {0, 0},
                       {0, arith::simplify(Expr(widths[i]) - kept)});
        }
        parts.push_back(cast(b, part, types::Float32));
    }
    node.set(0, concat(b, std::move(parts), 1));
}

void convertImputer(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const auto features = featuresOf(node, b, x);
    if (!features)
        return;
    const bool isFloat = b.dtype(x).isFloat();
    const char* name = isFloat ? "imputed_value_floats" : "imputed_value_int64s";
    Var values;
    if (isFloat) {
        values = realTensor(node, b, name, x, {node.reals(name).size() == 1 ? 1 : *features});
    } else {
        const Ints given = node.integers(name);
        if (given.size() != 1 && static_cast<int64_t>(given.size()) != *features)
            return node.fail(fmt::format("'{}' has {} entries for {} features", name, given.size(), *features));
        values = cast(b, b.fromExprs(toDims(given)), b.dtype(x));
    }
    const double replaced = node.real("replaced_value_float", 0);
    const Var isReplaced = isFloat && std::isnan(replaced)
                               ? b.call(Op::IsNan, {x})
                               : equal(b, x,
                                       isFloat ? scalarLike(b, replaced, x)
                                               : b.scalarInt(node.integer("replaced_value_int64", 0), b.dtype(x)));
    node.set(0, where(b, isReplaced, values, x));
}

} // namespace lathe::frontend::onnx
