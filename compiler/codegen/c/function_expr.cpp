// SPDX-License-Identifier: Apache-2.0
//
// Expressions that C has operators for. Data integers are computed unsigned, where C has them wrap, and converted back.
#include "codegen/c/function.h"
#include "codegen/c/types.h"
#include "tir/transform/flatten_buffers.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::codegen {

using arith::ExprKind;
using arith::Intrinsic;

namespace {

/// Compilers need take no more than 63 levels of brackets.
constexpr int deepest = 20;
constexpr size_t longest = 400;

bool isLeaf(const Expr& expr) {
    return expr.kind() == ExprKind::IntImm || expr.kind() == ExprKind::FloatImm || expr.kind() == ExprKind::Var;
}

} // namespace

std::string CFunction::operand(const Value& value, int level) {
    return value.level <= level ? value.text : "(" + value.text + ")";
}

CFunction::Value CFunction::binary(const char* op, const Value& a, const Value& b, int level) {
    // What binds looser than a sum gets brackets on both sides, whatever C's own order is.
    const int left = level <= sum ? level : unary, right = level <= sum ? level - 1 : unary;
    return {fmt::format("{} {} {}", operand(a, left), op, operand(b, right)), level, 1 + std::max(a.depth, b.depth)};
}

CFunction::Value CFunction::castTo(const std::string& type, const Value& value) {
    return {fmt::format("({}){}", type, operand(value, unary)), unary, value.depth + 1};
}

CFunction::Value CFunction::called(const std::string& function, const std::vector<Value>& args) {
    Value result{function + "(", primary, 1};
    for (size_t i = 0; i < args.size(); ++i) {
        result.text += (i > 0 ? ", " : "") + args[i].text;
        result.depth = std::max(result.depth, args[i].depth + 1);
    }
    result.text += ")";
    return result;
}

CFunction::Value CFunction::helper(std::string_view name, const std::vector<Value>& args) {
    return called(m_.helpers.use(name), args);
}

/// A number of 32 or 64 bits as one of `type`, by its last bits.
CFunction::Value CFunction::wrapped(const Value& value, DataType type) {
    if (type.bits >= 8)
        return castTo(cType(type), value);
    const int mask = (1 << type.bits) - 1;
    const std::string low = fmt::format("({} & {})", operand(castTo("uint32_t", value), unary), mask);
    if (!type.isSigned())
        return castTo(cType(type), {low, primary, value.depth + 2});
    const int sign = 1 << (type.bits - 1);
    return castTo(cType(type), {fmt::format("((int)({} ^ {}) - {})", low, sign, sign), primary, value.depth + 3});
}

/// As the unsigned type in which integers of `type` are computed.
CFunction::Value CFunction::widened(const Value& value, DataType type) {
    return castTo(cWideType(type, true), value);
}

void CFunction::begin(std::span<const Expr> roots) {
    uses_.clear();
    memo_.assign(1, {});
    std::unordered_set<const arith::ExprNode*> seen;
    for (const Expr& root : roots)
        if (root) {
            ++uses_[root.get()];
            arith::visit(root, [&](const Expr& e) {
                for (const Expr& arg : e->args)
                    ++uses_[arg.get()];
                return true;
            });
        }
}

CFunction::Value CFunction::value(const Expr& expr) {
    if (isLeaf(expr))
        return compute(expr);
    for (size_t i = memo_.size(); i-- > 0;)
        if (const auto found = memo_[i].find(expr.get()); found != memo_[i].end())
            return found->second;
    Value result = compute(expr);
    if (result.level == primary && result.depth == 1 && result.text.find_first_of("([") == std::string::npos)
        return result; // a name
    if (expr.dtype() == types::Void)
        return result;
    if (uses_[expr.get()] > 1 || result.depth > deepest || result.text.size() > longest)
        result = named(expr, std::move(result));
    return result;
}

CFunction::Value CFunction::named(const Expr& expr, Value value) {
    const std::string type = cType(expr.dtype());
    const std::string name = names_.fresh("t");
    line(fmt::format("{}{}const {} = {};", type, type.ends_with('*') ? "" : " ", name, value.text));
    return memo_.back()[expr.get()] = {name, primary, 1};
}

