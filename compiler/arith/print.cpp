// SPDX-License-Identifier: Apache-2.0
//
// Expressions as text; print.h has the grammar, parse.h reads it back.
#include "arith/print.h"

#include "arith/scalar.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace lathe::arith {
namespace {

constexpr int unaryPrecedence = 11;
constexpr int atomPrecedence = 12;

class Printer {
public:
    Printer(std::string& out, const Names& names) : out_(out), names_(names) {}

    void print(const Expr& expr, int needed = 0) {
        int own = precedenceOf(*expr);
        if (own < needed) {
            out_ += '(';
            printBare(expr, own);
            out_ += ')';
        } else {
            printBare(expr, own);
        }
    }

private:
    static int precedenceOf(const ExprNode& node) {
        if (int binary = precedence(node.kind))
            return binary;
        if (node.kind == ExprKind::Not || node.kind == ExprKind::BitNot)
            return unaryPrecedence;
        bool negative = (node.kind == ExprKind::IntImm && node.intValue < 0 && node.dtype.code != TypeCode::UInt) ||
                        (node.kind == ExprKind::FloatImm && std::signbit(node.floatValue));
        return negative ? 0 : atomPrecedence;
    }

    void printBare(const Expr& expr, int own) {
        const ExprNode& node = *expr;
        switch (node.kind) {
        case ExprKind::IntImm:
            return printInt(node);
        case ExprKind::FloatImm:
            return printFloat(node);
        case ExprKind::Var:
            out_ += names_.ofVar(expr);
            return;
        case ExprKind::Load:
            return printLoad(node);
        case ExprKind::Not:
        case ExprKind::BitNot:
            out_ += spelling(node.kind);
            print(node.args[0], unaryPrecedence);
            return;
        case ExprKind::Cast:
            fmt::format_to(std::back_inserter(out_), "cast:{}", lathe::toString(node.dtype));
            return printArgs(node);
        case ExprKind::Call:
            fmt::format_to(std::back_inserter(out_), "{}:{}", nameOf(node.intrinsic), lathe::toString(node.dtype));
            return printArgs(node);
        case ExprKind::Ramp:
        case ExprKind::Broadcast:
            out_ += node.kind == ExprKind::Ramp ? "ramp" : "broadcast";
            printArgs(node);
            out_.pop_back();
            fmt::format_to(std::back_inserter(out_), ", {})", node.dtype.lanes);
            return;
        case ExprKind::FloorDiv:
        case ExprKind::FloorMod:
        case ExprKind::Min:
        case ExprKind::Max:
        case ExprKind::Select:
            out_ += spelling(node.kind);
            return printArgs(node);
        default:
            print(node.args[0], own);
            fmt::format_to(std::back_inserter(out_), " {} ", spelling(node.kind));
            print(node.args[1], own + 1);
            return;
        }
    }

    void printInt(const ExprNode& node) {
        if (node.dtype.isBool()) {
            out_ += node.intValue != 0 ? "true" : "false";
            return;
        }
        if (node.dtype.code == TypeCode::UInt)
            fmt::format_to(std::back_inserter(out_), "{}", static_cast<uint64_t>(node.intValue));
        else
            fmt::format_to(std::back_inserter(out_), "{}", node.intValue);
        if (!node.dtype.isIndex())
            fmt::format_to(std::back_inserter(out_), ":{}", lathe::toString(node.dtype));
    }

    void printFloat(const ExprNode& node) {
        double value = node.floatValue;
        if (std::isnan(value))
            out_ += "nan";
        else if (node.dtype.bits <= 32)
            fmt::format_to(std::back_inserter(out_), "{}", static_cast<float>(value));
        else
            fmt::format_to(std::back_inserter(out_), "{}", value);
        fmt::format_to(std::back_inserter(out_), ":{}", lathe::toString(node.dtype));
    }

