// SPDX-License-Identifier: Apache-2.0
#include "end_to_end/whole_model.h"

#include "base/parallel.h"
#include "driver/listing.h"
#include "relay/text.h"
#include "relay/visit.h"
#include "tir/structure.h"
#include "tir/text.h"
#include "tir/visit.h"

#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <random>
#include <set>

namespace lathe::testing {

namespace fs = std::filesystem;

namespace {

/// Findings of many threads.
class Collector {
public:
    void add(std::string what) {
        std::lock_guard lock(mutex_);
        if (wrong_.size() < 20)
            wrong_.push_back(std::move(what));
    }
    std::vector<std::string> take() { return std::move(wrong_); }

private:
    std::mutex mutex_;
    std::vector<std::string> wrong_;
};

/// The first line in which two texts differ, of both.
std::string firstDifference(const std::string& a, const std::string& b) {
    size_t line = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
        if (a[i] == '\n')
            line = i + 1;
    const auto lineOf = [&](const std::string& text) { return text.substr(line, text.find('\n', line) - line); };
    return fmt::format("'{}' became '{}'", lineOf(a), lineOf(b));
}

void checkModule(const std::string& where, const relay::Module& module, Collector& findings) {
    const std::string text = relay::print(module);
    const Result<relay::Module> read = relay::parse(text, relay::constantsOf(module));
    if (!read)
        return findings.add(fmt::format("{}: {}", where, toString(read.error())));
    if (const std::string again = relay::print(*read); again != text)
        findings.add(fmt::format("{}: {}", where, firstDifference(text, again)));
    if (!relay::identical(module, *read))
        findings.add(where + ": what was read is not identical");
}

void checkFunction(const std::string& where, const tir::PrimFunc& function, Collector& findings) {
    const std::string text = tir::print(function);
    const Result<tir::PrimFuncPtr> read = tir::parsePrimFunc(text);
    if (!read)
        return findings.add(fmt::format("{}: {}", where, toString(read.error())));
    if (const std::string again = tir::print(**read); again != text)
        findings.add(fmt::format("{}: {}", where, firstDifference(text, again)));
    if (!tir::structurallyEqual(function, **read))
        findings.add(where + ": what was read is not structurally equal");
}

/// Calls by the name of their kernel.
std::map<std::string, std::vector<const driver::CallRecord*>> callsByKernel(const driver::Trace& trace) {
    std::map<std::string, std::vector<const driver::CallRecord*>> calls;
    for (const driver::CallRecord& call : trace.calls)
        calls[call.kernel].push_back(&call);
    return calls;
}

bool leadsToNodes(int origin, const std::vector<const driver::CallRecord*>& calls) {
    return std::all_of(calls.begin(), calls.end(), [&](const driver::CallRecord* call) {
        return origin >= 0 && static_cast<size_t>(origin) < call->origins.size() &&
               !call->origins[static_cast<size_t>(origin)].empty();
    });
}

} // namespace

Findings checkTexts(const driver::Trace& trace) {
    struct Job {
        std::string where;
        std::shared_ptr<const relay::Module> module;
        tir::PrimFuncPtr function;
    };
    std::vector<Job> jobs;
    std::set<const void*> seen;
    for (const driver::PassRecord& pass : trace.passes)
        if (pass.after && seen.insert(pass.after.get()).second)
            jobs.push_back({"after " + pass.name, pass.after, nullptr});
    for (const driver::KernelRecord& kernel : trace.kernels)
        for (const auto& [stage, function] : kernel.stages)
            if (seen.insert(function.get()).second)
                jobs.push_back({kernel.name + " after " + stage, nullptr, function});
    if (trace.entry)
        jobs.push_back({"entry", nullptr, trace.entry});
    for (const tir::PrimFuncPtr& function : trace.entryFunctions)
        jobs.push_back({function->name, nullptr, function});
    Collector collector;
    parallelFor(jobs.size(), 0, [&](size_t i) {
        if (jobs[i].module)
            checkModule(jobs[i].where, *jobs[i].module, collector);
        else
            checkFunction(jobs[i].where, *jobs[i].function, collector);
    });
    return {collector.take(), fmt::format("{} texts of {} passes and {} kernels", jobs.size(), trace.passes.size(),
                                          trace.kernels.size())};
}

Findings checkChanges(const driver::Trace& trace) {
    Collector collector;
    std::map<std::string, bool> changed; // passes over kernels: did any text change
    std::mutex mutex;
    std::atomic<int> compared = 0;
    parallelFor(trace.kernels.size(), 0, [&](size_t i) {
        const driver::KernelRecord& kernel = trace.kernels[i];
        std::string before = tir::print(*kernel.stages.front().second);
        for (size_t stage = 1; stage < kernel.stages.size(); ++stage) {
            const auto& [name, function] = kernel.stages[stage];
            std::string after = tir::print(*function);
            ++compared;
            const bool differs = after != before;
            if (differs != (function != kernel.stages[stage - 1].second))
                collector.add(fmt::format("{} after {}: {}", kernel.name, name,
                                          differs ? "one object, two texts" : "a new object with the same text"));
            before = std::move(after);
            std::lock_guard lock(mutex);
            changed[name] |= differs;
        }
    });
    for (const driver::PassRecord& pass : trace.passes) {
        bool differs = pass.changed;
        if (pass.stage == driver::Stage::Tir)
            differs = changed[pass.name];
        else if (pass.before && pass.after)
            differs = relay::print(*pass.before) != relay::print(*pass.after);
        ++compared;
        if (differs != pass.changed)
            collector.add(fmt::format("{} says {}", pass.name, pass.changed ? "changed" : "unchanged"));
    }
    return {collector.take(), fmt::format("{} pairs of texts compared", compared.load())};
}

Findings checkProvenance(const driver::Trace& trace) {
    Collector collector;
    int64_t bindings = 0, statements = 0;
    for (const driver::PassRecord& pass : trace.passes)
        if (pass.after)
            relay::visitBindings(*pass.after, [&](const relay::Binding& binding) {
                ++bindings;
                if (binding.span.empty())
                    collector.add(fmt::format("after {}: %{} has no Span", pass.name, binding.var.id));
            });
    const auto calls = callsByKernel(trace);
    for (const driver::KernelRecord& kernel : trace.kernels) {
        const auto served = calls.find(kernel.name);
        if (served == calls.end()) {
            collector.add(kernel.name + " is called by nothing");
            continue;
        }
        for (const auto& [stage, function] : kernel.stages)
            tir::visitStmts(function->body, [&](const tir::Stmt& stmt) {
                ++statements;
                if (!stmt->as<tir::Seq>() && !leadsToNodes(stmt->origin, served->second))
                    collector.add(fmt::format("{} after {}: origin {} leads to no node: {}", kernel.name, stage,
                                              stmt->origin, tir::print(stmt).substr(0, 200)));
                return true;
            });
    }
    std::set<int32_t> found;
    const auto addAll = [&](model::Span span) {
        const auto& ids = trace.graph->spans->ids(span);
        found.insert(ids.begin(), ids.end());
    };
    for (const driver::CallRecord& call : trace.calls)
        for (const model::Span span : call.origins)
            addAll(span);
    if (const auto last = inspect::lastModule(trace)) // branches and loops are code of the entry
        relay::visitBindings(*last, [&](const relay::Binding& binding) {
            if (!relay::blocksOf(binding.rhs).empty())
                addAll(binding.span);
        });
    const size_t inCode = found.size();
    for (const driver::Removed& removed : trace.removed)
        found.insert(removed.node);
    for (const model::Node* node : trace.graph->nodes)
        if (node && !found.contains(node->id))
            collector.add(fmt::format("node {} ({}) is neither in the code nor listed as removed",
                                      model::displayName(*node), model::operatorName(*node)));
    return {collector.take(), fmt::format("{} bindings, {} statements; {} nodes: {} in code, {} entries of removals",
                                          bindings, statements, trace.graph->nodeCount, inCode, trace.removed.size())};
}

Findings checkWays(const std::shared_ptr<const driver::Trace>& traced, double share) {
    const driver::Trace& trace = *traced;
    const inspect::Provenance provenance(traced);
    Collector collector;
    std::vector<std::optional<driver::Listing>> listings(trace.kernels.size());
    parallelFor(listings.size(), 0, [&](size_t i) {
        if (auto listing = trace.kernels[i].listing())
            listings[i] = *std::move(listing);
        else
            collector.add(fmt::format("{}: {}", trace.kernels[i].name, toString(listing.error())));
    });
    Findings findings{collector.take(), {}};
    if (!findings.wrong.empty())
        return findings;
    const auto listingOf = [&](int call) -> const driver::Listing& {
        return *listings[static_cast<size_t>(provenance.kernelOf(call))];
    };
    std::vector<std::string> lost;
    int removed = 0, entry = 0, led = 0;
    for (const model::Node* node : trace.graph->nodes) {
        if (!node)
            continue;
        const auto uses = provenance.usesOf(node->id);
        const bool bound = !provenance.bindingsOf(node->id).empty();
        if (!provenance.removedBy(node->id).empty())
            ++removed;
        else if (bound && uses.empty())
            ++entry; // a branch or a loop: checkProvenance holds that no other has no call
        else if (bound && std::ranges::any_of(uses, [&](const inspect::NodeUse& use) {
                     return std::ranges::any_of(listingOf(use.call).instructions,
                                                [&](const driver::Instruction& instruction) {
                                                    return std::ranges::binary_search(use.origins, instruction.origin);
                                                });
                 }))
            ++led;
        else
            lost.push_back(fmt::format("node {} ({}) leads to no instruction", model::displayName(*node),
                                       model::operatorName(*node)));
    }
    constexpr int samples = 1000;
    int back = 0, inLoops = 0, backInLoops = 0;
    std::mt19937 random(1);
    for (int sample = 0; sample < samples; ++sample) {
        const int call = static_cast<int>(random() % trace.calls.size());
        const auto& instructions = listingOf(call).instructions;
        const driver::Instruction& instruction = instructions[random() % instructions.size()];
        inLoops += instruction.inLoop;
        if (instruction.origin < 0)
            continue;
        const std::vector<int> nodes = provenance.nodesOf(call, instruction.origin);
        const bool bothWays = !nodes.empty() && std::ranges::all_of(nodes, [&](int node) {
            return std::ranges::any_of(provenance.usesOf(node), [&](const inspect::NodeUse& use) {
                return use.call == call && std::ranges::binary_search(use.origins, instruction.origin);
            });
        });
        back += bothWays;
        backInLoops += bothWays && instruction.inLoop;
    }
    const int computed = led + static_cast<int>(lost.size());
    findings.figures =
        fmt::format("of {} nodes with code {} lead to instructions, {} are branches or loops, {} were removed; of {} "
                    "instructions {} lead to nodes and back, of {} in loops {}",
                    computed, led, entry, removed, samples, back, inLoops, backInLoops);
    if (led < share * computed)
        findings.wrong = std::move(lost);
    if (back < share * samples || backInLoops < share * inLoops)
        findings.wrong.push_back(findings.figures);
    return findings;
}

} // namespace lathe::testing
