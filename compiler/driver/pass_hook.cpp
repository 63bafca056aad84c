// SPDX-License-Identifier: Apache-2.0
//
// One hook around each pass.
#include "driver/pass_hook.h"

#include "driver/passes.h"
#include "relay/text.h"
#include "relay/verify.h"
#include "relay/visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {

namespace {

// Of the whole work: kernels take nearly all of it.
constexpr double beforeKernels = 0.1, afterKernels = 0.9;

} // namespace

int64_t countBindings(const relay::Module& module) {
    int64_t count = 0;
    relay::visitBindings(module, [&](const relay::Binding&) { ++count; });
    return count;
}

std::string_view toString(Stage stage) {
    static constexpr std::string_view names[] = {"import", "relay", "lower", "tir", "codegen"};
    return names[static_cast<size_t>(stage)];
}

PassHook::PassHook(const Decisions& decisions, const Options& options, Trace& trace, const Progress& progress)
    : decisions_(decisions), options_(options), trace_(trace), progress_(progress) {
    trace_.passes = plannedPasses(decisions, options);
}

void PassHook::checkCancelled() const {
    if (progress_.cancelled && progress_.cancelled())
        throw Cancelled{};
}

void PassHook::report(std::string_view stage, double fraction) const {
    checkCancelled();
    if (progress_.report)
        progress_.report(stage, fraction);
}

void PassHook::reportKernels(size_t finished, size_t count) const {
    const double share = count == 0 ? 1 : static_cast<double>(finished) / static_cast<double>(count);
    report(fmt::format("{} of {} kernels", finished, count), beforeKernels + (afterKernels - beforeKernels) * share);
}

void PassHook::reportPass(std::string_view name) const {
    const auto placeOf = [this](std::string_view pass) {
        return static_cast<double>(std::ranges::find(trace_.passes, pass, &PassRecord::name) - trace_.passes.begin());
    };
    const double place = placeOf(name), entry = placeOf("make entry"), all = static_cast<double>(trace_.passes.size());
    report(name, place < entry ? beforeKernels * place / entry
                               : afterKernels + (1 - afterKernels) * (place - entry) / (all - entry));
}

PassRecord& PassHook::recordOf(std::string_view name) {
    const auto found = std::ranges::find(trace_.passes, name, &PassRecord::name);
    LATHE_ASSERT(found != trace_.passes.end(), fmt::format("pass '{}' stands in the pipeline", name));
    return *found;
}

PassRecord& PassHook::begin(std::string_view name) {
    PassRecord& record = recordOf(name);
    const auto place = static_cast<size_t>(&record - trace_.passes.data());
    LATHE_ASSERT(place >= next_, fmt::format("pass '{}' runs where the pipeline has it", name));
    next_ = place + 1;
    return record;
}

Result<ModulePtr> PassHook::run(std::string_view name, const ModulePtr& before,
                                const std::function<Result<relay::Module>(const relay::Module&)>& fn) {
    PassRecord& record = begin(name);
    reportPass(name);
    record.before = before;
    ModulePtr after = before;
    if (record.enabled) {
        const auto start = std::chrono::steady_clock::now();
        Result<relay::Module> made = fn(*before);
        add(name, since(start));
        if (!made) {
            record.diagnostics.push_back(made.error());
            return Failure(made.error());
        }
        record.changed = made->functions != before->functions;
        if (record.changed)
            after = std::make_shared<relay::Module>(*std::move(made));
    }
    record.after = after;
    record.bindings = countBindings(*after);
    if (options_.verify || !record.plugin.empty())
        if (auto verified = relay::verify(*after); !verified)
            throw InternalError(fmt::format("after pass '{}': {}", name, lathe::toString(verified.error())));
    return after;
}

lower::KernelHook PassHook::forKernel(size_t kernelIndex) {
    lower::KernelHook hook;
    hook.verify = options_.verify;
    if (options_.extensions)
        hook.added = options_.extensions->kernelPasses;
    hook.checkpoint = [this] { checkCancelled(); };
    hook.enabled = [this, kernelIndex](std::string_view pass) {
        const auto off = decisions_.skipIn.find(trace_.kernels[kernelIndex].workload);
        return recordOf(pass).enabled && (off == decisions_.skipIn.end() || !off->second.contains(std::string(pass)));
    };
    hook.done = [this, kernelIndex](std::string_view pass, const tir::PrimFuncPtr& after, double ms) {
        auto& stages = trace_.kernels[kernelIndex].stages;
        std::lock_guard lock(mutex_);
        PassRecord& record = recordOf(pass);
        record.ran = true;
        record.ms += ms;
        record.changed |= stages.back().second != after;
        stages.emplace_back(std::string(pass), after);
    };
    return hook;
}

void PassHook::add(std::string_view name, double ms) {
    std::lock_guard lock(mutex_);
    PassRecord& record = recordOf(name);
    record.ran = true;
    record.ms += ms;
}

} // namespace lathe::driver
