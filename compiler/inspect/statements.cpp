// SPDX-License-Identifier: Apache-2.0
#include "inspect/statements.h"

#include "driver/extensions.h"
#include "lower/pipeline.h"
#include "schedule/schedule.h"
#include "tir/visit.h"

#include <algorithm>

namespace lathe::inspect {
namespace {

/// Outermost first. A node that stands in several places is there several times.
std::vector<const tir::StmtNode*> listOf(const tir::PrimFunc& function) {
    std::vector<const tir::StmtNode*> list;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        list.push_back(stmt.get());
        return true;
    });
    return list;
}

/// The function with the ordinals of its statements for origins.
class Numberer : tir::Mutator {
public:
    explicit Numberer(const tir::PrimFunc& function) {
        for (const tir::StmtNode* stmt : listOf(function))
            ordinals_.emplace(stmt, static_cast<int>(ordinals_.size()));
    }

    tir::PrimFuncPtr numbered(const tir::PrimFunc& function) {
        auto made = std::make_shared<tir::PrimFunc>(function);
        made->body = mutate(function.body);
        return made;
    }
    int ordinalOf(const tir::StmtNode* stmt) const { return ordinals_.at(stmt); }

private:
    using tir::Mutator::mutate;
    tir::Stmt mutate(const tir::Stmt& stmt) override {
        auto copy = std::make_shared<tir::StmtNode>(*descend(stmt));
        copy->origin = ordinals_.at(stmt.get());
        return copy;
    }

    std::unordered_map<const tir::StmtNode*, int> ordinals_;
};

/// For each statement of `function` the origin of the one that stands at its place in `twin`. Empty if they are not alike.
std::unordered_map<const tir::StmtNode*, int> originsIn(const tir::PrimFunc& function, const tir::PrimFunc& twin) {
    const std::vector<const tir::StmtNode*> own = listOf(function), other = listOf(twin);
    const auto alike = [](const tir::StmtNode* a, const tir::StmtNode* b) {
        return a->value.index() == b->value.index();
    };
    std::unordered_map<const tir::StmtNode*, int> origins;
    if (std::ranges::equal(own, other, alike))
        for (size_t i = 0; i < own.size(); ++i)
            origins.emplace(own[i], other[i]->origin);
    return origins;
}

Result<tir::PrimFuncPtr> replayed(const tir::PrimFuncPtr& computation, schedule::ScheduleTrace trace, int steps) {
    schedule::Schedule schedule(computation);
    trace.steps.resize(std::min(trace.steps.size(), static_cast<size_t>(std::max(0, steps))));
    LATHE_CHECKED(schedule.replay(trace));
    return schedule.function();
}

/// By the passes that the kernel went through after its schedule.
Result<tir::PrimFuncPtr> loweredAs(const driver::KernelRecord& record, tir::PrimFuncPtr scheduled) {
    lower::Kernel kernel;
    kernel.name = record.name;
    kernel.computation = std::move(scheduled);
    kernel.schedulable = false;
    lower::KernelHook hook;
    hook.enabled = [&](std::string_view pass) {
        return std::ranges::any_of(record.stages, [&](const auto& stage) { return stage.first == pass; });
    };
    std::vector<lower::AddedKernelPass> added;
    if (record.extensions)
        std::ranges::copy_if(record.extensions->kernelPasses, std::back_inserter(added),
                             [](const auto& pass) { return pass.place != lower::KernelPlace::Computation; });
    hook.added = added;
    LATHE_CHECKED(lower::lowerKernel(kernel, record.target, lower::CodeKind::Native, {}, hook));
    return kernel.lowered;
}

} // namespace

bool Statement::isOf(const Statement& other) const {
    for (const int Statement::* level : {&Statement::lowered, &Statement::scheduled, &Statement::computed})
        if (this->*level >= 0 && other.*level >= 0)
            return this->*level == other.*level;
    return false;
}

KernelStatements statementsOf(const driver::KernelRecord& kernel) {
    KernelStatements all;
    const tir::PrimFuncPtr& computation = kernel.stages.front().second;
    Numberer computed(*computation);
    for (const tir::StmtNode* stmt : listOf(*computation))
        all.computation.emplace(stmt, Statement{-1, -1, computed.ordinalOf(stmt)});
    const auto stage = std::ranges::find(kernel.stages, "schedule", [](const auto& each) { return each.first; });
    const bool isScheduled = stage != kernel.stages.end();
    const tir::PrimFuncPtr& scheduled = isScheduled ? stage->second : computation;
    tir::PrimFuncPtr twin = computed.numbered(*computation);
    if (isScheduled) {
        const auto made = replayed(twin, kernel.schedule.trace, static_cast<int>(kernel.schedule.trace.steps.size()));
        twin = made ? *made : nullptr;
    }
    std::vector<int> computedOf; // by ordinal in the scheduled function
    Numberer ordered(*scheduled);
    const auto above = twin ? originsIn(*scheduled, *twin) : std::unordered_map<const tir::StmtNode*, int>();
    for (const auto& [stmt, origin] : above) {
        const auto ordinal = static_cast<size_t>(ordered.ordinalOf(stmt));
        computedOf.resize(std::max(computedOf.size(), ordinal + 1), -1);
        computedOf[ordinal] = origin;
        all.schedule.emplace(stmt, Statement{-1, static_cast<int>(ordinal), origin});
    }
    const tir::PrimFuncPtr& lowered = kernel.stages.back().second;
    const auto made = loweredAs(kernel, ordered.numbered(*scheduled));
    if (!made)
        return all;
    const Numberer last(*lowered);
    for (const auto& [stmt, origin] : originsIn(*lowered, **made)) {
        const bool known = origin >= 0 && static_cast<size_t>(origin) < computedOf.size();
        all.lowered.emplace(
            stmt, Statement{last.ordinalOf(stmt), origin, known ? computedOf[static_cast<size_t>(origin)] : -1});
    }
    return all;
}

Statements statementsAfter(const driver::KernelRecord& kernel, int steps, const tir::PrimFunc& made) {
    const tir::PrimFunc& computation = *kernel.stages.front().second;
    Statements statements;
    if (const auto twin = replayed(Numberer(computation).numbered(computation), kernel.schedule.trace, steps))
        for (const auto& [stmt, origin] : originsIn(made, **twin))
            statements.emplace(stmt, Statement{-1, -1, origin});
    return statements;
}

} // namespace lathe::inspect
