// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements: bounds and sizes are expressions where they are known while importing, tensors where
// not.
#include "frontend/common/axis_operands.h"
#include "frontend/common/depth_space.h"
#include "frontend/common/integer_operands.h"
#include "frontend/common/slice.h"
#include "frontend/common/split.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

#include <limits>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// Some exporters give a scalar where ONNX asks for a vector of one element.
Var asVector(Builder& b, Var x) {
    return b.failed() || b.rank(x) != 0 ? x : reshape(b, x, {1});
}

/// Bounds are data: all four operands as full vectors, one element a dim of x, scattered by axes that may be data too.
Var runtimeSlice(NodeReader& node, Builder& b, Var x, Var starts, Var ends) {
    const int64_t rank = b.rank(x);
    starts = asVector(b, starts);
    ends = asVector(b, ends);
    Var axes = node.hasInput(3) ? asVector(b, cast(b, node.in(3), types::Int64)) : Var{};
    const Var steps = node.hasInput(4) ? asVector(b, cast(b, node.in(4), types::Int64)) : Var{};
    const Expr count = dim(b, starts, 0);
    const auto number = arith::asInt(count);
    const auto known = axes ? b.knownInts(axes) : number ? std::optional(iotaInts(0, *number)) : std::nullopt;
    const Var ones = full(b, b.scalarInt(1), {count});
    if (known) {
        AxesAttrs attrs;
        attrs.axes = *known;
        for (int64_t& axis : attrs.axes)
            axis = node.axis(axis, rank);
        return b.call(Op::DynamicSlice, {x, starts, ends, steps ? steps : ones}, attrs);
    }
    if (!axes) // the first dims, as many as there are starts
        axes = iota(b, {count}, 0, types::Int64);
    const auto spread = [&](int64_t otherwise, Var values) {
        return spreadOver(b, values, axes, rank, b.scalarInt(otherwise));
    };
    AxesAttrs attrs;
    attrs.axes = iotaInts(0, rank);
    return b.call(
        Op::DynamicSlice,
        {x, spread(0, starts), spread(std::numeric_limits<int64_t>::max(), ends), spread(1, steps ? steps : ones)},
        attrs);
}

Dims splitSizes(NodeReader& node, Builder& b, const Expr& size) {
    Dims sizes;
    if (node.has("split"))
        return toDims(node.integers("split"));
    if (node.hasInput(1))
        return b.symbolic(node.in(1), "split");
    const auto parts = node.integer("num_outputs", static_cast<int64_t>(node.outputs()));
    if (parts < 1 || parts > static_cast<int64_t>(node.outputs())) {
        node.fail(fmt::format("num_outputs is {}, but the node has {} outputs", parts, node.outputs()));
        return sizes;
    }
    const Expr each = arith::simplify(arith::ceilDiv(size, parts));
    for (int64_t i = 0; i + 1 < parts; ++i)
        sizes.push_back(each);
    sizes.push_back(arith::simplify(size - each * (parts - 1)));
    return sizes;
}

} // namespace

void convertTranspose(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    Ints axes = node.integers("perm");
    if (!node.has("perm"))
        for (int64_t i = rank; i-- > 0;)
            axes.push_back(i);
    node.set(0, transpose(b, x, std::move(axes)));
}

