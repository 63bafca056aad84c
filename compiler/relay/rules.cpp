// SPDX-License-Identifier: Apache-2.0
//
// The table of type rules, what the rules share, and the checks that hold for every result: rank, element count, dims
// not negative, depth of dim expressions.
#include "relay/rules.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/rule_families.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {
namespace {

struct Row {
    Op op;
    TypeRule rule;
};

constexpr Row table[] = {
    {Op::Negative, rules::unary},
    {Op::Abs, rules::unary},
    {Op::Sign, rules::unary},
    {Op::Floor, rules::unary},
    {Op::Ceil, rules::unary},
    {Op::Round, rules::unary},
    {Op::Sqrt, rules::unary},
    {Op::Exp, rules::unary},
    {Op::Log, rules::unary},
    {Op::Sin, rules::unary},
    {Op::Cos, rules::unary},
    {Op::Tan, rules::unary},
    {Op::Asin, rules::unary},
    {Op::Acos, rules::unary},
    {Op::Atan, rules::unary},
    {Op::Sinh, rules::unary},
    {Op::Cosh, rules::unary},
    {Op::Tanh, rules::unary},
    {Op::Asinh, rules::unary},
    {Op::Acosh, rules::unary},
    {Op::Atanh, rules::unary},
    {Op::Erf, rules::unary},
    {Op::Sigmoid, rules::unary},
    {Op::Reciprocal, rules::unary},
    {Op::Relu, rules::unary},
    {Op::LogicalNot, rules::unary},
    {Op::BitwiseNot, rules::unary},
    {Op::IsNan, rules::test},
    {Op::IsInf, rules::test},
    {Op::Cast, rules::cast},
    {Op::BitCast, rules::bitCast},
    {Op::Copy, rules::sameAsOperand},
    {Op::Add, rules::binary},
    {Op::Subtract, rules::binary},
    {Op::Multiply, rules::binary},
    {Op::Divide, rules::binary},
    {Op::Mod, rules::binary},
    {Op::Power, rules::power},
    {Op::Maximum, rules::binary},
    {Op::Minimum, rules::binary},
    {Op::Equal, rules::compare},
    {Op::NotEqual, rules::compare},
    {Op::Less, rules::compare},
    {Op::LessEqual, rules::compare},
    {Op::Greater, rules::compare},
    {Op::GreaterEqual, rules::compare},
    {Op::LogicalAnd, rules::logical},
    {Op::LogicalOr, rules::logical},
    {Op::LogicalXor, rules::logical},
    {Op::BitwiseAnd, rules::binary},
    {Op::BitwiseOr, rules::binary},
    {Op::BitwiseXor, rules::binary},
    {Op::LeftShift, rules::binary},
    {Op::RightShift, rules::binary},
    {Op::Where, rules::where},
    {Op::ShapeOf, rules::shapeOf},
    {Op::Reshape, rules::reshape},
    {Op::Transpose, rules::transpose},
    {Op::BroadcastTo, rules::broadcastTo},
    {Op::Concat, rules::concat},
    {Op::Slice, rules::slice},
    {Op::DynamicSlice, rules::dynamicSlice},
    {Op::Pad, rules::pad},
    {Op::Tile, rules::tile},
    {Op::Gather, rules::gather},
    {Op::GatherElements, rules::gatherElements},
    {Op::GatherNd, rules::gatherNd},
    {Op::ScatterElements, rules::scatterElements},
    {Op::ScatterNd, rules::scatterNd},
    {Op::Range, rules::range},
    {Op::Iota, rules::iota},
    {Op::Full, rules::full},
    {Op::OneHot, rules::oneHot},
    {Op::Trilu, rules::trilu},
    {Op::ReverseSequence, rules::reverseSequence},
    {Op::Reverse, rules::reverse},
    {Op::Relayout, rules::relayout},
    {Op::Reduce, rules::reduce},
    {Op::ArgReduce, rules::argReduce},
    {Op::CumSum, rules::alongAxis},
    {Op::Softmax, rules::alongAxis},
    {Op::LogSoftmax, rules::alongAxis},
    {Op::LayerNorm, rules::layerNorm},
    {Op::BatchNorm, rules::batchNorm},
    {Op::Dropout, rules::sameAsOperand},
    {Op::TopK, rules::topK},
    {Op::Unique, rules::unique},
    {Op::NonZero, rules::nonZero},
    {Op::Compress, rules::compress},
    {Op::DecodeImage, rules::decodeImage},
    {Op::NonMaxSuppression, rules::nonMaxSuppression},
    {Op::MatMul, rules::matMul},
    {Op::Conv, rules::conv},
    {Op::WinogradWeights, rules::winogradWeights},
    {Op::WinogradConv, rules::winogradConv},
    {Op::MaxPool, rules::pool},
    {Op::MaxPoolWithIndex, rules::pool},
    {Op::AvgPool, rules::pool},
    {Op::Einsum, rules::einsum},
    {Op::Resize, rules::resize},
    {Op::GridSample, rules::gridSample},
    {Op::RoiAlign, rules::roiAlign},
    {Op::DepthToSpace, rules::depthToSpace},
    {Op::SpaceToDepth, rules::depthToSpace},
    {Op::Det, rules::det},
    {Op::Dft, rules::dft},
    {Op::TreeEnsemble, rules::treeEnsemble},
    {Op::RandomUniform, rules::randomUniform},
    {Op::StringConcat, rules::stringConcat},
    {Op::StringCase, rules::stringCase},
    {Op::StringSplit, rules::stringSplit},
    {Op::RegexFullMatch, rules::regexFullMatch},
    {Op::FormatNumber, rules::formatNumber},
    {Op::ParseNumber, rules::parseNumber},
    {Op::IndexOf, rules::indexOf},
    {Op::BindSymbols, rules::bindSymbols},
    {Op::Assume, rules::assume},
    {Op::ListLength, rules::listLength},
    {Op::ListGet, rules::listGet},
    {Op::ListInsert, rules::listInsert},
    {Op::ListErase, rules::listErase},
    {Op::ListConcat, rules::listJoin},
    {Op::ListStack, rules::listJoin},
};

constexpr bool hasAllRules() {
    if (std::size(table) != static_cast<size_t>(Op::Count_))
        return false;
    for (size_t i = 0; i < std::size(table); ++i)
        if (table[i].op != static_cast<Op>(i))
            return false;
    return true;
}
static_assert(hasAllRules(), "one type rule an operator, in the order of the enumeration");

bool isOfStrings(const Type& type) {
    const TensorType* tensor = type ? asTensor(type) : nullptr;
    return tensor && tensor->dtype == types::String;
}

/// Dims simplified and within limits.
Result<Type> checked(const Type& type) {
    if (const TupleType* tuple = asTuple(type)) {
        std::vector<Type> fields;
        for (const Type& field : tuple->fields) {
            LATHE_TRY(Type result, checked(field));
            fields.push_back(std::move(result));
        }
        return tupleType(std::move(fields));
    }
    const TensorType* tensor = asTensor(type);
    if (!tensor)
        return type;
    if (tensor->shape.size() > static_cast<size_t>(limits::tensorRank))
        return failure(ErrorKind::Unsupported,
                       fmt::format("rank {} is over the limit of {}", tensor->shape.size(), limits::tensorRank));
    std::vector<Expr> shape;
    int64_t elements = 1;
    for (const Expr& dim : tensor->shape) {
        Expr simple = arith::isConst(dim) ? dim : arith::simplify(dim);
        if (simple->depth > static_cast<uint32_t>(limits::exprDepth))
            return failure(ErrorKind::Unsupported,
                           fmt::format("a dimension's expression is nested over {} deep", limits::exprDepth));
        if (std::optional<int64_t> value = arith::asInt(simple)) {
            if (*value < 0)
                return failure(fmt::format("a dimension of the result would be {}", *value));
            if (__builtin_mul_overflow(elements, std::max<int64_t>(*value, 1), &elements) ||
                elements > limits::tensorElements)
                return failure(ErrorKind::Unsupported,
                               fmt::format("{} has over {} elements", text(tensor->shape), limits::tensorElements));
        }
        shape.push_back(std::move(simple));
    }
    return tensorType(tensor->dtype, std::move(shape), tensor->layout);
}

} // namespace

