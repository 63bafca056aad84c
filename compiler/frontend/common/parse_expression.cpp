// SPDX-License-Identifier: Apache-2.0
//
// The parser: recursive descent over RE2's syntax, with a limit to nesting.
#include "frontend/common/expression_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace lathe::frontend {
namespace {

using abi::MatchKind;
using Set = std::vector<Letters>;

constexpr int deepest = 200;
constexpr int mostRepeats = 1000;                 // RE2's limit
constexpr int32_t kelvin = 0x212a, longS = 0x17f; // which Unicode folds to k and s

struct NamedSet {
    std::string_view name;
    std::string_view pairs; // first and last of each range
};
constexpr NamedSet namedSets[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", std::string_view("\0\x7f", 2)},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
};

Set setOf(std::string_view pairs) {
    Set set;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
        set.push_back({static_cast<unsigned char>(pairs[i]), static_cast<unsigned char>(pairs[i + 1])});
    return set;
}

/// Sorted, without overlaps.
Set united(Set set) {
    std::ranges::sort(set, {}, &Letters::first);
    Set result;
    for (const Letters& range : set)
        if (!result.empty() && range.first <= result.back().last + 1)
            result.back().last = std::max(result.back().last, range.last);
        else
            result.push_back(range);
    return result;
}

Set allBut(const Set& set) {
    Set result;
    int32_t first = 0;
    for (const Letters& range : united(set)) {
        if (range.first > first)
            result.push_back({first, range.first - 1});
        first = range.last + 1;
    }
    if (first <= lastLetter)
        result.push_back({first, lastLetter});
    return result;
}

void append(const Set& letters, Set& to) {
    to.insert(to.end(), letters.begin(), letters.end());
}

Expression oneOf(Set set) {
    return {.kind = Expression::Kind::OneOf, .letters = united(std::move(set))};
}

Expression conditionOf(MatchKind kind) {
    return {.kind = Expression::Kind::Condition, .condition = kind};
}

class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view text) : text_(text) {}

    Result<Expression> parse() {
        Expression all = choice(0);
        if (!fault_ && at_ < text_.size())
            fail("a ')' without a '('");
        if (fault_)
            return Failure(*std::move(fault_));
        return all;
    }

