// SPDX-License-Identifier: Apache-2.0
//
// Letters and pieces of text.
#include "runtime/text.h"

#include "runtime/letter_case.h"

#include <algorithm>

namespace lathe::runtime {

namespace {

struct Letter {
    int32_t value; // -1: no UTF-8
    size_t bytes;
};

Letter letterAt(std::string_view text, size_t at) {
    const auto byte = [&](size_t index) { return static_cast<uint8_t>(text[index]); };
    const uint8_t first = byte(at);
    if (first < 0x80)
        return {first, 1};
    const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    constexpr int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4 || bytes > text.size() - at)
        return {-1, 1};
    int32_t value = first & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80)
            return {-1, 1};
        value = value << 6 | (byte(at + i) & 0x3f);
    }
    const bool isOne = value >= least[bytes] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    return isOne ? Letter{value, bytes} : Letter{-1, 1};
}

void appendLetter(int32_t value, std::string& to) {
    const auto rest = [&](int shift) { to += static_cast<char>(0x80 | ((value >> shift) & 0x3f)); };
    if (value < 0x80) {
        to += static_cast<char>(value);
    } else if (value < 0x800) {
        to += static_cast<char>(0xc0 | value >> 6);
        rest(0);
    } else if (value < 0x10000) {
        to += static_cast<char>(0xe0 | value >> 12);
        rest(6);
        rest(0);
    } else {
        to += static_cast<char>(0xf0 | value >> 18);
        rest(12);
        rest(6);
        rest(0);
    }
}

template <class Change>
void appendChanged(std::string_view text, std::string& to, Change change) {
    for (size_t at = 0; at < text.size();) {
        const Letter letter = letterAt(text, at);
        if (letter.value < 0)
            to += text[at];
        else
            appendLetter(change(letter.value), to);
        at += letter.bytes;
    }
}

/// Characters of Unicode's property White_Space, and those that separate in ASCII: what str.split() of Python takes.
bool isSpace(int32_t letter) {
    return (letter >= 0x09 && letter <= 0x0d) || (letter >= 0x1c && letter <= 0x20) || letter == 0x85 ||
           letter == 0xa0 || letter == 0x1680 || (letter >= 0x2000 && letter <= 0x200a) || letter == 0x2028 ||
           letter == 0x2029 || letter == 0x202f || letter == 0x205f || letter == 0x3000;
}

size_t placeIn(std::string_view text, int64_t place) {
    return static_cast<size_t>(std::clamp<int64_t>(place, 0, static_cast<int64_t>(text.size())));
}

/// The first letter from `at` on that is white space, or is none; the text's size if there is no such.
int64_t firstLetter(std::string_view text, size_t at, bool space) {
    while (at < text.size()) {
        const Letter letter = letterAt(text, at);
        if (isSpace(letter.value) == space)
            break;
        at += letter.bytes;
    }
    return static_cast<int64_t>(at);
}

} // namespace

void appendLower(std::string_view text, std::string& to) {
    appendChanged(text, to, lowerOf);
}

void appendUpper(std::string_view text, std::string& to) {
    appendChanged(text, to, upperOf);
}

void appendAsciiLower(std::string_view text, std::string& to) {
    for (const char byte : text)
        to += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

void appendAsciiUpper(std::string_view text, std::string& to) {
    for (const char byte : text)
        to += byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
}

std::string_view partOf(std::string_view text, int64_t begin, int64_t end) {
    const size_t first = placeIn(text, begin), last = placeIn(text, end);
    return first < last ? text.substr(first, last - first) : std::string_view();
}

int64_t skipTo(std::string_view text, std::string_view delimiter, int64_t begin) {
    const size_t at = placeIn(text, begin);
    return delimiter.empty() ? firstLetter(text, at, false) : static_cast<int64_t>(at);
}

int64_t endOfPiece(std::string_view text, std::string_view delimiter, int64_t begin) {
    const size_t at = placeIn(text, begin);
    if (delimiter.empty())
        return firstLetter(text, at, true);
    const size_t found = text.find(delimiter, at);
    return static_cast<int64_t>(found == std::string_view::npos ? text.size() : found);
}

} // namespace lathe::runtime
