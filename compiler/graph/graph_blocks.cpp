// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_blocks.h"

#include <algorithm>
#include <cmath>

namespace lathe::graph {

namespace {

constexpr int longestPeriod = 2000; // trying them all is the one step that is not linear
constexpr int shortestBlock = 8;

/// Parts of the sequence that repeat with the period, twice at least.
std::vector<Range> runsOf(const std::vector<uint64_t>& labels, int period) {
    std::vector<Range> runs;
    const int last = int(labels.size()) - period;
    for (int i = 0; i < last; ++i) {
        const int begin = i;
        while (i < last && labels[size_t(i)] == labels[size_t(i + period)])
            ++i;
        if (i - begin >= period)
            runs.push_back({begin, i + period});
    }
    return runs;
}

int covered(const std::vector<Range>& runs) {
    int sum = 0, end = 0; // runs may overlap by less than a period
    for (const Range& run : runs) {
        sum += run.end - std::max(run.begin, end);
        end = run.end;
    }
    return sum;
}

/// The shortest period that repeats over nearly as much of the sequence as any; 0: none over a quarter of it.
int bestPeriod(const std::vector<uint64_t>& labels) {
    const int count = int(labels.size());
    std::vector<std::pair<int, int>> found; // covered, period
    int best = count / 4;
    for (int period = 1; period <= std::min(count / 2, longestPeriod); ++period) {
        int alike = 0;
        for (int i = 0; i + period < count; ++i)
            alike += labels[size_t(i)] == labels[size_t(i + period)];
        if (2 * alike < best) // what is covered is at most twice that
            continue;
        const int cover = covered(runsOf(labels, period));
        best = std::max(best, cover);
        found.emplace_back(cover, period);
    }
    for (const auto& [cover, period] : found)
        if (cover > 0 && cover >= best * 0.9)
            return period;
    return 0;
}

/// What the cuts of a run typically cost. Not their mean: at its ends the values that all blocks read are not cut.
int costOf(const Sequence& sequence, int begin, int period, int end) {
    std::vector<int> costs;
    for (int at = begin; at <= end; at += period)
        costs.push_back(sequence.cost[size_t(at)]);
    std::ranges::nth_element(costs, costs.begin() + std::ptrdiff_t(costs.size() / 2));
    return costs[costs.size() / 2];
}

} // namespace

std::vector<Range> repeatedBlocks(const Sequence& sequence) {
    const int count = int(sequence.labels.size());
    const int period = bestPeriod(sequence.labels);
    if (period == 0)
        return {};
    int length = period;
    if (period < shortestBlock)
        length *= int(std::ceil(std::max(double(shortestBlock), std::sqrt(double(count))) / period));
    std::vector<Range> blocks;
    int free = 0; // the first place that is in no block
    for (Range run : runsOf(sequence.labels, period)) {
        run.begin = std::max(run.begin, free);
        if (run.end - run.begin < 2 * period)
            continue;
        int start = run.begin;
        int least = 0;
        for (int at = run.begin; at < run.begin + period && at + 2 * period <= run.end; ++at) {
            const int cost = costOf(sequence, at, period, run.end);
            if (at == run.begin || cost < least)
                start = at, least = cost;
        }
        const int end = start + (run.end - start) / period * period;
        for (int at = start; at < end; at += length)
            blocks.push_back({at, std::min(at + length, end)});
        free = end;
    }
    return blocks;
}

std::vector<Range> partsOf(const Sequence& sequence, int longest) {
    const int count = int(sequence.labels.size());
    const int length = std::clamp(int(std::ceil(std::sqrt(double(count)))), 1, longest);
    std::vector<Range> parts;
    for (int begin = 0; begin < count;) {
        int end = std::min(begin + length, count);
        // A little earlier, if that costs less.
        for (int at = end; end < count && at > begin + length * 3 / 4; --at)
            if (sequence.cost[size_t(at)] < sequence.cost[size_t(end)])
                end = at;
        parts.push_back({begin, end});
        begin = end;
    }
    return parts;
}

} // namespace lathe::graph
