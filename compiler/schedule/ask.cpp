// SPDX-License-Identifier: Apache-2.0
//
// Questions whose answer is a primitive.
#include "schedule/editor.h"

namespace lathe::schedule {

std::vector<LoopRef> Schedule::tile(LoopRef loop, const BlockRef& block, std::string_view what,
                                    std::vector<int64_t> preferred, int64_t unit) {
    Question question;
    question.kind = Question::Kind::Tile;
    question.name = fmt::format("b{}.{}", numberOf(block), what);
    question.extent = std::max<int64_t>(0, arith::asInt(get(loop).extent).value_or(0));
    question.parts = static_cast<int>(preferred.size());
    question.unit = unit;
    question.preferred = std::move(preferred);
    return split(loop, decide(question));
}

int64_t Schedule::place(const BlockRef& block, const std::vector<LoopRef>& loops, int64_t preferred) {
    std::vector<int64_t> candidates = {placeStored, placeInline};
    for (size_t i = 0; i < loops.size(); ++i)
        candidates.push_back(placeFirstLoop + static_cast<int64_t>(i));
    const int64_t where = choose(block, "place", candidates, preferred, Question::Kind::Place);
    if (where == placeInline)
        computeInline(block);
    else if (where >= placeFirstLoop)
        computeAt(block, loops[static_cast<size_t>(where - placeFirstLoop)]);
    return where;
}

} // namespace lathe::schedule