Result<Type> inferType(Op op, RuleContext& context) {
    const OpInfo& row = info(op);
    auto count = static_cast<int>(context.args().size());
    if (count < row.minArgs || (row.maxArgs >= 0 && count > row.maxArgs))
        return failure(fmt::format("{} takes {} operands, not {}", row.name,
                                   row.maxArgs == row.minArgs ? fmt::format("{}", row.minArgs)
                                   : row.maxArgs < 0          ? fmt::format("at least {}", row.minArgs)
                                                              : fmt::format("{} to {}", row.minArgs, row.maxArgs),
                                   count));
    if (row.makeAttrs && !context.attrs())
        return failure(fmt::format("{} needs its attributes", row.name));
    if (!row.strings && std::ranges::any_of(context.args(), isOfStrings))
        return failure(ErrorKind::Unsupported, fmt::format("{} of strings", row.name),
                       "convert them to numbers before it");
    LATHE_TRY(Type type, table[static_cast<size_t>(op)].rule(op, context));
    return checked(type);
}

namespace {

/// A dim that broadcasting made is select(x == 1, y, x): the dims it was made of.
void addParts(const Expr& dim, std::vector<Expr>& parts) {
    const bool made = dim.kind() == arith::ExprKind::Select && dim->args[0].kind() == arith::ExprKind::Eq &&
                      arith::isConst(dim->args[0]->args[1], 1) &&
                      arith::structurallyEqual(dim->args[0]->args[0], dim->args[2]);
    if (!made) {
        parts.push_back(dim);
        return;
    }
    addParts(dim->args[2], parts);
    addParts(dim->args[1], parts);
}

/// Whether `wide` was made by broadcasting `dim` with others: then they fit already, and give `wide` again.
bool contains(const Expr& wide, const Expr& dim) {
    std::vector<Expr> all, wanted;
    addParts(wide, all);
    addParts(dim, wanted);
    return std::all_of(wanted.begin(), wanted.end(), [&](const Expr& part) {
        return std::any_of(all.begin(), all.end(),
                           [&](const Expr& other) { return arith::provablyEqual(part, other); });
    });
}

/// Whether dim is min(other, c) with c > 1: the two can only broadcast by being equal.
bool isClamped(const Expr& dim, const Expr& other) {
    if (dim.kind() != arith::ExprKind::Min)
        return false;
    for (int side = 0; side < 2; ++side)
        if (const auto most = arith::asInt(dim->args[static_cast<size_t>(side)]);
            most && *most > 1 && contains(other, dim->args[static_cast<size_t>(1 - side)]))
            return true;
    return false;
}

} // namespace

