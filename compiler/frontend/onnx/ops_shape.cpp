// SPDX-License-Identifier: Apache-2.0
//
// Constants, shapes as values, reshaping. Shapes stay expressions over symbols: nothing here needs a dim to be known.
#include "frontend/common/axis_operands.h"
#include "frontend/common/integer_operands.h"
#include "frontend/common/new_shape.h"
#include "frontend/common/one_hot.h"
#include "frontend/onnx/ops.h"
#include "relay/rules.h"

#include <fmt/format.h>

#include <cstring>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

template <class T>
model::TensorPtr tensorOf(DataType dtype, Ints shape, const std::vector<T>& elements) {
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    auto copy = std::make_shared<std::vector<T>>(elements);
    tensor->bytes = {copy, std::as_bytes(std::span(*copy))};
    return tensor;
}

std::vector<float> toFloats(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

model::TensorPtr stringsOf(Ints shape, std::vector<std::string> strings) {
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = types::String;
    tensor->shape = std::move(shape);
    tensor->strings = std::move(strings);
    return tensor;
}

model::TensorPtr constantValue(NodeReader& node) {
    for (const char* name : {"value", "sparse_value"})
        if (node.has(name))
            return node.tensor(name);
    if (node.has("value_float"))
        return tensorOf<float>(types::Float32, {}, {static_cast<float>(node.real("value_float", 0))});
    if (node.has("value_int"))
        return tensorOf<int64_t>(types::Int64, {}, {node.integer("value_int", 0)});
    if (node.has("value_string"))
        return stringsOf({}, {node.text("value_string", "")});
    if (node.has("value_floats")) {
        const std::vector<float> values = toFloats(node.reals("value_floats"));
        return tensorOf(types::Float32, {static_cast<int64_t>(values.size())}, values);
    }
    if (node.has("value_ints")) {
        const Ints values = node.integers("value_ints");
        return tensorOf(types::Int64, {static_cast<int64_t>(values.size())}, values);
    }
    if (node.has("value_strings")) {
        std::vector<std::string> values = node.texts("value_strings");
        const auto count = static_cast<int64_t>(values.size());
        return stringsOf({count}, std::move(values));
    }
    return nullptr;
}

/// Places of dims that unsqueeze makes, or squeeze drops, where the axes are computed while running: dim i of the
/// wider shape is one of them if an element of `axes` says so.
Expr isNamed(const Dims& axes, int64_t i, int64_t rank) {
    Expr named = arith::boolImm(false);
    for (const Expr& axis : axes)
        named = arith::logicalOr(named, arith::logicalOr(arith::eq(axis, i), arith::eq(axis, i - rank)));
    return arith::simplify(named);
}

/// candidates[j] where `ordinal` == j.
Expr choose(const Expr& ordinal, const Dims& candidates) {
    Expr result = 1;
    for (size_t j = candidates.size(); j-- > 0;)
        result = arith::select(arith::eq(ordinal, static_cast<int64_t>(j)), candidates[j], result);
    return result;
}

Dims unsqueezedAt(const Dims& shape, const Dims& axes) {
    const auto rank = static_cast<int64_t>(shape.size() + axes.size());
    Dims result;
    Expr used = 0;
    for (int64_t i = 0; i < rank; ++i) {
        const Expr named = isNamed(axes, i, rank);
        result.push_back(arith::simplify(arith::select(named, 1, choose(used, shape))));
        used = used + arith::select(named, 0, 1);
    }
    return result;
}

Dims squeezedAt(const Dims& shape, const Dims& axes) {
    const auto rank = static_cast<int64_t>(shape.size());
    std::vector<Expr> dropped;
    for (int64_t i = 0; i < rank; ++i)
        dropped.push_back(isNamed(axes, i, rank));
    return remainingDims(shape, dropped, rank - static_cast<int64_t>(axes.size()));
}

/// The axes as known numbers, or as expressions if they are computed while running. Nothing: not given.
struct Axes {
    std::optional<Ints> known;
    Dims symbolic;
    bool given = false;
};
Axes readAxes(NodeReader& node, Builder& b) {
    Axes axes;
    if (node.has("axes")) {
        axes.known = node.integers("axes");
        axes.given = true;
    } else if (node.hasInput(1)) {
        const Var given = node.in(1), x = node.in(0);
        const model::ValueType* declared = node.declaredResult(0);
        const bool isOpen = !b.failed() && b.rank(given) == 1 && !arith::asInt(dim(b, given, 0));
        // One axis a dim more or less.
        const Var var = isOpen && declared && declared->hasShape
                            ? listOf(node, 1, std::abs(std::ssize(declared->shape) - b.rank(x)), "axes")
                            : given;
        axes.given = true;
        axes.known = b.knownInts(var);
        if (!axes.known)
            axes.symbolic = b.symbolic(var, "axis");
    }
    return axes;
}

} // namespace

