// SPDX-License-Identifier: Apache-2.0
//
// Text by the word.
#include "arith/scanner.h"

#include "base/limits.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lathe::arith {

namespace {

constexpr std::string_view longPunctuation[] = {"==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->"};
constexpr std::string_view shortPunctuation = "(){}[],;:=<>+-*/%&|^!~@";

} // namespace

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isWordPart(char c) {
    return isWordStart(c) || isDigit(c) || c == '.';
}

void Scanner::fail(std::string what, int line) {
    if (error_)
        return;
    error_ = lathe::error(std::move(what));
    error_->line = line;
}

std::string_view Scanner::take(size_t count) {
    std::string_view taken = rest().substr(0, count);
    line_ += static_cast<int>(std::ranges::count(taken, '\n'));
    position_ += taken.size();
    return taken;
}

std::string_view Scanner::takeWhile(bool (*belongs)(char)) {
    std::string_view all = rest();
    return take(static_cast<size_t>(std::ranges::find_if_not(all, belongs) - all.begin()));
}

void Scanner::skipBlanks() {
    for (;;) {
        std::string_view all = rest();
        take(std::min(all.find_first_not_of(blanks_.characters), all.size()));
        if (!blanks_.comment || !next(*blanks_.comment))
            return;
        all = rest();
        take(std::min(all.find('\n'), all.size()));
    }
}

bool Scanner::atEnd() {
    skipBlanks();
    return rest().empty();
}

bool Scanner::at(std::string_view token) {
    skipBlanks();
    return !failed() && rest().starts_with(token);
}

bool Scanner::accept(std::string_view token) {
    if (!at(token))
        return false;
    take(token.size());
    return true;
}

void Scanner::expect(std::string_view token) {
    if (!accept(token))
        fail(fmt::format("expected '{}'", token));
}

bool Scanner::atWord(std::string_view word) {
    return at(word) && (rest().size() == word.size() || !isWordPart(rest()[word.size()]));
}

bool Scanner::atInteger() {
    skipBlanks();
    return !rest().empty() && (isDigit(rest().front()) || rest().front() == '-');
}

bool Scanner::atName() {
    skipBlanks();
    return !rest().empty() && isWordStart(rest().front());
}

std::string Scanner::word() {
    if (!atName()) {
        fail("expected a name");
        return {};
    }
    return std::string(takeWhile(isWordPart));
}

int64_t Scanner::integer() {
    skipBlanks();
    int64_t value = 0;
    std::string_view all = rest();
    auto [end, status] = std::from_chars(all.data(), all.data() + all.size(), value);
    if (status != std::errc())
        fail("expected an integer");
    else
        take(static_cast<size_t>(end - all.data()));
    return value;
}

std::string_view Scanner::punctuation() {
    skipBlanks();
    std::string_view all = rest();
    for (std::string_view two : longPunctuation)
        if (all.starts_with(two))
            return two;
    bool known = !all.empty() && shortPunctuation.contains(all.front());
    return all.substr(0, known ? 1 : 0);
}

bool Scanner::quotedRest(char quote, Quoting quoting, std::string& result) {
    while (!rest().empty() && (quoting.lines || !next('\n'))) {
        char c = take(1).front();
        if (c == quote)
            return true;
        if (c == '\\' && quoting.hex && next('x')) {
            unsigned code = 0;
            std::string_view digits = rest().substr(1, 2);
            auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            if (status != std::errc() || end != digits.data() + 2)
                return false;
            take(3);
            result += static_cast<char>(code);
            continue;
        }
        if (c == '\\') {
            if (!quoting.any || rest().empty())
                return false;
            c = take(1).front();
            if (quoting.newlines && c == 'n')
                c = '\n';
        }
        result += c;
    }
    return false;
}

bool Scanner::enter(int line) {
    if (++depth_ > limits::textNesting)
        fail(fmt::format("brackets are nested over {} deep", limits::textNesting), line);
    return !failed();
}

} // namespace lathe::arith
