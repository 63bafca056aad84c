// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "base/result.h"

#include <cstdint>

namespace lathe::report {
namespace {

/// Length of the well-formed UTF-8 sequence of a printable character at the beginning; 0: there is none.
size_t sequence(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80)
        return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : byte(0) == '\n' || byte(0) == '\t' ? 1 : 0;
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
    // What turns the direction of the text around it.
    const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < least[length] || code > 0x10ffff || control || surrogate || noncharacter || turns ? 0 : length;
}

} // namespace

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        size_t length = sequence(text);
        if (length == 0) {
            result += "\xef\xbf\xbd";
            length = 1;
        } else if (text[0] == '&') {
            result += "&amp;";
        } else if (text[0] == '<') {
            result += "&lt;";
        } else if (text[0] == '>') {
            result += "&gt;";
        } else if (text[0] == '"') {
            result += "&quot;";
        } else if (text[0] == '\'') {
            result += "&#39;";
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return result;
}

std::string bounded(std::string_view text) {
    constexpr size_t most = 2000; // bytes
    return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + " …";
}

void Html::start(std::string_view tag, Attributes attributes) {
    page_ += '<';
    page_ += tag;
    for (const auto& [name, value] : attributes) {
        page_ += ' ';
        page_ += name;
        page_ += "=\"";
        page_ += escaped(value);
        page_ += '"';
    }
}

Html& Html::open(std::string_view tag, Attributes attributes) {
    start(tag, attributes);
    page_ += '>';
    open_.emplace_back(tag);
    return *this;
}

Html& Html::close() {
    LATHE_ASSERT(!open_.empty(), "an element is open");
    const std::string tag = std::move(open_.back());
    open_.pop_back();
    page_ += "</" + tag + ">";
    if (tag != "span" && tag != "a" && tag != "code" && tag != "b")
        page_ += '\n';
    return *this;
}

Html& Html::text(std::string_view text) {
    page_ += escaped(bounded(text));
    return *this;
}

Html& Html::element(std::string_view tag, std::string_view content, Attributes attributes) {
    return open(tag, attributes).text(content).close();
}

Html& Html::empty(std::string_view tag, Attributes attributes) {
    start(tag, attributes);
    page_ += "/>\n";
    return *this;
}

Html& Html::verbatim(std::string_view tag, std::string_view content) {
    open(tag);
    page_ += content;
    return close();
}

std::string Html::finish() {
    LATHE_ASSERT(open_.empty(), "all elements are closed");
    return std::move(page_);
}

} // namespace lathe::report
