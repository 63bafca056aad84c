// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/source_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

using Pickled = PickleValue::Kind;

bool isTuple(const PickleValue& value, size_t least) {
    return value.kind == Pickled::Tuple && value.items.size() >= least;
}

std::string_view textAt(const PickleValue& table, const PickleValue& index) {
    if (index.kind != Pickled::Int || index.whole < 0 || index.whole >= std::ssize(table.items))
        return {};
    const PickleValue& text = *table.items[static_cast<size_t>(index.whole)];
    return text.kind == Pickled::Text ? std::string_view(text.text) : std::string_view();
}

/// ((pieces, file, line), begin, end)
std::string placeOf(const PickleValue& range, const PickleValue& table) {
    if (!isTuple(range, 3) || !isTuple(*range.items[0], 3) || range.items[1]->kind != Pickled::Int)
        return {};
    const PickleValue &source = *range.items[0], &pieces = *source.items[0];
    const std::string_view path = textAt(table, *source.items[1]);
    if (path.empty() || source.items[2]->kind != Pickled::Int ||
        !pieces.isMadeBy("torch.jit._pickle build_intlist", 1) || pieces.argument(0).kind != Pickled::List)
        return {};
    int64_t line = source.items[2]->whole, left = range.items[1]->whole;
    for (const PickleValue* piece : pieces.argument(0).items) {
        const std::string_view text = textAt(table, *piece);
        const auto seen = text.substr(0, static_cast<size_t>(std::clamp<int64_t>(left, 0, std::ssize(text))));
        line += std::ranges::count(seen, '\n');
        left -= std::ssize(text);
        if (left < 0)
            break;
    }
    return fmt::format("{}:{}", path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1), line);
}

} // namespace

SourceLines::SourceLines(std::string_view code, const Pickle& notes) {
    // ("FORMAT_WITH_STRING_TABLE", table of texts, (byte of the code, range in the author's text, …)…)
    const PickleValue& root = *notes.root;
    if (!isTuple(root, 3) || root.items[1]->kind != Pickled::Tuple || root.items[2]->kind != Pickled::Tuple)
        return;
    const std::vector<const PickleValue*>& entries = root.items[2]->items;
    size_t next = 0;
    for (size_t begin = 0; begin < code.size();) {
        const size_t end = std::min(code.find('\n', begin), code.size());
        std::string own;
        for (; next < entries.size(); ++next) {
            const PickleValue& entry = *entries[next];
            if (!isTuple(entry, 2) || entry.items[0]->kind != Pickled::Int) {
                lines_.clear();
                return;
            }
            if (entry.items[0]->whole >= static_cast<int64_t>(end))
                break;
            if (std::string place = placeOf(*entry.items[1], *root.items[1]); !place.empty())
                own = std::move(place);
        }
        lines_.push_back(own);
        begin = end + 1;
    }
}

std::string SourceLines::at(int32_t line) const {
    return line < 1 || line > std::ssize(lines_) ? std::string() : lines_[static_cast<size_t>(line) - 1];
}

} // namespace lathe::frontend::torch::script