void convertConcat(NodeReader& node, Builder& b) {
    std::vector<Var> parts;
    for (size_t i = 0; i < node.inputs(); ++i)
        parts.push_back(node.in(i));
    if (parts.empty() || !node.needRank(parts[0], 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 1), b.rank(parts[0]));
    node.set(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

void convertSlice(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    Dims starts, ends;
    std::optional<Ints> axes, steps;
    if (node.version() < 10 && node.node.op == "Slice") { // DynamicSlice, an experiment of opset 9, has operands
        starts = toDims(node.integers("starts"));
        ends = toDims(node.integers("ends"));
        if (node.has("axes"))
            axes = node.integers("axes");
    } else {
        const Var startVar = node.in(1), endVar = node.in(2);
        if (b.failed())
            return;
        if (b.dtype(startVar) != b.dtype(endVar))
            return node.fail("starts and ends have different element types", "use one integer type for all bounds");
        if (node.hasInput(3) && b.dtype(node.in(3)) != b.dtype(startVar))
            return node.fail("starts and axes have different element types", "use one integer type for all bounds");
        const KnownValue* from = b.known(startVar);
        const KnownValue* to = b.known(endVar);
        const bool boundsKnown = from && to && (!node.hasInput(3) || b.knownInts(node.in(3))) &&
                                 (!node.hasInput(4) || b.knownInts(node.in(4)));
        if (!boundsKnown)
            return node.set(0,
                            runtimeSlice(node, b, x, cast(b, startVar, types::Int64), cast(b, endVar, types::Int64)));
        starts = *from;
        ends = *to;
        axes = node.hasInput(3) ? b.knownInts(node.in(3)) : std::nullopt;
        steps = node.hasInput(4) ? b.knownInts(node.in(4)) : std::nullopt;
    }
    if (b.failed())
        return;
    if (!axes)
        axes = iotaInts(0, static_cast<int64_t>(starts.size()));
    if (!steps)
        steps = Ints(starts.size(), 1);
    if (ends.size() != starts.size() || axes->size() != starts.size() || steps->size() != starts.size())
        return node.fail("starts, ends, axes and steps differ in length");
    SliceAttrs attrs = wholeOf(b, x);
    for (size_t i = 0; i < starts.size(); ++i) {
        const auto axis = static_cast<size_t>(node.axis((*axes)[i], rank));
        const int64_t step = std::clamp((*steps)[i], -farAway, farAway);
        if (step == 0)
            return node.fail("a step of the slice is zero");
        if (b.failed())
            return;
        sliceDim(attrs, axis, starts[i], ends[i], step);
    }
    node.set(0, b.call(Op::Slice, {x}, attrs));
}

void convertSplit(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(x));
    const Dims sizes = splitSizes(node, b, dim(b, x, axis));
    if (b.failed())
        return;
    const bool given = node.has("split") || node.hasInput(1);
    if (!given && node.version() < 18) // from then on the last part may be smaller
        x = dividedBy(b, x, axis, static_cast<int64_t>(sizes.size()));
    x = coveredBy(b, x, axis, sizes);
    if (sizes.size() < node.outputs())
        return node.fail(
            fmt::format("the split gives {} parts, but the node has {} outputs", sizes.size(), node.outputs()));
    const Dims begins = beginsOf(sizes);
    for (size_t i = 0; i < sizes.size(); ++i)
        if (node.wants(i))
            node.set(i, sliceAxis(b, x, axis, begins[i], sizes[i]));
}

namespace {

/// The pads of all dims, of which operand 3 names some: none of the others.
Dims padsAtAxes(NodeReader& node, Builder& b, int64_t rank) {
    const Var axes = asVector(b, cast(b, node.in(3), types::Int64));
    const auto known = b.knownInts(axes);
    if (!known) {
        const Expr count = dim(b, axes, 0);
        const Var pads = cast(b, node.in(1), types::Int64);
        const auto half = [&](const Expr& begin) {
            const Var part = sliceAxis(b, pads, 0, begin, count);
            return b.symbolic(spreadOver(b, part, axes, rank, b.scalarInt(0)), "pad");
        };
        Dims before = half(0);
        const Dims after = half(count);
        before.insert(before.end(), after.begin(), after.end());
        return before;
    }
    const size_t count = known->size();
    const Dims given = b.symbolic(listOf(node, 1, 2 * static_cast<int64_t>(count), "pads"), "pad");
    Dims pads(2 * static_cast<size_t>(rank), Expr(0));
    for (size_t i = 0; i < count && !b.failed(); ++i) {
        const auto axis = static_cast<size_t>(node.axis((*known)[i], rank));
        if (b.failed()) // of rank 0 there is not even the first
            break;
        pads[axis] = given[i];
        pads[axis + static_cast<size_t>(rank)] = given[i + count];
    }
    return pads;
}

} // namespace

void convertPad(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    Dims pads;
    Var value;
    if (node.version() < 11) {
        pads = toDims(node.integers(node.version() < 2 ? "paddings" : "pads"));
        value = scalarLike(b, node.real("value", 0), x);
    } else {
        pads = node.hasInput(3) ? padsAtAxes(node, b, rank) : b.symbolic(listOf(node, 1, 2 * rank, "pads"), "pad");
        value = node.optional(2);
        if (value)
            value = asScalar(b, value);
    }
    if (b.failed())
        return;
    const auto count = static_cast<size_t>(rank);
    if (pads.size() != 2 * count)
        return node.fail(fmt::format("there are {} pads where {} are needed", pads.size(), 2 * count));
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(count);
    Dims before(pads.begin(), middle), after(middle, pads.end());
    const std::string mode = node.text("mode", "constant");
    node.set(0, pad(b, x, mode, std::move(before), std::move(after), {}, mode == "constant" ? value : Var{}));
}

void convertTile(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    if (node.version() < 6) { // along one axis; number and axis are of the operand's type
        const auto integer = [&](size_t i) { return cast(b, asScalar(b, node.in(i)), types::Int64); };
        const Dims times = b.symbolic(integer(1), "tiles");
        return node.set(0, overAxis(node, x, integer(2), [&](Var v, int64_t axis) {
                            TileAttrs attrs;
                            attrs.repeats.assign(static_cast<size_t>(b.rank(v)), Expr(1));
                            attrs.repeats[static_cast<size_t>(axis)] = times.at(0);
                            return b.call(Op::Tile, {v}, attrs);
                        }));
    }
    TileAttrs attrs;
    attrs.repeats = b.symbolic(listOf(node, 1, b.rank(x), "repeats"), "repeat");
    node.set(0, b.call(Op::Tile, {x}, attrs));
}

namespace {

/// fn(x, block, order) of a node that moves blocks.
void moveBlocks(NodeReader& node, Var (*fn)(Builder&, Var, int64_t, BlockOrder)) {
    const Var x = node.in(0);
    const int64_t block = node.integer("blocksize", 0);
    if (!node.needRank(x, 4))
        return;
    if (block < 1)
        return node.fail(fmt::format("blocksize is {}", block));
    node.set(
        0, fn(node.b, x, block, node.text("mode", "DCR") == "CRD" ? BlockOrder::ChannelFirst : BlockOrder::PlaceFirst));
}

} // namespace

void convertDepthToSpace(NodeReader& node, Builder&) {
    moveBlocks(node, depthToSpace);
}

void convertSpaceToDepth(NodeReader& node, Builder&) {
    moveBlocks(node, spaceToDepth);
}

void convertTrilu(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 2))
        return;
    TriluAttrs attrs;
    attrs.upper = node.integer("upper", 1) != 0;
    attrs.k = 0;
    if (node.hasInput(1)) {
        // A diagonal so far off is beyond every dim, and its place cannot overflow.
        attrs.k = arith::simplify(arith::min(arith::max(integerOf(node, 1, "k"), -farAway), farAway));
    }
    node.set(0, b.call(Op::Trilu, {x}, attrs));
}

void convertReverseSequence(NodeReader& node, Builder& b) {
    const Var x = node.in(0), lengths = node.in(1);
    ReverseAttrs attrs;
    attrs.timeAxis = node.integer("time_axis", 0);
    attrs.batchAxis = node.integer("batch_axis", 1);
    node.set(0, b.call(Op::ReverseSequence, {x, lengths}, attrs));
}

} // namespace lathe::frontend::onnx