void convertConstant(NodeReader& node, Builder& b) {
    if (node.node.attributes.size() > 1)
        return node.fail("the constant has more than one value", "the model is malformed; export it again");
    const model::TensorPtr value = constantValue(node);
    if (!value)
        return node.fail("the constant has no value", "the model is malformed; export it again");
    node.set(0, b.constant(makeConstant(value)));
}

void convertConstantOfShape(NodeReader& node, Builder& b) {
    const model::TensorPtr given = node.tensor("value");
    const Dims shape = b.symbolic(shapeOperand(node, 0), "shape");
    if (given && given->elements() != 1)
        return node.fail("'value' must have one element");
    Var value;
    if (given) {
        model::TensorData scalar = *given;
        scalar.shape.clear();
        value = b.constant(makeConstant(std::make_shared<model::TensorData>(std::move(scalar))));
    } else {
        value = b.scalar(0, types::Float32);
    }
    node.set(0, full(b, value, shape));
}

void convertShape(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const int64_t rank = b.rank(x);
    const auto clamp = [&](int64_t value) { return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank); };
    const int64_t begin = clamp(node.integer("start", 0)), end = clamp(node.integer("end", rank));
    const Var shape = b.call(Op::ShapeOf, {x});
    node.set(0, begin == 0 && end == rank ? shape : sliceAxis(b, shape, 0, begin, std::max<int64_t>(0, end - begin)));
}

void convertSize(NodeReader& node, Builder& b) {
    node.set(0, reduce(b, "prod", b.call(Op::ShapeOf, {node.in(0)}), {0}, false));
}

void convertReshape(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const Dims wanted = node.version() < 5 ? toDims(node.integers("shape")) : b.symbolic(shapeOperand(node, 1), "dim");
    const bool allowZero = node.integer("allowzero", 0) != 0;
    const auto has = [&](int64_t size) {
        return std::ranges::any_of(wanted, [&](const Expr& dim) { return arith::isConst(dim, size); });
    };
    if (allowZero && has(0) && has(-1) && !mayHoldMarker(wanted))
        return node.fail("the new shape has a dim 0 and one to be inferred, which allowzero = 1 leaves open");
    node.set(0, inNewShape(b, x, wanted, allowZero ? ZeroDim::Kept : ZeroDim::Copied));
}

void convertFlatten(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    const Dims shape = b.shape(x);
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t given = node.integer("axis", 1);
    const int64_t axis = given == rank ? rank : node.axis(given, std::max<int64_t>(rank, 1));
    const auto split = shape.begin() + std::min(axis, rank);
    node.set(0, reshape(b, x, {product({shape.begin(), split}), product({split, shape.end()})}));
}

void convertSqueeze(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Axes axes = readAxes(node, b);
    if (b.failed())
        return;
    const Dims shape = b.shape(x);
    if (axes.given && !axes.known)
        return node.set(0, reshape(b, x, squeezedAt(shape, axes.symbolic)));
    node.set(0, axes.known ? withoutDims(b, x, node.axes(*axes.known, static_cast<int64_t>(shape.size())))
                           : withoutOnes(b, x));
}

