// SPDX-License-Identifier: Apache-2.0
#include "deploy/licence.h"

#include <algorithm>
#include <vector>

namespace lathe::deploy {
namespace {

constexpr int deepest = 20; // parentheses

bool isOfName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/// Names, operators and parentheses; nothing else can be in between but blanks: a word of one character that is none of a name.
std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && isOfName(text[end]))
            ++end;
        end = std::max(end, at + 1);
        if (text[at] != ' ')
            words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

class Parser {
public:
    explicit Parser(std::string_view text) : words_(wordsOf(text)) {}

    bool isWhole() { return expression(0) && at_ == words_.size(); }

private:
    bool accept(std::string_view word) {
        const bool there = at_ < words_.size() && words_[at_] == word;
        at_ += there ? 1 : 0;
        return there;
    }
    bool name() {
        const bool there = at_ < words_.size() && isOfName(words_[at_].front()) && words_[at_] != "AND" &&
                           words_[at_] != "OR" && words_[at_] != "WITH";
        at_ += there ? 1 : 0;
        return there;
    }
    bool one(int depth) {
        if (accept("("))
            return depth < deepest && expression(depth + 1) && accept(")");
        if (!name())
            return false;
        accept("+");
        return !accept("WITH") || name();
    }
    bool expression(int depth) {
        do
            if (!one(depth))
                return false;
        while (accept("AND") || accept("OR"));
        return true;
    }

    std::vector<std::string_view> words_;
    size_t at_ = 0;
};

} // namespace

bool isLicenceExpression(std::string_view text) {
    return Parser(text).isWhole();
}

std::set<std::string> licenceRefsOf(std::string_view expression) {
    std::set<std::string> refs;
    for (const std::string_view word : wordsOf(expression))
        if (word.starts_with("LicenseRef-"))
            refs.emplace(word);
    return refs;
}

} // namespace lathe::deploy