CFunction::Value CFunction::compute(const Expr& expr) {
    LATHE_ASSERT(expr.dtype().lanes == 1, "vectors in " + f_.name + ": C source is made of loops");
    switch (expr.kind()) {
    case ExprKind::IntImm: {
        if (expr.dtype().code == TypeCode::Handle)
            return castTo("void *", {fmt::format("(intptr_t){}", expr->intValue), unary, 1});
        std::string text = cInteger(expr->intValue, expr.dtype());
        const int level = text.starts_with('-') ? unary : primary;
        return {std::move(text), level, 1};
    }
    case ExprKind::FloatImm: {
        LATHE_ASSERT(expr.dtype().code == TypeCode::Float && expr.dtype().bits >= 32,
                     "a constant of " + toString(expr.dtype()) + " was not legalized");
        std::string text = cFloat(expr->floatValue, expr.dtype());
        const int level = text.starts_with('-') || text.starts_with('(') ? unary : primary;
        return {std::move(text), level, 1};
    }
    case ExprKind::Var: {
        const std::string* name = names_.find(expr.get());
        LATHE_ASSERT(name, "variable " + expr->name + " has no value in " + f_.name);
        return {*name, primary, 1};
    }
    case ExprKind::Load:
        return load(expr);
    case ExprKind::Select:
        return lazily(expr->args[0], expr->args[1], expr->args[2]);
    case ExprKind::Cast:
        return cast(expr);
    case ExprKind::Call:
        return intrinsic(expr);
    case ExprKind::Not: {
        const Value a = value(expr->args[0]);
        return {"!" + operand(a, unary), unary, a.depth + 1};
    }
    case ExprKind::BitNot: {
        if (expr.dtype().isBool()) {
            const Value a = value(expr->args[0]);
            return {"!" + operand(a, unary), unary, a.depth + 1};
        }
        const Value a = widened(value(expr->args[0]), expr.dtype());
        return wrapped({"~" + operand(a, unary), unary, a.depth + 1}, expr.dtype());
    }
    case ExprKind::And:
    case ExprKind::Or: {
        const bool isAnd = expr.kind() == ExprKind::And;
        if (!readsMemory(expr->args[1])) {
            const Value a = value(expr->args[0]);
            return binary(isAnd ? "&&" : "||", a, value(expr->args[1]), loose);
        }
        return isAnd ? lazily(expr->args[0], expr->args[1], arith::boolImm(false))
                     : lazily(expr->args[0], arith::boolImm(true), expr->args[1]);
    }
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return compare(expr);
    default:
        return arithmetic(expr);
    }
}

CFunction::Value CFunction::compare(const Expr& expr) {
    const char* op = expr.kind() == ExprKind::Eq   ? "=="
                     : expr.kind() == ExprKind::Ne ? "!="
                     : expr.kind() == ExprKind::Lt ? "<"
                     : expr.kind() == ExprKind::Le ? "<="
                     : expr.kind() == ExprKind::Gt ? ">"
                                                   : ">=";
    Value a = value(expr->args[0]);
    Value b = value(expr->args[1]);
    if (expr->args[0].dtype().code == TypeCode::UInt && expr->args[0].dtype().bits < 32) {
        // As ints: compilers warn of bytes that are compared with what no byte is.
        a = castTo("int", a);
        b = castTo("int", b);
    }
    return binary(op, a, b, loose);
}

bool CFunction::readsMemory(const Expr& expr) {
    if (const auto known = reads_.find(expr.get()); known != reads_.end())
        return known->second;
    bool found =
        expr.kind() == ExprKind::Load || (expr.kind() == ExprKind::Call && expr->intrinsic == Intrinsic::RtCall);
    for (const Expr& arg : expr->args)
        found = found || readsMemory(arg);
    return reads_[expr.get()] = found;
}

