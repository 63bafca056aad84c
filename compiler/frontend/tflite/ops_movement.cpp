// SPDX-License-Identifier: Apache-2.0
//
// Operators that put whole tensors together and apart, and those that change the order of elements.
#include "frontend/common/repeated.h"
#include "frontend/common/split.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"

#include <fmt/format.h>

#include <numeric>

namespace lathe::frontend::tflite {
namespace {

std::vector<size_t> firstPlaces(size_t count) {
    std::vector<size_t> places(count);
    std::iota(places.begin(), places.end(), size_t{0});
    return places;
}

/// Operand `at` as parts of the given sizes along an axis.
void giveParts(NodeReader& node, Movement& m, Var x, int64_t axis, const Dims& sizes) {
    const Var whole = coveredBy(node.b, x, axis, sizes);
    const Dims begins = beginsOf(sizes);
    for (size_t i = 0; i < sizes.size() && !node.failed(); ++i)
        if (node.wants(i))
            m.give(i, sliceAxis(node.b, whole, axis, begins[i], sizes[i]));
}

/// False, and a fault, if a node that splits says another number of parts than it has results.
bool hasResults(NodeReader& node, const char* attribute, size_t parts) {
    const int64_t said = node.integer(attribute, static_cast<int64_t>(parts));
    if (parts > 0 && said == static_cast<int64_t>(parts) && parts == node.outputs())
        return true;
    node.fail(fmt::format("there are {} parts, '{}' is {} and the node has {} outputs", parts, attribute, said,
                          node.outputs()));
    return false;
}

} // namespace

void convertTranspose(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    auto axes = knownIntegers(node, 1, "permutation");
    if (!axes || b.failed())
        return;
    for (int64_t& axis : *axes)
        axis = node.axis(axis, b.rank(x));
    m.give(0, transpose(b, x, *std::move(axes)));
}

void convertConcatenation(NodeReader& node, Builder& b) {
    const bool moves = node.text("fused_activation_function", "NONE") == "NONE";
    if (node.inputs() == 0)
        return node.fail("the node has no operands");
    std::vector<Var> parts;
    std::optional<Movement> m;
    if (moves)
        m.emplace(node, firstPlaces(node.inputs()));
    for (size_t i = 0; i < node.inputs(); ++i)
        parts.push_back(moves ? m->in(i) : realOf(node, i));
    if (!node.needRank(parts[0], 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(parts[0]));
    const Var all = parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis);
    if (moves)
        m->give(0, all);
    else
        give(node, 0, activated(node, all));
}

void convertPack(NodeReader& node, Builder& b) {
    if (node.inputs() == 0)
        return node.fail("the node has no operands");
    Movement m(node, firstPlaces(node.inputs()));
    std::vector<Var> parts;
    for (size_t i = 0; i < node.inputs(); ++i)
        parts.push_back(m.in(i));
    if (b.failed())
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(parts[0]) + 1);
    for (Var& part : parts)
        part = unsqueeze(b, part, {axis});
    m.give(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

void convertUnpack(NodeReader& node, Builder& b) {
    Movement m(node, {0}, firstPlaces(node.outputs()));
    Var x = m.in(0);
    if (!hasResults(node, "num", node.outputs()) || !node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(x));
    x = coveredBy(b, x, axis, Dims(node.outputs(), Expr(1)));
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        if (node.wants(i))
            m.give(i, squeeze(b, sliceAxis(b, x, axis, static_cast<int64_t>(i), 1), {axis}));
}

void convertSplit(NodeReader& node, Builder& b) {
    Movement m(node, {1}, firstPlaces(node.outputs()));
    const auto given = knownInteger(node, 0, "axis");
    Var x = m.in(1);
    if (!given || !hasResults(node, "num_splits", node.outputs()) || !node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(*given, b.rank(x)), parts = static_cast<int64_t>(node.outputs());
    x = dividedBy(b, x, axis, parts);
    giveParts(node, m, x, axis, Dims(node.outputs(), arith::simplify(arith::floorDiv(dim(b, x, axis), parts))));
}

void convertSplitV(NodeReader& node, Builder& b) {
    Movement m(node, {0}, firstPlaces(node.outputs()));
    Var x = m.in(0);
    Dims sizes = integersOf(node, 1, "size");
    const auto given = knownInteger(node, 2, "axis");
    if (!given || !hasResults(node, "num_splits", sizes.size()) || !node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(*given, b.rank(x));
    if (const auto all = partSizes(b, x, axis, std::move(sizes)))
        giveParts(node, m, x, axis, *all);
}

void convertTile(NodeReader& node, Builder&) {
    Movement m(node, {0});
    m.give(0, tiled(node, m.in(0)));
}

void convertReverseV2(NodeReader& node, Builder&) {
    Movement m(node, {0});
    m.give(0, reversedAlong(node, m.in(0)));
}

void convertReverseSequence(NodeReader& node, Builder&) {
    Movement m(node, {0});
    m.give(0, reversedSequences(node, m.in(0)));
}

} // namespace lathe::frontend::tflite
