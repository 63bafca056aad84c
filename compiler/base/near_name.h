// SPDX-License-Identifier: Apache-2.0
//
// What a misspelt name was perhaps meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lathe {

/// ": did you mean 'x'?", to be put behind what is said of the word; nothing where none of the names is near it, and of a word
/// that is longer than names are.
std::string nearName(std::string_view word, std::span<const std::string> names);

} // namespace lathe
