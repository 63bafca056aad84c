// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/size_expression.h"

#include "arith/analysis.h"
#include "base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lathe::frontend::torch {
namespace {

using arith::Expr;

constexpr int deepest = 64; // brackets and calls in one another
constexpr size_t longest = 1 << 16;

/// Texts of older versions have "floor(s0/2 - 1/2)": fractions on the way to integers.
struct Fraction {
    Expr top = 0;
    int64_t bottom = 1;
};

/// Descends over the text; after the first fault everything is neutral.
class SizeParser {
public:
    SizeParser(std::string_view text, const SymbolValue& valueOf) : text_(text), valueOf_(valueOf) {}

    Result<Expr> parse() {
        if (text_.size() > longest)
            fail("is too long");
        const Fraction all = comparison();
        const Expr value = !failed() && all.top.dtype().isBool() ? all.top : whole(all);
        if (!failed() && !peek().empty())
            fail(fmt::format("goes on with '{}'", text_.substr(at_, 20)));
        if (failed())
            return failure(ErrorKind::Unsupported, fmt::format("the size '{}' {}", text_.substr(0, 200), fault_),
                           "export the program again, with fixed sizes");
        return unknown_ ? Expr() : value;
    }

private:
    bool failed() const { return !fault_.empty(); }
    void fail(std::string what) {
        if (fault_.empty())
            fault_ = std::move(what);
    }

    // ---- tokens

