// SPDX-License-Identifier: Apache-2.0
#include "base/text_diff.h"

#include <algorithm>
#include <unordered_map>

namespace lathe {
namespace {

constexpr int maximalDifferences = 1500;

/// Pairs of equal lines (before, after) in the middle [lo, hiA) x [lo, hiB); empty beyond the limit.
std::vector<std::pair<int, int>> commonLines(std::span<const int> a, std::span<const int> b, int lo, int hiA, int hiB) {
    const int n = hiA - lo, m = hiB - lo, limit = std::min(n + m, maximalDifferences);
    std::vector<std::vector<int>> history; // furthest x by diagonal, after each number of differences
    std::vector<int> furthest(2 * limit + 3);
    int found = -1;
    for (int d = 0; d <= limit && found < 0; ++d) {
        for (int k = -d; k <= d; k += 2) {
            int x = k == -d || (k != d && furthest[limit + k] < furthest[limit + k + 2]) ? furthest[limit + k + 2]
                                                                                         : furthest[limit + k] + 1;
            if (d == 0)
                x = 0;
            int y = x - k;
            while (x < n && y < m && a[size_t(lo + x)] == b[size_t(lo + y)])
                ++x, ++y;
            furthest[limit + k + 1] = x;
            if (x >= n && y >= m) {
                found = d;
                break;
            }
        }
        history.push_back(std::vector<int>(furthest.begin() + (limit - d), furthest.begin() + (limit + d + 3)));
    }
    std::vector<std::pair<int, int>> pairs;
    if (found < 0)
        return pairs;
    int x = n, y = m;
    for (int d = found; d > 0; --d) {
        const int k = x - y;
        const std::vector<int>& row = history[d - 1]; // row[i]: diagonal i - d
        auto at = [&](int diagonal) {
            const int i = diagonal + d;
            return i >= 0 && i < int(row.size()) ? row[i] : 0;
        };
        const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
        const int previous = down ? k + 1 : k - 1;
        const int startX = at(previous), startY = startX - previous;
        const int bendX = down ? startX : startX + 1;
        while (x > bendX && y > bendX - k)
            pairs.emplace_back(lo + --x, lo + --y);
        x = startX, y = startY;
    }
    while (x > 0 && y > 0)
        pairs.emplace_back(lo + --x, lo + --y);
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
}

/// Lines that stand against each other in a run of differences are Changed, the rest Removed or Added.
void addDifferences(std::vector<DiffRow>& rows, int a, int endA, int b, int endB) {
    using Kind = DiffRow::Kind;
    while (a < endA && b < endB)
        rows.push_back({Kind::Changed, a++, b++});
    while (a < endA)
        rows.push_back({Kind::Removed, a++, -1});
    while (b < endB)
        rows.push_back({Kind::Added, -1, b++});
}

} // namespace

std::vector<DiffRow> diffLines(std::span<const std::string> before, std::span<const std::string> after) {
    // Equal lines get one number: they are compared often.
    std::unordered_map<std::string_view, int> numbers;
    const auto number = [&](std::span<const std::string> lines) {
        std::vector<int> result;
        for (const std::string& line : lines)
            result.push_back(numbers.try_emplace(line, static_cast<int>(numbers.size())).first->second);
        return result;
    };
    const std::vector<int> a = number(before), b = number(after);
    int lo = 0, hiA = int(a.size()), hiB = int(b.size());
    while (lo < hiA && lo < hiB && a[lo] == b[lo])
        ++lo;
    while (hiA > lo && hiB > lo && a[hiA - 1] == b[hiB - 1])
        --hiA, --hiB;

    using Kind = DiffRow::Kind;
    std::vector<DiffRow> rows;
    for (int i = 0; i < lo; ++i)
        rows.push_back({Kind::Same, i, i});
    int nextA = lo, nextB = lo;
    for (const auto& [x, y] : commonLines(a, b, lo, hiA, hiB)) {
        addDifferences(rows, nextA, x, nextB, y);
        rows.push_back({Kind::Same, x, y});
        nextA = x + 1, nextB = y + 1;
    }
    addDifferences(rows, nextA, hiA, nextB, hiB);
    for (int i = 0; hiA + i < int(a.size()); ++i)
        rows.push_back({Kind::Same, hiA + i, hiB + i});
    return rows;
}

std::vector<std::string> splitLines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace lathe
