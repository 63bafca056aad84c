// SPDX-License-Identifier: Apache-2.0
//
// Asking for memory before it is read: what lies a fixed number of bytes behind what is read now, wherever that is, or what the
// next iteration of an outer loop reads, a share of it in each iteration of an inner one.
#include "schedule/editor.h"

#include "base/cache_lines.h"
#include "base/rounding.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

/// More of them for one iteration take longer than they save.
constexpr int64_t mostLines = 64;
constexpr int64_t mostBytes = int64_t{1} << 24;

/// What a block reads of a parameter, and the loop in whose iterations it is asked for.
struct ReadAhead {
    Path path, loopPath; // to the block that reads it, and to the loop
    BufferPtr buffer;
    int64_t perLine = 1; // elements
};

void requireIterations(const Editor& edit, const Path& loopPath, LoopRef loop) {
    const tir::For& around = loopOf(loopPath);
    edit.require(around.kind == tir::ForKind::Serial || around.kind == tir::ForKind::Parallel,
                 edit.nameOf(loop) + " is vectorized or unrolled");
}

/// Fails where the buffer's memory is near anyway.
ReadAhead readAhead(const Editor& edit, const BlockRef& block, int readIndex, LoopRef loop) {
    ReadAhead made{.path = edit.block(block.name), .loopPath = edit.loop(loop), .buffer = {}};
    edit.require(isUnder(made.path, made.loopPath),
                 fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    requireIterations(edit, made.loopPath, loop);
    made.buffer = edit.regionBuffer(blockOf(made.path), blockOf(made.path).reads, readIndex);
    const tir::Buffer& buffer = *made.buffer;
    edit.require(edit.isParameter(&buffer),
                 fmt::format("'{}' is made in this function: only what the caller gives lies far away", buffer.name));
    edit.require(buffer.strides.empty() && !buffer.offset, fmt::format("'{}' has strides", buffer.name));
    const int64_t elementBytes = buffer.dtype.bytes();
    edit.require(elementBytes > 0, fmt::format("elements of '{}' have no size", buffer.name));
    made.perLine = std::max<int64_t>(1, lineBytes / elementBytes);
    return made;
}

/// The ranges that the block's reads touch in one iteration of a loop.
std::vector<std::optional<SymbolicRange>> touchedIn(const Editor& edit, const ReadAhead& read, const Path& loopPath) {
    std::vector<Access> reads;
    for (Access& access : accessesOf(edit.body, read.buffer.get()))
        if (access.path.back() == read.path.back() && !access.write)
            reads.push_back(std::move(access));
    return touchedRanges(*read.buffer, reads, loopPath);
}

[[noreturn]] void notKnown(const Editor& edit, const ReadAhead& read, const std::string& loop) {
    edit.fail(fmt::format("how much of '{}' one iteration of {} reads is not known", read.buffer->name, loop));
}

/// One element in each of the lines that one iteration asks for.
struct LinesAhead {
    std::vector<Expr> indices;
    std::vector<tir::For> loops; // over the lines
    std::vector<tir::IterVar> iters;
};

/// The loop's own variable over so many of them, with the iteration variable that stands for it.
Expr addLines(LinesAhead& lines, const std::string& name, int64_t count) {
    const Var var = arith::var(name), iter = arith::var("v" + name);
    lines.loops.push_back({var, 0, count, tir::ForKind::Unrolled, nullptr});
    lines.iters.push_back({iter, count, tir::IterKind::Spatial, var});
    return iter;
}

/// Those `distance` elements behind what an iteration of the loop reads.
LinesAhead linesBehind(const Editor& edit, const ReadAhead& read, int64_t distance, const std::string& loop) {
    const std::string& name = read.buffer->name;
    const std::vector<const tir::For*> outer = loopsOf(read.loopPath);
    const LoopRanges outside(outer, outer.size());
    const std::vector<std::optional<SymbolicRange>> touched = touchedIn(edit, read, read.loopPath);
    LinesAhead made;
    int64_t count = 1;
    for (size_t d = 0; d < touched.size(); ++d) {
        const bool last = d + 1 == touched.size();
        const auto extent =
            touched[d] ? constantLimit(extentOf(*touched[d], outside.facts), outside.facts) : std::optional<int64_t>();
        if (!extent || *extent < 1)
            notKnown(edit, read, loop);
        const int64_t steps = last ? ceilDiv(*extent, read.perLine) : *extent;
        edit.require(!__builtin_mul_overflow(count, steps, &count) && count <= mostLines,
                     fmt::format("one iteration of {} reads more than {} lines of '{}'", loop, mostLines, name));
        Expr index = touched[d]->lower;
        if (steps > 1)
            index = index + addLines(made, fmt::format("line{}", d), steps) * (last ? read.perLine : 1);
        made.indices.push_back(last ? index + distance : index);
    }
    return made;
}

/// Elements of what lies in one stretch of memory: single rows of the outer dims, some of one, all of those inside.
int64_t stretchOf(const Editor& edit, const ReadAhead& read, const std::vector<std::optional<SymbolicRange>>& touched,
                  const arith::Facts& facts, const std::string& loop) {
    int64_t elements = 1;
    for (size_t d = 0; d < touched.size(); ++d) {
        if (!touched[d])
            notKnown(edit, read, loop);
        const auto extent = arith::asInt(extentOf(*touched[d], facts));
        if (!extent || *extent < 1)
            notKnown(edit, read, loop);
        edit.require(elements == 1 || arith::provablyEqual(read.buffer->shape[d], *extent),
                     fmt::format("what one iteration of {} reads of '{}' lies apart", loop, read.buffer->name));
        edit.require(!__builtin_mul_overflow(elements, *extent, &elements) &&
                         elements <= mostBytes / read.buffer->dtype.bytes(),
                     fmt::format("one iteration of {} reads too much of '{}'", loop, read.buffer->name));
    }
    return elements;
}

/// A share of the lines that the iteration of `ahead` after this one reads, in each of the iterations in it: the i-th of n asks
/// for line i · lines / n, by a multiplication, where n may be known while running alone.
LinesAhead linesOfNext(const Editor& edit, const ReadAhead& read, const Path& aheadPath, const std::string& ahead) {
    const std::vector<const tir::For*> outer = loopsOf(aheadPath), all = loopsOf(read.loopPath);
    const LoopRanges outside(outer, outer.size());
    std::vector<std::optional<SymbolicRange>> touched = touchedIn(edit, read, aheadPath);
    const int64_t lines = ceilDiv(stretchOf(edit, read, touched, outside.facts, ahead), read.perLine);
    Expr iterations = 1, at = 0;
    int64_t fewest = 1; // of those that there are
    for (size_t i = outer.size(); i < all.size(); ++i) {
        iterations = arith::simplify(iterations * all[i]->extent);
        at = at * all[i]->extent + Expr(all[i]->var);
        fewest =
            std::min(lines, fewest * std::clamp<int64_t>(arith::bounds(all[i]->extent, outside.facts).lower, 1, lines));
    }
    const int64_t each = ceilDiv(lines, fewest);
    edit.require(each <= mostLines,
                 fmt::format("each iteration would ask for more than {} lines of '{}'", mostLines, read.buffer->name));
    LinesAhead made;
    if (each > 1)
        at = at * each + addLines(made, "line", each);
    constexpr int64_t one = 1 << 20; // of a line, in parts: iterations are as many at most, and lines 2^18
    const Expr parts = arith::max(iterations, 1) * each,
               share = arith::simplify(arith::floorDiv(parts + (lines * one - 1), parts));
    const Expr line = arith::floorDiv(at * share, one);
    const arith::VarMap next = {{outer.back()->var.get(), Expr(outer.back()->var) + 1}};
    for (size_t d = 0; d < touched.size(); ++d) {
        const Expr index = arith::substitute(touched[d]->lower, next);
        made.indices.push_back(d + 1 == touched.size() ? index + line * read.perLine : index);
    }
    return made;
}

/// The loops around by iteration variables of its own, as blocks have them.
void bindOuter(const Editor& edit, const std::vector<const tir::For*>& outer, LinesAhead& lines) {
    arith::VarMap iters;
    for (const tir::For* each : outer) {
        if (std::ranges::none_of(lines.indices, [&](const Expr& index) { return arith::mentions(index, each->var); }))
            continue;
        edit.require(arith::isConst(each->min, 0), fmt::format("loop {} does not start at 0", each->var->name));
        const Var iter = arith::var("v" + each->var->name);
        lines.iters.push_back({iter, each->extent, tir::IterKind::Spatial, each->var});
        iters[each->var.get()] = iter;
    }
    for (Expr& index : lines.indices)
        index = arith::simplify(arith::substitute(index, iters));
}

/// The block that asks for the lines, at the beginning of the loop's iterations.
BlockRef askFor(Editor& edit, const BlockRef& block, const ReadAhead& read, LinesAhead lines) {
    bindOuter(edit, loopsOf(read.loopPath), lines);
    const int origin = read.path.back()->origin;
    tir::Block asking;
    asking.name = edit.freeBlockName(block.name + "_prefetch");
    asking.iters = std::move(lines.iters);
    asking.body = tir::makeStmt(
        tir::Evaluate{arith::call(arith::Intrinsic::Prefetch, {arith::load(read.buffer, lines.indices)}, types::Int32)},
        origin);
    refreshRegions(asking);
    const std::string name = asking.name;
    const Stmt nest = wrap(std::move(lines.loops), tir::makeStmt(std::move(asking), origin), origin);
    Path inside = read.loopPath;
    inside.push_back(loopOf(read.loopPath).body);
    while (const auto* allocate = inside.back()->as<tir::Allocate>())
        inside.push_back(allocate->body);
    edit.body = insertBefore(inside, nest);
    return {name};
}

} // namespace

