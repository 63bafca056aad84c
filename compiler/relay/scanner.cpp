// SPDX-License-Identifier: Apache-2.0
//
// The scanner and the expressions of IR text. Input is hostile: depth and types are checked before anything is built.
#include "relay/scanner.h"

#include "arith/print.h"
#include "base/limits.h"

#include <charconv>
#include <fmt/format.h>

namespace lathe::relay {

void Scanner::fail(std::string what) {
    if (error_)
        return;
    error_ = lathe::error(std::move(what));
    error_->line = line_;
}

void Scanner::skip() {
    while (position_ < text_.size() && std::string_view(" \n\t\r").find(text_[position_]) != std::string_view::npos)
        move(1);
}

void Scanner::move(size_t count) {
    for (size_t i = 0; i < count && position_ < text_.size(); ++i)
        line_ += text_[position_++] == '\n';
}

bool Scanner::at(std::string_view token) {
    skip();
    return !failed() && text_.substr(position_).starts_with(token);
}

bool Scanner::accept(std::string_view token) {
    if (!at(token))
        return false;
    move(token.size());
    return true;
}

void Scanner::expect(std::string_view token) {
    if (!accept(token))
        fail(fmt::format("expected '{}'", token));
}

namespace {

bool isLetter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool isWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

} // namespace

std::string Scanner::word() {
    skip();
    size_t end = position_;
    if (!failed() && end < text_.size() && isLetter(text_[end]))
        while (end < text_.size() && isWordCharacter(text_[end]))
            ++end;
    std::string result(text_.substr(position_, end - position_));
    if (result.empty())
        fail("expected a name");
    move(result.size());
    return result;
}

bool Scanner::atWord(std::string_view word) {
    return at(word) && (position_ + word.size() >= text_.size() || !isWordCharacter(text_[position_ + word.size()]));
}

std::string Scanner::quoted() {
    expect("\"");
    std::string result;
    while (!failed()) {
        if (position_ >= text_.size()) {
            fail("a quoted text does not end");
            break;
        }
        char c = text_[position_];
        move(1);
        if (c == '"')
            break;
        if (c == '\\' && next('x')) {
            unsigned code = 0;
            std::string_view digits = text_.substr(position_ + 1, 2);
            auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            if (status != std::errc() || end != digits.data() + 2)
                fail("malformed \\x in a quoted text");
            move(3);
            result += static_cast<char>(code);
            continue;
        }
        if (c == '\\' && position_ < text_.size()) {
            c = text_[position_];
            move(1);
        }
        result += c;
    }
    return result;
}

std::string Scanner::name() {
    return at("\"") ? quoted() : word();
}

int64_t Scanner::integer() {
    skip();
    int64_t value = 0;
    std::string_view rest = text_.substr(position_);
    auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (failed() || status != std::errc())
        fail("expected an integer");
    else
        move(static_cast<size_t>(end - rest.data()));
    return value;
}

double Scanner::real(std::optional<uint64_t>* bits) {
    if (accept("0x")) {
        std::string digits;
        while (position_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[position_])) &&
               digits.size() < 16) {
            digits += text_[position_];
            move(1);
        }
        uint64_t value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (bits)
            *bits = value;
        else
            fail("expected a number");
        return 0;
    }
    skip();
    double value = 0;
    std::string_view rest = text_.substr(position_);
    auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (failed() || (status != std::errc() && status != std::errc::result_out_of_range) || end == rest.data())
        fail("expected a number");
    else
        move(static_cast<size_t>(end - rest.data()));
    return value;
}

std::string Scanner::hexadecimal(size_t digits) {
    skip();
    std::string result(text_.substr(position_, digits));
    bool good = result.size() == digits;
    for (char c : result)
        good &= std::isxdigit(static_cast<unsigned char>(c)) != 0;
    if (!good)
        fail(fmt::format("expected {} hexadecimal digits", digits));
    else
        move(digits);
    return result;
}

std::string Scanner::until(char end) {
    size_t found = text_.find(end, position_);
    if (failed() || found == std::string_view::npos) {
        fail(fmt::format("expected '{}'", end));
        return {};
    }
    std::string result(text_.substr(position_, found - position_));
    move(result.size() + 1);
    return result;
}

bool Scanner::atEnd() {
    skip();
    return failed() || position_ >= text_.size();
}

bool Scanner::enter() {
    if (++depth_ > limits::textNesting)
        fail(fmt::format("brackets are nested over {} deep", limits::textNesting));
    return !failed();
}

// ---- expressions --------------------------------------------------------------------------------------------------

using arith::Expr;
using arith::ExprKind;

