// SPDX-License-Identifier: Apache-2.0
#include "inspect/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace lathe::inspect {
namespace {

/// By node, the one row that has it.
std::map<int32_t, size_t> rowsByNode(const Profile& profile) {
    std::map<int32_t, std::pair<size_t, int>> seen;
    for (size_t i = 0; i < profile.rows.size(); ++i)
        for (const int32_t node : profile.rows[i].nodes) {
            auto& [row, count] = seen[node];
            row = i;
            ++count;
        }
    std::map<int32_t, size_t> rows;
    for (const auto& [node, entry] : seen)
        if (entry.second == 1)
            rows[node] = entry.first;
    return rows;
}

} // namespace

bool ProfileChange::beyondNoise() const {
    return std::abs(differenceMs()) > noiseMs;
}

std::vector<ProfileChange> changesOf(const Profile& before, const Profile& after) {
    // Union-find over the rows of both, those of `after` behind those of `before`.
    const size_t firstAfter = before.rows.size();
    std::vector<size_t> parents(firstAfter + after.rows.size());
    std::iota(parents.begin(), parents.end(), size_t{0});
    const auto root = [&](size_t row) {
        while (parents[row] != row)
            row = parents[row] = parents[parents[row]];
        return row;
    };
    const std::map<int32_t, size_t> old = rowsByNode(before), now = rowsByNode(after);
    for (const auto& [node, row] : now)
        if (const auto found = old.find(node); found != old.end())
            parents[root(firstAfter + row)] = root(found->second);

    std::map<std::pair<std::vector<int32_t>, std::string>, std::vector<size_t>>
        alike; // of `before`, by nodes and kernel
    for (size_t i = firstAfter; i-- > 0;)
        alike[{before.rows[i].nodes, before.rows[i].kernel}].push_back(i);
    for (size_t i = 0; i < after.rows.size(); ++i) {
        const auto found = alike.find({after.rows[i].nodes, after.rows[i].kernel});
        if (found == alike.end() || found->second.empty())
            continue;
        parents[root(firstAfter + i)] = root(found->second.back());
        found->second.pop_back();
    }

    std::map<size_t, ProfileChange> changes;
    const auto add = [&](const Profile& profile, size_t first, std::vector<int> ProfileChange::* places,
                         double ProfileChange::* ms) {
        for (size_t i = 0; i < profile.rows.size(); ++i) {
            const ProfileRow& row = profile.rows[i];
            ProfileChange& change = changes[root(first + i)];
            (change.*places).push_back(static_cast<int>(i));
            change.nodes.insert(change.nodes.end(), row.nodes.begin(), row.nodes.end());
            change.*ms += row.ms;
            change.noiseMs += row.spread / 2;
        }
    };
    add(before, 0, &ProfileChange::before, &ProfileChange::beforeMs);
    add(after, firstAfter, &ProfileChange::after, &ProfileChange::afterMs);
    std::vector<ProfileChange> result;
    for (auto& [first, change] : changes) {
        std::ranges::sort(change.nodes);
        change.nodes.erase(std::unique(change.nodes.begin(), change.nodes.end()), change.nodes.end());
        result.push_back(std::move(change));
    }
    std::ranges::stable_sort(result, std::ranges::greater(),
                             [](const ProfileChange& change) { return std::abs(change.differenceMs()); });
    return result;
}

bool differs(const Profile& before, const Profile& after) {
    return before.highMs < after.lowMs || after.highMs < before.lowMs;
}

} // namespace lathe::inspect