BlockRef Schedule::prefetch(const BlockRef& block, int readIndex, LoopRef loop, const Number& bytes) {
    Editor edit(*this, "prefetch");
    const ReadAhead read = readAhead(edit, block, readIndex, loop);
    const int64_t elementBytes = read.buffer->dtype.bytes();
    edit.require(bytes >= 1 && bytes <= mostBytes && bytes % elementBytes == 0,
                 fmt::format("{} bytes are no distance between elements of '{}'", bytes.value, read.buffer->name));
    const BlockRef asking = askFor(edit, block, read, linesBehind(edit, read, bytes / elementBytes, edit.nameOf(loop)));
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.step.numbers = {int64_t{readIndex}, Editor::recorded(bytes)};
    edit.commit({}, {asking.name});
    return asking;
}

BlockRef Schedule::prefetchNext(const BlockRef& block, int readIndex, LoopRef ahead, LoopRef loop) {
    Editor edit(*this, "prefetchNext");
    const ReadAhead read = readAhead(edit, block, readIndex, loop);
    const Path aheadPath = edit.loop(ahead);
    requireIterations(edit, aheadPath, ahead);
    edit.require(isUnder(read.loopPath, aheadPath),
                 fmt::format("{} is not around {}", edit.nameOf(ahead), edit.nameOf(loop)));
    const BlockRef asking = askFor(edit, block, read, linesOfNext(edit, read, aheadPath, edit.nameOf(ahead)));
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {ahead.id, loop.id};
    edit.step.numbers = {int64_t{readIndex}};
    edit.commit({}, {asking.name});
    return asking;
}

} // namespace lathe::schedule
