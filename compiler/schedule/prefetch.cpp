// SPDX-License-Identifier: Apache-2.0
//
// Asking for memory before it is read. What is asked for lies a fixed number of bytes behind what is read now, wherever that
// is: behind the end of a row the next one begins, behind a panel of packed weights the next panel.
#include "schedule/editor.h"

#include "base/cache_lines.h"
#include "base/rounding.h"

#include <algorithm>

namespace lathe::schedule {

namespace {

/// More of them for one iteration take longer than they save.
constexpr int64_t mostLines = 64;
constexpr int64_t mostBytes = int64_t{1} << 24;

/// What is read in one iteration of a loop and asked for `distance` elements ahead.
struct ReadAhead {
    Path path, loopPath; // to the block that reads it, and to the loop
    BufferPtr buffer;
    int64_t distance = 0;
    int64_t perLine = 1; // elements
};

/// Fails where the buffer's memory is near anyway, or has no elements at the distance.
ReadAhead readAhead(const Editor& edit, const BlockRef& block, int readIndex, LoopRef loop, int64_t bytes) {
    ReadAhead made{.path = edit.block(block.name), .loopPath = edit.loop(loop), .buffer = {}};
    edit.require(isUnder(made.path, made.loopPath),
                 fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    const tir::For& around = loopOf(made.loopPath);
    edit.require(around.kind == tir::ForKind::Serial || around.kind == tir::ForKind::Parallel,
                 edit.nameOf(loop) + " is vectorized or unrolled");
    made.buffer = edit.regionBuffer(blockOf(made.path), blockOf(made.path).reads, readIndex);
    const tir::Buffer& buffer = *made.buffer;
    edit.require(edit.isParameter(&buffer),
                 fmt::format("'{}' is made in this function: only what the caller gives lies far away", buffer.name));
    edit.require(buffer.strides.empty() && !buffer.offset, fmt::format("'{}' has strides", buffer.name));
    const int64_t elementBytes = buffer.dtype.bytes();
    edit.require(elementBytes > 0 && bytes >= 1 && bytes <= mostBytes && bytes % elementBytes == 0,
                 fmt::format("{} bytes are no distance between elements of '{}'", bytes, buffer.name));
    made.distance = bytes / elementBytes;
    made.perLine = std::max<int64_t>(1, lineBytes / elementBytes);
    return made;
}

/// One element in each of the lines that one iteration reads.
struct LinesAhead {
    std::vector<Expr> indices;
    std::vector<tir::For> loops; // over the lines
    std::vector<tir::IterVar> iters;
};

LinesAhead linesAhead(const Editor& edit, const ReadAhead& read, const std::vector<const tir::For*>& outer,
                      const std::string& loop) {
    const std::string& name = read.buffer->name;
    std::vector<Access> reads;
    for (Access& access : accessesOf(edit.body, read.buffer.get()))
        if (access.path.back() == read.path.back() && !access.write)
            reads.push_back(std::move(access));
    const LoopRanges outside(outer, outer.size());
    const std::vector<std::optional<SymbolicRange>> touched = touchedRanges(*read.buffer, reads, read.loopPath);
    LinesAhead made;
    int64_t count = 1;
    for (size_t d = 0; d < touched.size(); ++d) {
        const bool last = d + 1 == touched.size();
        const auto extent =
            touched[d] ? constantLimit(extentOf(*touched[d], outside.facts), outside.facts) : std::optional<int64_t>();
        edit.require(extent && *extent >= 1,
                     fmt::format("how much of '{}' one iteration of {} reads is not known", name, loop));
        const int64_t steps = last ? ceilDiv(*extent, read.perLine) : *extent;
        edit.require(!__builtin_mul_overflow(count, steps, &count) && count <= mostLines,
                     fmt::format("one iteration of {} reads more than {} lines of '{}'", loop, mostLines, name));
        Expr index = touched[d]->lower;
        if (steps > 1) {
            const Var var = arith::var(fmt::format("line{}", d)), iter = arith::var(fmt::format("vline{}", d));
            made.loops.push_back({var, 0, steps, tir::ForKind::Unrolled, nullptr});
            made.iters.push_back({iter, steps, tir::IterKind::Spatial, var});
            index = index + iter * (last ? read.perLine : 1);
        }
        made.indices.push_back(last ? index + read.distance : index);
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

} // namespace

BlockRef Schedule::prefetch(const BlockRef& block, int readIndex, LoopRef loop, const Number& bytes) {
    Editor edit(*this, "prefetch");
    const ReadAhead read = readAhead(edit, block, readIndex, loop, bytes);
    const std::vector<const tir::For*> outer = loopsOf(read.loopPath);
    LinesAhead lines = linesAhead(edit, read, outer, edit.nameOf(loop));
    bindOuter(edit, outer, lines);
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
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.step.numbers = {int64_t{readIndex}, Editor::recorded(bytes)};
    edit.commit({}, {name});
    return {name};
}

} // namespace lathe::schedule
