// SPDX-License-Identifier: Apache-2.0
#include "data/npy_text.h"

#include "base/limits.h"
#include "data/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace lathe::data {
namespace {

constexpr uint64_t widest = uint64_t{1} << 40;
constexpr size_t letterBytes = 4;

void appendUtf8(uint32_t letter, std::string& to) {
    const auto rest = [&](int shift) { to += static_cast<char>(0x80 | ((letter >> shift) & 0x3f)); };
    if (letter < 0x80) {
        to += static_cast<char>(letter);
    } else if (letter < 0x800) {
        to += static_cast<char>(0xc0 | letter >> 6);
        rest(0);
    } else if (letter < 0x10000) {
        to += static_cast<char>(0xe0 | letter >> 12);
        rest(6);
        rest(0);
    } else {
        to += static_cast<char>(0xf0 | letter >> 18);
        rest(12);
        rest(6);
        rest(0);
    }
}

bool isLetter(uint32_t value) {
    return value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

/// Nothing: it is no UTF-8.
std::optional<std::vector<uint32_t>> lettersOf(std::string_view text) {
    std::vector<uint32_t> letters;
    for (size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const size_t bytes = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        uint32_t value = bytes == 1 ? first : first & (0x7fU >> bytes);
        bool good = (first < 0x80 || (first >= 0xc2 && first <= 0xf4)) && bytes <= text.size() - at;
        for (size_t i = 1; good && i < bytes; ++i) {
            const auto next = static_cast<unsigned char>(text[at + i]);
            good = (next & 0xc0) == 0x80;
            value = value << 6 | (next & 0x3fU);
        }
        if (!good || value < least[bytes] || !isLetter(value))
            return std::nullopt;
        letters.push_back(value);
        at += bytes;
    }
    return letters;
}

/// How an array holds strings.
struct Stored {
    std::vector<std::vector<uint32_t>> letters; // of all strings, if they are UTF-8; else none
    NpyText type;
    uint64_t bytes = 0;
};

Result<Stored> stored(const std::vector<std::string>& strings) {
    Stored all{.letters = {}, .type = {.unicode = true, .turned = false, .width = 1}, .bytes = 0};
    size_t longest = 1;
    for (const std::string& text : strings) {
        if (text.ends_with('\0'))
            return failure("a string ends with a byte of 0, which no array of NumPy can hold");
        longest = std::max(longest, text.size());
        std::optional<std::vector<uint32_t>> letters = all.type.unicode ? lettersOf(text) : std::nullopt;
        all.type.unicode = letters.has_value();
        if (!letters)
            continue;
        all.type.width = std::max<uint64_t>(all.type.width, letters->size());
        all.letters.push_back(*std::move(letters));
    }
    if (!all.type.unicode) {
        all.letters.clear();
        all.type.width = longest;
    }
    const uint64_t most = limits::npyTextBytes, each = all.type.width * (all.type.unicode ? letterBytes : 1);
    if (!strings.empty() && each > most / strings.size())
        return failure(fmt::format("{} strings, which a .npy file holds all as long as the longest, would take over {} "
                                   "bytes",
                                   strings.size(), most));
    all.bytes = each * strings.size();
    return all;
}

} // namespace

std::optional<int64_t> NpyText::bytes() const {
    return width <= widest ? std::optional(static_cast<int64_t>(width * (unicode ? letterBytes : 1))) : std::nullopt;
}

std::optional<NpyText> npyTextOf(std::string_view code) {
    if (code.size() < 3 || !std::string_view("<>|=").contains(code[0]) || (code[1] != 'U' && code[1] != 'S'))
        return std::nullopt;
    NpyText type{.unicode = code[1] == 'U', .turned = code[0] == '>'};
    const char* const end = code.data() + code.size();
    const auto [at, status] = std::from_chars(code.data() + 2, end, type.width);
    return status == std::errc() && at == end ? std::optional(type) : std::nullopt;
}

std::optional<std::vector<std::string>> stringsOf(const NpyText& type, std::span<const std::byte> elements) {
    const auto bytes = static_cast<size_t>(type.bytes().value_or(0));
    std::vector<std::string> strings;
    for (size_t at = 0; bytes > 0 && at + bytes <= elements.size(); at += bytes) {
        std::string& text = strings.emplace_back();
        if (!type.unicode) {
            text.assign(reinterpret_cast<const char*>(elements.data()) + at, bytes);
        } else {
            for (size_t i = 0; i < bytes; i += letterBytes) {
                uint32_t letter = 0;
                std::memcpy(&letter, elements.data() + at + i, letterBytes);
                letter = type.turned ? __builtin_bswap32(letter) : letter;
                if (!isLetter(letter))
                    return std::nullopt;
                appendUtf8(letter, text);
            }
        }
        text.erase(text.find_last_not_of('\0') + 1);
    }
    return strings;
}

Result<uint64_t> npyBytesOf(const std::vector<std::string>& strings) {
    LATHE_TRY(const Stored all, stored(strings));
    return all.bytes;
}

Result<std::string> npyOfStrings(std::span<const int64_t> shape, const std::vector<std::string>& strings) {
    LATHE_TRY(const Stored all, stored(strings));
    const size_t width = all.type.width;
    std::string file = npyPrefix(fmt::format("{}{}", all.type.unicode ? "<U" : "|S", width), shape);
    const size_t begin = file.size();
    file.resize(begin + all.bytes);
    for (size_t i = 0; i < all.letters.size(); ++i)
        if (!all.letters[i].empty())
            std::memcpy(file.data() + begin + i * width * letterBytes, all.letters[i].data(),
                        all.letters[i].size() * letterBytes);
    for (size_t i = 0; i < strings.size() && !all.type.unicode; ++i)
        strings[i].copy(file.data() + begin + i * width, width);
    return file;
}

} // namespace lathe::data
