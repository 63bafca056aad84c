// SPDX-License-Identifier: Apache-2.0
//
// Text from outside in C: models name values, nodes and kernels by any bytes, which must neither end a comment or a literal
// nor mean anything to a compiler.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lathe::codegen {

/// Upper case, for macros.
std::string cUpper(std::string_view identifier);
/// A string literal with its quotes, of at most as many bytes as C99 promises that compilers take.
std::string cString(std::string_view text);
/// For a comment: printable ASCII on one line, nothing that ends or begins a comment.
std::string cComment(std::string_view text);

/// The text with each word replaced by its value, one pair after the other.
std::string replaced(std::string text, std::initializer_list<std::pair<std::string_view, std::string>> words);

/// Identifiers of one function, each different from the others and from all that C and its library give a meaning to.
class CNames {
public:
    /// What is to stand for the object at `key` from here on, by a name like `wanted`.
    const std::string& define(const void* key, std::string_view wanted);
    /// Null: it was not defined.
    const std::string* find(const void* key) const;
    std::string fresh(std::string_view wanted);

private:
    std::unordered_map<const void*, std::string> names_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int> next_;
};

} // namespace lathe::codegen
