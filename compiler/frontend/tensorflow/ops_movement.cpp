// SPDX-License-Identifier: Apache-2.0
//
// Operators that put whole tensors together and apart, and those that change the order of elements.
#include "frontend/common/batch_blocks.h"
#include "frontend/common/paddings.h"
#include "frontend/common/repeated.h"
#include "frontend/common/split.h"
#include "frontend/common/strided_slice.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace lathe::frontend::tensorflow {
namespace {

/// x as parts of the given sizes along an axis.
void giveParts(NodeReader& node, Var x, int64_t axis, const Dims& sizes) {
    const Var whole = coveredBy(node.b, x, axis, sizes);
    const Dims begins = beginsOf(sizes);
    for (size_t i = 0; i < sizes.size() && !node.failed(); ++i)
        if (node.wants(i))
            node.set(i, sliceAxis(node.b, whole, axis, begins[i], sizes[i]));
}

/// How many parts an attribute says; a fault if there are fewer than results.
std::optional<size_t> partsOf(NodeReader& node, const char* attribute) {
    const int64_t said = node.integer(attribute, 0);
    if (said >= 1 && said <= 1 << 16 && static_cast<size_t>(said) >= node.outputs())
        return static_cast<size_t>(said);
    node.fail(fmt::format("attribute '{}' is {} and the node has {} outputs", attribute, said, node.outputs()));
    return std::nullopt;
}

void giveConcat(NodeReader& node, Builder& b, size_t first, size_t count, size_t axisAt) {
    const auto given = knownInteger(node, axisAt, "axis");
    std::vector<Var> parts;
    for (size_t i = first; i < first + count; ++i)
        parts.push_back(node.in(i));
    if (!given || parts.empty() || !node.needRank(parts[0], 1))
        return;
    const int64_t axis = node.axis(*given, b.rank(parts[0]));
    node.set(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

} // namespace

void convertTranspose(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    auto axes = knownIntegers(node, 1, "permutation");
    if (!axes || b.failed())
        return;
    for (int64_t& axis : *axes)
        axis = node.axis(axis, b.rank(x));
    node.set(0, transpose(b, x, *std::move(axes)));
}

void convertConcatV2(NodeReader& node, Builder& b) {
    if (node.inputs() < 2)
        return node.fail("the node has no operands");
    giveConcat(node, b, 0, node.inputs() - 1, node.inputs() - 1);
}
void convertConcat(NodeReader& node, Builder& b) {
    if (node.inputs() < 2)
        return node.fail("the node has no operands");
    giveConcat(node, b, 1, node.inputs() - 1, 0);
}

void convertPack(NodeReader& node, Builder& b) {
    std::vector<Var> parts;
    for (size_t i = 0; i < node.inputs(); ++i)
        parts.push_back(node.in(i));
    if (b.failed() || parts.empty())
        return node.fail("the node has no operands");
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(parts[0]) + 1);
    for (Var& part : parts)
        part = unsqueeze(b, part, {axis});
    node.set(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

void convertUnpack(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    const auto parts = partsOf(node, "num");
    if (!parts || !node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(x));
    x = coveredBy(b, x, axis, Dims(*parts, Expr(1)));
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        if (node.wants(i))
            node.set(i, squeeze(b, sliceAxis(b, x, axis, static_cast<int64_t>(i), 1), {axis}));
}

void convertSplit(NodeReader& node, Builder& b) {
    const auto given = knownInteger(node, 0, "axis");
    Var x = node.in(1);
    const auto parts = partsOf(node, "num_split");
    if (!given || !parts || !node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(*given, b.rank(x)), count = static_cast<int64_t>(*parts);
    x = dividedBy(b, x, axis, count);
    giveParts(node, x, axis, Dims(*parts, arith::simplify(arith::floorDiv(dim(b, x, axis), count))));
}

void convertSplitV(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    Dims sizes = integersOf(node, 1, "size");
    const auto given = knownInteger(node, 2, "axis");
    const auto parts = partsOf(node, "num_split");
    if (!given || !parts || !node.needRank(x, 1))
        return;
    if (sizes.size() != *parts)
        return node.fail(fmt::format("there are {} sizes for {} parts", sizes.size(), *parts));
    const int64_t axis = node.axis(*given, b.rank(x));
    if (const auto all = partSizes(b, x, axis, std::move(sizes)))
        giveParts(node, x, axis, *all);
}

void convertTile(NodeReader& node, Builder&) {
    node.set(0, tiled(node, node.in(0)));
}

void convertReverseV2(NodeReader& node, Builder&) {
    node.set(0, reversedAlong(node, node.in(0)));
}

void convertReverseSequence(NodeReader& node, Builder&) {
    node.set(0, reversedSequences(node, node.in(0)));
}

/// Two parts of each axis that change places.
void convertRoll(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    const auto shifts = knownIntegers(node, 1, "shift"), axes = knownIntegers(node, 2, "axis");
    if (!shifts || !axes || b.failed())
        return;
    if (shifts->size() != axes->size())
        return node.fail(fmt::format("there are {} shifts for {} axes", shifts->size(), axes->size()));
    for (size_t i = 0; i < axes->size() && !b.failed(); ++i) {
        const int64_t axis = node.axis((*axes)[i], b.rank(x));
        const Expr size = dim(b, x, axis);
        const int64_t shift = std::clamp((*shifts)[i], -farAway, farAway);
        const Expr split = arith::simplify(arith::floorMod(Expr(-shift), arith::max(size, 1)));
        x = concat(b, {sliceAxis(b, x, axis, split, arith::simplify(size - split)), sliceAxis(b, x, axis, 0, split)},
                   axis);
    }
    node.set(0, x);
}

void convertSlice(NodeReader& node, Builder& b) {
    node.set(0, sizedSlice(node, b, node.in(0)));
}
void convertStridedSlice(NodeReader& node, Builder& b) {
    node.set(0, stridedSlice(node, b, node.in(0)));
}

void convertPad(NodeReader& node, Builder& b) {
    const Var x = node.in(0), value = node.hasInput(2) ? asScalar(b, node.in(2)) : Var{};
    if (auto paddings = readPaddings(node, x))
        node.set(0, pad(b, x, "constant", std::move(paddings->before), std::move(paddings->after), {}, value));
}
void convertMirrorPad(NodeReader& node, Builder& b) {
    node.set(0, mirrored(node, b, node.in(0)));
}

void convertSpaceToBatchND(NodeReader& node, Builder& b) {
    node.set(0, spaceToBatch(node, b, node.in(0), {}));
}
void convertBatchToSpaceND(NodeReader& node, Builder& b) {
    node.set(0, batchToSpace(node, b, node.in(0)));
}

} // namespace lathe::frontend::tensorflow
