// SPDX-License-Identifier: Apache-2.0
//
// Tables of converters: one row an operator, sorted by the set that it is of and by its name.
#pragma once

#include "frontend/common/dialect.h"
#include "model/model_graph.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace lathe::frontend {

struct ConverterRow {
    std::string_view domain, name; // as the format spells it
    ConvertFn convert;
    model::Family family; // what the operator is for

    constexpr std::pair<std::string_view, std::string_view> key() const { return {domain, name}; }
};

constexpr bool isSorted(std::span<const ConverterRow> table) {
    return std::ranges::is_sorted(table, {}, &ConverterRow::key);
}

/// Null if there is none.
inline const ConverterRow* findRow(std::span<const ConverterRow> table, std::string_view domain,
                                   std::string_view name) {
    const auto found = std::ranges::lower_bound(table, std::pair(domain, name), {}, &ConverterRow::key);
    return found != table.end() && found->key() == std::pair(domain, name) ? &*found : nullptr;
}

} // namespace lathe::frontend
