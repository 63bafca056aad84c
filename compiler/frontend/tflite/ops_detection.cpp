// SPDX-License-Identifier: Apache-2.0
//
// What detection networks end with: boxes decoded, suppressed and put into results of a fixed size.
#include "frontend/common/suppression.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// Operands 0 … 4: boxes, scores, how many at most, thresholds of overlap and score.
std::optional<SuppressionOperands> readSuppression(NodeReader& node, Builder& b) {
    SuppressionOperands read{realOf(node, 0), realOf(node, 1), asScalar(b, realOf(node, 3)),
                             asScalar(b, realOf(node, 4)), integerOf(node, 2, "number of boxes")};
    return withDimsThatAgree(node, std::move(read));
}

/// Results of a suppression without scores that are lowered: numbers of boxes, their scores if wanted, their count.
void giveSuppressed(NodeReader& node, Builder& b, const SuppressionOperands& read, bool withScores) {
    const auto overlap = b.knownFloats(read.overlap);
    if (!overlap || overlap->size() != 1 || (*overlap)[0] <= 0)
        return node.refuse("the threshold of overlap is not a number above 0 that is known when the model is compiled");
    const Var reached = b.scalar(justBelow((*overlap)[0]), types::Float32); // a box goes that overlaps by as much
    const Chosen chosen =
        suppressed(b, read.boxes, unsqueeze(b, read.scores, {0}), b.scalarOf(read.most), reached, read.leastScore);
    const Var boxes = reshape(b, sliceAxis(b, chosen.rows, 1, 1, 1), {chosen.count});
    giveIntegers(node, 0, filledUp(b, boxes, chosen.count, read.most));
    if (withScores)
        give(node, 1, filledUp(b, gather(b, read.scores, boxes, 0), chosen.count, read.most));
    giveIntegers(node, withScores ? 2 : 1, b.scalarOf(chosen.count));
}

/// A number of a custom operator's options, however it is stored.
double optionOf(NodeReader& node, const std::string& name, double otherwise) {
    if (!node.has(name))
        return otherwise;
    for (const model::Attribute& attribute : node.node.attributes)
        if (attribute.name == name && std::holds_alternative<int64_t>(attribute.value))
            return static_cast<double>(std::get<int64_t>(attribute.value));
    return node.real(name, otherwise);
}

struct DetectionOptions {
    int64_t most, classesPerBox, boxesPerClass, classes;
    bool byClass; // suppression among the boxes of a class, not among all
    double leastScore, overlap;
    double scale[4]; // of y, x, h, w
};

std::optional<DetectionOptions> readDetectionOptions(NodeReader& node) {
    const auto count = [&](const char* name, double otherwise) {
        const double value = optionOf(node, name, otherwise);
        if (!(value >= 1 && value <= 1 << 20)) {
            node.fail(fmt::format("option '{}' is {}", name, value));
            return int64_t{1};
        }
        return static_cast<int64_t>(value);
    };
    DetectionOptions options{count("max_detections", 0),
                             count("max_classes_per_detection", 0),
                             count("detections_per_class", 100),
                             count("num_classes", 0),
                             optionOf(node, "use_regular_nms", 0) != 0,
                             optionOf(node, "nms_score_threshold", 0),
                             optionOf(node, "nms_iou_threshold", 0),
                             {}};
    const char* scales[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
    for (size_t i = 0; i < 4; ++i) {
        options.scale[i] = optionOf(node, scales[i], 0);
        if (!(options.scale[i] > 0))
            node.fail(fmt::format("option '{}' is {}", scales[i], options.scale[i]));
    }
    return mayFill(node.b, {options.most, options.classesPerBox, 4}) && !node.failed() ? std::optional(options)
                                                                                       : std::nullopt;
}

/// Corners [n, 4] from encodings and anchors [n, 4], both of centres and sizes.
Var decodedBoxes(Builder& b, Var encodings, Var anchors, const DetectionOptions& options) {
    const auto part = [&](Var x, int64_t i) { return sliceAxis(b, x, 1, i, 1); };
    const auto scaled = [&](size_t i) {
        return div(b, part(encodings, static_cast<int64_t>(i)), b.scalar(options.scale[i], types::Float32));
    };
    std::vector<Var> low, high;
    for (size_t i = 0; i < 2; ++i) { // along y, along x
        const auto at = static_cast<int64_t>(i);
        const Var center = add(b, mul(b, scaled(i), part(anchors, at + 2)), part(anchors, at));
        const Var half = mul(b, mulBy(b, b.call(Op::Exp, {scaled(i + 2)}), 0.5), part(anchors, at + 2));
        low.push_back(sub(b, center, half));
        high.push_back(add(b, center, half));
    }
    return concat(b, {low[0], low[1], high[0], high[1]}, 1);
}

/// What a detection gives, in `slots` places of which those behind the first `count` hold zeros.
struct Detections {
    Var boxes, classes, scores; // [slots, 4], [slots], [slots]
    Expr count;
};

/// Classes compete for a box first; then boxes by their best class.
Detections detectedByBox(Builder& b, Var boxes, Var scores, const DetectionOptions& options) {
    relay::TopKAttrs best;
    best.k = std::min(options.classesPerBox, options.classes);
    best.axis = 1;
    const Chosen chosen =
        suppressed(b, boxes, transpose(b, reduce(b, "max", scores, {1}, true), {1, 0}), b.scalarInt(options.most),
                   b.scalar(static_cast<float>(options.overlap), types::Float32),
                   b.scalar(justBelow(options.leastScore), types::Float32));
    const Var rows = reshape(b, sliceAxis(b, chosen.rows, 1, 1, 1), {chosen.count});
    const Var both = b.call(Op::TopK, {gather(b, scores, rows, 0)}, best);
    const Expr slots = options.most * options.classesPerBox;
    const auto spread = [&](Var x) { // [count, k] to one slot a class that a box may have
        const Dims none = {0, 0}, missing = {0, arith::simplify(Expr(options.classesPerBox) - best.k)};
        return reshape(b, filledUp(b, pad(b, x, "constant", none, missing), chosen.count, options.most), {slots});
    };
    const Var corners = expand(b, unsqueeze(b, filledUp(b, gather(b, boxes, rows, 0), chosen.count, options.most), {1}),
                               {options.most, options.classesPerBox, 4});
    return {reshape(b, corners, {slots, 4}), spread(cast(b, b.project(both, 1), types::Float32)),
            spread(b.project(both, 0)), chosen.count};
}

/// Boxes compete within each class; then those of all classes by their scores.
Detections detectedByClass(Builder& b, Var boxes, Var scores, const DetectionOptions& options) {
    const Var byClass = transpose(b, scores, {1, 0});
    const Chosen chosen = suppressed(b, boxes, byClass, b.scalarInt(options.boxesPerClass),
                                     b.scalar(static_cast<float>(options.overlap), types::Float32),
                                     b.scalar(justBelow(options.leastScore), types::Float32));
    const Var found = b.call(Op::GatherNd, {byClass, chosen.rows}, relay::GatherNdAttrs{});
    relay::TopKAttrs best;
    best.k = arith::simplify(arith::min(chosen.count, options.most));
    best.axis = 0;
    const Var both = b.call(Op::TopK, {found}, best);
    const Var rows = gather(b, chosen.rows, b.project(both, 1), 0);
    const auto part = [&](int64_t i) { return reshape(b, sliceAxis(b, rows, 1, i, 1), {best.k}); };
    const auto filled = [&](Var x) { return filledUp(b, x, best.k, options.most * options.classesPerBox); };
    return {filled(gather(b, boxes, part(1), 0)), filled(cast(b, part(0), types::Float32)), filled(b.project(both, 0)),
            best.k};
}

} // namespace

