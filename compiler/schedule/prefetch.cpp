// SPDX-License-Identifier: Apache-2.0
//
// Asking for memory before it is read. What is asked for lies a fixed number of bytes behind what is read now, wherever that
// is: behind the end of a row the next one begins, behind a panel of packed weights the next panel.
#include "schedule/editor.h"

#include "base/rounding.h"

namespace lathe::schedule {

namespace {

constexpr int64_t lineBytes = 64;
/// More of them for one iteration take longer than they save.
constexpr int64_t mostLines = 64;
constexpr int64_t mostBytes = int64_t{1} << 24;

} // namespace

BlockRef Schedule::prefetch(const BlockRef& block, int readIndex, LoopRef loop, const Number& bytes) {
    Editor edit(*this, "prefetch");
    Path path = edit.block(block.name), loopPath = edit.loop(loop);
    edit.require(isUnder(path, loopPath), fmt::format("{} is not around block '{}'", edit.nameOf(loop), block.name));
    const tir::For& around = loopOf(loopPath);
    edit.require(around.kind == tir::ForKind::Serial || around.kind == tir::ForKind::Parallel,
                 edit.nameOf(loop) + " is vectorized or unrolled");
    BufferPtr buffer = edit.regionBuffer(blockOf(path), blockOf(path).reads, readIndex);
    edit.require(edit.isParameter(buffer.get()),
                 fmt::format("'{}' is made in this function: only what the caller gives lies far away", buffer->name));
    edit.require(buffer->strides.empty() && !buffer->offset, fmt::format("'{}' has strides", buffer->name));
    const int64_t elementBytes = buffer->dtype.bytes();
    edit.require(elementBytes > 0 && bytes >= 1 && bytes <= mostBytes && bytes % elementBytes == 0,
                 fmt::format("{} bytes are no distance between elements of '{}'", bytes.value, buffer->name));

    std::vector<Access> reads;
    for (Access& access : accessesOf(edit.body, buffer.get()))
        if (access.path.back() == path.back() && !access.write)
            reads.push_back(std::move(access));
    const std::vector<const tir::For*> outer = loopsOf(loopPath);
    const LoopRanges outside(outer, outer.size());
    const std::vector<std::optional<SymbolicRange>> touched = touchedRanges(*buffer, reads, loopPath);
    const int64_t perLine = std::max<int64_t>(1, lineBytes / elementBytes);
    std::vector<Expr> indices;
    std::vector<tir::For> lines; // what one iteration reads, line by line
    tir::Block asking;
    asking.name = edit.freeBlockName(block.name + "_prefetch");
    int64_t count = 1;
    for (size_t d = 0; d < touched.size(); ++d) {
        const bool last = d + 1 == touched.size();
        const auto extent =
            touched[d] ? constantLimit(extentOf(*touched[d], outside.facts), outside.facts) : std::optional<int64_t>();
        edit.require(extent && *extent >= 1, fmt::format("how much of '{}' one iteration of {} reads is not known",
                                                         buffer->name, edit.nameOf(loop)));
        const int64_t steps = last ? ceilDiv(*extent, perLine) : *extent;
        edit.require(!__builtin_mul_overflow(count, steps, &count) && count <= mostLines,
                     fmt::format("one iteration of {} reads more than {} lines of '{}'", edit.nameOf(loop), mostLines,
                                 buffer->name));
        Expr index = touched[d]->lower;
        if (steps > 1) {
            const Var var = arith::var(fmt::format("line{}", d)), iter = arith::var(fmt::format("vline{}", d));
            lines.push_back({var, 0, steps, tir::ForKind::Unrolled, nullptr});
            asking.iters.push_back({iter, steps, tir::IterKind::Spatial, var});
            index = index + iter * (last ? perLine : 1);
        }
        indices.push_back(last ? index + bytes / elementBytes : index);
    }
    // The loops around by iteration variables of its own, as blocks have them.
    arith::VarMap iters;
    for (const tir::For* each : outer) {
        bool used = false;
        for (const Expr& index : indices)
            used = used || arith::mentions(index, each->var);
        if (!used)
            continue;
        edit.require(arith::isConst(each->min, 0), fmt::format("loop {} does not start at 0", each->var->name));
        const Var iter = arith::var("v" + each->var->name);
        asking.iters.push_back({iter, each->extent, tir::IterKind::Spatial, each->var});
        iters[each->var.get()] = iter;
    }
    for (Expr& index : indices)
        index = arith::simplify(arith::substitute(index, iters));
    const int origin = path.back()->origin;
    asking.body = tir::makeStmt(
        tir::Evaluate{arith::call(arith::Intrinsic::Prefetch, {arith::load(buffer, indices)}, types::Int32)}, origin);
    refreshRegions(asking);
    const std::string name = asking.name;
    const Stmt nest = wrap(std::move(lines), tir::makeStmt(std::move(asking), origin), origin);
    loopPath.push_back(around.body);
    while (const auto* allocate = loopPath.back()->as<tir::Allocate>())
        loopPath.push_back(allocate->body);
    edit.body = insertBefore(loopPath, nest);
    edit.step.blocks = {numberOf(block)};
    edit.step.loops = {loop.id};
    edit.step.numbers = {int64_t{readIndex}, Editor::recorded(bytes)};
    edit.commit({}, {name});
    return {name};
}

} // namespace lathe::schedule