Result<std::vector<Expr>> broadcastShapes(const std::vector<Expr>& a, const std::vector<Expr>& b,
                                          RuleContext* context) {
    auto disagree = [&] { return failure(fmt::format("operands {} and {} do not broadcast", text(a), text(b))); };
    size_t rank = std::max(a.size(), b.size());
    std::vector<Expr> shape(rank);
    for (size_t i = 0; i < rank; ++i) {
        size_t fromEnd = rank - i;
        Expr left = fromEnd <= a.size() ? a[a.size() - fromEnd] : Expr(1);
        Expr right = fromEnd <= b.size() ? b[b.size() - fromEnd] : Expr(1);
        if (arith::isConst(left, 1) || arith::isConst(right, 1)) {
            shape[i] = arith::isConst(left, 1) ? right : left;
            continue;
        }
        if (left.same(right) || arith::provablyEqual(left, right)) {
            shape[i] = arith::isConst(right) ? right : left;
            continue;
        }
        if (arith::isConst(left) && arith::isConst(right))
            return disagree();
        if (contains(left, right) || contains(right, left)) {
            shape[i] = contains(left, right) ? left : right;
            continue;
        }
        if (isClamped(left, right) || isClamped(right, left)) {
            shape[i] = isClamped(left, right) ? right : left;
            if (context)
                context->require(arith::eq(left, right), fmt::format("operands {} and {} broadcast", text(a), text(b)));
            continue;
        }
        // A dim that is never 1 is the result's; the other is equal to it or 1.
        Expr one(1), equal = arith::eq(left, right), condition;
        if (arith::provablyFalse(arith::eq(left, one))) {
            shape[i] = left;
            condition = arith::logicalOr(equal, arith::eq(right, one));
        } else if (arith::provablyFalse(arith::eq(right, one))) {
            shape[i] = right;
            condition = arith::logicalOr(equal, arith::eq(left, one));
        } else {
            shape[i] = arith::select(arith::eq(left, one), right, left);
            condition = arith::logicalOr(equal, arith::logicalOr(arith::eq(left, one), arith::eq(right, one)));
        }
        if (arith::provablyFalse(condition))
            return disagree();
        if (context)
            context->require(condition, fmt::format("operands {} and {} broadcast", text(a), text(b)));
    }
    return shape;
}

