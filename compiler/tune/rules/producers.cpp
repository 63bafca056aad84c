// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/producers.h"

#include "moves/inlining.h"
#include "tir/access.h"
#include "tune/rules/reduction_tiles.h"

#include <ranges>

namespace lathe::tune {

using schedule::BlockRef;

namespace {

void place(Sketch& sketch, const BlockRef& block) {
    schedule::Schedule& s = sketch.schedule;
    const std::vector<BlockRef> readers = s.consumers(block);
    if (readers.empty())
        return;
    const tir::Store& made = *onlyStore(s.get(block));
    bool fits = true, reduced = false;
    for (const BlockRef& reader : readers) {
        const tir::Store* read = onlyStore(s.get(reader));
        fits = fits && read && moves::staysSmall(*read, made);
        reduced |= isReduction(s.get(reader));
    }
    const bool cheap = isCheap(s.get(block));
    if (fits && cheap && !reduced)
        return s.computeInline(block);
    // A reduction reads an element several times, and vectors want to know where it lies.
    const bool better = !reduced || (cheap && !chooses(made));
    std::vector<Option> options = {{stored, better ? 1.0 : 3.0}};
    if (fits)
        options.push_back({inlined, better ? 3.0 : 1.0});
    if (readers.size() == 1 && reduced && canTile(sketch, readers.front()))
        options.push_back({withTiles, 2});
    if (options.size() == 1)
        return;
    const int64_t answer = sketch.ask(block, "place", options, schedule::Question::Kind::Place);
    sketch.places[block.name] = answer;
    if (answer == inlined)
        s.computeInline(block);
}

} // namespace

void placeProducers(Sketch& sketch) {
    std::vector<BlockRef> blocks = sketch.schedule.blocks();
    for (const BlockRef& block : blocks | std::views::reverse)
        if (!isOutput(sketch.schedule.get(block)) && isInjective(sketch.schedule.get(block)))
            place(sketch, block);
}

} // namespace lathe::tune
