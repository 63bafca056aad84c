// SPDX-License-Identifier: Apache-2.0
//
// Names in the text of loop IR: unique within a function (suffix _1, _2 … on a clash) and quoted with backticks where
// they are no plain identifier, so that text can be read back whatever a model calls its tensors.
#pragma once

#include "tir/ir.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lathe::tir {

const char* nameOf(ForKind kind);
const char* nameOf(IterKind kind);
const char* nameOf(CheckKind kind);
const char* nameOf(Scope scope);

/// `name` as the text has it: bare if it is an identifier and no word of the language, otherwise in backticks with \xNN
/// for backticks, backslashes and control characters.
std::string quoteName(std::string_view name);
/// "text" with \xNN for quotes, backslashes and control characters.
std::string quoteText(std::string_view text);

/// Words that start statements or stand for values; they cannot be bare names.
bool isReserved(std::string_view word);

/// Gives each object a name of its own, in constant time.
class NameTable {
public:
    /// The quoted, unique name of `object`, made from `wanted` when first asked for.
    const std::string& nameOf(const void* object, const std::string& wanted);
    bool contains(const void* object) const { return names_.contains(object); }

private:
    std::unordered_map<const void*, std::string> names_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, int> next_; // suffix to try for a wanted name
};

} // namespace lathe::tir
