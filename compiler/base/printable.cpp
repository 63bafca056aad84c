// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <cstdint>
#include <fmt/format.h>

namespace lathe {

size_t printableSequence(std::string_view text) {
    if (text.empty())
        return 0;
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80)
        return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
    const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length)
        return 0;
    uint32_t code = byte(0) & (0x7fU >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool control = code < 0xa0, surrogate = code >= 0xd800 && code < 0xe000;
    const bool noncharacter = (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code < 0xfdf0);
    const bool breaks = code == 0x2028 || code == 0x2029;
    // What turns the direction of the text around it.
    const bool turns = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                       (code >= 0x2066 && code <= 0x2069);
    return code < least[length] || code > 0x10ffff || control || surrogate || noncharacter || breaks || turns ? 0
                                                                                                              : length;
}

std::string printable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const size_t length = printableSequence(text);
        if (length > 0)
            result += text.substr(0, length);
        else if (text[0] == '\n')
            result += "\\n";
        else if (text[0] == '\t')
            result += "\\t";
        else
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(length > 0 ? length : 1);
    }
    return result;
}

} // namespace lathe