    void printLoad(const ExprNode& node) {
        out_ += names_.ofStorage(node.storage);
        out_ += '[';
        size_t indices = node.args.size() - (node.masked ? 1 : 0);
        for (size_t i = 0; i < node.args.size(); ++i) {
            if (i > 0 || i == indices)
                out_ += i == indices ? "; " : ", ";
            print(node.args[i]);
        }
        out_ += ']';
        if (node.masked)
            fmt::format_to(std::back_inserter(out_), ":{}", lathe::toString(node.dtype));
    }

    void printArgs(const ExprNode& node) {
        out_ += '(';
        for (size_t i = 0; i < node.args.size(); ++i) {
            if (i > 0)
                out_ += ", ";
            print(node.args[i]);
        }
        out_ += ')';
    }

    std::string& out_;
    const Names& names_;
};

/// left: how many nodes it may still have.
bool isPlainSize(const Expr& expr, int& left) {
    if (--left < 0)
        return false;
    switch (expr.kind()) {
    case ExprKind::IntImm:
    case ExprKind::Var:
        return true;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Min:
    case ExprKind::Max:
        return std::ranges::all_of(expr->args, [&](const Expr& arg) { return isPlainSize(arg, left); });
    default:
        return false;
    }
}

} // namespace

const char* spelling(ExprKind kind) {
    switch (kind) {
    case ExprKind::Add:
        return "+";
    case ExprKind::Sub:
        return "-";
    case ExprKind::Mul:
        return "*";
    case ExprKind::Div:
        return "/";
    case ExprKind::Mod:
        return "%";
    case ExprKind::FloorDiv:
        return "floordiv";
    case ExprKind::FloorMod:
        return "floormod";
    case ExprKind::Min:
        return "min";
    case ExprKind::Max:
        return "max";
    case ExprKind::Eq:
        return "==";
    case ExprKind::Ne:
        return "!=";
    case ExprKind::Lt:
        return "<";
    case ExprKind::Le:
        return "<=";
    case ExprKind::Gt:
        return ">";
    case ExprKind::Ge:
        return ">=";
    case ExprKind::And:
        return "&&";
    case ExprKind::Or:
        return "||";
    case ExprKind::Not:
        return "!";
    case ExprKind::BitAnd:
        return "&";
    case ExprKind::BitOr:
        return "|";
    case ExprKind::BitXor:
        return "^";
    case ExprKind::BitNot:
        return "~";
    case ExprKind::Shl:
        return "<<";
    case ExprKind::Shr:
        return ">>";
    case ExprKind::Select:
        return "select";
    default:
        return nullptr;
    }
}

int precedence(ExprKind kind) {
    switch (kind) {
    case ExprKind::Or:
        return 1;
    case ExprKind::And:
        return 2;
    case ExprKind::BitOr:
        return 3;
    case ExprKind::BitXor:
        return 4;
    case ExprKind::BitAnd:
        return 5;
    case ExprKind::Eq:
    case ExprKind::Ne:
        return 6;
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return 7;
    case ExprKind::Shl:
    case ExprKind::Shr:
        return 8;
    case ExprKind::Add:
    case ExprKind::Sub:
        return 9;
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::Mod:
        return 10;
    default:
        return 0;
    }
}

void print(std::string& out, const Expr& expr, const Names& names) {
    Printer(out, names).print(expr);
}

const std::string& VarNames::of(const Expr& var) {
    using Name = std::pair<const ExprNode*, std::string>;
    if (const auto known = std::ranges::find(names_, var.get(), &Name::first); known != names_.end())
        return known->second;
    std::string name = var->name;
    for (int i = 2; std::ranges::find(names_, name, &Name::second) != names_.end(); ++i)
        name = fmt::format("{}_{}", var->name, i);
    return names_.emplace_back(var.get(), std::move(name)).second;
}

std::string toString(const Expr& expr) {
    if (!expr)
        return "null";
    VarNames vars;
    std::string out;
    print(out, expr,
          {[&](const Expr& var) { return vars.of(var); }, [](const StoragePtr& storage) { return storage->name; }});
    return out;
}

std::string sizeText(const Expr& size) {
    int most = 15;
    return size && isPlainSize(size, most) ? toString(size) : "?";
}

} // namespace lathe::arith