/// `condition ? taken : otherwise`. A side that reads memory is computed only where it is taken; if that takes statements,
/// it is an `if`.
CFunction::Value CFunction::lazily(const Expr& condition, const Expr& taken, const Expr& otherwise) {
    Value chosen = value(condition);
    struct Side {
        Value value;
        std::string lines;
    };
    const auto side = [&](const Expr& expr) {
        if (!readsMemory(expr))
            return Side{value(expr), {}};
        Side made;
        std::string* const before = std::exchange(out_, &made.lines);
        memo_.emplace_back();
        ++indent_;
        made.value = value(expr);
        --indent_;
        memo_.pop_back();
        out_ = before;
        return made;
    };
    const Side a = side(taken), b = side(otherwise);
    const int depth = 1 + std::max({chosen.depth, a.value.depth, b.value.depth});
    if (a.lines.empty() && b.lines.empty()) {
        if (arith::isConst(otherwise, 0) && otherwise.dtype().isBool())
            return binary("&&", chosen, a.value, loose);
        if (arith::isConst(taken, 1) && taken.dtype().isBool())
            return binary("||", chosen, b.value, loose);
        return {fmt::format("{} ? {} : {}", operand(chosen, unary), operand(a.value, unary), operand(b.value, unary)),
                loose, depth};
    }
    const std::string name = names_.fresh("t"), type = cType(taken.dtype());
    line(fmt::format("{}{}{};", type, type.ends_with('*') ? "" : " ", name));
    const auto assign = [&](const Side& made) {
        *out_ += made.lines;
        line(fmt::format("{} = {};", name, made.value.text));
    };
    open(fmt::format("if ({}) {{", chosen.text));
    assign(a);
    close("} else {");
    ++indent_;
    assign(b);
    close();
    return {name, primary, 1};
}

CFunction::Value CFunction::arithmetic(const Expr& expr) {
    const DataType type = expr.dtype();
    switch (expr.kind()) {
    case ExprKind::Min:
    case ExprKind::Max:
        return minMax(expr);
    case ExprKind::Shl:
    case ExprKind::Shr:
        return shift(expr);
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return division(expr);
    default:
        break;
    }
    if (!type.isFloat() && !type.isIndex())
        return integerArithmetic(expr);
    // An index is a mathematical integer: the entry checks sizes before it uses them.
    const Value a = value(expr->args[0]), b = value(expr->args[1]);
    switch (expr.kind()) {
    case ExprKind::Add:
        return binary("+", a, b, sum);
    case ExprKind::Sub:
        return binary("-", a, b, sum);
    case ExprKind::Mul:
        return binary("*", a, b, product);
    default:
        LATHE_ASSERT(type.isIndex(), "an operation on floats that C source does not have");
        return integerArithmetic(expr);
    }
}

CFunction::Value CFunction::integerArithmetic(const Expr& expr) {
    const DataType type = expr.dtype();
    const Value a = value(expr->args[0]), b = value(expr->args[1]);
    struct Operator {
        const char* text;
        int level;
        const char* ofBools;
    };
    const Operator op = [&]() -> Operator {
        switch (expr.kind()) {
        case ExprKind::Add:
            return {"+", sum, "!="}; // of one bit
        case ExprKind::Sub:
            return {"-", sum, "!="};
        case ExprKind::Mul:
            return {"*", product, "&&"};
        case ExprKind::BitAnd:
            return {"&", loose, "&&"};
        case ExprKind::BitOr:
            return {"|", loose, "||"};
        case ExprKind::BitXor:
            return {"^", loose, "!="};
        default:
            internalError(__FILE__, __LINE__, "integers", "an operator that C source does not have, in " + f_.name);
        }
    }();
    if (type.isBool())
        return binary(op.ofBools, a, b, loose);
    return wrapped(binary(op.text, widened(a, type), widened(b, type), op.level), type);
}

