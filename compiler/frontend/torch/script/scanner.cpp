// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/scanner.h"

#include "base/limits.h"

#include <fmt/format.h>

#include <charconv>

namespace lathe::frontend::torch::script {
namespace {

bool beginsName(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    Result<std::vector<Token>> run() {
        while (at_ < text_.size() && fault_.empty())
            step();
        if (fault_.empty() && brackets_ > 0)
            fault_ = "the text ends within a bracket";
        if (!fault_.empty())
            return failure(fmt::format("line {}: {}", line_, fault_), "the file is damaged; copy or save it again");
        endLine();
        for (; indents_.size() > 1; indents_.pop_back())
            add(Token::Kind::Dedent);
        add(Token::Kind::End);
        return std::move(tokens_);
    }

private:
    char next(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    Token& add(Token::Kind kind) { return tokens_.emplace_back(Token{.kind = kind, .line = line_}); }

    void endLine() {
        if (!tokens_.empty() && isMidLine_)
            add(Token::Kind::Line);
        isMidLine_ = false;
    }

    void step() {
        const char c = next();
        if (c == '\n' || c == '\r') {
            ++at_;
            if (c == '\r')
                return;
            if (brackets_ == 0)
                endLine();
            ++line_;
            return;
        }
        if (c == ' ' || c == '\t') {
            const size_t begin = at_;
            while (next() == ' ' || next() == '\t')
                ++at_;
            if (begin > 0 && text_[begin - 1] == '\n' && brackets_ == 0)
                spaces_ = at_ - begin;
            return;
        }
        if (c == '#') {
            while (at_ < text_.size() && next() != '\n')
                ++at_;
            return;
        }
        if (!isMidLine_ && brackets_ == 0)
            indent(at_ > 0 && text_[at_ - 1] != '\n' ? spaces_ : 0);
        isMidLine_ = true;
        if (beginsName(c))
            takeName();
        else if (isDigit(c) || (c == '.' && isDigit(next(1))))
            takeNumber();
        else if (c == '"' || c == '\'')
            takeText(c);
        else
            takeSign(c);
    }

    void indent(size_t spaces) {
        if (spaces > indents_.back()) {
            indents_.push_back(spaces);
            add(Token::Kind::Indent);
        }
        while (spaces < indents_.back()) {
            indents_.pop_back();
            add(Token::Kind::Dedent);
        }
        if (spaces != indents_.back())
            fault_ = "the line is indented as none before it";
    }

    void takeName() {
        const size_t begin = at_;
        while (beginsName(next()) || isDigit(next()))
            ++at_;
        add(Token::Kind::Name).text = text_.substr(begin, at_ - begin);
    }

    void takeNumber() {
        const size_t begin = at_;
        bool isWhole = true;
        while (isDigit(next()) || next() == '.' || next() == 'e' || next() == 'E' ||
               ((next() == '-' || next() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))) {
            isWhole = isWhole && isDigit(next());
            ++at_;
        }
        if (next() == 'j') {
            fault_ = "complex numbers are not supported";
            return;
        }
        const char *first = text_.data() + begin, *last = text_.data() + at_;
        Token& token = add(isWhole ? Token::Kind::Int : Token::Kind::Float);
        uint64_t whole = 0;
        const bool hasSign = begin > 0 && text_[begin - 1] == '-';
        const auto read = isWhole ? std::from_chars(first, last, whole) : std::from_chars(first, last, token.real);
        token.whole = static_cast<int64_t>(whole);
        if (read.ec != std::errc() || read.ptr != last || whole >= (uint64_t{1} << 63) + (hasSign ? 1 : 0))
            fault_ = fmt::format("'{}' is no number", std::string_view(first, last).substr(0, 40));
    }

    /// As c10::printQuotedString writes it.
    void takeText(char quote) {
        std::string text;
        ++at_;
        while (at_ < text_.size() && next() != quote && next() != '\n') {
            const char c = text_[at_++];
            text += c == '\\' ? escaped() : c;
        }
        if (next() != quote)
            fault_ = "a string has no end";
        if (text.size() > limits::sequenceParts)
            fault_ = fmt::format("a string has more than {} letters", limits::sequenceParts);
        ++at_;
        add(Token::Kind::Text).text = std::move(text);
    }
    char escaped() {
        const char c = next();
        ++at_;
        constexpr std::string_view names = "abfnrtv", controls = "\a\b\f\n\r\t\v";
        if (const size_t known = names.find(c); known != std::string_view::npos)
            return controls[known];
        const int base = c == 'x' ? 16 : 8;
        if (c != 'x' && !isDigit(c))
            return c;
        const size_t begin = c == 'x' ? at_ : at_ - 1;
        unsigned code = 0;
        const char* last = text_.data() + std::min(begin + (c == 'x' ? 2 : 3), text_.size());
        const auto read = std::from_chars(text_.data() + std::min(begin, text_.size()), last, code, base);
        at_ = static_cast<size_t>(read.ptr - text_.data());
        return static_cast<char>(code);
    }

    void takeSign(char c) {
        constexpr std::string_view open = "([{", close = ")]}", others = ":,.=-+*<>!@%&|^~/;";
        if (open.contains(c))
            ++brackets_;
        else if (close.contains(c) && brackets_-- == 0)
            fault_ = "a bracket is closed that was not opened";
        else if (!close.contains(c) && !others.contains(c))
            fault_ = fmt::format("character {:#04x} is not expected", static_cast<unsigned char>(c));
        const size_t length = c == '-' && next(1) == '>' ? 2 : 1;
        add(Token::Kind::Sign).text = text_.substr(at_, length);
        at_ += length;
    }

    std::string_view text_;
    size_t at_ = 0;
    int32_t line_ = 1;
    int brackets_ = 0;
    bool isMidLine_ = false;
    size_t spaces_ = 0; // before the first word of the line
    std::vector<size_t> indents_{0};
    std::string fault_;
    std::vector<Token> tokens_;
};

} // namespace

Result<std::vector<Token>> scanCode(std::string_view text) {
    return Scanner(text).run();
}

} // namespace lathe::frontend::torch::script
