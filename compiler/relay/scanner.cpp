// SPDX-License-Identifier: Apache-2.0
//
// What graph IR text has beside words, integers and the operators of expressions.
#include "relay/scanner.h"

#include "base/limits.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace lathe::relay {

std::string Scanner::quoted() {
    expect("\"");
    std::string result;
    if (!quotedRest('"', {.hex = true, .any = true, .lines = true}, result))
        fail(rest().empty() ? "a quoted text does not end" : "malformed \\x in a quoted text");
    return result;
}

std::string Scanner::name() {
    return at("\"") ? quoted() : word();
}

double Scanner::real(std::optional<uint64_t>* bits) {
    if (accept("0x")) {
        std::string_view digits = rest().substr(0, 16);
        uint64_t value = 0;
        auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        take(static_cast<size_t>(end - digits.data()));
        if (bits)
            *bits = value;
        else
            fail("expected a number");
        return 0;
    }
    skipBlanks();
    double value = 0;
    std::string_view all = rest();
    auto [end, status] = std::from_chars(all.data(), all.data() + all.size(), value);
    if ((status != std::errc() && status != std::errc::result_out_of_range) || end == all.data())
        fail("expected a number");
    else
        take(static_cast<size_t>(end - all.data()));
    return value;
}

std::string Scanner::hexadecimal(size_t digits) {
    skipBlanks();
    std::string result(rest().substr(0, digits));
    bool good = std::ranges::all_of(result, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    if (!good || result.size() != digits)
        fail(fmt::format("expected {} hexadecimal digits", digits));
    else
        take(digits);
    return result;
}

std::string Scanner::until(char end) {
    size_t found = rest().find(end);
    if (found == std::string_view::npos) {
        fail(fmt::format("expected '{}'", end));
        return {};
    }
    std::string result(take(found));
    take(1);
    return result;
}

// ---- expressions --------------------------------------------------------------------------------------------------

using arith::Expr;
using arith::ExprKind;

ExprParser::ExprParser(Scanner& scanner) : ScannedExprParser(scanner, static_cast<uint32_t>(limits::exprDepth)) {}

Expr ExprParser::parse() {
    Expr result = expr();
    return ok() ? result : Expr(0);
}

bool ExprParser::has(ExprKind kind) const {
    return kind < ExprKind::BitAnd || kind == ExprKind::Select;
}

bool ExprParser::takes(ExprKind kind, DataType type) const {
    return arith::ScannedExprParser::takes(kind, type) &&
           (type.isIndex() || kind == ExprKind::And || kind == ExprKind::Or || kind == ExprKind::Not);
}

Expr ExprParser::named(const std::string& word) {
    if (in_.next('(')) {
        Expr result = function(word);
        if (!result)
            fail(fmt::format("unknown function '{}'", word));
        return result ? result : Expr(0);
    }
    if (word == "true" || word == "false")
        return arith::boolImm(word == "true");
    return symbol(word);
}

Expr ExprParser::symbol(const std::string& name) {
    auto found = symbols_.find(name);
    if (!in_.next('{')) {
        if (found != symbols_.end())
            return found->second;
        in_.fail(fmt::format("symbol '{}' has no range where it first occurs", name));
        return Expr(0);
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
        return Expr(0);
    return symbols_[name] = arith::symbol(name, lower, upper);
}

} // namespace lathe::relay
