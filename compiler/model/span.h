// SPDX-License-Identifier: Apache-2.0
//
// Provenance: which nodes of the imported model something came from. A Span is an interned, sorted set of node ids,
// four bytes to carry; the SpanTable that interned it travels with the ModelGraph and the relay Module.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::model {

struct Span {
    uint32_t index = 0; // 0: the empty set
    bool empty() const { return index == 0; }
    auto operator<=>(const Span&) const = default;
};

/// Interns sets of node ids. Thread-safe; sets are never removed.
class SpanTable {
public:
    SpanTable();
    Span intern(std::vector<int32_t> ids); // sorted and made unique here
    Span of(int32_t id) { return intern({id}); }
    Span join(Span a, Span b);
    /// The ids, ascending; the reference stays valid as long as the table.
    const std::vector<int32_t>& ids(Span span) const;
    /// "3,5-7"; "" for the empty set. parse reads the same form, and gives false if it is malformed.
    std::string toString(Span span) const;
    bool parse(std::string_view text, Span& span);

private:
    mutable std::mutex mutex_;
    std::map<std::vector<int32_t>, uint32_t> index_;
    std::vector<const std::vector<int32_t>*> sets_;
};

} // namespace lathe::model