private:
    struct Flags {
        bool anyCase = false, lines = false, dotIsAll = false;
    };

    std::string_view text_;
    size_t at_ = 0;
    Flags flags_;
    std::optional<Diagnostic> fault_;

    void fail(std::string what, ErrorKind kind = ErrorKind::Invalid, std::string hint = {}) {
        if (fault_)
            return;
        Failure failed = failure(
            kind, fmt::format("the regular expression '{}' at {}: {}", text_, at_, std::move(what)), std::move(hint));
        fault_ = std::move(failed).error();
        at_ = text_.size();
    }

    bool ends() const { return at_ >= text_.size(); }
    bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    bool take(std::string_view what) {
        const bool found = sees(what);
        at_ += found ? what.size() : 0;
        return found;
    }

    /// The next letter, of UTF-8.
    int32_t letter() {
        if (ends()) {
            fail("it ends too early");
            return 0;
        }
        const auto first = static_cast<unsigned char>(text_[at_]);
        const size_t bytes = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        int32_t value = bytes == 1 ? first : first & (0x7f >> bytes);
        bool good = first < 0x80 || (first >= 0xc2 && first <= 0xf4 && bytes <= text_.size() - at_);
        for (size_t i = 1; good && i < bytes; ++i) {
            const auto next = static_cast<unsigned char>(text_[at_ + i]);
            good = (next & 0xc0) == 0x80;
            value = value << 6 | (next & 0x3f);
        }
        if (!good || value > lastLetter) {
            fail("it is no UTF-8");
            return 0;
        }
        at_ += bytes;
        return value;
    }

    /// A set in the case that the flags ask for.
    Set inCase(Set set) {
        if (!flags_.anyCase)
            return set;
        Set folded = set;
        for (const Letters& range : set) {
            if (range.last >= 0x80) {
                fail("letters beyond ASCII without regard to their case are not supported", ErrorKind::Unsupported,
                     "name both cases");
                return set;
            }
            for (int32_t each = range.first; each <= range.last; ++each) {
                const bool isLetter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
                if (isLetter)
                    folded.push_back({each ^ 0x20, each ^ 0x20});
                if (each == 'k' || each == 'K')
                    folded.push_back({kelvin, kelvin});
                if (each == 's' || each == 'S')
                    folded.push_back({longS, longS});
            }
        }
        return folded;
    }

    Expression literal(int32_t value) { return oneOf(inCase({{value, value}})); }

    Expression choice(int depth) {
        if (depth > deepest) {
            fail(fmt::format("it is nested over {} deep", deepest), ErrorKind::Unsupported);
            return {};
        }
        const Flags outside = flags_; // those that are set within a group end with it
        Expression result{.kind = Expression::Kind::Choice};
        do
            result.parts.push_back(sequence(depth));
        while (take("|"));
        flags_ = outside;
        return result.parts.size() == 1 ? std::move(result.parts.front()) : std::move(result);
    }

    Expression sequence(int depth) {
        Expression result;
        while (!ends() && !sees("|") && !sees(")")) {
            if (take("\\Q")) {
                const size_t before = result.parts.size();
                while (!ends() && !take("\\E"))
                    result.parts.push_back(literal(letter()));
                if (result.parts.size() > before) // what is behind repeats the last letter
                    result.parts.back() = repeated(std::move(result.parts.back()));
                continue;
            }
            if (std::optional<Expression> part = atom(depth))
                result.parts.push_back(repeated(*std::move(part)));
        }
        return result;
    }

    /// The part with the repetition behind it.
    Expression repeated(Expression part) {
        for (int count = 0; !ends(); ++count) {
            int least = 0, most = 0;
            const size_t before = at_;
            if (take("*"))
                most = -1;
            else if (take("+"))
                least = 1, most = -1;
            else if (take("?"))
                most = 1;
            else if (!bounds(least, most))
                break;
            if (count > 0) {
                at_ = before;
                fail("a repetition of a repetition");
                break;
            }
            take("?"); // lazy
            part = {.kind = Expression::Kind::Repeated, .parts = {std::move(part)}, .least = least, .most = most};
        }
        return part;
    }

    /// {n}, {n,} or {n,m}; anything else in braces is a literal.
    bool bounds(int& least, int& most) {
        const size_t before = at_;
        const auto number = [&](int& value) {
            const size_t first = at_;
            int64_t read = 0;
            for (; !ends() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
                read = std::min<int64_t>(read * 10 + (text_[at_] - '0'), mostRepeats + 1);
            value = static_cast<int>(read);
            return at_ > first;
        };
        bool good = take("{") && number(least);
        most = least;
        if (good && take(",") && !number(most))
            most = -1;
        good = good && take("}");
        if (!good) {
            at_ = before;
            return false;
        }
        if (least > mostRepeats || most > mostRepeats || (most >= 0 && most < least))
            fail(fmt::format("a repetition must be from a number to a greater one, up to {}", mostRepeats));
        return true;
    }

    /// Nothing for flags, which match nothing.
    std::optional<Expression> atom(int depth) {
        if (take("("))
            return group(depth);
        if (take("["))
            return oneOf(bracket());
        if (take("."))
            return oneOf(flags_.dotIsAll ? Set{{0, lastLetter}} : allBut({{'\n', '\n'}}));
        if (take("^"))
            return conditionOf(flags_.lines ? MatchKind::BeginLine : MatchKind::Begin);
        if (take("$"))
            return conditionOf(flags_.lines ? MatchKind::EndLine : MatchKind::End);
        if (take("\\"))
            return escaped();
        if (sees("*") || sees("+") || sees("?")) {
            fail("a repetition of nothing");
            return std::nullopt;
        }
        return literal(letter());
    }

    std::optional<Expression> group(int depth) {
        const Flags outside = flags_;
        if (take("?")) {
            if (take("P<") || (!sees("<=") && !sees("<!") && take("<"))) {
                const size_t end = text_.find('>', at_);
                if (end == std::string_view::npos || end == at_)
                    fail("a group's name does not end");
                else
                    at_ = end + 1;
            } else if (!take(":") && !flags()) {
                return std::nullopt; // for what follows in the group around
            }
        }
        Expression inside = choice(depth + 1);
        if (!fault_ && !take(")"))
            fail("a ')' is missing");
        flags_ = outside;
        return inside;
    }

    /// "i-s:" or "i-s)"; true if a group follows.
    bool flags() {
        for (bool on = true; !ends();) {
            if (take(")"))
                return false;
            if (take(":"))
                return true;
            if (take("-"))
                on = false;
            else if (take("i"))
                flags_.anyCase = on;
            else if (take("m"))
                flags_.lines = on;
            else if (take("s"))
                flags_.dotIsAll = on;
            else if (!take("U")) // which end of a repetition is preferred
                break;
        }
        fail("a group of an unknown kind: '(?'");
        return false;
    }

    /// \d and the like; nothing if it is none.
    std::optional<Set> shortSet() {
        constexpr NamedSet sets[] = {{"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZ__az"}};
        constexpr NamedSet others[] = {{"D", "09"}, {"S", "\t\n\f\r  "}, {"W", "09AZ__az"}};
        for (const NamedSet& set : sets)
            if (take(set.name))
                return setOf(set.pairs);
        for (const NamedSet& set : others)
            if (take(set.name))
                return allBut(setOf(set.pairs));
        if (sees("p") || sees("P"))
            fail("classes by properties of Unicode ('\\p') are not supported", ErrorKind::Unsupported,
                 "name the letters in brackets");
        return std::nullopt;
    }

    Expression escaped() {
        if (take("A"))
            return conditionOf(MatchKind::Begin);
        if (take("z"))
            return conditionOf(MatchKind::End);
        if (take("b"))
            return conditionOf(MatchKind::Word);
        if (take("B"))
            return conditionOf(MatchKind::NoWord);
        if (take("C"))
            return {.kind = Expression::Kind::AnyByte};
        if (std::optional<Set> set = shortSet())
            return oneOf(*std::move(set));
        return literal(escapedLetter());
    }

    int32_t escapedLetter() {
        constexpr std::string_view names = "aftnrv", values = "\a\f\t\n\r\v";
        const int32_t name = letter();
        if (name == 'x')
            return hexadecimal();
        if (name == '0' || (name >= '1' && name <= '7' && !ends() && text_[at_] >= '0' && text_[at_] <= '7')) {
            int32_t value = name - '0';
            for (int i = 0; i < 2 && !ends() && text_[at_] >= '0' && text_[at_] <= '7'; ++i)
                value = value * 8 + (text_[at_++] - '0');
            return value;
        }
        if (name >= '1' && name <= '9')
            fail("references to groups are not regular");
        if (name < 0x80 && names.contains(static_cast<char>(name)))
            return values[names.find(static_cast<char>(name))];
        const bool isWord =
            (name >= '0' && name <= '9') || (name >= 'a' && name <= 'z') || (name >= 'A' && name <= 'Z');
        if (isWord || name >= 0x80)
            fail("an unknown escape");
        return name;
    }

    int32_t hexadecimal() {
        const bool braces = take("{");
        int32_t value = 0;
        int count = 0;
        for (; !ends() && count < (braces ? 6 : 2); ++count, ++at_) {
            const char digit = text_[at_];
            if (digit >= '0' && digit <= '9')
                value = value * 16 + (digit - '0');
            else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
                value = value * 16 + ((digit | 0x20) - 'a' + 10);
            else
                break;
        }
        if ((braces ? count == 0 || !take("}") : count != 2) || value > lastLetter)
            fail("a malformed '\\x'");
        return value;
    }

    Set bracket() {
        const bool negated = take("^");
        Set set;
        for (bool isFirst = true; !fault_ && (isFirst || !take("]")); isFirst = false) {
            if (ends()) {
                fail("a ']' is missing");
                break;
            }
            if (take("[:")) {
                addNamed(set);
                continue;
            }
            if (take("\\")) {
                if (const std::optional<Set> shortened = shortSet())
                    append(*shortened, set);
                else
                    addRange(set, escapedLetter());
                continue;
            }
            addRange(set, letter());
        }
        return negated ? allBut(set) : set;
    }

    void addRange(Set& set, int32_t first) {
        int32_t last = first;
        if (sees("-") && !sees("-]")) {
            take("-");
            last = take("\\") ? escapedLetter() : letter();
        }
        if (last < first)
            fail("a range that ends before it begins");
        append(inCase({{first, last}}), set);
    }

    void addNamed(Set& set) {
        const size_t end = text_.find(":]", at_);
        std::string_view name = end == std::string_view::npos ? std::string_view() : text_.substr(at_, end - at_);
        const bool negated = name.starts_with('^');
        name.remove_prefix(negated ? 1 : 0);
        const auto found = std::ranges::find(namedSets, name, &NamedSet::name);
        if (found == std::end(namedSets))
            return fail(fmt::format("an unknown class '[:{}:]'", name));
        at_ = end + 2;
        append(negated ? allBut(setOf(found->pairs)) : inCase(setOf(found->pairs)), set);
    }
};

} // namespace

Result<Expression> parseExpression(std::string_view text) {
    return ExpressionParser(text).parse();
}

} // namespace lathe::frontend
