// SPDX-License-Identifier: Apache-2.0
//
// Where a long sequence is best divided: into the blocks that it repeats, or else into parts of about the same length. Cuts go
// where the fewest values cross. Knows labels and numbers, no graph.
#pragma once

#include <cstdint>
#include <vector>

namespace lathe::graph {

/// What stands in a level, in order.
struct Sequence {
    std::vector<uint64_t> labels; // equal: alike
    /// One longer: what a cut before the place costs, by the values that are made before it and read behind. Each costs more
    /// the fewer readers it has: what many read is the input of a layer, not a step within one.
    std::vector<int> cost;
};

struct Range {
    int begin = 0, end = 0;
    bool operator==(const Range&) const = default;
};

/// Blocks that repeat, at least two in a row, ascending; what is in none lies between them. Empty: nothing repeats over a
/// quarter of the sequence. Short periods are taken several times, so that there are not too many blocks.
std::vector<Range> repeatedBlocks(const Sequence& sequence);

/// All of the sequence in about as many parts as each of them has elements, but none longer than `longest`.
std::vector<Range> partsOf(const Sequence& sequence, int longest);

} // namespace lathe::graph
