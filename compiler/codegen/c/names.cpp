// SPDX-License-Identifier: Apache-2.0
#include "codegen/c/names.h"

#include "codegen/c_source.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::codegen {
namespace {

bool isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Keywords of C and C++, what the headers define as macros, and the functions and types that generated code uses.
bool isReserved(const std::string& name) {
    static const std::unordered_set<std::string> reserved = {
        "alignas", "alignof",  "and",       "asm",      "auto",      "bool",    "break",     "case",     "catch",
        "char",    "class",    "compl",     "const",    "continue",  "default", "delete",    "do",       "double",
        "else",    "enum",     "explicit",  "export",   "extern",    "false",   "far",       "float",    "for",
        "friend",  "goto",     "huge",      "if",       "inline",    "int",     "interrupt", "linux",    "long",
        "memcpy",  "memmove",  "memset",    "mutable",  "namespace", "near",    "new",       "not",      "operator",
        "or",      "private",  "protected", "public",   "realloc",   "free",    "register",  "restrict", "return",
        "short",   "signed",   "sizeof",    "static",   "struct",    "switch",  "template",  "this",     "throw",
        "true",    "try",      "typedef",   "typename", "union",     "unix",    "unsigned",  "using",    "virtual",
        "void",    "volatile", "while",     "xor",      "x",         "I",       "isnan",     "isinf",    "errno",
        "assert",  "signbit",  "isfinite",  "status"};
    static const std::unordered_set<std::string> math = {
        "exp",  "log",   "sqrt", "sin",   "cos",   "tan",   "asin",  "acos",      "atan",
        "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh", "erf",   "pow",       "floor",
        "ceil", "trunc", "fabs", "fma",   "fmod",  "log1p", "expm1", "nearbyint", "copysign"};
    const auto isMath = [](std::string_view text) {
        return math.contains(std::string(text)) ||
               (text.ends_with('f') && math.contains(std::string(text.substr(0, text.size() - 1))));
    };
    const auto isMacro = [](std::string_view text) { // INT64_MAX, NAN
        return text.size() > 1 && std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
    };
    return reserved.contains(name) || isMath(name) || isMacro(name) || name.ends_with("_t") ||
           name.starts_with("lathe");
}

std::string collapsed(std::string_view text, size_t most) {
    std::string result;
    for (const char c : text) {
        if (isLetterOrDigit(c))
            result += c;
        else if (!result.empty() && result.back() != '_')
            result += '_';
    }
    result.resize(std::min(result.size(), most));
    while (result.ends_with('_'))
        result.pop_back();
    return result;
}

} // namespace

std::string cIdentifier(std::string_view text) {
    std::string result = collapsed(text, 64);
    return result.empty() ? "model" : result;
}

std::string cUpper(std::string_view identifier) {
    std::string result(identifier);
    for (char& c : result)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return result;
}

std::string cString(std::string_view text) {
    constexpr size_t most = 500; // C99 promises 4095 characters
    std::string result = "\"";
    for (const char c : text.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (isLetterOrDigit(c) || c == ' ' || (byte > 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?'))
            result += c;
        else
            result += fmt::format("\\{:03o}", byte); // always three digits: one that follows is not taken for a fourth
    }
    return result + (text.size() > most ? "...\"" : "\"");
}

std::string cComment(std::string_view text) {
    constexpr size_t most = 200;
    std::string result;
    for (const char c : text.substr(0, most))
        result += isLetterOrDigit(c) || std::string_view(" _.,:;()[]{}<>=+-#'!|&%").find(c) != std::string_view::npos
                      ? c
                      : '_';
    return result + (text.size() > most ? "..." : "");
}

std::string CNames::fresh(std::string_view wanted) {
    std::string base = collapsed(wanted, 40);
    if (base.empty() || (base[0] >= '0' && base[0] <= '9'))
        base = "v" + base;
    if (!isReserved(base) && taken_.insert(base).second)
        return base;
    for (int& number = next_.try_emplace(base, 2).first->second;; ++number) {
        std::string name = fmt::format("{}_{}", base, number);
        if (taken_.insert(name).second) {
            ++number;
            return name;
        }
    }
}

std::string replaced(std::string text, std::initializer_list<std::pair<std::string_view, std::string>> words) {
    for (const auto& [word, value] : words)
        for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
            text.replace(at, word.size(), value);
    return text;
}

const std::string& CNames::define(const void* key, std::string_view wanted) {
    return names_[key] = fresh(wanted);
}

const std::string* CNames::find(const void* key) const {
    const auto found = names_.find(key);
    return found == names_.end() ? nullptr : &found->second;
}

} // namespace lathe::codegen
