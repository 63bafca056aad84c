// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "base/printable.h"
#include "base/result.h"

namespace lathe::report {

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        size_t length = text[0] == '\n' || text[0] == '\t' ? 1 : printableSequence(text);
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