CFunction::Value CFunction::division(const Expr& expr) {
    const DataType type = expr.dtype();
    const ExprKind kind = expr.kind();
    Value a = value(expr->args[0]), b = value(expr->args[1]);
    if (type.isFloat()) {
        const std::string f = type.bits == 32 ? "f" : "";
        if (kind == ExprKind::Div)
            return binary("/", a, b, product);
        if (kind == ExprKind::FloorDiv)
            return called("floor" + f, {binary("/", a, b, product)});
        return kind == ExprKind::Mod ? called("fmod" + f, {a, b})
                                     : helper("floormod_f" + std::to_string(type.bits), {a, b});
    }
    const bool quotient = kind == ExprKind::Div || kind == ExprKind::FloorDiv;
    const std::optional<int64_t> divisor = arith::asInt(expr->args[1]);
    if (type.isIndex() && divisor && *divisor > 0 && arith::bounds(expr->args[0], facts_).lower >= 0)
        return binary(quotient ? "/" : "%", a, b, product);
    const std::string wide = cWide(type), convert = cWideType(type, false);
    const bool floored = type.isSigned() && (kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod);
    if (type.bits < 32) {
        a = castTo(convert, a);
        b = castTo(convert, b);
    }
    const Value result = helper(fmt::format("{}{}_{}", floored ? "floor" : "", quotient ? "div" : "mod", wide), {a, b});
    return type.bits < 32 ? wrapped(result, type) : result;
}

CFunction::Value CFunction::minMax(const Expr& expr) {
    const DataType type = expr.dtype();
    const bool maximum = expr.kind() == ExprKind::Max;
    const Value a = value(expr->args[0]), b = value(expr->args[1]);
    if (type.isBool())
        return binary(maximum ? "||" : "&&", a, b, loose);
    const std::string name = maximum ? "max_" : "min_";
    if (type.isFloat())
        return helper(fmt::format("{}f{}", name, type.bits), {a, b});
    const Value result = helper(name + cWide(type), {a, b});
    return type.bits < 32 ? castTo(cType(type), result) : result;
}

CFunction::Value CFunction::shift(const Expr& expr) {
    const DataType type = expr.dtype();
    const Value a = value(expr->args[0]), by = castTo(cWideType(type, true), value(expr->args[1]));
    const Value bits{std::to_string(type.bits), primary, 1};
    const std::string width = type.bits > 32 ? "64" : "32";
    if (expr.kind() == ExprKind::Shl)
        return wrapped(helper("shl_u" + width, {widened(a, type), by, bits}), type);
    const Value result = helper(fmt::format("shr_{}", cWide(type)), {a, by, bits});
    return type.bits < 32 ? castTo(cType(type), result) : result;
}

CFunction::Value CFunction::load(const Expr& expr) {
    const tir::Buffer& buffer = tir::bufferOf(expr);
    const std::span<const Expr> indices(expr->args.data(), expr->args.size() - (expr->masked ? 1 : 0));
    if (expr->masked) {
        made_.push_back(arith::load(expr->storage, {indices.begin(), indices.end()}));
        const Expr unmasked = made_.back();
        made_.push_back(
            unmasked.dtype().isBool() ? arith::boolImm(false)
            : unmasked.dtype().isFloat() && unmasked.dtype().bits < 32
                ? arith::call(Intrinsic::Reinterpret,
                              {arith::intImm(0, DataType{TypeCode::UInt, uint8_t(unmasked.dtype().bytes() * 8)})},
                              unmasked.dtype())
                : arith::zero(unmasked.dtype()));
        return lazily(expr->args.back(), unmasked, made_.back());
    }
    Expr index = indices.size() == 1 && buffer.strides.empty() && !buffer.offset ? indices[0] : Expr();
    if (!index) {
        made_.push_back(tir::flatIndex(buffer, indices));
        index = made_.back();
    }
    const std::string* name = names_.find(&buffer);
    LATHE_ASSERT(name, "buffer " + buffer.name + " has no address in " + f_.name);
    const Value at = value(index);
    Value element{fmt::format("{}[{}]", *name, at.text), primary, at.depth + 1};
    return buffer.dtype.isBool() ? binary("!=", element, {"0", primary, 1}, loose) : element;
}

} // namespace lathe::codegen
