// SPDX-License-Identifier: Apache-2.0
//
// Making expressions: every node passes through make (or call, load), which checks types and folds constants.
#include "arith/expr.h"

#include "arith/scalar.h"
#include "base/narrow_float.h"
#include "base/result.h"

#include <cmath>
#include <fmt/format.h>

namespace lathe::arith {
namespace {

Expr finish(ExprNode node) {
    for (const Expr& arg : node.args)
        node.depth = std::max(node.depth, arg->depth + 1);
    return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

Expr leaf(ExprKind kind, DataType dtype, int64_t intValue, double floatValue) {
    ExprNode node;
    node.kind = kind;
    node.dtype = dtype;
    node.intValue = intValue;
    node.floatValue = floatValue;
    return finish(std::move(node));
}

bool isScalarConst(const Expr& expr) {
    return isConst(expr) && expr.dtype().lanes == 1;
}

Scalar scalarOf(const Expr& constant) {
    Scalar result;
    if (constant.kind() == ExprKind::FloatImm)
        result.f = constant->floatValue;
    else
        result.i = constant->intValue;
    return result;
}

Expr constantOf(Scalar value, DataType dtype) {
    return dtype.isFloat() ? floatImm(value.f, dtype) : intImm(value.i, dtype);
}

bool isArithmetic(ExprKind kind) {
    return kind >= ExprKind::Add && kind <= ExprKind::Max;
}

bool isCompare(ExprKind kind) {
    return kind >= ExprKind::Eq && kind <= ExprKind::Ge;
}

bool isLogic(ExprKind kind) {
    return kind == ExprKind::And || kind == ExprKind::Or;
}

bool isBitwise(ExprKind kind) {
    return kind == ExprKind::BitAnd || kind == ExprKind::BitOr || kind == ExprKind::BitXor || kind == ExprKind::Shl ||
           kind == ExprKind::Shr;
}

bool isBinary(ExprKind kind) {
    return isArithmetic(kind) || isCompare(kind) || isLogic(kind) || isBitwise(kind);
}

/// Checks the operands and gives the type of the result.
DataType typeOfNode(ExprKind kind, const std::vector<Expr>& args, DataType dtype) {
    for (const Expr& arg : args)
        LATHE_ASSERT(static_cast<bool>(arg), "an operand is null");
    if (isBinary(kind)) {
        LATHE_ASSERT(args.size() == 2, "a binary operation has two operands");
        DataType left = args[0].dtype();
        DataType right = args[1].dtype();
        if (left != right)
            internalError(__FILE__, __LINE__, "left == right",
                          fmt::format("operand types differ: {} and {} in ({}, {})", lathe::toString(left),
                                      lathe::toString(right), toString(args[0]), toString(args[1])));
        LATHE_ASSERT(!isLogic(kind) || left.isBool(), "operands of and, or are bool");
        return isCompare(kind) ? types::Bool.withLanes(left.lanes) : left;
    }
    switch (kind) {
    case ExprKind::Not:
        LATHE_ASSERT(args.size() == 1 && args[0].dtype().isBool(), "not has one bool operand");
        return args[0].dtype();
    case ExprKind::BitNot:
        LATHE_ASSERT(args.size() == 1, "bit-not has one operand");
        return args[0].dtype();
    case ExprKind::Select:
        LATHE_ASSERT(args.size() == 3 && args[0].dtype().isBool(), "select has a condition and two values");
        if (args[1].dtype() != args[2].dtype())
            internalError(__FILE__, __LINE__, "args[1].dtype() == args[2].dtype()",
                          fmt::format("sides of a select differ: {} and {}", lathe::toString(args[1].dtype()),
                                      lathe::toString(args[2].dtype())));
        return args[1].dtype();
    case ExprKind::Cast:
        LATHE_ASSERT(args.size() == 1, "cast has one operand");
        return dtype.withLanes(args[0].dtype().lanes);
    case ExprKind::Ramp:
        LATHE_ASSERT(args.size() == 2 && args[0].dtype() == args[1].dtype() && args[0].dtype().lanes == 1,
                     "ramp has a scalar base and stride of one type");
        return args[0].dtype().withLanes(dtype.lanes);
    case ExprKind::Broadcast:
        LATHE_ASSERT(args.size() == 1 && args[0].dtype().lanes == 1, "broadcast has a scalar operand");
        return args[0].dtype().withLanes(dtype.lanes);
    default:
        internalError(__FILE__, __LINE__, "typeOfNode", "make is not for this kind");
    }
}

/// The constant that the node equals, or null.
Expr fold(ExprKind kind, const std::vector<Expr>& args, DataType dtype) {
    if (dtype.lanes != 1)
        return {};
    for (const Expr& arg : args)
        if (!isScalarConst(arg))
            return {};
    DataType operandType = args[0].dtype();
    if (isCompare(kind))
        return boolImm(applyCompare(kind, operandType, scalarOf(args[0]), scalarOf(args[1])));
    if (isBinary(kind)) {
        auto value = applyBinary(kind, dtype, scalarOf(args[0]), scalarOf(args[1]));
        return value ? constantOf(*value, dtype) : Expr();
    }
    switch (kind) {
    case ExprKind::Not:
        return boolImm(args[0]->intValue == 0);
    case ExprKind::BitNot:
        return dtype.isBool() ? boolImm(args[0]->intValue == 0) : intImm(~args[0]->intValue, dtype);
    case ExprKind::Select:
        return args[0]->intValue != 0 ? args[1] : args[2];
    case ExprKind::Cast:
        return constantOf(applyCast(scalarOf(args[0]), operandType, dtype), dtype);
    default:
        return {};
    }
}

bool hasFixedType(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::AddressOf:
    case Intrinsic::PtrOffset:
    case Intrinsic::RtCall:
    case Intrinsic::Prefetch:
        return true;
    default:
        return false;
    }
}

bool isHorizontal(Intrinsic intrinsic) {
    return intrinsic >= Intrinsic::ReduceAdd && intrinsic <= Intrinsic::ReduceMul;
}

DataType typeOfCall(const ExprNode& old, const std::vector<Expr>& args) {
    if (args.empty() || hasFixedType(old.intrinsic))
        return old.dtype;
    DataType before = old.args[0].dtype();
    DataType after = args[0].dtype();
    DataType scalar = old.dtype.scalar() == before.scalar() ? after.scalar() : old.dtype.scalar();
    if (isHorizontal(old.intrinsic))
        return scalar;
    return scalar.withLanes(before.lanes == after.lanes ? old.dtype.lanes : after.lanes);
}

} // namespace

Expr::Expr(int64_t value) {
    *this = intImm(value, types::Index);
}

DataType Expr::dtype() const {
    return node_->dtype;
}

ExprKind Expr::kind() const {
    return node_->kind;
}

Var var(std::string name, DataType dtype, int64_t lower, int64_t upper) {
    ExprNode node;
    node.kind = ExprKind::Var;
    node.dtype = dtype;
    node.name = std::move(name);
    node.lower = lower;
    node.upper = upper;
    return Var(std::make_shared<const ExprNode>(std::move(node)));
}

Var symbol(std::string name, int64_t lower, int64_t upper) {
    return var(std::move(name), types::Index, lower, upper);
}

Expr intImm(int64_t value, DataType dtype) {
    LATHE_ASSERT(!dtype.isFloat(), "an integer constant of a float type");
    if (dtype.lanes != 1)
        return broadcast(intImm(value, dtype.scalar()), dtype.lanes);
    return leaf(ExprKind::IntImm, dtype, wrapToType(value, dtype), 0);
}

Expr floatImm(double value, DataType dtype) {
    LATHE_ASSERT(dtype.isFloat(), "a float constant of a type that is not a float");
    if (dtype.lanes != 1)
        return broadcast(floatImm(value, dtype.scalar()), dtype.lanes);
    const bool exact = std::isinf(value) && hasInfinity(dtype); // rounding would make it the greatest number
    return leaf(ExprKind::FloatImm, dtype, 0, exact ? value : roundToType(value, dtype));
}

Expr boolImm(bool value) {
    return leaf(ExprKind::IntImm, types::Bool, value ? 1 : 0, 0);
}

Expr zero(DataType dtype) {
    return dtype.isFloat() ? floatImm(0, dtype) : intImm(0, dtype);
}

Expr one(DataType dtype) {
    return dtype.isFloat() ? floatImm(1, dtype) : intImm(1, dtype);
}

Expr lowest(DataType dtype) {
    DataType scalar = dtype.scalar();
    if (scalar.code == TypeCode::Float8E8M0)
        return floatImm(0x1p-127, dtype);
    if (scalar.isFloat())
        return floatImm(hasInfinity(scalar) ? -std::numeric_limits<double>::infinity() : -greatestFinite(scalar),
                        dtype);
    if (scalar.code == TypeCode::Int || scalar.isIndex())
        return intImm(std::numeric_limits<int64_t>::min() >> (64 - scalar.bits), dtype);
    return intImm(0, dtype);
}

Expr highest(DataType dtype) {
    DataType scalar = dtype.scalar();
    if (scalar.isFloat())
        return floatImm(hasInfinity(scalar) ? std::numeric_limits<double>::infinity() : greatestFinite(scalar), dtype);
    if (scalar.code == TypeCode::Int || scalar.isIndex())
        return intImm(std::numeric_limits<int64_t>::max() >> (64 - scalar.bits), dtype);
    return intImm(-1, dtype);
}

Expr make(ExprKind kind, std::vector<Expr> args, DataType dtype) {
    DataType type = typeOfNode(kind, args, dtype);
    if (Expr folded = fold(kind, args, type))
        return folded;
    ExprNode node;
    node.kind = kind;
    node.dtype = type;
    node.args = std::move(args);
    return finish(std::move(node));
}

Expr binary(ExprKind kind, Expr a, Expr b) {
    DataType dtype = a.dtype();
    return make(kind, {std::move(a), std::move(b)}, dtype);
}

Expr operator+(Expr a, Expr b) {
    return binary(ExprKind::Add, std::move(a), std::move(b));
}

Expr operator-(Expr a, Expr b) {
    return binary(ExprKind::Sub, std::move(a), std::move(b));
}

Expr operator*(Expr a, Expr b) {
    return binary(ExprKind::Mul, std::move(a), std::move(b));
}

Expr operator-(Expr a) {
    // Of floats, 0.0 - x would give +0 for x = +0.
    Expr nothing = a.dtype().isFloat() ? floatImm(-0.0, a.dtype()) : zero(a.dtype());
    return std::move(nothing) - std::move(a);
}

Expr div(Expr a, Expr b) {
    return binary(ExprKind::Div, std::move(a), std::move(b));
}

Expr mod(Expr a, Expr b) {
    return binary(ExprKind::Mod, std::move(a), std::move(b));
}

Expr floorDiv(Expr a, Expr b) {
    return binary(ExprKind::FloorDiv, std::move(a), std::move(b));
}

Expr floorMod(Expr a, Expr b) {
    return binary(ExprKind::FloorMod, std::move(a), std::move(b));
}

Expr ceilDiv(Expr a, Expr b) {
    Expr less = b - one(b.dtype());
    return floorDiv(std::move(a) + std::move(less), std::move(b));
}

Expr min(Expr a, Expr b) {
    return binary(ExprKind::Min, std::move(a), std::move(b));
}

Expr max(Expr a, Expr b) {
    return binary(ExprKind::Max, std::move(a), std::move(b));
}

Expr eq(Expr a, Expr b) {
    return binary(ExprKind::Eq, std::move(a), std::move(b));
}

Expr ne(Expr a, Expr b) {
    return binary(ExprKind::Ne, std::move(a), std::move(b));
}

Expr lt(Expr a, Expr b) {
    return binary(ExprKind::Lt, std::move(a), std::move(b));
}

Expr le(Expr a, Expr b) {
    return binary(ExprKind::Le, std::move(a), std::move(b));
}

Expr gt(Expr a, Expr b) {
    return binary(ExprKind::Gt, std::move(a), std::move(b));
}

Expr ge(Expr a, Expr b) {
    return binary(ExprKind::Ge, std::move(a), std::move(b));
}

Expr logicalAnd(Expr a, Expr b) {
    return binary(ExprKind::And, std::move(a), std::move(b));
}

Expr logicalOr(Expr a, Expr b) {
    return binary(ExprKind::Or, std::move(a), std::move(b));
}

Expr logicalNot(Expr a) {
    return make(ExprKind::Not, {std::move(a)}, types::Bool);
}

Expr select(Expr condition, Expr a, Expr b) {
    DataType dtype = a.dtype();
    return make(ExprKind::Select, {std::move(condition), std::move(a), std::move(b)}, dtype);
}

Expr cast(Expr value, DataType dtype) {
    if (value.dtype().scalar() == dtype.scalar())
        return value;
    return make(ExprKind::Cast, {std::move(value)}, dtype);
}

Expr call(Intrinsic intrinsic, std::vector<Expr> args, DataType dtype) {
    // What stands for the bits of a narrow float stays so: code has no constants of such types.
    const bool narrowBits = intrinsic == Intrinsic::Reinterpret && dtype.isFloat() && dtype.bits < 32;
    bool allConstant = !args.empty() && dtype.lanes == 1 && isExact(intrinsic) && !narrowBits;
    for (const Expr& arg : args) {
        LATHE_ASSERT(static_cast<bool>(arg), "an argument of an intrinsic is null");
        allConstant = allConstant && isScalarConst(arg);
    }
    if (allConstant) {
        std::vector<Scalar> values;
        for (const Expr& arg : args)
            values.push_back(scalarOf(arg));
        DataType from = args[0].dtype();
        bool isNan = from.isFloat() && std::isnan(values[0].f); // its bits are not kept
        if (!(intrinsic == Intrinsic::Reinterpret && isNan))
            if (auto value = applyIntrinsic(intrinsic, dtype, from, values)) {
                Expr folded = constantOf(*value, dtype);
                if (!(intrinsic == Intrinsic::Reinterpret && dtype.isFloat() && std::isnan(folded->floatValue)))
                    return dtype.isFloat() ? leaf(ExprKind::FloatImm, dtype, 0, value->f) : folded;
            }
    }
    ExprNode node;
    node.kind = ExprKind::Call;
    node.intrinsic = intrinsic;
    node.dtype = dtype;
    node.args = std::move(args);
    return finish(std::move(node));
}

Expr load(StoragePtr storage, std::vector<Expr> indices) {
    ExprNode node;
    node.kind = ExprKind::Load;
    int lanes = storage->dtype.lanes;
    for (const Expr& index : indices)
        lanes = std::max<int>(lanes, index.dtype().lanes);
    node.dtype = storage->dtype.withLanes(lanes);
    node.storage = std::move(storage);
    node.args = std::move(indices);
    return finish(std::move(node));
}

Expr loadMasked(StoragePtr storage, std::vector<Expr> indices, Expr mask, DataType dtype) {
    ExprNode node;
    node.kind = ExprKind::Load;
    node.masked = true;
    node.dtype = dtype;
    node.storage = std::move(storage);
    node.args = std::move(indices);
    node.args.push_back(std::move(mask));
    return finish(std::move(node));
}

Expr ramp(Expr base, Expr stride, int lanes) {
    DataType dtype = base.dtype().withLanes(lanes);
    return make(ExprKind::Ramp, {std::move(base), std::move(stride)}, dtype);
}

Expr broadcast(Expr value, int lanes) {
    DataType dtype = value.dtype().withLanes(lanes);
    return make(ExprKind::Broadcast, {std::move(value)}, dtype);
}

bool isConst(const Expr& expr) {
    return expr.kind() == ExprKind::IntImm || expr.kind() == ExprKind::FloatImm;
}

std::optional<int64_t> asInt(const Expr& expr) {
    if (!expr || expr.kind() != ExprKind::IntImm)
        return std::nullopt;
    bool beyond = expr.dtype().code == TypeCode::UInt && expr.dtype().bits == 64 && expr->intValue < 0;
    return beyond ? std::nullopt : std::optional(expr->intValue);
}

std::optional<double> asFloat(const Expr& expr) {
    return expr && expr.kind() == ExprKind::FloatImm ? std::optional(expr->floatValue) : std::nullopt;
}

bool isConst(const Expr& expr, int64_t value) {
    return asInt(expr) == value;
}

Expr withArgs(const Expr& expr, std::vector<Expr> args) {
    bool changed = false;
    for (size_t i = 0; i < args.size(); ++i)
        changed = changed || !args[i].same(expr->args[i]);
    if (!changed)
        return expr;
    switch (expr.kind()) {
    case ExprKind::Call: {
        DataType dtype = typeOfCall(*expr, args);
        return call(expr->intrinsic, std::move(args), dtype);
    }
    case ExprKind::Load: {
        if (!expr->masked)
            return load(expr->storage, std::move(args));
        Expr mask = std::move(args.back());
        args.pop_back();
        DataType dtype = expr.dtype().withLanes(mask.dtype().lanes);
        return loadMasked(expr->storage, std::move(args), std::move(mask), dtype);
    }
    case ExprKind::Cast:
        // A cast to the type that a rewritten operand already has stands for nothing.
        return cast(std::move(args[0]), expr.dtype());
    default:
        return make(expr.kind(), std::move(args), expr.dtype());
    }
}

} // namespace lathe::arith