namespace {

constexpr ExprKind operators[] = {ExprKind::Or,  ExprKind::And, ExprKind::Eq, ExprKind::Ne,  ExprKind::Le,
                                  ExprKind::Ge,  ExprKind::Lt,  ExprKind::Gt, ExprKind::Add, ExprKind::Sub,
                                  ExprKind::Mul, ExprKind::Div, ExprKind::Mod};

} // namespace

Expr ExprParser::combine(ExprKind kind, const Expr& a, const Expr& b) {
    bool logical = kind == ExprKind::And || kind == ExprKind::Or;
    if (!(logical ? a.dtype().isBool() && b.dtype().isBool() : a.dtype().isIndex() && b.dtype().isIndex())) {
        in_.fail(fmt::format("'{}' of {} and {}", arith::spelling(kind), toString(a.dtype()), toString(b.dtype())));
        return none();
    }
    Expr result = arith::binary(kind, a, b);
    if (result->depth > static_cast<uint32_t>(limits::exprDepth))
        in_.fail(fmt::format("an expression is nested over {} deep", limits::exprDepth));
    return result;
}

Expr ExprParser::binary(int least) {
    if (!in_.enter())
        return none();
    Expr left = unary();
    for (bool more = true; more && !in_.failed();) {
        more = false;
        if (in_.at("->"))
            break;
        for (ExprKind kind : operators) {
            int own = arith::precedence(kind);
            if (own < least || !in_.at(arith::spelling(kind)))
                continue;
            in_.accept(arith::spelling(kind));
            left = combine(kind, left, binary(own + 1));
            more = true;
            break;
        }
    }
    in_.leave();
    return in_.failed() ? none() : left;
}

Expr ExprParser::unary() {
    if (in_.accept("(")) {
        Expr inner = binary(1);
        in_.expect(")");
        return inner;
    }
    if (in_.at("!") && !in_.at("!=")) {
        in_.accept("!");
        if (!in_.enter())
            return none();
        Expr inner = unary();
        in_.leave();
        if (!inner.dtype().isBool()) {
            in_.fail("'!' of a number");
            return none();
        }
        return arith::logicalNot(inner);
    }
    if (in_.atWord("true") || in_.atWord("false"))
        return arith::boolImm(in_.word() == "true");
    if (in_.at("-") || in_.at("0") || in_.at("1") || in_.at("2") || in_.at("3") || in_.at("4") || in_.at("5") ||
        in_.at("6") || in_.at("7") || in_.at("8") || in_.at("9"))
        return Expr(in_.integer());
    std::string name = in_.word();
    if (in_.next('('))
        return function(name);
    return in_.failed() ? none() : symbol(name);
}

Expr ExprParser::function(const std::string& name) {
    in_.expect("(");
    if (!in_.enter())
        return none();
    std::vector<Expr> args;
    do
        args.push_back(binary(1));
    while (in_.accept(",") && args.size() < 3);
    in_.expect(")");
    in_.leave();
    if (in_.failed())
        return none();
    if (name == "select" && args.size() == 3 && args[0].dtype().isBool() && args[1].dtype() == args[2].dtype()) {
        Expr result = arith::select(args[0], args[1], args[2]);
        if (result->depth > static_cast<uint32_t>(limits::exprDepth))
            in_.fail(fmt::format("an expression is nested over {} deep", limits::exprDepth));
        return result;
    }
    for (ExprKind kind : {ExprKind::FloorDiv, ExprKind::FloorMod, ExprKind::Min, ExprKind::Max})
        if (name == arith::spelling(kind) && args.size() == 2)
            return combine(kind, args[0], args[1]);
    in_.fail(fmt::format("unknown function '{}' of {} arguments", name, args.size()));
    return none();
}

Expr ExprParser::symbol(const std::string& name) {
    auto found = symbols_.find(name);
    if (!in_.next('{')) {
        if (found != symbols_.end())
            return found->second;
        in_.fail(fmt::format("symbol '{}' has no range where it first occurs", name));
        return none();
    }
    if (found != symbols_.end())
        in_.fail(fmt::format("symbol '{}' is declared twice", name));
    in_.expect("{");
    int64_t lower = std::numeric_limits<int64_t>::min(), upper = std::numeric_limits<int64_t>::max();
    if (!in_.at(".."))
        lower = in_.integer();
    in_.expect("..");
    if (!in_.at("}"))
        upper = in_.integer();
    in_.expect("}");
    if (lower > upper)
        in_.fail(fmt::format("the range of symbol '{}' is empty", name));
    if (in_.failed())
        return none();
    return symbols_[name] = arith::symbol(name, lower, upper);
}

} // namespace lathe::relay
