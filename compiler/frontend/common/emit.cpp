// SPDX-License-Identifier: Apache-2.0
//
// The short forms, and arithmetic on dims.
#include "frontend/common/emit.h"

#include <fmt/format.h>

#include <numeric>

namespace lathe::frontend {

using namespace relay;

Expr dim(Builder& b, Var x, int64_t i) {
    if (b.failed())
        return 1;
    const Dims shape = b.shape(x);
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t at = i < 0 ? i + rank : i;
    return at >= 0 && at < rank ? shape[static_cast<size_t>(at)] : Expr(1);
}

Expr product(const Dims& dims) {
    Expr result = 1;
    for (const Expr& factor : dims)
        result = result * factor;
    return arith::simplify(result);
}

namespace {

/// Factors of a product, constants merged into `constant`.
void addFactors(const Expr& expr, Dims& factors, int64_t& constant) {
    if (const auto value = arith::asInt(expr)) {
        if (!__builtin_mul_overflow(constant, *value, &constant))
            return;
        constant = 0;
    } else if (expr.kind() == arith::ExprKind::Mul) {
        for (const Expr& arg : expr->args)
            addFactors(arg, factors, constant);
    } else {
        factors.push_back(expr);
    }
}

} // namespace

Quotient quotient(const Dims& numerator, const Dims& denominator) {
    Dims above, below;
    int64_t constantAbove = 1, constantBelow = 1;
    for (const Expr& dim : numerator)
        addFactors(arith::simplify(dim), above, constantAbove);
    for (const Expr& dim : denominator)
        addFactors(arith::simplify(dim), below, constantBelow);
    std::erase_if(below, [&](const Expr& factor) {
        for (size_t i = 0; i < above.size(); ++i) {
            if (arith::provablyEqual(above[i], factor)) {
                above.erase(above.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
        }
        return false;
    });
    if (constantBelow == 0)
        return {0, 0};
    const int64_t common = std::gcd(constantAbove, constantBelow);
    if (common > 1) {
        constantAbove /= common;
        constantBelow /= common;
    }
    above.push_back(constantAbove);
    below.push_back(constantBelow);
    const Expr divisor = product(below);
    if (arith::isConst(divisor, 1))
        return {product(above), divisor};
    return {arith::simplify(arith::floorDiv(product(above), arith::max(divisor, 1))), divisor};
}

Dims toDims(const Ints& values) {
    return {values.begin(), values.end()};
}

Ints iotaInts(int64_t begin, int64_t end) {
    Ints values(static_cast<size_t>(std::max<int64_t>(0, end - begin)));
    std::iota(values.begin(), values.end(), begin);
    return values;
}

Var assume(Builder& b, Var x, const Expr& condition, const std::string& message) {
    const Expr simple = arith::simplify(condition);
    if (b.failed() || arith::provablyTrue(simple))
        return x;
    if (arith::provablyFalse(simple)) {
        b.fail(fmt::format("it does not hold that {}", message));
        return {};
    }
    AssumeAttrs attrs;
    attrs.condition = simple;
    attrs.message = message;
    return b.call(Op::Assume, {x}, attrs);
}

Var withDims(Builder& b, Var x, const Dims& dims) {
    if (b.failed())
        return {};
    const Dims own = b.shape(x);
    Expr same = arith::boolImm(own.size() == dims.size());
    bool known = own.size() == dims.size();
    for (size_t i = 0; i < std::min(own.size(), dims.size()); ++i) {
        if (arith::provablyEqual(own[i], dims[i]))
            continue;
        known = false;
        same = arith::logicalAnd(same, arith::eq(own[i], dims[i]));
    }
    x = assume(b, x, same, fmt::format("operand {} has the dims {}", text(own), text(dims)));
    return known ? x : reshape(b, x, dims);
}

Var fitted(Builder& b, Var x, const Dims& dims) {
    if (b.failed() || !x)
        return x;
    const Dims own = b.shape(x);
    const auto misfit = [&] {
        b.fail(fmt::format("operand {} does not broadcast to {}", text(own), text(dims)),
               "the operator broadcasts this operand to the other's dims, and not the other way around");
        return Var{};
    };
    if (own.size() > dims.size())
        return misfit();
    Dims wanted(dims.end() - static_cast<std::ptrdiff_t>(own.size()), dims.end());
    bool known = true;
    for (size_t i = 0; i < own.size(); ++i) {
        if (arith::isConst(own[i], 1))
            wanted[i] = 1;
        if (arith::provablyEqual(own[i], wanted[i]))
            continue;
        if (arith::provablyFalse(arith::logicalOr(arith::eq(own[i], wanted[i]), arith::eq(own[i], 1))))
            return misfit();
        known = false;
    }
    return known ? x : expand(b, x, wanted);
}

bool mayFill(Builder& b, const Dims& shape) {
    int64_t elements = 1;
    for (const Expr& size : shape) {
        const auto known = arith::asInt(size);
        if (!known || *known < 1)
            continue;
        if (*known > limits::filledElements / elements) {
            b.fail(fmt::format("the operands ask for a tensor {} of more than {} elements", text(shape),
                               limits::filledElements),
                   {}, ErrorKind::Unsupported);
            return false;
        }
        elements *= *known;
    }
    return true;
}

Var scalarLike(Builder& b, double value, Var x) {
    return b.failed() ? Var{} : b.scalar(value, b.dtype(x));
}
Var cast(Builder& b, Var x, DataType dtype) {
    if (b.failed() || b.dtype(x) == dtype)
        return x;
    CastAttrs attrs;
    attrs.dtype = dtype;
    return b.call(Op::Cast, {x}, attrs);
}
Var add(Builder& b, Var x, Var y) {
    return b.call(Op::Add, {x, y});
}
Var sub(Builder& b, Var x, Var y) {
    return b.call(Op::Subtract, {x, y});
}
Var mul(Builder& b, Var x, Var y) {
    return b.call(Op::Multiply, {x, y});
}
Var div(Builder& b, Var x, Var y) {
    return b.call(Op::Divide, {x, y});
}
Var maximum(Builder& b, Var x, Var y) {
    return b.call(Op::Maximum, {x, y});
}
Var minimum(Builder& b, Var x, Var y) {
    return b.call(Op::Minimum, {x, y});
}
Var less(Builder& b, Var x, Var y) {
    return b.call(Op::Less, {x, y});
}
Var equal(Builder& b, Var x, Var y) {
    return b.call(Op::Equal, {x, y});
}
Var where(Builder& b, Var condition, Var x, Var y) {
    return b.call(Op::Where, {condition, x, y});
}
Var addTo(Builder& b, Var x, double value) {
    return value == 0 ? x : add(b, x, scalarLike(b, value, x));
}
Var mulBy(Builder& b, Var x, double value) {
    return value == 1 ? x : mul(b, x, scalarLike(b, value, x));
}

DataType computeType(Builder& b, Var x) {
    return b.failed() ? types::Float32 : lathe::computeType(b.dtype(x));
}

Var inSingle(Builder& b, Var x, const std::function<Var(Var)>& fn) {
    if (b.failed() || b.dtype(x) == computeType(b, x))
        return fn(x);
    const DataType dtype = b.dtype(x);
    return cast(b, fn(cast(b, x, computeType(b, x))), dtype);
}

Var inDouble(Builder& b, Var x, const std::function<Var(Var)>& fn) {
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(x);
    return cast(b, fn(cast(b, x, types::Float64)), dtype);
}

DataType productType(Builder& b, Var x, Var y, DataType wanted) {
    return b.failed() || (b.dtype(x) == wanted && b.dtype(y) == wanted) ? types::Void : wanted;
}

Var realConstant(Builder& b, DataType dtype, std::vector<int64_t> shape, std::vector<double> elements) {
    return dtype == types::Float64
               ? listConstant(b, dtype, std::move(shape), std::move(elements))
               : listConstant(b, dtype, std::move(shape), std::vector<float>(elements.begin(), elements.end()));
}

Var textConstant(Builder& b, std::vector<int64_t> shape, std::vector<std::string> strings) {
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = types::String;
    tensor->shape = std::move(shape);
    tensor->strings = std::move(strings);
    return b.constant(relay::makeConstant(std::move(tensor)));
}

Var textConstant(Builder& b, std::vector<std::string> strings) {
    const auto count = static_cast<int64_t>(strings.size());
    return textConstant(b, {count}, std::move(strings));
}

Var reshape(Builder& b, Var x, Dims shape) {
    ReshapeAttrs attrs;
    attrs.shape = std::move(shape);
    return b.call(Op::Reshape, {x}, attrs);
}

Var asScalar(Builder& b, Var x) {
    return b.failed() || b.rank(x) == 0 ? x : reshape(b, x, {});
}

Var transpose(Builder& b, Var x, Ints axes) {
    TransposeAttrs attrs;
    attrs.axes = std::move(axes);
    return b.call(Op::Transpose, {x}, attrs);
}

Var unsqueeze(Builder& b, Var x, const Ints& axes) {
    if (b.failed() || axes.empty())
        return x;
    Dims shape = b.shape(x);
    for (int64_t axis : axes)
        shape.insert(shape.begin() + std::min<int64_t>(axis, static_cast<int64_t>(shape.size())), Expr(1));
    return reshape(b, x, std::move(shape));
}

Var squeeze(Builder& b, Var x, const Ints& axes) {
    if (b.failed() || axes.empty())
        return x;
    Dims shape = b.shape(x);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
        if (*axis < static_cast<int64_t>(shape.size()))
            shape.erase(shape.begin() + *axis);
    return reshape(b, x, std::move(shape));
}

Var sliceAxis(Builder& b, Var x, int64_t axis, Expr begin, Expr size) {
    if (b.failed())
        return {};
    SliceAttrs attrs;
    attrs.size = b.shape(x);
    attrs.begin.assign(attrs.size.size(), Expr(0));
    attrs.step.assign(attrs.size.size(), 1);
    const auto at = static_cast<size_t>(axis);
    LATHE_ASSERT(at < attrs.size.size(), "the axis of a slice must exist");
    attrs.begin[at] = std::move(begin);
    attrs.size[at] = std::move(size);
    return b.call(Op::Slice, {x}, attrs);
}

Var reverse(Builder& b, Var x, int64_t axis) {
    AxesAttrs attrs;
    attrs.axes = {axis};
    return b.call(Op::Reverse, {x}, attrs);
}

Var concat(Builder& b, std::vector<Var> parts, int64_t axis) {
    AxisAttrs attrs;
    attrs.axis = axis;
    return b.call(Op::Concat, std::move(parts), attrs);
}

Var expand(Builder& b, Var x, Dims shape) {
    BroadcastAttrs attrs;
    attrs.shape = std::move(shape);
    return b.call(Op::BroadcastTo, {x}, attrs);
}

Var full(Builder& b, Var scalar, Dims shape) {
    BroadcastAttrs attrs;
    attrs.shape = std::move(shape);
    return b.call(Op::Full, {scalar}, attrs);
}

Var iota(Builder& b, Dims shape, int64_t axis, DataType dtype) {
    IotaAttrs attrs;
    attrs.shape = std::move(shape);
    attrs.axis = axis;
    attrs.dtype = dtype;
    return b.call(Op::Iota, {}, attrs);
}

Var gather(Builder& b, Var x, Var indices, int64_t axis) {
    AxisAttrs attrs;
    attrs.axis = axis;
    return b.call(Op::Gather, {x, indices}, attrs);
}

Var pad(Builder& b, Var x, const std::string& mode, Dims before, Dims after, Ints interior, Var value) {
    PadAttrs attrs;
    attrs.mode = mode;
    attrs.before = std::move(before);
    attrs.after = std::move(after);
    attrs.interior = std::move(interior);
    return value ? b.call(Op::Pad, {x, value}, attrs) : b.call(Op::Pad, {x}, attrs);
}

Var alongAxis(Builder& b, Var x, int64_t axis, int64_t rank) {
    if (b.failed())
        return {};
    Dims shape(static_cast<size_t>(rank), Expr(1));
    shape[static_cast<size_t>(axis)] = dim(b, x, 0);
    return reshape(b, x, std::move(shape));
}

Var fittedAlong(Builder& b, Var x, int64_t axis, Var other) {
    return b.failed() ? Var{} : fitted(b, alongAxis(b, x, axis, b.rank(other)), b.shape(other));
}

Var reduce(Builder& b, const std::string& kind, Var x, Ints axes, bool keepDims) {
    ReduceAttrs attrs;
    attrs.kind = kind;
    attrs.axes = std::move(axes);
    attrs.keepDims = keepDims;
    return b.call(Op::Reduce, {x}, attrs);
}

Var matmul(Builder& b, Var x, Var y, bool transposeX, bool transposeY, DataType out) {
    MatMulAttrs attrs;
    attrs.outDtype = productType(b, x, y, out);
    attrs.transposeA = transposeX;
    attrs.transposeB = transposeY;
    return b.call(Op::MatMul, {x, y}, attrs);
}

Var softmax(Builder& b, Var x, int64_t axis) {
    AxisAttrs attrs;
    attrs.axis = axis;
    return b.call(Op::Softmax, {x}, attrs);
}

} // namespace lathe::frontend
