// SPDX-License-Identifier: Apache-2.0
//
// Characters to words, numbers and punctuation, for every parser of the IRs' texts. Input is hostile. The first error
// sticks, with its line; after it everything reads as absent, so that parsers need no check after each step.
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace lathe::arith {

/// Names in text: a letter or '_', then letters, digits, '_', '.'.
bool isWordStart(char c);
bool isWordPart(char c);
bool isDigit(char c);

class Scanner {
public:
    /// What may stand between words; a comment goes on to the end of its line.
    struct Blanks {
        std::string_view characters = " \t\r\n";
        std::optional<char> comment = {};
    };
    /// What a quoted text may hold beside plain characters.
    struct Quoting {
        bool hex = false;      // \xNN
        bool any = false;      // a backslash before any other character, which then stands for itself
        bool newlines = false; // \n for a line's end
        bool lines = false;    // ends of lines as they are
    };

    explicit Scanner(std::string_view text) : Scanner(text, Blanks{}) {}
    Scanner(std::string_view text, Blanks blanks) : text_(text), blanks_(blanks) {}

    bool failed() const { return error_.has_value(); }
    const Diagnostic& error() const { return *error_; }
    void fail(std::string what) { fail(std::move(what), line_); }
    void fail(std::string what, int line);
    int line() const { return line_; }

    void skipBlanks();
    bool atEnd();
    /// Whether the text goes on with `token` (after blanks); accept also moves on, expect fails if it does not.
    bool at(std::string_view token);
    bool accept(std::string_view token);
    void expect(std::string_view token);
    bool atWord(std::string_view word);
    /// Whether a digit or '-', or the start of a word, comes next.
    bool atInteger();
    bool atName();

    /// Empty (and an error) if there is none.
    std::string word();
    int64_t integer();
    /// The operator, bracket or separator that comes next, as long as it can be: "<=" and not "<". Empty if there is
    /// none.
    std::string_view punctuation();
    /// What follows an opening quote, up to the closing one, which is read too. False, and no error yet, if it is
    /// malformed.
    bool quotedRest(char quote, Quoting quoting, std::string& result);

    /// Without skipping blanks: whether `c` comes next, and reading by the character.
    bool next(char c) const { return rest().starts_with(c); }
    std::string_view take(size_t count);
    std::string_view takeWhile(bool (*belongs)(char));

    /// Guards recursion: false and an error beyond limits::textNesting.
    bool enter() { return enter(line_); }
    bool enter(int line);
    void leave() { --depth_; }

protected:
    /// What was not read yet; nothing after an error.
    std::string_view rest() const { return failed() ? std::string_view() : text_.substr(position_); }

private:
    std::string_view text_;
    Blanks blanks_;
    size_t position_ = 0;
    int line_ = 1, depth_ = 0;
    std::optional<Diagnostic> error_;
};

} // namespace lathe::arith