void convertNonMaxSuppressionV4(NodeReader& node, Builder& b) {
    if (const auto read = readSuppression(node, b))
        giveSuppressed(node, b, *read, false);
}

void convertNonMaxSuppressionV5(NodeReader& node, Builder& b) {
    const auto read = readSuppression(node, b);
    const Var sigma = asScalar(b, realOf(node, 5));
    if (!read || b.failed())
        return;
    const auto known = b.knownFloats(sigma);
    if (!known || known->size() != 1)
        return node.refuse("sigma must be known when the model is compiled");
    if ((*known)[0] <= 0)
        return giveSuppressed(node, b, *read, true);
    const SoftlyChosen chosen =
        softlySuppressed(b, read->boxes, read->scores, read->most, read->overlap, read->leastScore, sigma);
    giveIntegers(node, 0, chosen.boxes);
    give(node, 1, chosen.scores);
    giveIntegers(node, 2, chosen.count);
}

void convertTFLiteDetectionPostProcess(NodeReader& node, Builder& b) {
    const auto options = readDetectionOptions(node);
    const Var encodings = realOf(node, 0), predictions = realOf(node, 1), anchors = realOf(node, 2);
    if (!options || !node.needRank(encodings, 3) || !node.needRank(predictions, 3) || !node.needRank(anchors, 2))
        return;
    const Expr count = dim(b, encodings, 1), classes = dim(b, predictions, 2);
    const auto given = arith::asInt(classes);
    if (!given || *given < options->classes || *given > options->classes + 1)
        return node.fail(fmt::format("there are scores of {} classes where num_classes is {}", arith::sizeText(classes),
                                     options->classes));
    const auto whole = [&](Var x, const Expr& width) { return reshape(b, x, {count, width}); }; // a batch of one
    const auto firstFour = [&](Var x) { // more may follow them, which say nothing of the box
        const int64_t last = b.failed() ? 0 : b.rank(x) - 1;
        return sliceAxis(b, assume(b, x, arith::ge(dim(b, x, last), 4), "a box has four numbers"), last, 0, 4);
    };
    const Var boxes = decodedBoxes(b, whole(firstFour(encodings), 4), firstFour(anchors), *options);
    // The background, if there is one, is the first class.
    const Var scores = sliceAxis(b, whole(predictions, classes), 1, *given - options->classes, options->classes);
    const Detections found =
        options->byClass ? detectedByClass(b, boxes, scores, *options) : detectedByBox(b, boxes, scores, *options);
    give(node, 0, unsqueeze(b, found.boxes, {0}));
    give(node, 1, unsqueeze(b, found.classes, {0}));
    give(node, 2, unsqueeze(b, found.scores, {0}));
    give(node, 3, reshape(b, cast(b, b.scalarOf(found.count), types::Float32), {1}));
}

} // namespace lathe::frontend::tflite
