// SPDX-License-Identifier: Apache-2.0
#include "deploy/texts.h"

#include "base/result.h"

namespace lathe::deploy {

std::string filled(std::string_view name, const std::map<std::string, std::string>& words) {
    std::string text(textOf(name));
    const auto isKey = [](char c) { return c >= 'A' && c <= 'Z'; };
    for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;) {
        size_t end = at + 1;
        while (end < text.size() && isKey(text[end]))
            ++end;
        if (end == at + 1 || end == text.size() || text[end] != '@') {
            at = end;
            continue;
        }
        const auto word = words.find(text.substr(at + 1, end - at - 1));
        LATHE_ASSERT(word != words.end(), "each word of a bundle's text is known");
        text.replace(at, end + 1 - at, word->second);
        at += word->second.size();
    }
    return text;
}

} // namespace lathe::deploy
