// SPDX-License-Identifier: Apache-2.0
//
// One hook around each pass.
#include "driver/pass_hook.h"

#include "relay/text.h"
#include "relay/verify.h"

#include <algorithm>
#include <chrono>

namespace lathe::driver {
namespace {

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int64_t countBindings(const relay::Module& module) {
    int64_t count = 0;
    for (const auto& [name, function] : module.functions) {
        std::vector<const relay::Block*> pending = {function->body.get()};
        while (!pending.empty()) {
            const relay::Block* block = pending.back();
            pending.pop_back();
            count += static_cast<int64_t>(block->bindings.size());
            for (const relay::BindingPtr& binding : block->bindings)
                for (const relay::BlockPtr& nested : relay::blocksOf(binding->rhs))
                    pending.push_back(nested.get());
        }
    }
    return count;
}

/// Nothing was rewritten: the same Function objects, or Blocks of the same Bindings.
bool unchanged(const relay::Module& a, const relay::Module& b) {
    if (a.functions.size() != b.functions.size())
        return false;
    for (const auto& [name, function] : a.functions) {
        auto it = b.functions.find(name);
        if (it == b.functions.end())
            return false;
        if (it->second == function)
            continue;
        if (function->body->bindings != it->second->body->bindings ||
            function->body->result != it->second->body->result)
            return false;
    }
    return true;
}

} // namespace

std::string_view toString(Stage stage) {
    static constexpr std::string_view names[] = {"import", "relay", "lower", "tir", "codegen"};
    return names[static_cast<size_t>(stage)];
}

PassHook::PassHook(const Decisions& decisions, const Options& options, Trace& trace, const Progress& progress)
    : decisions_(decisions), options_(options), trace_(trace), progress_(progress) {}

bool PassHook::enabled(std::string_view pass) const {
    if (decisions_.skipPasses.contains(std::string(pass)))
        return false;
    if (decisions_.optionalLimit < 0)
        return true;
    const std::vector<std::string>& all = optionalPasses();
    auto it = std::find(all.begin(), all.end(), pass);
    return it != all.end() && it - all.begin() < decisions_.optionalLimit;
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

Result<relay::Module> PassHook::run(std::string name, Stage stage, bool required, const relay::Module& before,
                                    const std::function<Result<relay::Module>(const relay::Module&)>& fn) {
    report(name, 0);
    PassRecord record;
    record.name = name;
    record.stage = stage;
    record.required = required;
    record.before = std::make_shared<relay::Module>(before);
    record.ran = required || enabled(name);
    Result<relay::Module> after = before;
    auto start = std::chrono::steady_clock::now();
    if (record.ran)
        after = fn(before);
    record.ms = since(start);
    if (after) {
        record.changed = !unchanged(before, *after);
        record.after = record.changed ? std::make_shared<relay::Module>(*after) : record.before;
        record.bindings = countBindings(*after);
    } else {
        record.diagnostics.push_back(after.error());
    }
    trace_.passes.push_back(std::move(record));
    if (after && options_.verify)
        if (auto verified = relay::verify(*after); !verified)
            throw InternalError("after pass '" + name + "': " + lathe::toString(verified.error()));
    return after;
}

PassRecord& PassHook::recordOf(std::string_view pass, bool required) {
    for (PassRecord& record : trace_.passes)
        if (record.stage == Stage::Tir && record.name == pass)
            return record;
    PassRecord record;
    record.name = std::string(pass);
    record.stage = Stage::Tir;
    record.required = required;
    record.ran = required || enabled(pass);
    trace_.passes.push_back(std::move(record));
    return trace_.passes.back();
}

lower::KernelHook PassHook::forKernel(size_t kernelIndex) {
    lower::KernelHook hook;
    hook.verify = options_.verify;
    hook.enabled = [this](std::string_view pass) { return enabled(pass); };
    hook.done = [this, kernelIndex](std::string_view pass, bool required, const tir::PrimFuncPtr& after, double ms) {
        std::lock_guard lock(mutex_);
        PassRecord& record = recordOf(pass, required);
        record.ms += ms;
        auto& stages = trace_.kernels[kernelIndex].stages;
        record.changed |= stages.empty() || stages.back().second != after;
        stages.emplace_back(std::string(pass), after);
    };
    return hook;
}

void PassHook::step(std::string name, Stage stage, double ms) {
    PassRecord record;
    record.name = std::move(name);
    record.stage = stage;
    record.ms = ms;
    record.changed = true;
    std::lock_guard lock(mutex_);
    trace_.passes.push_back(std::move(record));
}

} // namespace lathe::driver
