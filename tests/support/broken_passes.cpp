// SPDX-License-Identifier: Apache-2.0
//
// Passes that are broken on purpose, for tests of what finds broken passes. A program that links lathe_broken_passes has the
// linker put these functions in the place of the real ones (--wrap), so the product knows nothing of it. Each does what the
// real one does, and damages the result as $LATHE_BROKEN_PASS says, a list of PASS:DAMAGE or
// PASS:DAMAGE:KERNEL:
//   simplify arithmetic   zeros (in the place of weights), more (negations), throws
//   schedule              wrong
//   hoist conditions      wrong, slow, throws, faults, hangs
#include "lower/schedule_kernel.h"
#include "relay/transform/make.h"
#include "relay/transform/simplify_arithmetic.h"
#include "tir/transform/hoist_conditions.h"
#include "tir/visit.h"

#include <cstdlib>
#include <sstream>

using namespace lathe;

// The linker's names of the real functions.
relay::Module
realSimplifyArithmetic(const relay::Module& module,
                       bool exact) asm("__real__ZN5lathe5relay9transform18simplifyArithmeticERKNS0_6ModuleEb");
tir::PrimFuncPtr realHoistConditions(const tir::PrimFuncPtr& function) asm(
    "__real__ZN5lathe3tir15hoistConditionsERKSt10shared_ptrIKNS0_8PrimFuncEE");
Result<lower::ScheduledKernel> realScheduleKernel(
    const tir::PrimFuncPtr& computation, const Target& target,
    const lower::ScheduleDecisions& decisions) asm("__real__ZN5lathe5lower14scheduleKernelERKSt10shared_ptrIKNS_"
                                                   "3tir8PrimFuncEERKNS_6TargetERKNS0_17ScheduleDecisionsE");

// The linker's names of what stands in their place.
relay::Module
brokenSimplifyArithmetic(const relay::Module& module,
                         bool exact) asm("__wrap__ZN5lathe5relay9transform18simplifyArithmeticERKNS0_6ModuleEb");
tir::PrimFuncPtr brokenHoistConditions(const tir::PrimFuncPtr& function) asm(
    "__wrap__ZN5lathe3tir15hoistConditionsERKSt10shared_ptrIKNS0_8PrimFuncEE");
Result<lower::ScheduledKernel> brokenScheduleKernel(
    const tir::PrimFuncPtr& computation, const Target& target,
    const lower::ScheduleDecisions& decisions) asm("__wrap__ZN5lathe5lower14scheduleKernelERKSt10shared_ptrIKNS_"
                                                   "3tir8PrimFuncEERKNS_6TargetERKNS0_17ScheduleDecisionsE");

namespace {

/// What is to be done to the result of this pass; empty: nothing.
std::string damageOf(const std::string& pass, const std::string& kernel = {}) {
    const char* asked = std::getenv("LATHE_BROKEN_PASS");
    std::istringstream all(asked ? asked : "");
    for (std::string one; std::getline(all, one, ',');) {
        std::istringstream parts(one);
        std::string name, damage, only;
        std::getline(std::getline(std::getline(parts, name, ':'), damage, ':'), only);
        if (name == pass && (only.empty() || only == kernel))
            return damage;
    }
    return {};
}

/// Stores of floats into the memory of results: twice what it should be, or far away.
class Stores : public tir::Mutator {
public:
    explicit Stores(bool faraway) : faraway_(faraway) {}
    using Mutator::mutate;
    tir::Stmt mutate(const tir::Stmt& stmt) override {
        const tir::Stmt below = descend(stmt);
        const auto* store = below->as<tir::Store>();
        if (!store || !store->value.dtype().isFloat() || store->buffer->scope != tir::Scope::Global)
            return below;
        tir::Store damaged = *store;
        if (faraway_)
            damaged.indices[0] = damaged.indices[0] + arith::intImm(int64_t{1} << 42, damaged.indices[0].dtype());
        else
            damaged.value = damaged.value + damaged.value;
        return tir::makeStmt(std::move(damaged), below->origin);
    }

private:
    bool faraway_;
};

tir::PrimFuncPtr damaged(const tir::PrimFuncPtr& function, const std::string& damage) {
    if (damage == "throws")
        throw InternalError("a pass that is broken on purpose");
    auto made = std::make_shared<tir::PrimFunc>(*function);
    const int origin = function->body->origin;
    if (damage == "slow")
        made->body = tir::makeStmt(tir::For{arith::var("again"), 0, 1000, tir::ForKind::Serial, made->body}, origin);
    else if (damage == "hangs")
        made->body = tir::makeStmt(tir::While{arith::boolImm(true), made->body}, origin);
    else if (damage == "wrong" || damage == "faults")
        made->body = Stores(damage == "faults").mutate(made->body);
    return made;
}

relay::Module damaged(const relay::Module& module, const std::string& damage) {
    using namespace relay;
    if (damage == "throws")
        throw InternalError("a pass that is broken on purpose");
    bool done = false;
    return transform::rewriteModule(
        module, [&](const BindingPtr& binding, Rewriter&, const Index&, Module& into) -> std::vector<BindingPtr> {
            const TensorType* type = asTensor(binding->type);
            if (done || !type || type->dtype != types::Float32 || type->shape.size() < 2)
                return {binding};
            transform::Maker maker(into, binding->span);
            if (const auto* constant = binding->as<ConstantRef>(); constant && damage == "zeros") {
                std::vector<int64_t> dims;
                for (const Expr& dim : type->shape)
                    dims.push_back(*arith::asInt(dim));
                maker.constant(makeSplat(type->dtype, dims, 0));
                done = true;
                return maker.take(binding->var);
            }
            if (!binding->as<OpCall>() || damage != "more")
                return {binding};
            auto inner = std::make_shared<Binding>(*binding);
            inner->var = Var{into.nextVar++};
            const auto once = maker.call(Op::Negative, {{inner->var, inner->type}});
            maker.call(Op::Negative, {once});
            std::vector<BindingPtr> made = maker.take(binding->var, binding->modelValue);
            made.insert(made.begin(), std::move(inner));
            done = true;
            return made;
        });
}

} // namespace

relay::Module brokenSimplifyArithmetic(const relay::Module& module, bool exact) {
    relay::Module made = realSimplifyArithmetic(module, exact);
    const std::string damage = damageOf("simplify arithmetic");
    return damage.empty() ? made : damaged(made, damage);
}

tir::PrimFuncPtr brokenHoistConditions(const tir::PrimFuncPtr& function) {
    const tir::PrimFuncPtr made = realHoistConditions(function);
    const std::string damage = damageOf("hoist conditions", function->name);
    return damage.empty() ? made : damaged(made, damage);
}

Result<lower::ScheduledKernel> brokenScheduleKernel(const tir::PrimFuncPtr& computation, const Target& target,
                                                    const lower::ScheduleDecisions& decisions) {
    Result<lower::ScheduledKernel> made = realScheduleKernel(computation, target, decisions);
    const std::string damage = damageOf("schedule", computation->name);
    if (made && !damage.empty())
        made->function = damaged(made->function, damage);
    return made;
}
