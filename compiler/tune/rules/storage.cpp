// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/storage.h"

#include "arith/analysis.h"
#include "moves/limits.h"
#include "moves/storage.h"
#include "tir/access.h"
#include "tune/rules/axes.h"

#include <algorithm>

namespace lathe::tune {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Schedule;

namespace {

/// Bytes of an operand that a task makes for itself: of the first cache, beside what it is made of.
constexpr int64_t mostNear = 16 * 1024;

} // namespace

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
                dim >= 0 && !other->uses(var) && own->constantStride(var).value_or(0) > moves::widestStep &&
                own->constantStride(body.iters.back().var) == 1)
                return Packing{own->buffer, static_cast<size_t>(dim)};
    }
    return std::nullopt;
}

void placePacked(Sketch& sketch, const BlockRef& packed, const Packing& packing, LoopRef task) {
    Schedule& s = sketch.schedule;
    s.computeAt(packed, task);
    nearIfSmall(s, packed);
    const std::vector<LoopRef> loops = s.loops(packed);
    const size_t outer = loops.size() - packing.operand->shape.size();
    moves::vectorizePacking(s, packed, loops[outer + packing.dim], sketch.target);
    sketch.done.push_back(packed.name);
}

} // namespace lathe::tune
