// SPDX-License-Identifier: Apache-2.0
#include "base/near_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace lathe {
namespace {

constexpr size_t longestName = 100; // of a word from outside, which may be of any length

/// How many characters are to be put in, taken out, replaced or swapped with their neighbour (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> least(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least[i][j] = i + j;
                continue;
            }
            const size_t other = a[i - 1] != b[j - 1];
            least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + other});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
        }
    return least[a.size()][b.size()];
}

} // namespace

std::string nearName(std::string_view word, std::span<const std::string> names) {
    if (word.size() > longestName)
        return "";
    const std::string* nearest = nullptr;
    size_t least = std::max<size_t>(1, word.size() / 3) + 1;
    for (const std::string& name : names) {
        const size_t apart = distance(word, name);
        if (apart < least) {
            least = apart;
            nearest = &name;
        }
    }
    return nearest ? fmt::format(": did you mean '{}'?", *nearest) : "";
}

} // namespace lathe
