// SPDX-License-Identifier: Apache-2.0
//
// HTML and SVG as they are written: tags are closed in their order, and whatever comes from a model is escaped. There is no way
// to write text that is not.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::report {

/// As it may stand between tags and in quoted attributes. What is no UTF-8, and characters that no page may hold, become
/// U+FFFD.
std::string escaped(std::string_view text);

/// Its beginning, if it is very long: names of models have no limit.
std::string bounded(std::string_view text);

class Html {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    Html& open(std::string_view tag, Attributes attributes = {});
    /// The element that was opened last and is still open.
    Html& close();
    /// `bounded` first.
    Html& text(std::string_view text);
    /// open, text, close.
    Html& element(std::string_view tag, std::string_view text, Attributes attributes = {});
    /// An element without content: <circle …/>.
    Html& empty(std::string_view tag, Attributes attributes = {});
    /// A style or a script of ours, as it is.
    Html& verbatim(std::string_view tag, std::string_view content);

    /// The page so far; all elements must be closed.
    std::string finish();

private:
    void start(std::string_view tag, Attributes attributes);

    std::string page_ = "<!DOCTYPE html>\n";
    std::vector<std::string> open_;
};

} // namespace lathe::report
