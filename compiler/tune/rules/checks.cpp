// SPDX-License-Identifier: Apache-2.0
#include "tune/rules/checks.h"

#include "arith/analysis.h"
#include "tir/transform/parallel_regions.h"
#include "tir/visit.h"
#include "tune/nest_cost.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tune {
namespace {

constexpr double mostLocal = 16 * 1024, mostStatements = 4096, mostRepeated = 8;
constexpr double workspaceOfOperands = 2, workspaceBeside = 64 << 20;
constexpr double leastShare = 0.1; // of the kernel's work, that has to run on all threads
constexpr double leastChunks = 4;  // worth of work for each thread, below which they may be idle

double bytesOf(const tir::Buffer& buffer) {
    double bytes = buffer.dtype.bytes();
    for (const arith::Expr& extent : buffer.shape)
        bytes *= static_cast<double>(arith::asInt(extent).value_or(1));
    return bytes;
}

/// What the text of the function says.
struct Size {
    double local = 0, workspace = 0, statements = 0;
};

void addTo(Size& size, const tir::Stmt& stmt, double times) {
    if (const auto* allocate = stmt->as<tir::Allocate>())
        (allocate->buffer->scope == tir::Scope::Local ? size.local : size.workspace) += bytesOf(*allocate->buffer);
    if (stmt->as<tir::Store>())
        size.statements += times;
    if (const auto* loop = stmt->as<tir::For>(); loop && loop->kind == tir::ForKind::Unrolled)
        times *= static_cast<double>(arith::bounds(loop->extent).upper);
    for (const tir::Stmt& child : childrenOf(*stmt))
        addTo(size, child, times);
}

double workOf(const std::vector<Nest>& nests) {
    double work = 0;
    for (const Nest& nest : nests)
        work += nest.iterations() * (nest.operations.flops() + 1);
    return work;
}

Failure refused(const char* what, double found, double limit) {
    return failure(what, fmt::format("{:.0f}, and {:.0f} is the most", found, limit));
}

} // namespace

Result<void> checkSchedule(const tir::PrimFuncPtr& computation, const tir::PrimFuncPtr& scheduled, const Target& target,
                           int threads) {
    Size size;
    addTo(size, scheduled->body, 1);
    if (size.local > mostLocal)
        return refused("more local memory than stays near", size.local, mostLocal);
    if (size.statements > mostStatements)
        return refused("more statements in a row than code should have", size.statements, mostStatements);
    double operands = 0;
    for (const tir::Param& param : scheduled->params)
        operands += param.buffer ? bytesOf(*param.buffer) : 0;
    if (const double most = workspaceOfOperands * operands + workspaceBeside; size.workspace > most)
        return refused("more memory for what lies between than for the operands", size.workspace, most);

    const std::vector<int64_t> sizes; // open ones are taken as some number
    const std::vector<Nest> nests = nestsOf(scheduled, sizes);
    const double work = workOf(nests), asked = workOf(nestsOf(computation, sizes));
    if (work > mostRepeated * asked)
        return refused("the same is computed again and again", work, mostRepeated * asked);
    const MachineModel machine = machineModel(target, threads);
    const std::vector<NestCost> costs = costsOf(nests, machine);
    for (size_t i = 0; i < nests.size(); ++i) {
        const double units = costs[i].units();
        if (threads > 1 && nests[i].iterations() * (nests[i].operations.flops() + 1) > leastShare * work &&
            units > leastChunks * threads * tir::parallelGrain && costs[i].chunks < threads)
            return refused("threads are idle", threads - costs[i].chunks, 0);
        if (nests[i].accumulates() && costs[i].excess(machine) > 0)
            return refused("more accumulators than registers", costs[i].accumulators + costs[i].operands,
                           target.vectorRegisters);
    }
    return {};
}

} // namespace lathe::tune
