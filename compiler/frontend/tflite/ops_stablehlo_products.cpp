// SPDX-License-Identifier: Apache-2.0
//
// Operators of StableHLO that sum: products of any dims, convolutions of any order of dims, reductions, and sorting.
#include "frontend/common/window.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/window_reduction.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tflite {
namespace {

/// Names of the dims of a product, a letter each.
struct Letters {
    char next = 'a';
    std::string of(size_t count) {
        std::string letters(count, ' ');
        for (char& letter : letters)
            letter = next++;
        return letters;
    }
};

/// False, and a fault, if dims of two operands do not go in pairs.
bool arePairs(NodeReader& node, const Ints& x, const Ints& y, size_t rankX, size_t rankY) {
    const auto within = [](const Ints& dims, size_t rank) {
        return std::ranges::all_of(dims, [&](int64_t d) { return d >= 0 && d < static_cast<int64_t>(rank); });
    };
    if (x.size() == y.size() && within(x, rankX) && within(y, rankY))
        return true;
    node.fail("dims of the product are not named in pairs");
    return false;
}

/// An order of dims that the attributes say: batch, channels, then space; nothing, and a fault, if it is no order.
std::optional<Ints> orderedDims(NodeReader& node, const char* first, const char* second, const char* space, int rank) {
    Ints order = {node.integer(first, 0), node.integer(second, 0)};
    const Ints spatial = node.integers(space);
    order.insert(order.end(), spatial.begin(), spatial.end());
    Ints sorted = order;
    std::ranges::sort(sorted);
    if (!node.failed() && sorted == iotaInts(0, rank))
        return order;
    node.fail(
        fmt::format("attributes '{}', '{}' and '{}' do not name each of {} dims once", first, second, space, rank));
    return std::nullopt;
}

/// Attributes of each dim of space; 1 where the file leaves them out.
Ints spatialOf(NodeReader& node, const char* attribute, size_t spatial) {
    Ints values = node.integers(attribute);
    if (values.empty())
        values.assign(spatial, 1);
    return values;
}

Var declaredLike(NodeReader& node, Builder& b, Var x) {
    const model::ValueType* declared = node.declaredResult(0);
    const bool isNumber = declared && (declared->dtype.isInt() || declared->dtype.isFloat());
    return isNumber && !isQuantized(node, 0) ? cast(b, x, declared->dtype) : x;
}

/// The operands of a convolution with space last, and padded; nothing after a fault.
struct ConvolutionOperands {
    Var x, weights;
    Window window;
};

std::optional<ConvolutionOperands> readConvolution(NodeReader& node, Builder& b, Var x, Var weights) {
    const auto of =
        orderedDims(node, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", b.rank(x));
    const auto by = orderedDims(node, "kernel_output_feature_dimension", "kernel_input_feature_dimension",
                                "kernel_spatial_dimensions", b.rank(weights));
    if (!of || !by || of->size() != by->size())
        return std::nullopt;
    ConvolutionOperands read{transpose(b, x, *of), transpose(b, weights, *by), {}};
    const auto kernel = kernelOf(b, read.weights);
    if (!kernel || b.failed())
        return std::nullopt;
    const size_t spatial = kernel->size();
    const Ints inner = spatialOf(node, "lhs_dilation", spatial);
    Ints pads = node.integers("padding"), reversed = node.integers("window_reversal");
    pads.resize(pads.empty() ? 2 * spatial : pads.size(), 0);
    reversed.resize(reversed.empty() ? spatial : reversed.size(), 0);
    WindowAttributes attributes{*kernel, spatialOf(node, "window_strides", spatial),
                                spatialOf(node, "rhs_dilation", spatial), Ints(2 * spatial, 0)};
    const auto inReach = [](int64_t n) { return n >= -mostExtent && n <= mostExtent; };
    if (attributes.strides.size() != spatial || attributes.dilations.size() != spatial || inner.size() != spatial ||
        pads.size() != 2 * spatial || reversed.size() != spatial || !isInRange(attributes) ||
        !std::ranges::all_of(pads, inReach) ||
        !std::ranges::all_of(inner, [](int64_t n) { return n >= 1 && n <= mostExtent; })) {
        node.fail("strides, dilations, paddings and reversals do not fit the weights");
        return std::nullopt;
    }
    Dims before(spatial + 2, Expr(0)), after = before;
    Ints between(spatial + 2, 0);
    for (size_t i = 0; i < spatial; ++i) {
        before[i + 2] = pads[2 * i];
        after[i + 2] = pads[2 * i + 1];
        between[i + 2] = inner[i] - 1;
        if (reversed[i] != 0)
            read.weights = reverse(b, read.weights, static_cast<int64_t>(i + 2));
    }
    read.x = pad(b, read.x, "constant", before, after, between);
    if (b.failed())
        return std::nullopt;
    const Dims shape = b.shape(read.x);
    read.window = windowOver({shape.begin() + 2, shape.end()}, attributes);
    return read;
}

} // namespace

void convertStablehloDotGeneral(NodeReader& node, Builder& b) {
    const Var x = declaredLike(node, b, realOf(node, 0)), y = declaredLike(node, b, realOf(node, 1));
    const Ints batchX = node.integers("lhs_batching_dimensions"), batchY = node.integers("rhs_batching_dimensions"),
               sumX = node.integers("lhs_contracting_dimensions"), sumY = node.integers("rhs_contracting_dimensions");
    if (b.failed())
        return;
    const auto rankX = static_cast<size_t>(b.rank(x)), rankY = static_cast<size_t>(b.rank(y));
    if (!arePairs(node, batchX, batchY, rankX, rankY) || !arePairs(node, sumX, sumY, rankX, rankY))
        return;
    if (rankX + rankY > 26)
        return node.refuse(fmt::format("operands of {} and {} dims are not supported", rankX, rankY));
    Letters letters;
    const std::string ofX = letters.of(rankX);
    std::string ofY = letters.of(rankY), result, freeX = ofX, freeY = ofY;
    const auto pair = [&](const Ints& dimsX, const Ints& dimsY, bool keeps) {
        for (size_t i = 0; i < dimsX.size(); ++i) {
            const char letter = ofX[static_cast<size_t>(dimsX[i])];
            freeX[static_cast<size_t>(dimsX[i])] = freeY[static_cast<size_t>(dimsY[i])] = ' ';
            ofY[static_cast<size_t>(dimsY[i])] = letter;
            if (keeps)
                result += letter;
        }
    };
    pair(batchX, batchY, true);
    pair(sumX, sumY, false);
    result += freeX + freeY;
    std::erase(result, ' ');
    relay::EinsumAttrs attrs;
    attrs.equation = fmt::format("{},{}->{}", ofX, ofY, result);
    give(node, 0, b.call(Op::Einsum, {x, y}, attrs));
}

void convertStablehloConvolution(NodeReader& node, Builder& b) {
    const Var x = declaredLike(node, b, realOf(node, 0)), weights = declaredLike(node, b, realOf(node, 1));
    const int64_t groups = node.integer("feature_group_count", 1);
    if (!node.needRank(x, 3) || !node.needRank(weights, 3))
        return;
    if (node.integer("batch_group_count", 1) != 1)
        return node.refuse("convolutions of groups of the batch are not supported");
    if (groups < 1 || groups > mostExtent)
        return node.fail(fmt::format("attribute 'feature_group_count' is {}", groups));
    const auto read = readConvolution(node, b, x, weights);
    const auto order =
        orderedDims(node, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", b.rank(x));
    if (!read || !order)
        return;
    Ints back(order->size());
    for (size_t i = 0; i < order->size(); ++i)
        back[static_cast<size_t>((*order)[i])] = static_cast<int64_t>(i);
    give(node, 0, transpose(b, convolution(b, read->x, read->weights, read->window, groups), back));
}

void convertStablehloReduce(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), initial = asScalar(b, realOf(node, 1));
    const auto step = node.graph("body_subgraph_index");
    if (b.failed() || !step)
        return;
    const auto kind = reductionOf(*step, b.dtype(x).isBool());
    if (!kind || node.inputs() != 2)
        return node.refuse("only sums, products and extremes of one tensor are supported");
    const Ints axes = node.axes(node.integers("dimensions"), b.rank(x));
    const Var reduced = axes.empty() ? x : reduce(b, *kind, x, axes, false);
    give(node, 0, joinedBy(b, *kind, reduced, initial));
}

void convertStablehloReduceWindow(NodeReader& node, Builder& b) {
    const Var x = realOf(node, 0), initial = asScalar(b, realOf(node, 1));
    const auto step = node.graph("body_subgraph_index");
    if (b.failed() || !step)
        return;
    const auto rank = static_cast<size_t>(b.rank(x));
    const auto kind = reductionOf(*step, b.dtype(x).isBool());
    if (!kind || node.inputs() != 2)
        return node.refuse("only sums, products and extremes of one tensor are supported");
    const ReducedWindows windows{*kind, spatialOf(node, "window_dimensions", rank),
                                 spatialOf(node, "window_strides", rank), spatialOf(node, "window_dilations", rank)};
    const ReducedWindows gaps{*kind, windows.window, spatialOf(node, "base_dilations", rank), windows.dilations};
    Ints pads = node.integers("padding");
    pads.resize(pads.empty() ? 2 * rank : pads.size(), 0);
    if (!areInRange(node, windows, rank) || !areInRange(node, gaps, rank))
        return;
    if (pads.size() != 2 * rank ||
        !std::ranges::all_of(pads, [](int64_t n) { return n >= -mostExtent && n <= mostExtent; }))
        return node.fail(fmt::format("attribute 'padding' is not {} numbers within their range", 2 * rank));
    Dims before, after;
    Ints between;
    for (size_t i = 0; i < rank; ++i) {
        before.emplace_back(pads[2 * i]);
        after.emplace_back(pads[2 * i + 1]);
        between.push_back(gaps.strides[i] - 1);
    }
    const Var padded = pad(b, x, "constant", before, after, between, initial);
    give(node, 0, reducedWindows(b, padded, initial, windows));
}

void convertStablehloSort(NodeReader& node, Builder& b) {
    const auto compares = node.graph("comparator_subgraph_index");
    const Var key = node.in(0);
    if (!node.needRank(key, 1))
        return;
    // Only by the first tensor, ascending or descending.
    const auto isFirstTwo = [&](const model::Node& step) {
        return compares->inputs.size() >= 2 && compares->outputs.size() == 1 && step.outputs.size() == 1 &&
               step.outputs[0] == compares->outputs[0].name &&
               step.inputs == std::vector{compares->inputs[0].name, compares->inputs[1].name};
    };
    std::string direction;
    if (compares && compares->nodes.size() == 1 && isFirstTwo(compares->nodes[0])) {
        direction = compares->nodes[0].op;
        for (const model::Attribute& attribute : compares->nodes[0].attributes)
            if (attribute.name == "comparison_direction" && std::holds_alternative<std::string>(attribute.value))
                direction = std::get<std::string>(attribute.value);
    }
    const bool descends = direction == "GREATER" || direction == "STABLEHLO_COMPARISON_DIRECTION_GT";
    if (!descends && direction != "LESS" && direction != "STABLEHLO_COMPARISON_DIRECTION_LT")
        return node.refuse("sorting is supported by the order of the first tensor's elements alone");
    relay::TopKAttrs attrs;
    attrs.axis = node.axis(node.integer("dimension", 0), b.rank(key));
    attrs.k = dim(b, key, attrs.axis);
    attrs.largest = descends;
    const Var both = b.call(Op::TopK, {key}, attrs);
    const Var order = b.project(both, 1);
    relay::AxisAttrs along;
    along.axis = attrs.axis;
    for (size_t i = 0; i < node.outputs(); ++i)
        node.set(i, i == 0 ? b.project(both, 0) : b.call(Op::GatherElements, {node.in(i), order}, along));
}

} // namespace lathe::frontend::tflite
