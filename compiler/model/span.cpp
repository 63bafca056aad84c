// SPDX-License-Identifier: Apache-2.0
//
// Interning of node id sets and their text form.
#include "model/span.h"

#include "base/limits.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lathe::model {
namespace {

bool readNumber(std::string_view& text, int32_t& number) {
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || number < 0 || number >= limits::graphNodes)
        return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

} // namespace

SpanTable::SpanTable() {
    auto [entry, added] = index_.emplace(std::vector<int32_t>{}, 0);
    sets_.push_back(&entry->first);
}

Span SpanTable::intern(std::vector<int32_t> ids) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::lock_guard lock(mutex_);
    auto [entry, added] = index_.try_emplace(std::move(ids), static_cast<uint32_t>(sets_.size()));
    if (added)
        sets_.push_back(&entry->first);
    return {entry->second};
}

Span SpanTable::join(Span a, Span b) {
    if (a == b || b.empty())
        return a;
    if (a.empty())
        return b;
    const std::vector<int32_t>&left = ids(a), &right = ids(b);
    std::vector<int32_t> merged;
    merged.reserve(left.size() + right.size());
    std::ranges::set_union(left, right, std::back_inserter(merged));
    return intern(std::move(merged));
}

const std::vector<int32_t>& SpanTable::ids(Span span) const {
    std::lock_guard lock(mutex_);
    return *sets_.at(span.index);
}

std::string SpanTable::toString(Span span) const {
    const std::vector<int32_t>& set = ids(span);
    std::string text;
    for (size_t i = 0; i < set.size();) {
        size_t last = i;
        while (last + 1 < set.size() && set[last + 1] == set[last] + 1)
            ++last;
        if (!text.empty())
            text += ',';
        text += last == i ? fmt::format("{}", set[i]) : fmt::format("{}-{}", set[i], set[last]);
        i = last + 1;
    }
    return text;
}

bool SpanTable::parse(std::string_view text, Span& span) {
    std::vector<int32_t> ids;
    while (!text.empty()) {
        int32_t first = 0;
        if (!readNumber(text, first))
            return false;
        int32_t last = first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            if (!readNumber(text, last) || last < first)
                return false;
        }
        if (ids.size() + static_cast<size_t>(last - first) >= static_cast<size_t>(limits::graphNodes))
            return false;
        for (int32_t id = first; id <= last; ++id)
            ids.push_back(id);
        if (text.empty())
            break;
        if (!text.starts_with(',') || text.size() == 1)
            return false;
        text.remove_prefix(1);
    }
    span = intern(std::move(ids));
    return true;
}

} // namespace lathe::model