namespace rules {

Result<const TensorType*> tensorArg(RuleContext& context, int arg, int rank) {
    const Type& type = context.args()[static_cast<size_t>(arg)];
    if (!type)
        return failure(fmt::format("operand {} is missing", arg + 1));
    const TensorType* tensor = asTensor(type);
    if (!tensor)
        return failure(fmt::format("operand {} is {}, not a tensor", arg + 1, toString(type)));
    if (rank >= 0 && tensor->shape.size() != static_cast<size_t>(rank))
        return failure(fmt::format("operand {} is {}, it must have rank {}", arg + 1, text(tensor->shape), rank));
    return tensor;
}

Result<void> checkAxis(int64_t axis, int64_t rank) {
    if (axis < 0 || axis >= rank)
        return failure(fmt::format("axis {} of a tensor of rank {}", axis, rank));
    return {};
}

Result<Expr> equalDim(const Expr& a, const Expr& b, RuleContext& context, const std::string& what) {
    if (a.same(b) || arith::provablyEqual(a, b))
        return arith::isConst(b) ? b : a;
    Expr condition = arith::eq(a, b);
    if (arith::provablyFalse(condition))
        return failure(
            fmt::format("{} are {} and {}, they must be equal", what, arith::sizeText(a), arith::sizeText(b)));
    context.require(condition, what + " are equal");
    return arith::isConst(b) ? b : a;
}

Result<void> broadcastsTo(const std::vector<Expr>& from, const std::vector<Expr>& to, RuleContext& context) {
    const std::string never = fmt::format("{} does not broadcast to {}", text(from), text(to));
    if (from.size() > to.size())
        return failure(never);
    const size_t lead = to.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i) {
        const Expr &own = from[i], &wanted = to[lead + i];
        if (arith::isConst(own, 1) || own.same(wanted) || arith::provablyEqual(own, wanted))
            continue;
        const Expr condition = arith::logicalOr(arith::eq(own, wanted), arith::eq(own, Expr(1)));
        if (arith::provablyFalse(condition))
            return failure(never);
        context.require(condition, fmt::format("{} broadcasts to {}", text(from), text(to)));
    }
    return {};
}

Result<void> checkCount(size_t count, size_t rank, const char* what) {
    if (count != rank)
        return failure(fmt::format("{} has {} entries for a tensor of rank {}", what, count, rank));
    return {};
}

Result<void> checkWord(const char* attribute, const std::string& word, std::initializer_list<std::string_view> known) {
    if (std::ranges::find(known, word) != known.end())
        return {};
    return failure(fmt::format("{} is '{}'; known are {}", attribute, word, fmt::join(known, ", ")));
}

Expr product(const std::vector<Expr>& shape) {
    Expr result(1);
    for (const Expr& dim : shape)
        result = result * dim;
    return arith::simplify(result);
}

int64_t upperBound(const Expr& expr) {
    return std::clamp<int64_t>(arith::bounds(expr).upper, 0, limits::tensorElements);
}

} // namespace rules
} // namespace lathe::relay
