// SPDX-License-Identifier: Apache-2.0
#include "tune/search.h"

#include "tune/search/searches.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::tune {
namespace {

struct SearchRow {
    std::string_view name;
    std::unique_ptr<Search> (*make)(uint64_t seed);
};
constexpr std::array rows = {SearchRow{"evolution", makeEvolution}, SearchRow{"annealing", makeAnnealing},
                             SearchRow{"genetic", makeGenetic},     SearchRow{"descent", makeDescent},
                             SearchRow{"random", makeRandom},       SearchRow{"grid", makeGrid},
                             SearchRow{"replay", makeReplay}};

} // namespace

std::span<const std::string_view> searchNames() {
    static constexpr auto names = [] {
        std::array<std::string_view, rows.size()> result;
        for (size_t i = 0; i < rows.size(); ++i)
            result[i] = rows[i].name;
        return result;
    }();
    return names;
}

Result<std::unique_ptr<Search>> makeSearch(std::string_view name, uint64_t seed) {
    for (const SearchRow& row : rows)
        if (row.name == name)
            return row.make(seed);
    return failure(ErrorKind::Usage, fmt::format("there is no search '{}'", name),
                   fmt::format("there are {}", fmt::join(searchNames(), ", ")));
}

} // namespace lathe::tune