void convertUnsqueeze(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Axes axes = readAxes(node, b);
    if (b.failed())
        return;
    if (!axes.given)
        return node.fail("the axes are missing");
    if (!axes.known)
        return node.set(0, reshape(b, x, unsqueezedAt(b.shape(x), axes.symbolic)));
    node.set(0, unsqueeze(b, x, node.axes(*axes.known, b.rank(x) + static_cast<int64_t>(axes.known->size()))));
}

namespace {

/// The shape that an Expand names. One of unknown length may be shorter than the declared result's: by dims of 1 in front.
Var shapeToExpand(NodeReader& node, Builder& b) {
    const Var shape = node.in(1);
    const model::ValueType* declared = node.declaredResult(0);
    if (b.failed() || b.rank(shape) != 1 || arith::asInt(dim(b, shape, 0)) || !declared || !declared->hasShape)
        return shapeOperand(node, 1);
    const Expr missing = arith::simplify(std::ssize(declared->shape) - dim(b, shape, 0));
    return concat(b, {full(b, b.scalarInt(1), {missing}), shape}, 0);
}

} // namespace

void convertExpand(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    const Dims wanted = b.symbolic(shapeToExpand(node, b), "dim");
    if (b.failed())
        return;
    const Dims from = b.shape(x);
    Result<Dims> shape = broadcastShapes(from, wanted, nullptr);
    if (!shape)
        return node.fail(shape.error().what, shape.error().hint);
    for (size_t i = 0; i < std::min(from.size(), wanted.size()); ++i) {
        const Expr &own = from[from.size() - 1 - i], &other = wanted[wanted.size() - 1 - i];
        if (arith::provablyEqual(own, other))
            continue;
        x = assume(b, x,
                   arith::logicalOr(arith::eq(own, other), arith::logicalOr(arith::eq(own, 1), arith::eq(other, 1))),
                   fmt::format("operands {} and {} broadcast", text(from), text(wanted)));
    }
    node.set(0, expand(b, x, *std::move(shape)));
}

void convertRange(NodeReader& node, Builder& b) {
    const auto scalar = [&](size_t i) {
        const Var x = node.in(i);
        return b.failed() || b.rank(x) == 0 ? x : reshape(b, x, {});
    };
    const Var start = scalar(0), limit = scalar(1), delta = scalar(2);
    node.set(0, b.call(Op::Range, {start, limit, delta}));
}

void convertEyeLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 2))
        return;
    const DataType dtype = elementType(node, "dtype", b.dtype(x));
    const Dims shape = b.shape(x);
    const Var rows = iota(b, shape, 0, types::Int64), columns = iota(b, shape, 1, types::Int64);
    // A diagonal so far off is beyond every dim, and its place cannot overflow.
    const int64_t k = std::clamp(node.integer("k", 0), -farAway, farAway);
    node.set(0, cast(b, equal(b, add(b, rows, b.scalarInt(k)), columns), dtype));
}

void convertOneHot(NodeReader& node, Builder& b) {
    Var indices = cast(b, node.in(0), types::Int64);
    const Var depthVar = node.in(1), values = node.in(2);
    if (!node.needRank(values, 1))
        return;
    const Var depthInt = cast(b, reshape(b, depthVar, {}), types::Int64);
    const Dims depth = b.symbolic(depthInt, "depth");
    if (b.failed())
        return;
    const int64_t axis = node.axis(node.integer("axis", -1), b.rank(indices) + 1);
    indices = where(b, less(b, indices, b.scalarInt(0)), add(b, indices, depthInt), indices);
    const Var hit = oneHot(b, indices, depth.empty() ? Expr(1) : depth[0], axis);
    const Var off = reshape(b, sliceAxis(b, values, 0, 0, 1), {}), on = reshape(b, sliceAxis(b, values, 0, 1, 1), {});
    node.set(0, where(b, hit, on, off));
}

} // namespace lathe::frontend::onnx