    static bool isWord(char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    std::string_view peek() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
        return failed() ? std::string_view() : text_.substr(at_);
    }
    bool accept(std::string_view token) {
        if (!peek().starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }
    void expect(std::string_view token) {
        if (!accept(token))
            fail(fmt::format("has no '{}' where one is expected", token));
    }
    std::string_view word() {
        const std::string_view rest = peek();
        const auto end = std::ranges::find_if_not(rest, isWord);
        const auto size = static_cast<size_t>(end - rest.begin());
        at_ += size;
        return rest.substr(0, size);
    }

    // ---- operators, loosest first

    Fraction comparison() {
        struct Relation {
            std::string_view token;
            Expr (*compare)(Expr, Expr);
        };
        static constexpr auto relations = std::to_array<Relation>({{"<=", arith::le},
                                                                   {">=", arith::ge},
                                                                   {"==", arith::eq},
                                                                   {"!=", arith::ne},
                                                                   {"<", arith::lt},
                                                                   {">", arith::gt}});
        const Fraction left = sum();
        for (const auto& [token, compare] : relations)
            if (accept(token))
                return {compare(whole(left), whole(sum()))};
        return left;
    }

    Fraction sum() {
        Fraction all = product();
        while (!failed()) {
            if (accept("+"))
                all = added(all, product());
            else if (accept("-"))
                all = added(all, negated(product()));
            else
                break;
        }
        return all;
    }

    Fraction product() {
        Fraction all = unary();
        while (!failed()) {
            if (accept("//"))
                all = {floored(all, unary())};
            else if (accept("/"))
                all = over(all, unary());
            else if (accept("%"))
                all = {rest(all, unary())};
            else if (!peek().starts_with("**") && accept("*"))
                all = multiplied(all, unary());
            else
                break;
        }
        return all;
    }

    Fraction unary() {
        const Nested nested(*this);
        if (failed())
            return {};
        if (accept("-"))
            return negated(unary());
        const Fraction base = atom();
        return accept("**") ? raised(base, unary()) : base;
    }

    Fraction atom() {
        if (accept("(")) {
            const Fraction inner = comparison();
            expect(")");
            return inner;
        }
        const std::string_view rest = peek();
        if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9')
            return {number()};
        const std::string_view name = word();
        if (name.empty()) {
            fail("is no expression");
            return {};
        }
        return accept("(") ? function(name) : Fraction{symbol(std::string(name))};
    }

    Expr number() {
        const std::string_view digits = word();
        int64_t value = 0;
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
            fail(fmt::format("has the number '{}', which is none of 64 bits", digits));
        return value;
    }

    Expr symbol(const std::string& name) {
        const Expr value = valueOf_(name);
        unknown_ = unknown_ || !value;
        return value ? value : Expr(1);
    }

    // ---- functions

    Fraction function(std::string_view name) {
        const Nested nested(*this);
        if (failed())
            return {};
        if (name == "Symbol")
            return {declaredSymbol()};
        std::vector<Fraction> arguments;
        if (!accept(")")) {
            do
                arguments.push_back(comparison());
            while (accept(","));
            expect(")");
        }
        return failed() ? Fraction() : called(name, arguments);
    }

    /// Behind "Symbol(".
    Expr declaredSymbol() {
        const std::string_view quote = peek().starts_with("'") ? "'" : "\"";
        expect(quote);
        const std::string name(word());
        expect(quote);
        while (accept(",")) { // what SymPy assumes of it
            word();
            expect("=");
            word();
        }
        expect(")");
        return failed() ? Expr(1) : symbol(name);
    }

    Fraction called(std::string_view name, const std::vector<Fraction>& arguments) {
        struct Function { // of any number of arguments, by two
            std::string_view name;
            Fraction (SizeParser::*combine)(const Fraction&, const Fraction&);
        };
        static constexpr auto folds = std::to_array<Function>({{"Add", &SizeParser::added},
                                                               {"Mul", &SizeParser::multiplied},
                                                               {"Max", &SizeParser::larger},
                                                               {"Min", &SizeParser::smaller}});
        struct Pair { // of two integers
            std::string_view name;
            Expr (*combine)(Expr, Expr);
        };
        static constexpr auto relations = std::to_array<Pair>({{"Equality", arith::eq},
                                                               {"Eq", arith::eq},
                                                               {"Unequality", arith::ne},
                                                               {"Ne", arith::ne},
                                                               {"GreaterThan", arith::ge},
                                                               {"LessThan", arith::le},
                                                               {"StrictGreaterThan", arith::gt},
                                                               {"StrictLessThan", arith::lt}});
        const size_t count = arguments.size();
        if (const auto* fold = std::ranges::find(folds, name, &Function::name); fold != folds.end() && count > 0) {
            Fraction all = arguments[0];
            for (size_t i = 1; i < count; ++i)
                all = (this->*fold->combine)(all, arguments[i]);
            return all;
        }
        if (count == 1) {
            if (name == "Integer" || name == "Identity")
                return arguments[0];
            if (name == "floor")
                return {whole(arguments[0])};
            if (name == "ceiling" || name == "ceil")
                return {-whole(negated(arguments[0]))};
        }
        if (count == 2) {
            if (const auto* found = std::ranges::find(relations, name, &Pair::name); found != relations.end())
                return {found->combine(whole(arguments[0]), whole(arguments[1]))};
            if (name == "FloorDiv" || name == "CleanDiv")
                return {floored(arguments[0], arguments[1])};
            if (name == "CeilDiv")
                return {-floored(negated(arguments[0]), arguments[1])};
            if (name == "Rational" || name == "IntTrueDiv")
                return over(arguments[0], arguments[1]);
            if (name == "Mod" || name == "PythonMod")
                return {rest(arguments[0], arguments[1])};
            if (name == "Pow" || name == "PowByNatural")
                return raised(arguments[0], arguments[1]);
        }
        fail(fmt::format("has the function '{}' of {} values, which is not supported", name, count));
        return {};
    }

    // ---- values

    Fraction checked(const Expr& top, int64_t bottom) {
        constexpr int64_t largest = int64_t{1} << 20; // of a divisor: products of two still fit
        if (!failed() && top->depth > limits::exprDepth)
            fail("is too deep");
        if (!failed() && bottom > largest)
            fail("divides by too large a number");
        return failed() ? Fraction() : Fraction{top, bottom};
    }
    /// The numerator, which a condition has not.
    Expr top(const Fraction& value) {
        if (!failed() && !value.top.dtype().isIndex())
            fail("computes with a condition");
        return failed() ? Expr(0) : value.top;
    }
    /// Rounded down.
    Expr whole(const Fraction& value) {
        const Expr above = top(value);
        return value.bottom == 1 ? above : arith::floorDiv(above, value.bottom);
    }
    Fraction negated(const Fraction& value) { return {-top(value), value.bottom}; }
    Fraction added(const Fraction& a, const Fraction& b) {
        return a.bottom == b.bottom ? checked(top(a) + top(b), a.bottom)
                                    : checked(top(a) * b.bottom + top(b) * a.bottom, a.bottom * b.bottom);
    }
    Fraction multiplied(const Fraction& a, const Fraction& b) { return checked(top(a) * top(b), a.bottom * b.bottom); }
    Fraction larger(const Fraction& a, const Fraction& b) { return checked(arith::max(whole(a), whole(b)), 1); }
    Fraction smaller(const Fraction& a, const Fraction& b) { return checked(arith::min(whole(a), whole(b)), 1); }

    /// By what is never 0.
    Expr divisor(const Fraction& value) {
        const Expr by = whole(value);
        if (!failed() && !unknown_ && arith::bounds(by).lower <= 0)
            fail("divides by what may be 0");
        return failed() || arith::isConst(by, 0) ? Expr(1) : by;
    }
    Expr floored(const Fraction& value, const Fraction& by) {
        const Expr below = divisor(by);
        return checked(arith::floorDiv(top(value), value.bottom == 1 ? below : below * value.bottom), 1).top;
    }
    Expr rest(const Fraction& value, const Fraction& by) {
        return checked(arith::floorMod(whole(value), divisor(by)), 1).top;
    }
    /// Exactly, by a constant.
    Fraction over(const Fraction& value, const Fraction& by) {
        const std::optional<int64_t> known = arith::asInt(top(by));
        if (!known) // what is not divided further is an integer
            return {floored(value, by)};
        constexpr int64_t largest = int64_t{1} << 20;
        if (!failed() && (*known <= 0 || *known > largest))
            fail(fmt::format("divides by {}", *known));
        return failed() ? Fraction() : checked(top(value) * by.bottom, value.bottom * *known);
    }
    Fraction raised(const Fraction& base, const Fraction& exponent) {
        constexpr int64_t most = 8;
        const std::optional<int64_t> known = arith::asInt(whole(exponent));
        if (known == -1)
            return over({1}, base);
        if (!failed() && (!known || *known < 0 || *known > most))
            fail(fmt::format("has a power that is none of 0 to {}", most));
        Fraction all{1};
        for (int64_t i = 0; !failed() && i < *known; ++i)
            all = multiplied(all, base);
        return all;
    }

    /// Counts how deep the text is nested.
    struct Nested {
        explicit Nested(SizeParser& parser) : parser(parser) {
            if (++parser.depth_ > deepest)
                parser.fail("is nested too deep");
        }
        ~Nested() { --parser.depth_; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;
        SizeParser& parser;
    };

    std::string_view text_;
    const SymbolValue& valueOf_;
    size_t at_ = 0;
    int depth_ = 0;
    bool unknown_ = false;
    std::string fault_;
};

/// The symbols of a text that are not known.
std::vector<std::string> unknownIn(std::string_view text, const SymbolValue& valueOf) {
    std::vector<std::string> unknown;
    const SymbolValue note = [&](const std::string& name) {
        Expr value = valueOf(name);
        if (!value && std::ranges::find(unknown, name) == unknown.end())
            unknown.push_back(name);
        return value;
    };
    return parseSize(text, note) ? unknown : std::vector<std::string>();
}

} // namespace

Result<Expr> parseSize(std::string_view text, const SymbolValue& valueOf) {
    return SizeParser(text, valueOf).parse();
}

std::optional<std::string> asSymbol(std::string_view text) {
    std::string only;
    const arith::Var mark = arith::symbol("symbol");
    const Result<Expr> parsed = parseSize(text, [&](const std::string& name) -> Expr {
        only = name;
        return mark;
    });
    return parsed && parsed->same(mark) ? std::optional(only) : std::nullopt;
}

std::optional<Solved> solve(std::string_view text, const Expr& value, const SymbolValue& valueOf) {
    const std::vector<std::string> unknown = unknownIn(text, valueOf);
    if (unknown.size() != 1)
        return std::nullopt;
    const arith::Var x = arith::symbol("x");
    const auto with = [&](const Expr& put) {
        return parseSize(text, [&](const std::string& name) { return name == unknown[0] ? put : valueOf(name); });
    };
    const Result<Expr> general = with(x);
    if (!general || !*general)
        return std::nullopt;
    const std::array<arith::Var, 1> vars{x};
    const std::optional<arith::Affine> affine = arith::asAffine(arith::simplify(*general), vars);
    const std::optional<int64_t> factor =
        affine ? arith::asInt(arith::simplify(affine->coefficients[0])) : std::nullopt;
    if (!factor || *factor <= 0)
        return std::nullopt;
    const Expr solved = arith::simplify(arith::floorDiv(value - affine->base, *factor));
    return Solved{unknown[0], solved, arith::simplify(arith::eq(solved * *factor + affine->base, value))};
}

} // namespace lathe::frontend::torch
