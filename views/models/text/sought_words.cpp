// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/sought_words.h"

#include <algorithm>

namespace lathe::views::models {

bool SoughtWords::allIn(const QString& text) const {
    return std::ranges::all_of(words_, [&](const QString& word) { return text.contains(word, letters_); });
}

bool SoughtWords::anyIn(const QString& text) const {
    return std::ranges::any_of(words_, [&](const QString& word) { return text.contains(word, letters_); });
}

} // namespace lathe::views::models
