// SPDX-License-Identifier: Apache-2.0
//
// Operators, brackets and functions of expressions' text.
#include "arith/parse.h"

#include "arith/print.h"

#include <fmt/format.h>

namespace lathe::arith {

namespace {

std::optional<ExprKind> operatorOf(std::string_view text) {
    for (int i = static_cast<int>(ExprKind::Add); i <= static_cast<int>(ExprKind::Shr); ++i) {
        auto kind = static_cast<ExprKind>(i);
        if (precedence(kind) > 0 && text == spelling(kind))
            return kind;
    }
    return std::nullopt;
}

} // namespace

bool ExprParser::takes(ExprKind kind, DataType type) const {
    if (kind == ExprKind::And || kind == ExprKind::Or || kind == ExprKind::Not)
        return type.isBool();
    return !(kind >= ExprKind::BitAnd && kind <= ExprKind::Shr) || !type.isFloat();
}

Expr ExprParser::limited(Expr expr) {
    if (expr->depth > maximumDepth_)
        fail(fmt::format("an expression is nested over {} deep", maximumDepth_));
    return expr;
}

Expr ExprParser::checked(ExprKind kind, Expr a, Expr b) {
    if (!ok())
        return a;
    if (a.dtype() != b.dtype())
        fail(fmt::format("the operands of '{}' have types {} and {}", spelling(kind), lathe::toString(a.dtype()),
                         lathe::toString(b.dtype())));
    else if (!takes(kind, a.dtype()))
        fail(fmt::format("'{}' does not take operands of type {}", spelling(kind), lathe::toString(a.dtype())));
    return ok() ? limited(arith::binary(kind, std::move(a), std::move(b))) : a;
}

Expr ExprParser::binary(int leastPrecedence) {
    Expr left = unary();
    while (ok()) {
        auto kind = operatorOf(punctuation());
        if (!kind || !has(*kind) || precedence(*kind) < leastPrecedence)
            break;
        accept(spelling(*kind));
        Expr right = binary(precedence(*kind) + 1);
        left = checked(*kind, std::move(left), std::move(right));
    }
    return left;
}

Expr ExprParser::unary() {
    if (!enter())
        return Expr(0);
    Expr result;
    std::string_view next = punctuation();
    ExprKind kind = next == "~" ? ExprKind::BitNot : ExprKind::Not;
    if (accept("(")) {
        result = expr();
        expect(")");
    } else if (next == spelling(kind) && has(kind)) {
        accept(spelling(kind));
        result = unary();
        if (ok() && !takes(kind, result.dtype()))
            fail(fmt::format("'{}' does not take an operand of type {}", spelling(kind),
                             lathe::toString(result.dtype())));
        if (ok())
            result = limited(make(kind, {result}, result.dtype()));
    } else {
        result = operand();
    }
    leave();
    return result;
}

std::vector<Expr> ExprParser::exprList(std::string_view end) {
    std::vector<Expr> result;
    if (accept(end))
        return result;
    do
        result.push_back(expr());
    while (accept(","));
    expect(end);
    return result;
}

std::vector<Expr> ExprParser::arguments(size_t count) {
    expect("(");
    std::vector<Expr> args = exprList(")");
    if (ok() && args.size() != count)
        fail(fmt::format("expected {} arguments, found {}", count, args.size()));
    args.resize(count, Expr(0));
    return args;
}

Expr ExprParser::function(std::string_view name) {
    for (ExprKind kind : {ExprKind::FloorDiv, ExprKind::FloorMod, ExprKind::Min, ExprKind::Max})
        if (has(kind) && name == spelling(kind)) {
            std::vector<Expr> args = arguments(2);
            return checked(kind, args[0], args[1]);
        }
    if (!has(ExprKind::Select) || name != spelling(ExprKind::Select))
        return {};
    std::vector<Expr> args = arguments(3);
    if (ok() && (!args[0].dtype().isBool() || args[1].dtype() != args[2].dtype()))
        fail("select takes a bool and two values of one type");
    return ok() ? limited(select(args[0], args[1], args[2])) : args[0];
}

Expr ScannedExprParser::operand() {
    if (in_.atInteger())
        return Expr(in_.integer());
    std::string word = in_.word();
    return in_.failed() ? Expr(0) : named(word);
}

} // namespace lathe::arith
