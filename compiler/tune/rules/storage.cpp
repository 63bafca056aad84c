// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/storage.h"

#include "arith/analysis.h"
#include "tir/access.h"
#include "tune/rules/annotate.h"
#include "tune/rules/axes.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Bytes of an operand that a task makes for itself: of the first cache, beside what it is made of.
constexpr int64_t mostNear = 16 * 1024;

} // namespace

void innermostInStorage(Schedule& s, const BlockRef& block, size_t dim) {
    const size_t dims = onlyStore(s.get(block))->indices.size();
    if (dim + 1 == dims)
        return;
    std::vector<arith::Var> vars;
    std::vector<arith::Expr> map;
    for (size_t i = 0; i < dims; ++i) {
        vars.push_back(arith::var(fmt::format("i{}", i)));
        if (i != dim)
            map.push_back(vars.back());
    }
    map.push_back(vars[dim]);
    s.transformLayout(block, 0, vars, map);
}

void nearIfSmall(Schedule& s, const BlockRef& block) {
    const tir::Buffer& buffer = *onlyStore(s.get(block))->buffer;
    int64_t bytes = buffer.dtype.bytes();
    for (const arith::Expr& extent : buffer.shape)
        bytes = std::min(2 * mostNear, bytes * std::min(2 * mostNear, arith::bounds(extent).upper));
    if (bytes <= mostNear)
        s.setScope(block, 0, tir::Scope::Local);
}

std::optional<Packing> packingOf(const tir::Block& body) {
    const std::optional<tir::Contraction> found = asContraction(body);
    if (!found || found->a.buffer == found->b.buffer)
        return std::nullopt;
    for (size_t i = 0; i < body.iters.size(); ++i) {
        const arith::Var& var = body.iters[i].var;
        if (!isSpatial(body.iters[i]) || extentOf(body.iters[i]) < 2 || found->output.constantStride(var) != 1)
            continue;
        for (const auto& [own, other] : {std::pair(&found->b, &found->a), std::pair(&found->a, &found->b)})
            if (const int dim = dimAlong(body, own->buffer.get(), var);
                dim >= 0 && !other->uses(var) && own->constantStride(var).value_or(0) > widestStep &&
                own->constantStride(body.iters.back().var) == 1)
                return Packing{own->buffer, static_cast<size_t>(dim)};
    }
    return std::nullopt;
}

BlockRef pack(Schedule& s, const BlockRef& block, const Packing& packing) {
    const std::vector<tir::Region>& reads = s.get(block).reads;
    const auto read = std::ranges::find(reads, packing.operand, &tir::Region::buffer);
    const BlockRef packed = s.cacheRead(block, static_cast<int>(read - reads.begin()), tir::Scope::Workspace);
    innermostInStorage(s, packed, packing.dim);
    return packed;
}

void placePacked(Sketch& sketch, const BlockRef& packed, const Packing& packing, LoopRef task) {
    Schedule& s = sketch.schedule;
    s.computeAt(packed, task);
    nearIfSmall(s, packed);
    std::vector<LoopRef> loops = s.loops(packed);
    loops.erase(loops.begin(), loops.end() - std::ssize(packing.operand->shape));
    const int64_t lanes = sketch.target.lanesOf(packing.operand->dtype);
    if (iterationsOf(s, loops.back()) >= lanes) {
        const std::vector<LoopRef> parts = s.split(loops.back(), {-1, lanes});
        s.reorder({parts[0], loops[packing.dim], parts[1]});
        s.vectorize(parts[1]);
    }
    sketch.done.push_back(packed.name);
}

} // namespace lathe::tune
