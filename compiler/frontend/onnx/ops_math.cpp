// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators: arithmetic with the broadcasting of each version, comparisons, bits, casts.
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"
#include "frontend/onnx/tensors.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

/// Before opset 7 the second operand had to be stretched by attributes: its dims align at `axis` of the first.
Var alignOld(NodeReader& node, Builder& b, Var x, Var y) {
    if (b.failed() || node.integer("broadcast", 0) == 0 || !node.has("axis"))
        return y;
    const int64_t rank = b.rank(x), own = b.rank(y);
    const int64_t axis = node.axis(node.integer("axis", 0), std::max<int64_t>(rank, 1));
    if (axis + own > rank) {
        node.fail(fmt::format("operand of rank {} does not fit at axis {} of one of rank {}", own, axis, rank));
        return y;
    }
    return unsqueeze(b, y, iotaInts(own, rank - axis));
}

DataType castTarget(NodeReader& node) {
    if (node.version() >= 6)
        return elementType(node, "to", types::Float32);
    ::onnx::TensorProto::DataType named{}; // a name until opset 6
    const std::string name = node.text("to", "");
    const auto dtype = ::onnx::TensorProto::DataType_Parse(name, &named) ? fromProto(named) : std::nullopt;
    if (!dtype)
        node.refuse(fmt::format("the cast's target, {}, is not supported", name));
    return dtype.value_or(types::Float32);
}

/// What texts say, in the widest type of this kind.
Var parsedAs(Builder& b, Var x, DataType dtype) {
    CastAttrs attrs;
    attrs.dtype = dtype == types::Float32 ? types::Float32
                  : dtype.isFloat()       ? types::Float64
                  : dtype.isSigned()      ? types::Int64
                                          : types::UInt64;
    return b.call(Op::ParseNumber, {x}, attrs);
}

Var castTo(NodeReader& node, Builder& b, Var x, DataType dtype) {
    if (b.failed())
        return {};
    if (dtype == types::String)
        return b.dtype(x) == types::String ? x : b.call(Op::FormatNumber, {x});
    if (b.dtype(x) == types::String) {
        if (dtype.isBool()) {
            node.refuse("texts are read as numbers, not as bool", "compare them, with Equal");
            return {};
        }
        x = parsedAs(b, x, dtype);
    }
    CastAttrs attrs;
    attrs.dtype = dtype;
    attrs.saturate = node.integer("saturate", 1) != 0;
    const std::string round = node.text("round_mode", "up");
    attrs.round = dtype.code == TypeCode::Float8E8M0 ? round : "even";
    return b.call(Op::Cast, {x}, attrs);
}

} // namespace

DataType elementType(NodeReader& node, const std::string& attribute, DataType otherwise) {
    const int64_t number = node.integer(attribute, 0);
    if (number == 0)
        return otherwise;
    const auto dtype = fromProto(number);
    if (!dtype)
        node.refuse(fmt::format("attribute '{}' = {} is no element type that is supported", attribute, number));
    return dtype.value_or(otherwise);
}

Var elementwise(NodeReader& node, Builder& b, Op op) {
    const Var x = node.in(0);
    Var y = node.in(1);
    if (node.version() < 7) {
        y = alignOld(node, b, x, y);
        // Without the attribute the dims should be equal, which ONNX's own bodies of old operators do not keep to.
        if (!b.failed() && node.integer("broadcast", 0) != 0)
            y = fitted(b, y, b.shape(x));
    }
    return b.call(op, {x, y});
}

namespace {

/// `first` is the first operand; the others are taken in its type.
Var folded(NodeReader& node, Builder& b, Op op, Var first) {
    Var result = first;
    for (size_t i = 1; i < node.inputs() && !b.failed(); ++i) {
        Var next = node.in(i);
        if (b.failed())
            return {};
        next = cast(b, next, b.dtype(result));
        result = b.call(op, {result, node.version() < 8 ? withDims(b, next, b.shape(result)) : next});
    }
    return result;
}

} // namespace

Var foldElementwise(NodeReader& node, Builder& b, Op op) {
    return folded(node, b, op, node.in(0));
}

void convertSum(NodeReader& node, Builder& b) {
    node.set(0, inSingle(b, node.in(0), [&](Var first) { return folded(node, b, Op::Add, first); }));
}

void convertMean(NodeReader& node, Builder& b) {
    node.set(0, inSingle(b, node.in(0), [&](Var first) {
                 const Var sum = folded(node, b, Op::Add, first);
                 return div(b, sum, scalarLike(b, static_cast<double>(node.inputs()), sum));
             }));
}

void convertMod(NodeReader& node, Builder& b) {
    ModAttrs attrs;
    attrs.fmod = node.integer("fmod", 0) != 0;
    node.set(0, b.call(Op::Mod, {node.in(0), node.in(1)}, attrs));
}

void convertPow(NodeReader& node, Builder& b) {
    node.set(0, elementwise(node, b, Op::Power));
}

void convertBitShift(NodeReader& node, Builder& b) {
    const bool left = node.text("direction", "LEFT") == "LEFT";
    node.set(0, b.call(left ? Op::LeftShift : Op::RightShift, {node.in(0), node.in(1)}));
}

void convertIsInf(NodeReader& node, Builder& b) {
    IsInfAttrs attrs;
    attrs.positive = node.integer("detect_positive", 1) != 0;
    attrs.negative = node.integer("detect_negative", 1) != 0;
    node.set(0, b.call(Op::IsInf, {node.in(0)}, attrs));
}

void convertCast(NodeReader& node, Builder& b) {
    const DataType dtype = castTarget(node);
    node.set(0, castTo(node, b, node.in(0), dtype));
}

void convertCastLike(NodeReader& node, Builder& b) {
    const Var x = node.in(0), like = node.in(1);
    node.set(0, b.failed() ? Var{} : castTo(node, b, x, b.dtype(like)));
}

void convertBitCast(NodeReader& node, Builder& b) {
    CastAttrs attrs;
    attrs.dtype = castTarget(node);
    node.set(0, b.call(Op::BitCast, {node.in(0)}, attrs));
}

void convertWhere(NodeReader& node, Builder& b) {
    const Var condition = node.in(0), x = node.in(1), y = node.in(2);
    node.set(0, where(b, condition, x, y));
}

void convertIdentity(NodeReader& node, Builder& b) {
    const Value* value = node.value(0);
    if (!value)
        return node.fail("operand 0 is missing");
    node.set(0, *value);
    if (!value->sequence && !value->none && !node.failed() && b.isTensor(value->var))
        node.set(0, b.call(Op::Copy, {value->var}));
}

void convertClip(NodeReader& node, Builder& b) {
    Var x = node.in(0);
    Var low, high;
    if (node.version() < 11) {
        if (node.has("min"))
            low = scalarLike(b, node.real("min", 0), x);
        if (node.has("max"))
            high = scalarLike(b, node.real("max", 0), x);
    } else {
        const auto scalar = [&](Var bound) {
            return !bound || b.failed() || b.rank(bound) == 0 ? bound : reshape(b, bound, {});
        };
        low = scalar(node.optional(1));
        high = scalar(node.optional(2));
    }
    Var y = x;
    if (low)
        y = maximum(b, y, low);
    if (high)
        y = minimum(b, y, high);
    node.set(0, y);
}

} // namespace lathe::frontend::onnx
